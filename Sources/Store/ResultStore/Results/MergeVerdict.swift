internal import Analysis
internal import GRDB
internal import Platform
internal import SystemPackage

/// The decision about a result from elsewhere, based on the stored state of its file.
enum MergeVerdict {
  /// The file is unknown (`nil`) or was never analyzed.
  case new(Int64?)
  /// The result is better than the stored one. The outcomes of other analyzers are kept if both results describe the
  /// same version of the file.
  case better(KnownFile, isSameVersion: Bool)
  /// The stored result is better, but lacks these analyzers.
  case addition(KnownFile, [AnalyzerOutcome])
  case unchanged
  case outdated
  /// The file is unknown (`nil`), or it has no result and was skipped for a reason that sorts after the new one.
  case skip(Int64?)

  var isChange: Bool {
    switch self {
    case .new, .better, .addition, .skip: true
    case .unchanged, .outdated: false
    }
  }

  /// - Parameter wanted: The analyses of the pipeline that made the result.
  init(on result: WorkerResult, wanted: WantedAnalyses, in db: Database) throws {
    let file = try KnownFile(at: result.path, in: db)
    self =
      switch result.content {
      case .skipped(let skipped): Self.verdict(on: skipped, beside: file)
      case .analysis(let analysis, let stamp):
        Self.verdict(on: analysis, of: stamp, at: result.analyzed, wanted: wanted, beside: file)
      }
  }

  private static func verdict(on new: SkippedFile, beside file: KnownFile?) -> MergeVerdict {
    guard let file else { return .skip(nil) }
    guard file.status == nil, let old = file.skip else { return .outdated }
    // A skip has neither a result nor a stored time, so any fixed order will do.
    if old == (new.code, new.message) { return .unchanged }
    return (new.code, new.message) < old ? .skip(file.id) : .outdated
  }

  private static func verdict(
    on analysis: FileAnalysis, of stamp: FileStamp, at analyzed: Timestamp, wanted: WantedAnalyses,
    beside file: KnownFile?
  ) -> MergeVerdict {
    guard let file, let status = file.status else { return .new(file?.id) }
    let isSameVersion =
      file.pending != .new && file.pending != .changed && file.sizeBytes == stamp.sizeBytes
      && file.modified == stamp.modified.nanoseconds
    var new = (soundness(analysis.status, analysis.problem), analyzed.nanoseconds)
    var old = (soundness(status, file.problem), file.analyzed)
    if isSameVersion {
      // An analysis of only the tags takes over what the other result says about the audio, so only the time decides.
      if analysis.keepsVerdict(on: file.contentID, status, wanted: wanted) {
        new.0 = old.0
      } else if !file.wasDecoded, status == .ok, new.0 > 0 {
        old.0 = new.0
      }
    }
    if new == old { return isSameVersion ? .unchanged : .outdated }
    if new > old { return .better(file, isSameVersion: isSameVersion && old.0 > 0) }
    let missing = analysis.outcomes.filter { !file.analyzers.contains($0.analyzer.id) }
    return isSameVersion && new.0 > 0 && !missing.isEmpty ? .addition(file, missing) : .outdated
  }

  /// Returns 2 for a result without a transient problem, 1 if a transient problem left the result incomplete, and 0 if
  /// a transient problem made the analysis fail.
  private static func soundness(_ status: FileAnalysis.Status, _ problem: Problem?) -> Int {
    guard let problem, problem.mayBeTransient else { return 2 }
    return status == .failed ? 0 : 1
  }
}

extension MergeVerdict {
  struct KnownFile {
    var id: Int64
    var sizeBytes: Int64?
    var modified: Int64?
    var status: FileAnalysis.Status?
    var analyzed: Int64
    var pending: PendingReason?
    var skip: (code: String, message: String)?
    var problem: Problem?
    var remarks: [Problem]
    var contentID: ContentID?
    /// Ids of the analyzers that have an outcome.
    var analyzers: Set<String> = []
    /// `true` if any of these analyzers read the audio, so the status takes damage into account.
    var wasDecoded = false
    /// Start of the run that found that the file had vanished; `nil` if it exists.
    var vanished: Int64?

    init?(at path: FilePath, in db: Database) throws {
      let select = try Query(
        db,
        """
        SELECT f.id, f.size_bytes, f.mtime_ns, f.status, f.analyzed_ns, f.pending, f.skip_code, f.skip_message,
          f.remarks, e.stage, e.code, e.message, v.started_ns, f.content_id
        FROM file f LEFT JOIN failure e ON e.file = f.id LEFT JOIN run v ON v.id = f.vanished_run
        WHERE f.path = ?
        """)
      guard let row = try select.first(.path(path), body: { KnownFile(select) }) else { return nil }
      self = row
      let names = try Query(
        db, "SELECT n.name, n.reads_audio FROM analysis a JOIN analyzer n ON n.id = a.analyzer WHERE a.file = ?")
      try names.forEachRow(.integer(id)) {
        analyzers.insert(names.text(0))
        if names.flag(1) { wasDecoded = true }
      }
    }

    private init(_ row: Query) {
      id = row.integer(0)
      sizeBytes = row.optionalInteger(1)
      modified = row.optionalInteger(2)
      status = FileAnalysis.Status(rawValue: row.text(3))
      analyzed = row.integer(4)
      pending = PendingState(rawValue: row.integer(5)).reason
      skip = row.isNull(6) ? nil : (row.text(6), row.text(7))
      problem = StoredProblem.read(row, stage: 9, code: 10, message: 11)
      remarks = StoredProblem.list(fromJSON: row, column: 8)
      vanished = row.optionalInteger(12)
      contentID = row.optionalText(13).flatMap { ContentID($0) }
    }
  }
}
