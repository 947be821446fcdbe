internal import Synchronization

/// Limits the number of running tasks. Further tasks wait in the order of their arrival.
package final class AdmissionQueue: Sendable {
  package enum Refusal: Error, Equatable {
    /// Too many tasks are waiting.
    case full
    case timeLimit
  }

  private struct Waiter {
    let ticket: Int
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var freePlaces: Int
    var waiting: [Waiter] = []
  }

  private let state: Mutex<State>
  private let lastTicket = Atomic(0)
  private let maxQueueLength: Int
  private let maxWait: Duration

  package init(places: Int, maxQueueLength: Int, maxWait: Duration) {
    state = Mutex(State(freePlaces: places))
    self.maxQueueLength = maxQueueLength
    self.maxWait = maxWait
  }

  /// Waits for a free slot and occupies it. If this returns normally, the caller must call `leave` when its work is
  /// done.
  /// - Throws: `Refusal`, or `CancellationError` if the task is canceled while it waits.
  package func enter() async throws {
    if state.withLock({ Self.takePlace(&$0) }) { return }
    let ticket = lastTicket.add(1, ordering: .relaxed).newValue
    let clock = Task { [self] in
      try await Task.sleep(for: maxWait)
      end(ticket, Refusal.timeLimit)
    }
    defer { clock.cancel() }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        if let ending = wait(Waiter(ticket: ticket, continuation: continuation)) { continuation.resume(with: ending) }
      }
    } onCancel: {
      end(ticket, CancellationError())
    }
  }

  /// Frees a slot for the task that has waited longest.
  package func leave() {
    let next = state.withLock { state -> Waiter? in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
      state.freePlaces += 1
      return nil
    }
    next?.continuation.resume()
  }

  var waitingCount: Int { state.withLock { $0.waiting.count } }

  private static func takePlace(_ state: inout State) -> Bool {
    guard state.freePlaces > 0 else { return false }
    state.freePlaces -= 1
    return true
  }

  /// - Returns: `nil` if the task must wait.
  private func wait(_ waiter: Waiter) -> Result<Void, any Error>? {
    state.withLock { state in
      if Task.isCancelled { return .failure(CancellationError()) }
      if Self.takePlace(&state) { return .success(()) }
      guard state.waiting.count < maxQueueLength else { return .failure(Refusal.full) }
      state.waiting.append(waiter)
      return nil
    }
  }

  private func end(_ ticket: Int, _ error: any Error) {
    let waiter = state.withLock { state in
      state.waiting.firstIndex { $0.ticket == ticket }.map { state.waiting.remove(at: $0) }
    }
    waiter?.continuation.resume(throwing: error)
  }
}
