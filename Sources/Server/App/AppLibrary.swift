internal import Analysis
internal import Application
internal import Filters
internal import HTTPTypes
internal import Platform
internal import Records
internal import ResultStore
internal import Synchronization
internal import SystemPackage
internal import Text

/// What the parts of the app share: the store, and what is kept of it in memory until it changes.
final class AppLibrary: Sendable {
  let services: Services
  let sounds: KnownSounds
  let revision: StoreRevision
  private let paths = Mutex<(revision: Int64?, paths: [String: FilePath])>((nil, [:]))

  init(_ services: Services) throws(StoreError) {
    self.services = services
    sounds = try KnownSounds(in: services.store)
    revision = try StoreRevision(of: services.store)
  }

  var store: ResultStore { services.store }

  /// How far a run has come that goes on now.
  var progress: RunProgress? { RunProgress(ofDatabase: store.path) }

  var catalogStatus: CatalogStatus { CatalogStatus(of: services.recognition.catalog) }

  /// - Throws: `RequestError` for an id that no track has.
  func path(ofTrack id: String) throws -> FilePath {
    guard ContentID(id) != nil, let path = try knownPaths()[id] else {
      throw RequestError(.notFound, "There is no track with the id '\(printable(String(id.prefix(40))))' in the library.")
    }
    return path
  }

  /// With what lists leave out.
  /// - Parameter long: As in `RecordSelection`.
  func record(ofTrack id: String, long: Set<String>) throws -> FileRecord {
    guard let record = try store.record(at: try path(ofTrack: id), long: long) else {
      throw RequestError(.notFound, "The track is not in the library any more.")
    }
    return record
  }

  func listed(_ row: TrackRow) -> ListedTrack { ListedTrack(row) }

  /// As in lists; `nil` for what is in none.
  func listed(_ paths: [FilePath]) throws -> [ListedTrack?] {
    try paths.map { path in
      try store.tracks(matching: TrackFilter(.condition(.under(path))), limit: 1).first.map { listed($0) }
    }
  }

  private func knownPaths() throws -> [String: FilePath] {
    let present = revision.current()
    let known = paths.withLock { $0.revision == present && present != nil ? $0.paths : nil }
    if let known { return known }
    var found: [String: FilePath] = [:]
    for row in try store.tracks(matching: .everything) { found[ContentID(ofPath: row.path).description] = row.path }
    let all = found
    paths.withLock { $0 = (present, all) }
    return all
  }
}
