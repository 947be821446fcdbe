public import Analysis
internal import GRDB
internal import Platform
public import Records
public import Text

/// The log of the runs on this database.
extension ResultStore {
  /// Opens a run and returns its id, which every session of the run needs. Runs that are still open must have died,
  /// because the caller holds the run lock. They are marked as dead, and the files that they were analyzing will be
  /// analyzed last.
  public func beginRun(
    programVersion: String, pipeline: String, configuration: JSONValue, configurationDigest: String,
    analyzers: [AnalyzerIdentity], roots: [RunRecord.Root]
  ) throws(StoreError) -> Int64 {
    try write { db in
      try Query(
        db,
        """
        UPDATE file SET pending = (file.pending & \(PendingState.reasonMask)) + p.attempts * \(PendingState.suspicionUnit)
        FROM in_progress p JOIN run r ON r.id = p.run
        WHERE file.id = p.file AND r.state = 'running' AND file.pending > 0
        """
      ).run()
      try Query(db, "UPDATE run SET state = 'died' WHERE state = 'running'").run()
      try Query(
        db,
        """
        INSERT INTO run (state, started_ns, program_version, pipeline, configuration, configuration_digest, analyzers)
        VALUES ('running', ?, ?, ?, ?, ?, ?)
        """
      ).run(
        .integer(Timestamp.now.nanoseconds), .text(programVersion), .text(pipeline), .text(configuration.text),
        .text(configurationDigest), .text(Self.json(analyzers)))
      let run = db.lastInsertedRowID
      try Self.write(roots, run: run, db)
      return run
    }
  }

  /// Closes a run. `roots` are the roots that were passed to `beginRun`, with the condition in which the scan found
  /// them.
  public func finishRun(
    _ run: Int64, state: RunRecord.State, exitStatus: Int?, roots: [RunRecord.Root], totals: RunTotals,
    newlyFailed: Int, newlyDamaged: Int, pending: Int
  ) throws(StoreError) {
    try write { db in
      try Query(
        db,
        """
        UPDATE run SET state = ?, finished_ns = ?, exit_status = ?, analyzed = ?, partial = ?, cached = ?, failed = ?,
          skipped = ?, vanished = ?, newly_failed = ?, newly_damaged = ?, pending = ?
        WHERE id = ?
        """
      ).run(
        .text(state.rawValue), .integer(Timestamp.now.nanoseconds), .integer(exitStatus), .integer(totals.analyzed),
        .integer(totals.partial), .integer(totals.cached), .integer(totals.failed), .integer(totals.skipped),
        .integer(totals.vanished), .integer(newlyFailed), .integer(newlyDamaged), .integer(pending), .integer(run))
      try Query(db, "DELETE FROM run_root WHERE run = ?").run(.integer(run))
      try Self.write(roots, run: run, db)
      try InProgress.releaseAll(ofRun: run, in: db)
    }
  }

  public func run(_ id: Int64) throws(StoreError) -> RunRecord? {
    try read { db in try Self.readRun("WHERE id = ?", .integer(id), db) }
  }

  public func latestRun() throws(StoreError) -> RunRecord? {
    try read { db in try Self.readRun("WHERE id = (SELECT max(id) FROM run WHERE ?)", .integer(1), db) }
  }

  /// Returns all runs, oldest first.
  public func runs() throws(StoreError) -> [RunOutline] {
    try read { db in
      let select = try Query(
        db,
        "SELECT id, started_ns, finished_ns, state, configuration_digest FROM run ORDER BY id")
      var runs: [RunOutline] = []
      try select.forEachRow([]) {
        runs.append(
          RunOutline(
            id: select.integer(0), started: Timestamp(nanoseconds: select.integer(1)),
            finished: select.optionalInteger(2).map { Timestamp(nanoseconds: $0) },
            state: RunRecord.State(rawValue: select.text(3)) ?? .died, configurationDigest: select.text(4)))
      }
      return runs
    }
  }

  private static func write(_ roots: [RunRecord.Root], run: Int64, _ db: Database) throws {
    let insert = try Query(
      db, "INSERT INTO run_root (run, position, path, display_path, condition) VALUES (?, ?, ?, ?, ?)")
    for (position, root) in roots.enumerated() {
      try insert.run(
        .integer(run), .integer(position), .path(root.path), .text(DisplayPath.text(of: root.path)),
        .text(root.condition.rawValue))
    }
  }

  private static func readRun(_ condition: String, _ value: SQLValue, _ db: Database) throws -> RunRecord? {
    let select = try Query(
      db,
      """
      SELECT id, started_ns, finished_ns, state, exit_status, program_version, pipeline, configuration,
        configuration_digest, analyzers, analyzed, partial, cached, failed, skipped, vanished, newly_failed,
        newly_damaged, pending
      FROM run \(condition)
      """)
    // Callers add these numbers up, so the values of a damaged database are clamped.
    func count(_ column: Int32) -> Int { Int(min(max(select.integer(column), 0), 1 << 48)) }
    let record = try select.first(value) {
      RunRecord(
        id: select.integer(0), started: Timestamp(nanoseconds: select.integer(1)),
        finished: select.optionalInteger(2).map { Timestamp(nanoseconds: $0) },
        state: RunRecord.State(rawValue: select.text(3)) ?? .died,
        exitStatus: select.optionalInteger(4).map { Int($0) },
        programVersion: select.text(5), pipeline: select.text(6),
        configuration: (try? JSONValue(parsing: select.bytes(7))) ?? .null, configurationDigest: select.text(8),
        analyzers: analyzers(fromJSON: select.bytes(9)), roots: [],
        totals: RunTotals(
          analyzed: count(10), partial: count(11), cached: count(12), failed: count(13), skipped: count(14),
          vanished: count(15)),
        newlyFailed: count(16), newlyDamaged: count(17), pending: count(18))
    }
    guard var record else { return nil }
    let roots = try Query(db, "SELECT path, condition FROM run_root WHERE run = ? ORDER BY position")
    try roots.forEachRow(.integer(record.id)) {
      guard let condition = RunRecord.Root.Condition(rawValue: roots.text(1)) else { return }
      record.roots.append(RunRecord.Root(path: roots.path(0), condition: condition))
    }
    return record
  }

  private static func json(_ analyzers: [AnalyzerIdentity]) -> String {
    var members: [String: JSONValue] = [:]
    for analyzer in analyzers {
      members[analyzer.id] = .object(["version": .integer(Int64(analyzer.version)), "digest": .string(analyzer.digest)])
    }
    return JSONValue.object(members).text
  }

  private static func analyzers(fromJSON text: UnsafeBufferPointer<UInt8>) -> [AnalyzerIdentity] {
    guard case .object(let members)? = try? JSONValue(parsing: text) else { return [] }
    return members.compactMap { id, value in
      guard case .object(let members) = value, case .integer(let version)? = members["version"],
        case .string(let digest)? = members["digest"]
      else { return nil }
      return AnalyzerIdentity(id: id, version: Int(version), digest: digest)
    }
    .sorted { $0.id < $1.id }
  }
}
