internal import GRDB

extension ResultStore {
  /// The time at which writes of this task stop waiting for other programs; `nil` to wait for `patience`.
  @TaskLocal static var writeDeadline: ContinuousClock.Instant?

  /// Runs `body`. While another program holds the write lock, the writes of `body` wait until `deadline`, then throw
  /// `StoreError.busy`. Writes outside such a call wait for `patience`, ten seconds.
  package static func withWriteDeadline<Value>(
    _ deadline: ContinuousClock.Instant, _ body: () throws -> Value
  ) rethrows -> Value {
    try $writeDeadline.withValue(deadline) { try body() }
  }

  /// Runs `body`, which writes to the database.
  /// - Parameter deadline: The deadline; `nil` for the connection's default timeout.
  func waitForOthers<Value>(
    until deadline: ContinuousClock.Instant?, _ db: Database, _ body: () throws -> Value
  ) throws -> Value {
    guard let deadline else { return try body() }
    try Self.setPatience(max(.zero, deadline - .now), of: db)
    defer { try? Self.setPatience(.seconds(Self.patience), of: db) }
    return try body()
  }

  private static func setPatience(_ patience: Duration, of db: Database) throws {
    try db.execute(sql: "PRAGMA busy_timeout = \(Int(patience / .milliseconds(1)))")
  }
}
