internal import GRDB
public import ResultStore
internal import SystemPackage

/// Detects commits to a database by any process, over a separate connection. SQLite counts commits in memory that all
/// users of the database share, so a call takes a few microseconds.
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

  /// Returns a number that differs from the last one if something has been committed since then; `nil` if the database
  /// cannot be read. Numbers of different processes cannot be compared.
  public func current() -> Int64? {
    try? connection.read { db in try Int64.fetchOne(db, sql: "PRAGMA data_version") }
  }
}
