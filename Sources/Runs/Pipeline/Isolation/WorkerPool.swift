public import Analysis
public import AnalysisEngine
internal import Foundation
internal import Platform
internal import Synchronization

/// The worker processes that analyze files for this process. If one file makes a decoder crash, hang or exhaust memory,
/// no other file is affected.
///
/// A worker is started when there is a job and no worker is idle. It processes one job after another until it is lost
/// or the pool is closed.
public final class WorkerPool: Sendable {
  /// A worker cannot be started. If no other worker is left, the run cannot continue.
  public struct StartFailure: Error, CustomStringConvertible {
    public let description: String
    /// `true` if the worker was killed before it was ready, as the kernel does while memory is low.
    fileprivate let wasKilled: Bool
  }

  private struct Stock {
    var idle: [PipedProcess] = []
    /// Number of workers that are currently analyzing a file.
    var busyCount = 0
    var shortage: StartFailure?
  }

  /// Maximum number of workers in a row that may be killed before they are ready, while no other worker exists.
  private static let maxKilledStarts = 5

  private let program: ProgramCommand
  private let analyzers: [AnalyzerIdentity]
  private let userInfo: [CodingUserInfoKey: any Sendable]
  private let stock = Mutex(Stock())
  private let lost = Mutex<[WorkerLoss: Int]>([:])

  /// - Parameters:
  ///   - arguments: The command line of a worker, which is a program that runs `Worker` with the same plan.
  ///   - plan: The workers' plan.
  ///   - kinds: The built-in analyzers, for the types of their findings.
  public init(arguments: [String], plan: AnalysisPlan, kinds: [AnalyzerKind]) {
    var program = ProgramCommand(arguments)
    program.leadsSession = true
    self.program = program
    analyzers = plan.plugins.map(\.identity)
    userInfo = WorkerLine.userInfo(kinds)
  }

  /// Analyzes a file in a worker, and blocks until the analysis is done.
  ///
  /// If no worker can be started while others are busy, the file waits until one of them is idle. A worker ends with the
  /// thread that started it, so calls should come from threads that last as long as the pool.
  ///
  /// - Parameters:
  ///   - job: The job. Its time limit is passed to the worker, which is killed if it exceeds the limit.
  ///   - isCancelled: Called every tenth of a second. If it returns `true`, the worker is killed.
  ///   - findAudio: See `FileAnalyzer.analyze`.
  /// - Returns: The analysis; `nil` if canceled. If the worker is lost, the result is a failed analysis that states the
  ///   cause. If the file is not necessarily the cause, there is a second attempt first.
  public func analyze(
    _ job: AnalysisJob, isCancelled: () -> Bool, findAudio: (ContentID) -> KnownAudio? = { _ in nil }
  ) throws(StartFailure) -> FileAnalysis? {
    let first = try attempt(job, isCancelled: isCancelled, findAudio: findAudio)
    guard case .lostUnawares = first, !isCancelled() else { return first.analysis }
    return try attempt(job, isCancelled: isCancelled, findAudio: findAudio).analysis
  }

  /// Number of workers that have been lost so far, by the kind of loss.
  public var losses: [WorkerLoss: Int] { lost.withLock { $0 } }

  /// The error that made files wait for workers; `nil` if no file had to wait.
  public var shortage: StartFailure? { stock.withLock { $0.shortage } }

  /// Ends idle workers, and waits for them to exit.
  public func close() {
    stock.withLock { $0.idle.removeAll() }
  }

  private enum Attempt {
    /// The analysis; `nil` if canceled.
    case done(FileAnalysis?)
    /// The worker was lost, but the file is not necessarily the cause, so there is a second attempt.
    case lostUnawares(FileAnalysis)

    var analysis: FileAnalysis? {
      switch self {
      case .done(let analysis): analysis
      case .lostUnawares(let analysis): analysis
      }
    }
  }

  private func attempt(
    _ job: AnalysisJob, isCancelled: () -> Bool, findAudio: (ContentID) -> KnownAudio?
  ) throws(StartFailure) -> Attempt {
    guard let worker = try takeWorker(isCancelled: isCancelled) else { return .done(nil) }
    var isUsable = false
    defer {
      stock.withLock { stock in
        stock.busyCount -= 1
        if isUsable { stock.idle.append(worker) }
      }
    }
    let start = ContinuousClock.now
    var stage = Problem.Stage.open
    var hasAnswered = false
    var watch = Watch(worker, job.timeLimit ?? .standard)
    do {
      func send(_ value: some Encodable) throws {
        worker.allow(watch.standstill)
        try WorkerLine.encoded(value).withUnsafeBytes { (bytes) throws in try unsafe worker.write(bytes) }
        worker.allow(.seconds(Int64.max))
      }
      try send(job)
      while true {
        let line = try worker.nextLine {
          try watch.check()
          return isCancelled()
        }
        switch line {
        case .cancelled: return .done(nil)
        case .none:
          let ending = try worker.waitForEnd()
          let loss = WorkerLoss(cause: ending.cause, stage: stage)
          let message = Self.crash(ending, worker, in: stage, after: start)
          let analysis = failed(job, loss, "worker_crashed", message)
          // A decoder does not kill its own process. Either the kernel did so because memory was low, or a person did.
          // A worker that had not started the job was lost while idle.
          return ending == .killed || !hasAnswered ? .lostUnawares(analysis) : .done(analysis)
        case .text(let line):
          hasAnswered = true
          switch try WorkerLine.decoded(line, as: WorkerMessage.self, userInfo: userInfo) {
          case .ready: break
          case .stage(let next): stage = next
          case .decoded(let seconds): watch.audio = seconds
          case .audio(let id): try send(findAudio(id))
          case .result(let analysis):
            isUsable = true
            return .done(analysis)
          }
        }
      }
    } catch Watch.Overrun.processorTime(let seconds) {
      return .done(
        failed(
          job, WorkerLoss(cause: .timeLimit, stage: stage), Problem.timeLimit,
          "It took more than \(Int(seconds)) s of processor time, and the worker process was killed \(Self.doing(stage)); "
            + "its results are discarded."))
    } catch Watch.Overrun.standstill, PipedProcess.Failure.timeout {
      return .done(
        failed(
          job, WorkerLoss(cause: .timeLimit, stage: stage), Problem.noProgress,
          "For \(Int(watch.standstill / .seconds(1))) s nothing was read and nothing computed, and the worker process was "
            + "killed \(Self.doing(stage)); its results are discarded. Is the disk, or the server, available?"))
    } catch {
      let reason =
        error as? PipedProcess.Failure == .tooMuchOutput
        ? "its answer is longer than \(WorkerMessage.lineLimit >> 20) MiB" : "\(error)"
      return .done(
        failed(
          job, WorkerLoss(cause: .noAnswer, stage: stage), "worker_failed",
          "The worker process gave no usable answer \(Self.doing(stage)): \(reason)."))
    }
  }

  // MARK: - Starting workers

  /// Returns a worker that is ready for a job and counts as busy from now on; `nil` if canceled.
  private func takeWorker(isCancelled: () -> Bool) throws(StartFailure) -> PipedProcess? {
    var killedStarts = 0
    while !isCancelled() {
      let idle = stock.withLock { stock in
        stock.busyCount += 1
        return stock.idle.popLast()
      }
      if let idle { return idle }
      do {
        return try startWorker(isCancelled: isCancelled)
      } catch {
        let others = stock.withLock { stock in
          stock.busyCount -= 1
          if stock.busyCount > 0 || !stock.idle.isEmpty { stock.shortage = error }
          return stock.busyCount + stock.idle.count
        }
        if error.wasKilled { killedStarts += 1 }
        guard others > 0 || (error.wasKilled && killedStarts < Self.maxKilledStarts) else { throw error }
        // The file waits until another worker is idle, or a new one can be started.
        Threads.pause(milliseconds: 100)
      }
    }
    return nil
  }

  /// Starts a worker and waits until it is ready. A failure is not caused by any file.
  private func startWorker(isCancelled: () -> Bool) throws(StartFailure) -> PipedProcess {
    var reason: String
    var wasKilled = false
    do {
      let worker = try PipedProcess(
        program, outputLimit: WorkerMessage.lineLimit, hasInput: true, patience: .seconds(Int64.max))
      var watch = Watch(worker, .standard)
      let line = try worker.nextLine {
        try watch.check()
        return isCancelled()
      }
      switch line {
      // The caller checks for cancellation itself.
      case .cancelled: return worker
      case .text(let line):
        if case .ready = try WorkerLine.decoded(line, as: WorkerMessage.self) { return worker }
        reason = "it did not report that it is ready"
      case .none:
        let ending = try worker.waitForEnd()
        wasKilled = ending == .killed
        reason = "it ended with \(ending)\(Self.lastWords(of: worker))"
      }
    } catch PipedProcess.Failure.cannotStart(let problem) {
      reason = problem
    } catch is Watch.Overrun {
      reason = "it was not ready in time"
    } catch {
      reason = "\(error)"
    }
    throw StartFailure(
      description:
        "No worker process can be started: \(reason). If a limit is the reason (ulimit -a; for a container or "
        + "service: memory, pids), raise it or use fewer --jobs; --isolation none analyzes in this process instead.",
      wasKilled: wasKilled)
  }

  // MARK: - Reporting losses

  private static func crash(
    _ ending: ChildProcess.Ending, _ worker: PipedProcess, in stage: Problem.Stage, after start: ContinuousClock.Instant
  ) -> String {
    let seconds = String(format: "%.1f", (ContinuousClock.now - start) / .seconds(1))
    // If a container, a service or the machine runs out of memory, the kernel reports it only in its own log.
    let advice =
      ending == .killed ? " Unless someone killed it, memory ran out: use fewer --jobs." : ""
    return
      "The worker process crashed (\(ending)) \(doing(stage)), after \(seconds) s\(lastWords(of: worker)).\(advice)"
  }

  private static func lastWords(of worker: PipedProcess) -> String {
    let lines = String(decoding: worker.errorTail, as: UTF8.self).split(separator: "\n")
    return lines.last.map { "; it said: \($0.hasSuffix(".") ? $0.dropLast() : $0)" } ?? ""
  }

  private static func doing(_ stage: Problem.Stage) -> String {
    switch stage {
    case .open: "while it opened the file"
    case .decode: "while it decoded the file"
    case .scan, .analyze, .verify: "while it read tags or ran programs"
    }
  }

  /// Records a loss, and returns the failed analysis. Every analyzer of the job counts as tried: the file is not read
  /// again until the file or one of these analyzers has changed, or the file's quarantine is over.
  private func failed(_ job: AnalysisJob, _ loss: WorkerLoss, _ code: String, _ message: String) -> FileAnalysis {
    lost.withLock { $0[loss, default: 0] += 1 }
    let tried = analyzers.filter { job.analyzers?.contains($0.id) ?? true }
    return FileAnalysis(
      status: .failed, problem: Problem(stage: loss.stage, code: code, message: message),
      outcomes: tried.map { AnalyzerOutcome(analyzer: $0, result: .failed("The worker process was lost.")) },
      workerLoss: loss)
  }
}

/// Enforces the time limit for the file that a worker is analyzing.
private struct Watch {
  enum Overrun: Error {
    /// The limit on processor time, in seconds, was exceeded.
    case processorTime(Double)
    case standstill
  }

  /// Seconds of audio decoded so far.
  var audio = 0.0

  private let worker: PipedProcess
  private let limit: TimeLimit
  /// Processor time of the worker before it began the file, in seconds.
  private let start: Double
  private var lastSeen: (time: Double, at: ContinuousClock.Instant)

  init(_ worker: PipedProcess, _ limit: TimeLimit) {
    self.worker = worker
    self.limit = limit
    start = worker.processorTime ?? 0
    lastSeen = (start, .now)
  }

  var standstill: Duration { .seconds(limit.standstillSeconds) }

  /// Checks the limits. A busy worker always uses some processor time, even if it only reads or waits for a program.
  mutating func check() throws {
    guard let time = worker.processorTime else { return }
    let outerLimit = limit.outerProcessorSeconds(afterDecoding: audio)
    if time - start > outerLimit { throw Overrun.processorTime(outerLimit) }
    if time > lastSeen.time {
      lastSeen = (time, .now)
    } else if ContinuousClock.now - lastSeen.at > standstill {
      throw Overrun.standstill
    }
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
