public import Analysis
internal import GRDB
public import Platform
internal import Synchronization
internal import SystemPackage

/// The result of one analysis of one waiting file.
public struct FileResult: Sendable {
  public var fileID: Int64
  public var analysis: FileAnalysis
  /// The time of the analysis; `nil` for the current time.
  public var analyzed: Timestamp?

  public init(fileID: Int64, analysis: FileAnalysis, analyzed: Timestamp? = nil) {
    self.fileID = fileID
    self.analysis = analysis
    self.analyzed = analyzed
  }
}

/// Counts of the results a run has stored so far.
public struct WriteCounts: Hashable, Sendable {
  /// Files with status `ok`.
  public var analyzed = 0
  /// Files with status `partial`.
  public var partial = 0
  /// Files with status `failed`.
  public var failed = 0
  /// Number of `failed` files that had not failed before.
  public var newlyFailed = 0
  /// Number of `partial` files that had neither failed nor been damaged before.
  public var newlyDamaged = 0
  /// Number of `partial` files that are partial only because they changed while being read.
  public var unsettled = 0
  /// Files that were not decoded because their audio was known.
  public var reused = 0

  public var all: Int { analyzed + partial + failed }

  public init() {}
}

/// Stores results. The row, findings and search index of a file are written in one transaction, so either all or none
/// of them are stored, even if the process is killed.
///
/// The writer can be called from any thread, one call at a time. Each call blocks until its transaction is done.
public final class ResultWriter: Sendable {
  private let store: ResultStore
  private let run: Int64
  private let wanted: WantedAnalyses
  private let clock: @Sendable () -> Timestamp
  private let state = Mutex(State())

  private struct State {
    var counts = WriteCounts()
    var analyzerIDs: [AnalyzerIdentity: Int64] = [:]
  }

  public init(
    store: ResultStore, run: Int64, wanted: WantedAnalyses, clock: @escaping @Sendable () -> Timestamp = { .now }
  ) {
    self.clock = clock
    self.store = store
    self.run = run
    self.wanted = wanted
  }

  public var counts: WriteCounts { state.withLock { $0.counts } }

  /// Stores results in one transaction. Batches of about 200 are most efficient.
  ///
  /// A new outcome replaces the old outcome of the same analyzer. If the file has not changed, other old outcomes stay.
  /// If it has changed, they are removed; but with `reusesKnownAudio`, those of analyzers that read audio stay if the
  /// file was intact and had the same `decodingID`, and missing ones are copied from any intact file with this
  /// `decodingID`.
  public func commit(_ results: [FileResult]) throws(StoreError) {
    try transact { _, write in for result in results { try write(result) } }
  }

  /// Runs a transaction for results that depend on stored data, or whose files must be added first.
  func transact(_ body: (Database, _ write: (FileResult) throws -> Void) throws -> Void) throws(StoreError) {
    try state.withLock { state throws(StoreError) in
      var copy = state
      try store.write { db in
        try body(db) { result in try write(result, state: &copy, db) }
      }
      state = copy
    }
  }

  private struct StoredFile {
    var path: FilePath
    var status: FileAnalysis.Status?
    /// The reason for a status other than `ok`.
    var problem: Problem?
    var remarks: [Problem]
    var contentID: ContentID?
    var decodingID: ContentID?
    var hasChanged: Bool
    var reason: PendingReason?
    var sizeBytes: Int64?

    /// `true` if the run that stored this state has already reported the file as failed or damaged.
    var isKnownAsBad: Bool {
      switch status {
      case .failed: true
      case .partial: problem.map { !Problem.movingTargets.contains($0.code) } ?? true
      case .ok, nil: false
      }
    }
  }

  private struct StoredAnalysis {
    var analyzer: Int64
    var identity: AnalyzerIdentity
    var readsAudio: Bool
    var outcome: StoredOutcome
  }

  private func write(_ result: FileResult, state: inout State, _ db: Database) throws {
    let id = result.fileID
    var analysis = result.analysis
    let select = try Query(
      db,
      """
      SELECT f.path, f.status, f.content_id, f.pending, f.decoding_id, f.remarks, e.stage, e.code, e.message,
        f.size_bytes
      FROM file f LEFT JOIN failure e ON e.file = f.id WHERE f.id = ?
      """)
    let file = try select.first(.integer(id)) {
      let contentID = ContentID(select.text(2))
      let reason = PendingState(rawValue: select.integer(3)).reason
      return StoredFile(
        path: select.path(0), status: FileAnalysis.Status(rawValue: select.text(1)),
        problem: StoredProblem.read(select, stage: 6, code: 7, message: 8),
        remarks: StoredProblem.list(fromJSON: select, column: 5), contentID: contentID,
        decodingID: ContentID(select.text(4)), hasChanged: hasChanged(reason, from: contentID, analysis),
        reason: reason, sizeBytes: select.optionalInteger(9))
    }
    guard let file else { return }
    keepVerdict(of: file, in: &analysis)
    let analyzed = result.analyzed ?? clock()
    try ChecksumComparison(
      file: id, reason: file.reason, status: file.status, problem: file.problem, contentID: file.contentID,
      sizeBytes: file.sizeBytes, run: run, time: analyzed
    ).settle(&analysis, in: db)

    var analyses = try storedAnalyses(ofFile: id, db)
    let made = Set(analysis.outcomes.map(\.analyzer.id))
    for old in analyses where !made.contains(old.identity.id) && !stays(old, of: file, analysis) {
      try store.findings.remove(old.identity.id, file: id, in: db)
      try deleteAnalysis(old.analyzer, file: id, db)
      analyses.removeAll { $0.analyzer == old.analyzer }
    }
    for outcome in analysis.outcomes {
      for old in analyses where old.identity.id == outcome.analyzer.id {
        try deleteAnalysis(old.analyzer, file: id, db)
      }
      analyses.removeAll { $0.identity.id == outcome.analyzer.id }
      analyses.append(try write(outcome, file: id, state: &state, db))
    }
    if analysis.reusesKnownAudio, let decodingID = analysis.decodingID {
      analyses = try reuse(decodingID, file: id, having: analyses, made: made, db)
    }
    try writeFile(id, file, analysis, analyses, analyzed: analyzed, db)

    switch analysis.status {
    case .ok: state.counts.analyzed += 1
    case .partial:
      state.counts.partial += 1
      if Problem.movingTargets.contains(analysis.problem?.code ?? "") {
        state.counts.unsettled += 1
      } else if !file.isKnownAsBad {
        state.counts.newlyDamaged += 1
      }
    case .failed:
      state.counts.failed += 1
      if file.status != .failed { state.counts.newlyFailed += 1 }
    }
    if analysis.reusesKnownAudio && analysis.decodedDuration == nil { state.counts.reused += 1 }
  }

  /// Keeps the status if the analysis read only tags and decoded nothing: an unchanged file is as intact or as damaged
  /// as it was before.
  private func keepVerdict(of file: StoredFile, in analysis: inout FileAnalysis) {
    guard !file.hasChanged, let status = file.status,
      analysis.keepsVerdict(on: file.contentID, status, wanted: wanted)
    else { return }
    analysis.status = status
    analysis.problem = file.problem
    analysis.remarks += file.remarks.filter { $0.stage == .decode }
    analysis.format = nil
  }

  /// Returns whether the file differs from the one that the stored results describe. If only its times changed, the
  /// audio decides. A file that could not be read for system reasons counts as unchanged.
  private func hasChanged(_ reason: PendingReason?, from known: ContentID?, _ analysis: FileAnalysis) -> Bool {
    switch reason {
    case .new, .changed: return true
    case .outdated, .retry, nil: return false
    case .touched:
      if let found = analysis.contentID { return found != known }
      let isTransient = analysis.problem.flatMap { DecodeError.Code(rawValue: $0.code) }?.isTransient ?? false
      return !isTransient && analysis.workerLoss == nil
    }
  }

  // MARK: Analyses

  private func storedAnalyses(ofFile id: Int64, _ db: Database) throws -> [StoredAnalysis] {
    let select = try Query(
      db,
      """
      SELECT n.id, n.name, n.version, n.digest, n.reads_audio, a.outcome
      FROM analysis a JOIN analyzer n ON n.id = a.analyzer
      WHERE a.file = ?
      """)
    var analyses: [StoredAnalysis] = []
    try select.forEachRow(.integer(id)) {
      let identity = AnalyzerIdentity(id: select.text(1), version: Int(select.integer(2)), digest: select.text(3))
      analyses.append(
        StoredAnalysis(
          analyzer: select.integer(0), identity: identity, readsAudio: select.flag(4),
          outcome: StoredOutcome(rawValue: select.text(5)) ?? .failed))
    }
    return analyses
  }

  private func stays(_ old: StoredAnalysis, of file: StoredFile, _ analysis: FileAnalysis) -> Bool {
    // The absence of audio is more informative than the outcome of an earlier attempt.
    if !file.hasChanged { return !(analysis.status == .failed && old.readsAudio && old.outcome == .failed) }
    return old.readsAudio && analysis.reusesKnownAudio && file.status == .ok && analysis.decodingID != nil
      && analysis.decodingID == file.decodingID
  }

  private func deleteAnalysis(_ analyzer: Int64, file: Int64, _ db: Database) throws {
    try Query(db, "DELETE FROM analysis WHERE file = ? AND analyzer = ?").run(.integer(file), .integer(analyzer))
  }

  private func write(
    _ outcome: AnalyzerOutcome, file: Int64, state: inout State, _ db: Database
  ) throws -> StoredAnalysis {
    let identity = outcome.analyzer
    var stored: (outcome: StoredOutcome, message: String?)
    switch outcome.result {
    case .finding(let finding):
      do {
        try store.findings.write(finding, of: identity, file: file, in: db)
        stored = (.ok, nil)
      } catch let error as EncodingError {
        stored = (.failed, "The finding cannot be stored: \(Self.reason(of: error)).")
      }
    case .notApplicable(let message): stored = (.notApplicable, message)
    case .failed(let message): stored = (.failed, message)
    }
    if stored.outcome != .ok { try store.findings.remove(identity.id, file: file, in: db) }
    let readsAudio = wanted.readsAudio(identity)
    let analyzer = try analyzerID(identity, readsAudio: readsAudio, state: &state, db)
    try Query(db, "INSERT OR REPLACE INTO analysis (file, analyzer, outcome, message) VALUES (?, ?, ?, ?)")
      .run(.integer(file), .integer(analyzer), .text(stored.outcome.rawValue), .text(stored.message))
    return StoredAnalysis(
      analyzer: analyzer, identity: identity, readsAudio: readsAudio, outcome: stored.outcome)
  }

  private static func reason(of error: EncodingError) -> String {
    guard case .invalidValue(_, let context) = error else { return "\(error)" }
    let key = context.codingPath.map(\.stringValue).joined(separator: ".")
    return key.isEmpty ? context.debugDescription : "\(key): \(context.debugDescription)"
  }

  private func analyzerID(
    _ identity: AnalyzerIdentity, readsAudio: Bool, state: inout State, _ db: Database
  ) throws -> Int64 {
    if let id = state.analyzerIDs[identity] { return id }
    let upsert = try Query(
      db,
      """
      INSERT INTO analyzer (name, version, digest, reads_audio) VALUES (?, ?, ?, ?)
      ON CONFLICT (name, version, digest) DO UPDATE SET reads_audio = excluded.reads_audio
      RETURNING id
      """)
    let id = try upsert.first(
      .text(identity.id), .integer(identity.version), .text(identity.digest), .flag(readsAudio)
    ) { upsert.integer(0) }
    guard let id else { throw StoreError.failed(path: store.path, detail: "an analyzer was not given an id") }
    state.analyzerIDs[identity] = id
    return id
  }

  /// Copies, from other intact files that decode to the same audio, the requested outcomes that were neither produced
  /// now nor known for this file.
  private func reuse(
    _ decodingID: ContentID, file: Int64, having analyses: [StoredAnalysis], made: Set<String>, _ db: Database
  ) throws -> [StoredAnalysis] {
    var analyses = analyses
    let source = try Query(
      db,
      """
      SELECT a.file, a.analyzer, a.outcome
      FROM file f JOIN analysis a ON a.file = f.id JOIN analyzer n ON n.id = a.analyzer
      WHERE f.decoding_id = ? AND f.status = 'ok' AND f.id <> ? AND n.name = ? AND n.version = ? AND n.digest = ?
      ORDER BY f.id LIMIT 1
      """)
    for member in wanted.members where member.readsAudio && !made.contains(member.identity.id) {
      if analyses.contains(where: { member.accepted.contains($0.identity) }) { continue }
      var found: (identity: AnalyzerIdentity, file: Int64, analyzer: Int64, outcome: String)?
      for identity in member.accepted where found == nil {
        found = try source.first(
          .text(decodingID.description), .integer(file), .text(identity.id), .integer(identity.version),
          .text(identity.digest)
        ) { (identity, source.integer(0), source.integer(1), source.text(2)) }
      }
      guard let found else { continue }
      let identity = found.identity
      for old in analyses where old.identity.id == identity.id { try deleteAnalysis(old.analyzer, file: file, db) }
      analyses.removeAll { $0.identity.id == identity.id }
      try store.findings.copy(identity.id, from: found.file, to: file, in: db)
      try Query(
        db,
        """
        INSERT OR REPLACE INTO analysis (file, analyzer, outcome, message)
        SELECT ?, analyzer, outcome, message FROM analysis WHERE file = ? AND analyzer = ?
        """
      ).run(.integer(file), .integer(found.file), .integer(found.analyzer))
      analyses.append(
        StoredAnalysis(
          analyzer: found.analyzer, identity: identity, readsAudio: true,
          outcome: StoredOutcome(rawValue: found.outcome) ?? .failed))
    }
    return analyses
  }

  // MARK: File row

  private func writeFile(
    _ id: Int64, _ file: StoredFile, _ analysis: FileAnalysis, _ analyses: [StoredAnalysis], analyzed: Timestamp,
    _ db: Database
  ) throws {
    // An unchanged file keeps its ids even if it cannot be read today.
    let contentID = analysis.contentID ?? (file.hasChanged ? nil : file.contentID)
    let decodingID = analysis.decodingID ?? (file.hasChanged ? nil : file.decodingID)
    if !file.hasChanged, let old = file.contentID, let new = contentID, old != new {
      try TempoCorrections.follow(old, to: new, in: db)
      try PlaylistTables.follow(old, to: new, file: id, in: db)
    }
    if analysis.format != nil || file.hasChanged { try StoredFormat.write(analysis.format, file: id, in: db) }
    let set = try AnalysisSets.id(ofMembers: analyses.map { ($0.analyzer, $0.outcome) }, in: db)
    try Query(
      db,
      """
      UPDATE file SET status = ?, content_id = ?, decoding_id = ?, analysis_set = ?, decoder_version = ?, remarks = ?,
        pending = 0, analyzed_run = ?, analyzed_ns = ?
      WHERE id = ?
      """
    ).run(
      .text(analysis.status.rawValue), .text(contentID?.description), .text(decodingID?.description), .integer(set),
      .integer(wanted.decoderVersion),
      .text(StoredProblem.json(analysis.remarks)), .integer(run), .integer(analyzed.nanoseconds), .integer(id))
    try writeProblem(of: analysis, file: id, file, failed: analyzed, db)
    try InProgress.finish(file: id, in: db)
  }

  private func writeProblem(
    of analysis: FileAnalysis, file id: Int64, _ file: StoredFile, failed: Timestamp, _ db: Database
  ) throws {
    let known = try Query(db, "SELECT losses FROM failure WHERE file = ?")
    let lossesBefore = file.hasChanged ? 0 : try known.first(.integer(id)) { Int(known.integer(0)) } ?? 0
    // A failure counts as new if the file was intact or only damaged before. Known damage is not new.
    if analysis.status == .ok || analysis.status == .failed && file.status != .failed || !file.isKnownAsBad {
      try Query(db, "DELETE FROM failure WHERE file = ?").run(.integer(id))
    }
    if analysis.status == .ok { return }
    let problem =
      analysis.problem
      ?? Problem(stage: .analyze, code: "unexplained", message: "The analysis ended early and gave no reason.")
    let losses = analysis.workerLoss == nil ? 0 : lossesBefore + 1
    let end = losses > 0 ? Quarantine.end(of: losses, from: failed) : nil
    try Query(
      db,
      """
      INSERT INTO failure (file, stage, code, message, first_failed_run, last_failed_run, attempts, \(Quarantine.columns))
      VALUES (?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?)
      ON CONFLICT (file) DO UPDATE SET stage = excluded.stage, code = excluded.code, message = excluded.message,
        last_failed_run = excluded.last_failed_run, attempts = attempts + 1, signal = excluded.signal,
        losses = excluded.losses, failed_ns = excluded.failed_ns, retry_ns = excluded.retry_ns
      """
    ).run(
      .integer(id), .text(problem.stage.rawValue), .text(problem.code), .text(problem.message), .integer(run),
      .integer(run), .integer(analysis.workerLoss?.signal), .integer(losses), .integer(failed.nanoseconds),
      .integer(end?.nanoseconds))
  }
}

extension FileAnalysis {
  /// Returns `true` if the analysis read only the tags of the given audio, so that it cannot tell whether the audio is
  /// intact.
  /// - Parameter status: The stored status of the file.
  func keepsVerdict(on content: ContentID?, _ status: Status, wanted: WantedAnalyses) -> Bool {
    self.status == .ok && decodingID == nil && status != .failed && contentID != nil && contentID == content
      && !outcomes.contains { wanted.readsAudio($0.analyzer) }
  }
}
