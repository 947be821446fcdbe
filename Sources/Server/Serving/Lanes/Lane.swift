internal import Platform
internal import Synchronization

/// Threads of its own for one kind of work that blocks or computes, so event loops and the cooperative pool stay free and no
/// other kind waits for it.
///
/// Work for which no thread is free waits in the order in which it came, and without a thread. How much may wait, and for how
/// long, is bounded.
package final class Lane: Sendable {
  private let threads: ThreadExecutor
  private let queue: AdmissionQueue
  private let overdue: RequestError
  private let present = Atomic(0)

  /// How long work waits for a thread unless the lane says otherwise.
  package static let patience = Duration.seconds(30)

  /// - Parameters:
  ///   - longestQueue: Pieces of work that may wait.
  ///   - overdue: The answer to work for which no thread was free in time.
  ///   - prepare: Called first on each thread.
  /// - Throws: `ResourceError` if the system gives no thread.
  package init(
    threadCount: Int, longestQueue: Int, longestWait: Duration = patience, overdue: RequestError = .overload,
    prepare: @escaping @Sendable () -> Void = {}
  ) throws {
    threads = try ThreadExecutor(threadCount: threadCount, prepare: prepare)
    queue = AdmissionQueue(places: threads.threadCount, longestQueue: longestQueue, longestWait: longestWait)
    self.overdue = overdue
  }

  /// Runs `body` when it is its turn.
  /// - Throws: what `body` throws; a `RequestError` with the status 503 if too much waits, or if it would wait too long.
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

  /// Pieces of work that wait for a thread or have one.
  package var count: Int { present.load(ordering: .relaxed) }

  /// Ends the threads; to be called when no work is left.
  package func close() { threads.close() }
}
