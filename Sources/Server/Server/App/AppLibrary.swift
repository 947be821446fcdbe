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

/// Shared by the routes of the app: the store, the folder watch, and search responses cached until the store changes.
final class AppLibrary: Sendable {
  let services: Services
  /// The folder watch; `nil` if nothing is watched.
  let watch: LibraryWatch?
  let revision: StoreRevision
  /// The responses to searches, as JSON.
  let searches: TimedCache<TypedSearch, [UInt8]>

  init(_ services: Services, watch: LibraryWatch?) throws(StoreError) {
    self.services = services
    self.watch = watch
    revision = try StoreRevision(of: services.store)
    // Each response has about 20 kB.
    searches = try TimedCache(of: services.store, count: 500, maxAge: .milliseconds(250))
  }

  var store: ResultStore { services.store }
  var sounds: DescriptorCache { services.sounds }

  /// The progress of the current run, in this or another process; `nil` if no run is active.
  var progress: RunProgress? { RunProgress(ofDatabase: store.path, ownProcess: watch?.report.process) }

  var catalogStatus: CatalogStatus { CatalogStatus(of: services.recognition.catalog) }

  /// Returns a track or a failed file, because the app shows both.
  /// - Throws: `RequestError` if neither has the id.
  func song(_ id: String) throws -> Song {
    guard ContentID(id) != nil, let song = try store.song(id: id, includesFailed: true) else {
      throw RequestError(
        .notFound, "There is no track with the id '\(printable(String(id.prefix(40))))' in the library.")
    }
    return song
  }

  /// Returns the record of a track.
  /// - Parameter long: The long fields to read; see `RecordSelection`.
  func record(ofTrack id: String, long: Set<String>) throws -> FileRecord {
    guard let record = try store.record(at: try song(id).row.path, long: long) else {
      throw RequestError(.notFound, "The track is no longer in the library.")
    }
    return record
  }

  /// Returns songs with artists and albums, in the order of `rows`, including failed files.
  func songs(_ rows: [TrackRow]) throws -> [Song] {
    try store.songs(ofFiles: rows.map(\.fileID), includesFailed: true)
  }
}
