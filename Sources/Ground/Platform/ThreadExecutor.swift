internal import Dispatch
internal import Synchronization

/// A fixed number of threads for tasks that block or compute for a long time.
///
/// On the cooperative pool, such tasks would delay each other, and the pool cannot report that it failed to get
/// threads.
public final class ThreadExecutor: TaskExecutor {
  private struct State {
    var jobs: [UnownedJob] = []
    var nextJob = 0
    var threadCount = 0
    var shortage: ResourceError?
  }

  private let state = Mutex(State())
  private let wake = DispatchSemaphore(value: 0)

  /// Starts up to `threadCount` threads, and throws if not even the first can be started. `close()` ends them.
  ///
  /// - Parameters:
  ///   - spareMemory: Number of bytes that must stay free in addition to the stack of each thread.
  ///   - prepare: Called first on each thread.
  public init(
    threadCount: Int, spareMemory: Int = ResourceLimits.standardMemory, prepare: @escaping @Sendable () -> Void = {}
  ) throws(ResourceError) {
    for number in 0..<threadCount {
      do {
        try ResourceLimits.requireMemory(Threads.deepStack + spareMemory)
        try Threads.require(1)
        try Threads.start(stackSize: Threads.deepStack) { [self] in
          prepare()
          work()
        }
      } catch {
        if number == 0 { throw error }
        state.withLock { $0.shortage = error }
        return
      }
      state.withLock { $0.threadCount += 1 }
    }
  }

  /// The number of threads: as many as requested, or fewer if the system cannot provide more.
  public var threadCount: Int { state.withLock { $0.threadCount } }
  /// The reason there are fewer threads than requested; `nil` if there are not.
  public var shortage: ResourceError? { state.withLock { $0.shortage } }

  /// Runs a blocking or long computation on one of the threads.
  public func run<Value: Sendable>(_ body: @Sendable () throws -> Value) async throws -> Value {
    try await withTaskExecutorPreference(self) { try await Self.call(body) }
  }

  /// Runs `body`. Because this function is nonisolated and `async`, the preferred executor runs it.
  private nonisolated static func call<Value: Sendable>(_ body: @Sendable () throws -> Value) async throws -> Value {
    try body()
  }

  public func enqueue(_ job: consuming ExecutorJob) {
    let unowned = UnownedJob(job)
    state.withLock { $0.jobs.append(unowned) }
    wake.signal()
  }

  /// Makes the threads end once the queue is empty. A thread that is woken up without a job ends.
  public func close() {
    for _ in 0..<threadCount { wake.signal() }
  }

  private func work() {
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
