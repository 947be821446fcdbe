internal import Foundation
internal import Synchronization

/// A fixed number of threads for decoding and analysis.
///
/// Decoders and analyzers block and compute for seconds; on the cooperative pool they would delay progress, signals and the
/// store by as much.
public final class AnalysisExecutor: TaskExecutor {
  private struct State {
    var jobs: [UnownedJob] = []
    var nextJob = 0
  }

  private let state = Mutex(State())
  private let wake = DispatchSemaphore(value: 0)
  private let threadCount: Int

  /// Starts `threadCount` threads; `close()` ends them.
  public init(threadCount: Int) {
    self.threadCount = threadCount
    for number in 0..<threadCount {
      let thread = Thread { [self] in work() }
      thread.name = "analysis-\(number)"
      // FFmpeg's and TagLib's deepest calls stay far below this; the system's default for threads may be smaller.
      thread.stackSize = 8 << 20
      thread.start()
    }
  }

  public func enqueue(_ job: consuming ExecutorJob) {
    let unowned = UnownedJob(job)
    state.withLock { $0.jobs.append(unowned) }
    wake.signal()
  }

  /// Lets the threads end once they have done what is queued: a wake-up without a job is the sign to go.
  public func close() {
    for _ in 0..<threadCount { wake.signal() }
  }

  private func work() {
    Priority.shareWithThisThread()
    while true {
      wake.wait()
      let job: UnownedJob? = state.withLock { state in
        guard state.nextJob < state.jobs.count else { return nil }
        defer { state.nextJob += 1 }
        let job = state.jobs[state.nextJob]
        if state.nextJob + 1 == state.jobs.count {
          state.jobs.removeAll(keepingCapacity: true)
          state.nextJob = -1
        }
        return job
      }
      guard let job else { return }
      unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}
