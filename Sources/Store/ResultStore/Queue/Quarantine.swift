public import Analysis
internal import GRDB
public import Platform
public import SystemPackage

/// A pause for a file that made its worker process crash, hang or exhaust its memory. The file is tried again, always
/// last, if it has changed, with other analyzers or decoders, on request, or after `until`.
public struct Quarantine: Hashable, Sendable {
  /// The signal that ended the worker process; `nil` if the process was killed because it took too long.
  public var signal: Int?
  /// Number of worker processes that were lost on the file in succession.
  public var losses: Int
  public var failed: Timestamp
  public var until: Timestamp

  /// Returns the length of the pause: one day after the first loss, doubled with each further loss, but at most thirty
  /// days.
  static func rest(afterLosses losses: Int) -> Duration {
    .seconds(86_400) * min(30, 1 << min(5, max(0, losses - 1)))
  }

  static func end(of losses: Int, from failed: Timestamp) -> Timestamp {
    Timestamp(nanoseconds: failed.nanoseconds + rest(afterLosses: losses).components.seconds * 1_000_000_000)
  }

  /// Columns of the table `failure`, in the order `read` expects.
  static let columns = "signal, losses, failed_ns, retry_ns"

  /// Returns `nil` if the file is not in quarantine.
  static func read(_ row: Query, from column: Int32) -> Quarantine? {
    guard row.integer(column + 1) > 0 else { return nil }
    return Quarantine(
      signal: row.optionalInteger(column).map { Int($0) }, losses: Int(row.integer(column + 1)),
      failed: Timestamp(nanoseconds: row.integer(column + 2)), until: Timestamp(nanoseconds: row.integer(column + 3)))
  }
}

extension ResultStore {
  /// Returns the existing files in quarantine, in library order.
  public func quarantined(limit: Int) throws(StoreError) -> [(path: FilePath, problem: Problem, quarantine: Quarantine)]
  {
    try read { db in
      let select = try Query(
        db,
        """
        SELECT f.path, e.stage, e.code, e.message, \(Quarantine.columns) FROM failure e JOIN file f ON f.id = e.file
        WHERE e.losses > 0 AND f.vanished_run IS NULL ORDER BY f.path LIMIT ?
        """)
      var found: [(path: FilePath, problem: Problem, quarantine: Quarantine)] = []
      try select.forEachRow(.integer(limit)) {
        guard let problem = StoredProblem.read(select, stage: 1, code: 2, message: 3),
          let quarantine = Quarantine.read(select, from: 4)
        else { return }
        found.append((select.path(0), problem, quarantine))
      }
      return found
    }
  }
}
