internal import Analysis
internal import GRDB
internal import Platform
public import Records
internal import Synchronization
internal import SystemPackage
internal import Text

/// Merges results made elsewhere into the store. The final content of the store depends neither on the order of the
/// results nor on how often they are merged.
///
/// If there are two results for a file, one without a transient problem (`Problem.mayBeTransient`) takes
/// precedence over one that has such a problem; otherwise the later one does. If both describe the same version of the
/// file, the outcomes of analyzers that only the other result has are kept.
///
/// A merge is recorded as a run of its own once a result changes anything. The caller must hold the run lock. The
/// merger can be called from any thread, one call at a time. Each call blocks until its transaction is done.
public final class ResultMerger: Sendable {
  private let store: ResultStore
  private let programVersion: String
  private let state = Mutex(State())

  fileprivate struct State {
    var run: Int64?
    var counts = MergeCounts()
    var seen = SeenFiles()
  }

  public init(store: ResultStore, programVersion: String) {
    self.store = store
    self.programVersion = programVersion
  }

  public var counts: MergeCounts { state.withLock { $0.counts } }

  /// Merges results of one origin in one transaction. Batches of about 200 are most efficient.
  public func merge(_ results: [WorkerResult], from origin: ResultOrigin) throws(StoreError) {
    try state.withLock { state throws(StoreError) in
      // If a merge that was killed has already stored the results, no transaction is needed, and no run is recorded.
      if let seen = try unchanged(by: results, wanted: origin.wanted, state) {
        state = seen
        return
      }
      let run = if let run = state.run { run } else { try begin(origin) }
      state.run = run
      var copy = state
      try ResultWriter(store: store, run: run, wanted: origin.wanted).transact { db, write in
        for result in results {
          let verdict = try MergeVerdict(on: result, wanted: origin.wanted, in: db)
          try carryOut(verdict, result, run: run, db, write)
          copy.note(verdict, try fileID(of: result, db))
        }
      }
      state = copy
    }
  }

  /// Returns the state after results that change nothing; `nil` if any of the results changes something.
  private func unchanged(
    by results: [WorkerResult], wanted: WantedAnalyses, _ state: State
  ) throws(StoreError) -> State? {
    try store.read { db in
      var state = state
      for result in results {
        let verdict = try MergeVerdict(on: result, wanted: wanted, in: db)
        guard !verdict.isChange else { return nil }
        state.note(verdict, try fileID(of: result, db))
      }
      return state
    }
  }

  public struct Ending: Hashable, Sendable {
    /// The run that was recorded; `nil` if nothing changed.
    public var run: Int64?
    /// Totals over the files to which the results refer, in their present state. Each file counts once.
    public var totals = RunTotals()
    public var newlyFailed = 0
    public var newlyDamaged = 0
    /// See `WriteCounts.unsettled`.
    public var unsettled = 0
    /// Number of cached files that are damaged.
    public var knownDamaged = 0
    public var exitStatus: Int32 = 0
  }

  /// Closes the record of the run, if there is one.
  /// - Parameter exitStatus: Returns the exit status for the outcome.
  public func finish(
    _ runState: RunRecord.State, exitStatus: (Ending) -> Int32
  ) throws(StoreError) -> Ending {
    try state.withLock { state throws(StoreError) in
      var ending = try ending(state)
      ending.exitStatus = exitStatus(ending)
      if let run = state.run {
        try store.finishRun(
          run, state: runState, exitStatus: Int(ending.exitStatus), roots: [], totals: ending.totals,
          newlyFailed: ending.newlyFailed, newlyDamaged: ending.newlyDamaged, pending: 0)
      }
      return ending
    }
  }

  private func begin(_ origin: ResultOrigin) throws(StoreError) -> Int64 {
    try store.beginRun(
      programVersion: programVersion, pipeline: origin.pipeline, configuration: .null,
      configurationDigest: origin.digest, analyzers: origin.wanted.members.map(\.identity), roots: [])
  }

  private func fileID(of result: WorkerResult, _ db: Database) throws -> Int64? {
    let select = try Query(db, "SELECT id FROM file WHERE path = ?")
    return try select.first(.path(result.path)) { select.integer(0) }
  }

  private func ending(_ state: State) throws(StoreError) -> Ending {
    try store.read { db in
      var ending = Ending(run: state.run)
      let select = try Query(
        db,
        """
        SELECT f.id, f.status, f.skip_code, f.analyzed_run, e.first_failed_run, e.code
        FROM file f LEFT JOIN failure e ON e.file = f.id
        """)
      let run = state.run ?? 0
      try select.forEachRow {
        guard state.seen.contains(select.integer(0)) else { return }
        let isNew = run > 0 && select.integer(4) == run
        let wasMade = run > 0 && select.integer(3) == run
        switch FileAnalysis.Status(rawValue: select.text(1)) {
        case _ where !select.isNull(2):
          ending.totals.skipped += 1
        case .failed:
          ending.totals.failed += 1
          if isNew { ending.newlyFailed += 1 }
        case .partial where wasMade:
          ending.totals.partial += 1
          if Problem.movingTargets.contains(select.text(5)) {
            ending.unsettled += 1
          } else if isNew {
            ending.newlyDamaged += 1
          }
        case .ok where wasMade:
          ending.totals.analyzed += 1
        case let status:
          ending.totals.cached += 1
          if status == .partial { ending.knownDamaged += 1 }
        }
      }
      return ending
    }
  }
}

// MARK: - Changes

extension ResultMerger {
  private func carryOut(
    _ verdict: MergeVerdict, _ result: WorkerResult, run: Int64, _ db: Database, _ write: (FileResult) throws -> Void
  ) throws {
    switch (verdict, result.content) {
    case (.new(let id), .analysis(let analysis, let stamp)):
      let id = try prepare(id, for: stamp, .new, exists: true, run: run, db)
      try write(FileResult(fileID: id, analysis: analysis, analyzed: result.analyzed))
    case (.better(let file, let isSameVersion), .analysis(let analysis, let stamp)):
      let exists = file.vanished.map { $0 <= result.analyzed.nanoseconds } ?? true
      _ = try prepare(file.id, for: stamp, isSameVersion ? .outdated : .changed, exists: exists, run: run, db)
      try write(FileResult(fileID: file.id, analysis: analysis, analyzed: result.analyzed))
    case (.addition(let file, let outcomes), .analysis(let analysis, _)):
      var known = FileAnalysis(
        status: file.status ?? .failed, problem: file.problem, remarks: file.remarks, outcomes: outcomes)
      if !file.wasDecoded, file.status == .ok {
        // An analysis of only the tags cannot show that the audio is intact.
        known.status = analysis.status
        known.problem = analysis.problem
        known.remarks += analysis.remarks.filter { $0.stage == .decode }
        known.format = analysis.format
        known.contentID = analysis.contentID
        known.decodingID = analysis.decodingID
      }
      try write(FileResult(fileID: file.id, analysis: known, analyzed: Timestamp(nanoseconds: file.analyzed)))
    case (.skip(let id), .skipped(let skipped)):
      try skip(id, skipped, run: run, db)
    default: break
    }
  }

  /// Gives a file the row that a scan would have given it, waiting for the given reason. Returns the id of the row.
  private func prepare(
    _ id: Int64?, for stamp: FileStamp, _ reason: PendingReason, exists: Bool, run: Int64, _ db: Database
  ) throws -> Int64 {
    let pending = SQLValue.integer(PendingState().with(reason).rawValue)
    let device = SQLValue.integer(Int64(bitPattern: stamp.device))
    let inode = SQLValue.integer(Int64(bitPattern: stamp.inode))
    guard let id else {
      try Query(
        db,
        """
        INSERT INTO file (path, display_path, size_bytes, mtime_ns, ctime_ns, device, inode, pending, first_seen_run)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
      ).run(
        .path(stamp.path), .text(DisplayPath.text(of: stamp.path)), .integer(stamp.sizeBytes),
        .integer(stamp.modified.nanoseconds), .integer(stamp.statusChanged?.nanoseconds), device, inode, pending,
        .integer(run))
      return db.lastInsertedRowID
    }
    try Query(
      db,
      """
      UPDATE file SET size_bytes = ?, mtime_ns = ?, ctime_ns = ?, looked_ns = NULL, device = ?, inode = ?, pending = ?,
        skip_code = NULL, skip_message = NULL, vanished_run = iif(?, NULL, vanished_run)
      WHERE id = ?
      """
    ).run(
      .integer(stamp.sizeBytes), .integer(stamp.modified.nanoseconds), .integer(stamp.statusChanged?.nanoseconds),
      device, inode, pending, .flag(exists), .integer(id))
    return id
  }

  private func skip(_ id: Int64?, _ file: SkippedFile, run: Int64, _ db: Database) throws {
    if let id {
      try Query(db, "UPDATE file SET skip_code = ?, skip_message = ? WHERE id = ?")
        .run(.text(file.code), .text(file.message), .integer(id))
    } else {
      try Query(
        db,
        "INSERT INTO file (path, display_path, skip_code, skip_message, first_seen_run) VALUES (?, ?, ?, ?, ?)"
      ).run(
        .path(file.path), .text(DisplayPath.text(of: file.path)), .text(file.code), .text(file.message), .integer(run))
    }
  }
}

extension ResultMerger.State {
  fileprivate mutating func note(_ verdict: MergeVerdict, _ file: Int64?) {
    switch verdict {
    case .new, .better, .addition, .skip: counts.merged += 1
    case .unchanged: counts.unchanged += 1
    case .outdated: counts.outdated += 1
    }
    if let file { seen.insert(file) }
  }
}
