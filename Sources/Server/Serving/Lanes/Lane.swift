internal import Platform
internal import Synchronization

/// Dedicated threads for one kind of work that blocks or computes. They keep event loops and the cooperative pool free,
/// so that other kinds of work do not have to wait.
///
/// If no thread is free, work waits in the order of its arrival without occupying a thread. The length of the queue and
/// the waiting time are bounded.
package final class Lane: Sendable {
  private let threads: ThreadExecutor
  private let queue: AdmissionQueue
  private let overdue: RequestError
  private let present = Atomic(0)

  /// Default limit for the time that work waits for a thread.
  package static let defaultMaxWait = Duration.seconds(30)

  /// - Parameters:
  ///   - maxQueueLength: Maximum number of waiting calls of `run`.
  ///   - overdue: The error to throw if no thread becomes free in time.
  ///   - prepare: Called first on each thread.
  /// - Throws: `ResourceError` if the system cannot start a thread.
  package init(
    threadCount: Int, maxQueueLength: Int, maxWait: Duration = defaultMaxWait, overdue: RequestError = .overload,
    prepare: @escaping @Sendable () -> Void = {}
  ) throws {
    threads = try ThreadExecutor(threadCount: threadCount, prepare: prepare)
    queue = AdmissionQueue(places: threads.threadCount, maxQueueLength: maxQueueLength, maxWait: maxWait)
    self.overdue = overdue
  }

  /// Runs `body` when its turn comes.
  /// - Throws: Any error that `body` throws, or a `RequestError` with status 503 if the queue is full or the wait is
  ///   too long.
  package func run<Value: Sendable>(_ body: @Sendable () throws -> Value) async throws -> Value {
    present.add(1, ordering: .relaxed)
    defer { present.subtract(1, ordering: .relaxed) }
    do {
      try await queue.enter()
    } catch AdmissionQueue.Refusal.full {
      throw RequestError.overload
    } catch AdmissionQueue.Refusal.timeLimit {
      throw overdue
    }
    defer { queue.leave() }
    return try await threads.run(body)
  }

  /// Number of calls of `run` that are waiting or running.
  package var count: Int { present.load(ordering: .relaxed) }

  /// Ends the threads. Call this when no work remains.
  package func close() { threads.close() }
}
