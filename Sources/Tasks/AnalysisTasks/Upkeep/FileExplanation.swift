internal import Analysis
package import LibraryScan
internal import LibraryStore
package import Pipeline
internal import Platform
internal import Records
package import ResultStore
package import SystemPackage
internal import Text

/// Explains why a file was analyzed, cached, skipped or failed, and what the next run would do.
package struct FileExplanation {
  package var path: FilePath
  package var store: ResultStore
  /// The plan of the next run.
  package var plan: AnalysisPlan
  /// The rule by which the run chooses files in folders.
  package var candidates: CandidateRule

  package init(of path: FilePath, in store: ResultStore, plan: AnalysisPlan, candidates: CandidateRule) {
    self.path = path
    self.store = store
    self.plan = plan
    self.candidates = candidates
  }

  /// Returns sentences that describe first the past, then what the next run would do.
  /// - Throws: `StoreError`, or `UnknownFile` if the file is neither in the database nor on disk.
  package func sentences() throws -> [String] {
    let record = try store.record(at: path)
    let history = try store.history(at: path)
    if history == nil, !path.exists { throw UnknownFile(path) }
    return past(record, history) + (try next(record, history))
  }

  private func past(_ record: FileRecord?, _ history: FileHistory?) -> [String] {
    guard let history else { return ["It is not in the database: no run has seen it."] }
    var lines: [String] = []
    if let run = history.vanishedRun {
      lines.append("Gone: run \(run) no longer found it. Its results are kept.")
    }
    if let record {
      switch record.status {
      case .ok: lines.append("Analyzed without a problem.")
      case .partial where record.problem?.code == Problem.changedSilently:
        lines.append(record.problem?.message ?? "")
      case .partial: lines.append("Analyzed in part: \(record.problem?.message ?? "no reason recorded")")
      case .failed:
        lines.append("Failed while \(stage(record.problem)): \(record.problem?.message ?? "no reason recorded")")
      case .skipped: lines.append("Skipped: \(record.problem?.message ?? "no reason recorded").")
      }
      if let code = record.problem?.code { lines.append("The reason in reports is \(code).") }
      for remark in record.remarks { lines.append("Remark: \(remark.message)") }
      for problem in record.analyzerProblems {
        lines.append(
          "Analyzer \(problem.analyzer) \(problem.outcome == .failed ? "failed" : "had nothing to do"): \(problem.message)"
        )
      }
    }
    if let analyzed = history.analyzed {
      lines.append("Last analyzed \(analyzed)\(history.analyzedRun.map { " by run \($0)" } ?? "").")
    }
    if history.failedAttempts > 0 {
      let since = history.firstFailedRun.map { " since run \($0)" } ?? ""
      lines.append(
        "Tried and failed \(history.failedAttempts == 1 ? "once" : "\(history.failedAttempts) times")\(since).")
    }
    if let quarantine = history.quarantine {
      let times = quarantine.losses == 1 ? "once" : "\(quarantine.losses) times in a row"
      let how = quarantine.signal.map { " (signal \($0))" } ?? ""
      lines.append(
        "In quarantine until \(quarantine.until): it ended a worker process \(times), last \(quarantine.failed)\(how). "
          + "It will be retried then or when it changes, after all other files.")
    }
    if history.unfinishedAttempts > 0 {
      lines.append("\(counted(history.unfinishedAttempts, "run")) crashed while reading it, so it is analyzed last.")
    }
    return lines
  }

  private func next(_ record: FileRecord?, _ history: FileHistory?) throws -> [String] {
    // `path` may also be a folder that could not be read.
    if record?.status == .failed, record?.problem?.stage == .scan { return ["The next run checks it again."] }
    if path.isObject { return ["An object: only a plan from a listing can tell if it has changed (docs/workers.md)."] }
    guard let now = ScannedFile(lookingAt: path) else { return ["The file no longer exists."] }
    if let reason = candidates.reasonToSkip(fileNamed: Array((path.lastComponent?.string ?? "").utf8)) {
      return ["In a folder it would be skipped: \(reason.sentence)."]
    }
    guard let record, let history else { return ["The next run that finds it analyzes it."] }
    if record.status == .skipped { return ["The next run checks it again."] }
    let scan = ScanSession(store: store, run: 0, wanted: plan.wanted, options: ScanOptions(isDryRun: true)) { _ in true
    }
    switch try scan.classify([FileStamp(now)]).first {
    case .pending where history.pending != nil: return ["It waits for the next run to analyze it."]
    case nil, .pending(.new): return ["The next run that finds it analyzes it."]
    case .pending(.changed):
      return [
        "It has changed since then: the next run reads its tags, and analyzes the audio again if it is different."
      ]
    case .pending(.touched):
      return [
        "Its size and time are the same, but it was touched: the next run reads its tags, and analyzes the audio "
          + "again if it is different."
      ]
    case .pending(.retry):
      let isTransient = record.problem.flatMap { DecodeError.Code(rawValue: $0.code) }?.isTransient ?? false
      return [(isTransient ? "The failure may pass by itself: the" : "The") + " next run tries it again."]
    case .knownFailure:
      if let quarantine = history.quarantine {
        return [
          "Unchanged since then; it will be retried after \(quarantine.until), or at once with --retry-failed."
        ]
      }
      return ["Unchanged since then, so it won't be retried; use --retry-failed."]
    case .cached, .pending(.outdated):
      let current = Set(record.analyzers)
      let stale = plan.plugins.filter { !current.contains($0.identity) }.map(\.id)
      return stale.isEmpty
        ? ["Unchanged: with the pipeline \(plan.name) the next run skips it (cached)."]
        : ["With the pipeline \(plan.name) the next run would run: \(stale.joined(separator: ", "))."]
    }
  }

  private func stage(_ problem: Problem?) -> String {
    switch problem?.stage {
    case .scan: "scanning"
    case .open: "opening it"
    case .decode: "decoding it"
    case .analyze: "analyzing it"
    case .verify: "reading it again"
    case nil: "being analyzed"
    }
  }
}
