internal import GRDB
public import ResultStore
internal import SystemPackage

/// Tells when anything was committed to a database, by any process, over a connection of its own: SQLite counts commits in
/// memory that all its users share, so asking costs some microseconds.
public final class StoreRevision: Sendable {
  private let connection: DatabaseQueue

  /// - Throws: `StoreError` if the database cannot be read.
  public init(of store: ResultStore) throws(StoreError) {
    do {
      var configuration = Configuration()
      configuration.readonly = true
      configuration.label = "revision"
      connection = try DatabaseQueue(path: store.path.string, configuration: configuration)
    } catch {
      throw ResultStore.storeError(error, path: store.path)
    }
  }

  /// Another number than last time if something was committed since then. It says nothing across processes.
  public func current() -> Int64? {
    try? connection.read { db in try Int64.fetchOne(db, sql: "PRAGMA data_version") }
  }
}
