public import AudioAnalysis
internal import Foundation
internal import Glibc
internal import Synchronization

/// Worker processes that analyze files for this one, so that a file which crashes, hangs or eats memory costs itself and
/// nothing else.
///
/// A worker is started when a job finds none idle, and takes one job after another until it is lost or the pool goes.
public final class WorkerPool: Sendable {
  /// No worker can be started: the run cannot go on.
  public struct StartFailure: Error, CustomStringConvertible {
    public let description: String
  }

  private let arguments: [[UInt8]]
  private let analyzers: [AnalyzerIdentity]
  private let findingTypes: [String: any AnalysisFinding.Type]
  private let idle = Mutex<[ChildProcess]>([])
  private let lost = Mutex<[WorkerLoss: Int]>([:])

  /// - Parameters:
  ///   - arguments: The command line of a worker: a program that runs `Worker` over the same plan.
  ///   - plan: That plan.
  ///   - kinds: The analyzers of the program, for the types of their findings.
  public init(arguments: [String], plan: AnalysisPlan, kinds: [AnalyzerKind]) {
    self.arguments = arguments.map { Array($0.utf8) }
    analyzers = plan.plugins.map(\.identity)
    findingTypes = Dictionary(kinds.map { ($0.id, $0.findingType) }, uniquingKeysWith: { first, _ in first })
  }

  /// Has a worker analyze a file; blocks until it has.
  ///
  /// - Parameters:
  ///   - hardLimit: Time after which the worker is killed. The job's own limit should come first: it leaves a part of the
  ///     findings.
  ///   - isCancelled: Asked every tenth of a second; the worker is killed then.
  ///   - findAudio: See `FileAnalyzer.analyze`.
  /// - Returns: `nil` if cancelled. If the worker is lost, an analysis that says how.
  public func analyze(
    _ job: AnalysisJob, hardLimit: Duration, isCancelled: () -> Bool,
    findAudio: (ContentID) -> KnownAudio? = { _ in nil }
  ) throws(StartFailure) -> FileAnalysis? {
    let first = try attempt(job, hardLimit: hardLimit, isCancelled: isCancelled, findAudio: findAudio)
    guard case .lostUnawares = first, !isCancelled() else { return first.analysis }
    return try attempt(job, hardLimit: hardLimit, isCancelled: isCancelled, findAudio: findAudio).analysis
  }

  /// The workers that were lost until now.
  public var losses: [WorkerLoss: Int] { lost.withLock { $0 } }

  /// Ends the workers that are idle, and waits until they are gone.
  public func close() {
    idle.withLock { $0.removeAll() }
  }

  private enum Attempt {
    /// `nil` if cancelled.
    case done(FileAnalysis?)
    /// The worker was lost in a way that need not be the file's doing.
    case lostUnawares(FileAnalysis)

    var analysis: FileAnalysis? {
      switch self {
      case .done(let analysis): analysis
      case .lostUnawares(let analysis): analysis
      }
    }
  }

  private func attempt(
    _ job: AnalysisJob, hardLimit: Duration, isCancelled: () -> Bool, findAudio: (ContentID) -> KnownAudio?
  ) throws(StartFailure) -> Attempt {
    let worker = try takeWorker()
    let start = ContinuousClock.now
    var stage = Problem.Stage.open
    var hasAnswered = false
    do {
      worker.allow(hardLimit)
      let encoder = JSONEncoder()
      func send(_ value: some Encodable) throws {
        try encoder.line(value).withUnsafeBytes { (bytes) throws in try unsafe worker.write(bytes) }
      }
      try send(job)
      let decoder = JSONDecoder()
      if let key = CodingUserInfoKey.findingTypes { decoder.userInfo[key] = findingTypes }
      while true {
        switch try worker.nextLine(isCancelled: isCancelled) {
        case .cancelled: return .done(nil)
        case .none:
          let ending = try worker.waitForEnd()
          let loss = WorkerLoss(cause: ending.cause, stage: stage)
          let message = Self.crash(ending, worker, in: stage, after: start)
          let analysis = failed(job, loss, "worker_crashed", message)
          // A decoder does not kill its own process: the kernel did for lack of memory, or a person. And a worker that has
          // not even begun was lost while it was idle.
          return ending == .signal(Int(SIGKILL)) || !hasAnswered ? .lostUnawares(analysis) : .done(analysis)
        case .text(let line):
          hasAnswered = true
          switch try decoder.decode(WorkerMessage.self, from: Data(line)) {
          case .stage(let next): stage = next
          case .audio(let id): try send(findAudio(id))
          case .result(let analysis):
            idle.withLock { $0.append(worker) }
            return .done(analysis)
          }
        }
      }
    } catch ChildProcess.Failure.timeout {
      let seconds = Int(hardLimit / .seconds(1))
      return .done(
        failed(
          job, WorkerLoss(cause: .timeLimit, stage: stage), "time_limit",
          "It took longer than \(seconds) s, and the worker process was killed \(Self.doing(stage)); "
            + "nothing of it is kept."))
    } catch {
      return .done(
        failed(
          job, WorkerLoss(cause: .noAnswer, stage: stage), "worker_failed",
          "The worker process gave no usable answer \(Self.doing(stage)): \(error)."))
    }
  }

  private func takeWorker() throws(StartFailure) -> ChildProcess {
    if let worker = idle.withLock({ $0.popLast() }) { return worker }
    do {
      return try ChildProcess(arguments: arguments, leadsSession: true, hasInput: true, patience: .seconds(60))
    } catch {
      throw StartFailure(
        description: "No worker process can be started (\(error)); --isolation none analyzes in this process instead")
    }
  }

  private static func crash(
    _ ending: ChildProcess.Ending, _ worker: ChildProcess, in stage: Problem.Stage, after start: ContinuousClock.Instant
  ) -> String {
    let lastWords =
      String(decoding: worker.errorTail, as: UTF8.self).split(separator: "\n").last.map { "; it said: \($0)" } ?? ""
    let how =
      switch ending {
      case .signal(let number): unsafe "signal \(number), \(String(cString: strsignal(Int32(number))))"
      case .status(let status): "exit status \(status)"
      }
    let seconds = String(format: "%.1f", (ContinuousClock.now - start) / .seconds(1))
    return "The worker process crashed (\(how)) \(doing(stage)), after \(seconds) s\(lastWords)."
  }

  private static func doing(_ stage: Problem.Stage) -> String {
    switch stage {
    case .open: "while it opened the file"
    case .decode: "while it decoded the file"
    case .scan, .analyze, .store: "while it read tags or ran programs"
    }
  }

  /// Counts a loss. Every analyzer of the job counts as tried: the file is not read again before it, or one of them, has
  /// changed, or its time in quarantine is over.
  private func failed(_ job: AnalysisJob, _ loss: WorkerLoss, _ code: String, _ message: String) -> FileAnalysis {
    lost.withLock { $0[loss, default: 0] += 1 }
    let tried = analyzers.filter { job.analyzers?.contains($0.id) ?? true }
    return FileAnalysis(
      status: .failed, problem: Problem(stage: loss.stage, code: code, message: message),
      outcomes: tried.map { AnalyzerOutcome(analyzer: $0, result: .failed("The worker process was lost.")) },
      workerLoss: loss)
  }
}

extension ChildProcess.Ending {
  fileprivate var cause: WorkerLoss.Cause {
    switch self {
    case .signal(let number): .signal(number)
    case .status(let status): .exit(status: status)
    }
  }
}
