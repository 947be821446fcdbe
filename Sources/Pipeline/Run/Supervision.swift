internal import AudioAnalysis
internal import LibraryScan
internal import SystemPackage

/// The analysis of one file under watch: with a limit of time, in a worker process or in this one, and with a second
/// look at the file afterwards.
struct Supervision: Sendable {
  enum Ending: Sendable {
    case analyzed(FileAnalysis)
    /// The file is being written.
    case postponed
    /// It was cancelled, or the file has gone before anything was found in it.
    case givenUp
  }

  private let analyzer: FileAnalyzer
  private let programTime: Double
  private let timeLimit: Double?
  private let isolation: LibraryRun.Isolation

  /// - Parameter timeLimit: Seconds; `nil` for a limit by the size of each file.
  init(plan: AnalysisPlan, timeLimit: Double?, isolation: LibraryRun.Isolation) {
    analyzer = plan.makeFileAnalyzer()
    programTime = plan.programTime
    self.timeLimit = timeLimit
    self.isolation = isolation
  }

  /// - Parameters:
  ///   - before: The file as it is now.
  ///   - job: What has to be done, given the seconds it may take.
  ///   - isCancelled: Asked often.
  ///   - findAudio: See `FileAnalyzer.analyze`.
  func analyze(
    _ before: ScannedFile, job makeJob: (Double) -> AnalysisJob, isCancelled: () -> Bool,
    findAudio: (ContentID) -> KnownAudio? = { _ in nil }
  ) throws(WorkerPool.StartFailure) -> Ending {
    let limit = timeLimit ?? Self.standardTimeLimit(forSize: before.size)
    let job = makeJob(limit)
    // A program that takes its time must not cost the file its other findings.
    let hardLimit = Duration.seconds(limit * 1.25 + programTime + 10)
    let found: FileAnalysis?
    switch isolation {
    case .none: found = analyzer.analyze(job, isCancelled: isCancelled, findAudio: findAudio)
    case .workers(let pool):
      found = try pool.analyze(job, hardLimit: hardLimit, isCancelled: isCancelled, findAudio: findAudio)
    }
    guard var analysis = found else { return .givenUp }
    switch before.lookAgain() {
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
      // Whether what was read is of one version has been noted by who has read it (`HeldFile`): an inode may be used again
      // for the next file of this name. The next run finds what is there now.
      break
    case .vanished:
      analysis.note(code: "vanished_while_reading", "The file was removed or renamed before it was read to its end.")
    }
    return .analyzed(analysis)
  }

  /// Seconds: some twenty times of what the slowest formats need for so many bytes, on a slow disk.
  private static func standardTimeLimit(forSize bytes: Int64) -> Double {
    120 + 2 * Double(bytes) / 1e6
  }
}

extension FileAnalysis {
  mutating func noteChange() {
    note(
      code: "changed_while_reading", "The file changed while it was being read; the next run analyzes it again.")
  }

  /// Says that the file did not stay as it was, which matters more than whatever else was wrong with it.
  fileprivate mutating func note(code: String, _ message: String) {
    if status == .ok { status = .partial }
    problem = Problem(stage: .decode, code: code, message: message)
    // What was hashed need not be what was decoded: nobody else may take these findings for his own.
    contentID = nil
    decodingID = nil
    reusesKnownAudio = false
  }
}
