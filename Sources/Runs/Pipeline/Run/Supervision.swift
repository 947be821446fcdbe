internal import Analysis
internal import AnalysisEngine
internal import LibraryScan
internal import SystemPackage

/// Supervises the analysis of one file. It enforces time limits, uses a worker process if requested, and checks at the
/// end whether the file has changed.
struct Supervision: Sendable {
  enum Ending: Sendable {
    case analyzed(FileAnalysis)
    /// The file changed before the analysis, or during an analysis that failed.
    case postponed
    /// The analysis was canceled, or the file disappeared before anything was found in it.
    case givenUp
  }

  private let analyzer: FileAnalyzer
  private let timeLimit: TimeLimit
  private let isolation: LibraryRun.Isolation

  init(plan: AnalysisPlan, timeLimit: TimeLimit, isolation: LibraryRun.Isolation) {
    analyzer = plan.makeFileAnalyzer()
    self.timeLimit = timeLimit
    self.isolation = isolation
  }

  /// - Parameters:
  ///   - before: The status of the file before the analysis.
  ///   - job: Creates the job with a given time limit.
  ///   - isCancelled: Called often.
  ///   - findAudio: See `FileAnalyzer.analyze`.
  func analyze(
    _ before: ScannedFile, job makeJob: (TimeLimit) -> AnalysisJob, isCancelled: () -> Bool,
    findAudio: (ContentID) -> KnownAudio? = { _ in nil }
  ) throws(WorkerPool.StartFailure) -> Ending {
    let job = makeJob(timeLimit)
    let found: FileAnalysis?
    switch isolation {
    case .none: found = analyzer.analyze(job, isCancelled: isCancelled, findAudio: findAudio)
    case .workers(let pool):
      found = try pool.analyze(job, isCancelled: isCancelled, findAudio: findAudio)
    }
    guard var analysis = found else { return .givenUp }
    switch before.presentStatus() {
    case .unchanged:
      break
    case .vanished where analysis.status == .failed && analysis.workerLoss == nil:
      return .givenUp
    case .changed where analysis.status == .failed && analysis.workerLoss == nil,
      .replaced where analysis.status == .failed && analysis.workerLoss == nil:
      return .postponed
    case .changed where analysis.workerLoss != nil, .replaced where analysis.workerLoss != nil:
      analysis.noteChange()
    case .changed, .replaced:
      // The status does not show what was read, because a new file with this name may get the same inode. The reader
      // (`OpenedFile`) has already recorded whether it read more than one version. The next run will analyze the file
      // that now has the name.
      break
    case .vanished:
      analysis.note(code: "vanished_while_reading", "The file was removed or renamed before it was read to its end.")
    }
    return .analyzed(analysis)
  }
}
