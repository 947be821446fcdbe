internal import Analysis
internal import AnalysisTasks
internal import HTTPTypes
internal import LibraryStore
internal import LibraryTasks
internal import Platform
internal import Records
internal import ResultStore
internal import Serving
internal import SystemPackage
internal import Text

/// The state that the parts of the app share: the store, and data of it in memory until it changes.
final class AppLibrary: Sendable {
  let services: Services
  /// `nil` if nothing is watched.
  let watch: LibraryWatch?
  let revision: StoreRevision
  /// Answers to what people type, as JSON.
  let searches: RecentValues<TypedSearch, [UInt8]>

  init(_ services: Services, watch: LibraryWatch?) throws(StoreError) {
    self.services = services
    self.watch = watch
    revision = try StoreRevision(of: services.store)
    // Some 20 kB each.
    searches = try RecentValues(of: services.store, count: 500, leastAge: .milliseconds(250))
  }

  var store: ResultStore { services.store }
  var sounds: KnownSounds { services.sounds }

  /// How far a run has come that goes on now.
  var progress: RunProgress? { RunProgress(ofDatabase: store.path, ownProcess: watch?.report.process) }

  var catalogStatus: CatalogStatus { CatalogStatus(of: services.recognition.catalog) }

  /// A track, or a file that failed: the app shows those, too.
  /// - Throws: `RequestError` for an id that no track has.
  func song(_ id: String) throws -> Song {
    guard ContentID(id) != nil, let song = try store.song(id: id, includesFailed: true) else {
      throw RequestError(
        .notFound, "There is no track with the id '\(printable(String(id.prefix(40))))' in the library.")
    }
    return song
  }

  /// With what lists leave out.
  /// - Parameter long: As in `RecordSelection`.
  func record(ofTrack id: String, long: Set<String>) throws -> FileRecord {
    guard let record = try store.record(at: try song(id).row.path, long: long) else {
      throw RequestError(.notFound, "The track is not in the library any more.")
    }
    return record
  }

  /// With their artists and albums, in the order of rows; files that failed among them.
  func songs(_ rows: [TrackRow]) throws -> [Song] {
    try store.songs(ofFiles: rows.map(\.fileID), includesFailed: true)
  }
}
