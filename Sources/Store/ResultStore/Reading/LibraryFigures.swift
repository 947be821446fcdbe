public import Analysis
internal import GRDB
public import Platform
public import SystemPackage

public struct LibraryFigures: Hashable, Sendable {
  /// The state of a file. Each file counts once.
  public enum Status: String, Hashable, Sendable, CaseIterable {
    case ok, partial, failed, skipped, vanished
    /// The file was found, but never analyzed.
    case new
  }

  public var files: [Status: Int] = [:]
  /// Numbers of failed files, including folders that could not be read, by the code of the reason.
  public var failures: [String: Int] = [:]
  /// Number of files waiting for analysis, whether or not they already have findings.
  public var pending = 0
  /// End of the last run that completed all of its work, with exit status 0 or 3; `nil` if there is none.
  public var lastSuccess: Timestamp?
  /// Size of the database in bytes, including its write-ahead log.
  public var databaseBytes: Int64 = 0
}

/// Files with the same failure or damage, which one run was the first to find.
public struct FailureGroup: Hashable, Sendable {
  public struct Example: Hashable, Sendable {
    public var path: FilePath
    public var problem: Problem
  }

  public var code: String
  public var count: Int
  /// First files in library order.
  public var examples: [Example]
}

extension ResultStore {
  /// Condition for everything that failed: files, and folders that could not be read.
  private static let hasFailed =
    "f.vanished_run IS NULL AND (f.status = 'failed' AND f.skip_code IS NULL OR e.stage = 'scan')"

  public func figures() throws(StoreError) -> LibraryFigures {
    var figures = try read { db in
      var figures = LibraryFigures()
      let files = try Query(
        db,
        """
        SELECT CASE WHEN f.vanished_run IS NOT NULL THEN 'vanished' WHEN e.file IS NOT NULL THEN 'failed'
            WHEN f.skip_code IS NOT NULL THEN 'skipped' ELSE coalesce(f.status, 'new') END, count(*)
        FROM file f LEFT JOIN failure e ON e.file = f.id AND e.stage = 'scan' GROUP BY 1
        """)
      try files.forEachRow([]) {
        if let status = LibraryFigures.Status(rawValue: files.text(0)) { figures.files[status] = Int(files.integer(1)) }
      }
      let failures = try Query(
        db, "SELECT e.code, count(*) FROM failure e JOIN file f ON f.id = e.file WHERE \(Self.hasFailed) GROUP BY 1")
      try failures.forEachRow([]) { figures.failures[failures.text(0)] = Int(failures.integer(1)) }
      let pending = try Query(
        db, "SELECT count(*) FROM file WHERE pending > 0 AND skip_code IS NULL AND vanished_run IS NULL")
      try pending.forEachRow([]) { figures.pending = Int(pending.integer(0)) }
      let success = try Query(db, "SELECT max(finished_ns) FROM run WHERE exit_status IN (0, 3)")
      try success.forEachRow([]) { figures.lastSuccess = success.optionalInteger(0).map { Timestamp(nanoseconds: $0) } }
      return figures
    }
    figures.databaseBytes = ["", "-wal"].reduce(0) { $0 + (Self.fileSize(of: path.string + $1) ?? 0) }
    return figures
  }

  /// Returns `true` if any file has a finding of this kind.
  public func hasFindings<Finding: DeclaredFinding>(of type: Finding.Type) throws(StoreError) -> Bool {
    try read { db in
      let table = Finding.declaration.table
      guard existing.has(table) else { return false }
      return try Query(db, "SELECT 1 FROM \(table) LIMIT 1").first { true } ?? false
    }
  }

  /// Returns the failures that one run was the first to encounter, starting with the most frequent reasons.
  /// - Parameter examples: Maximum number of files to name in each group.
  public func newFailureGroups(in run: Int64, examples: Int) throws(StoreError) -> [FailureGroup] {
    try groups(where: Self.hasFailed, firstFoundIn: run, examples: examples)
  }

  /// Returns the damage that one run was the first to find, starting with the most frequent reasons.
  public func newDamageGroups(in run: Int64, examples: Int) throws(StoreError) -> [FailureGroup] {
    let codes = Problem.movingTargets.sorted().map { "'\($0)'" }.joined(separator: ", ")
    return try groups(
      where: "f.vanished_run IS NULL AND f.status = 'partial' AND f.skip_code IS NULL AND e.code NOT IN (\(codes))"
        // Damage that a verification finds is reported by the verification.
        + " AND e.stage <> 'verify'",
      firstFoundIn: run, examples: examples)
  }

  private func groups(
    where condition: String, firstFoundIn run: Int64, examples: Int
  ) throws(StoreError) -> [FailureGroup] {
    try read { db in
      var groups: [FailureGroup] = []
      let counts = try Query(
        db,
        """
        SELECT e.code, count(*) FROM failure e JOIN file f ON f.id = e.file
        WHERE e.first_failed_run = ? AND \(condition) GROUP BY 1 ORDER BY 2 DESC, 1
        """)
      try counts.forEachRow(.integer(run)) {
        groups.append(FailureGroup(code: counts.text(0), count: Int(counts.integer(1)), examples: []))
      }
      let files = try Query(
        db,
        """
        SELECT f.path, e.stage, e.code, e.message FROM failure e JOIN file f ON f.id = e.file
        WHERE e.first_failed_run = ? AND e.code = ? AND \(condition) ORDER BY f.path LIMIT ?
        """)
      for index in groups.indices {
        try files.forEachRow(.integer(run), .text(groups[index].code), .integer(examples)) {
          guard let problem = StoredProblem.read(files, stage: 1, code: 2, message: 3) else { return }
          groups[index].examples.append(.init(path: files.path(0), problem: problem))
        }
      }
      return groups
    }
  }
}
