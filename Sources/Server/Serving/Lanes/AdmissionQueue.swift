internal import Synchronization

/// A number of places for tasks. When all are taken, further tasks wait in the order in which they came.
package final class AdmissionQueue: Sendable {
  package enum Refusal: Error, Equatable {
    /// So many wait already that it would take too long.
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
  private let longestQueue: Int
  private let longestWait: Duration

  package init(places: Int, longestQueue: Int, longestWait: Duration) {
    state = Mutex(State(freePlaces: places))
    self.longestQueue = longestQueue
    self.longestWait = longestWait
  }

  /// Takes a place, as soon as there is one. Its holder calls `leave`.
  /// - Throws: `Refusal`, or `CancellationError` if the task is canceled while it waits.
  package func enter() async throws {
    if state.withLock({ Self.takePlace(&$0) }) { return }
    let ticket = lastTicket.add(1, ordering: .relaxed).newValue
    let clock = Task { [self] in
      try await Task.sleep(for: longestWait)
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

  /// Gives a place to the task that has waited longest.
  package func leave() {
    let next = state.withLock { state -> Waiter? in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
      state.freePlaces += 1
      return nil
    }
    next?.continuation.resume()
  }

  /// Tasks that wait.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  private static func takePlace(_ state: inout State) -> Bool {
    guard state.freePlaces > 0 else { return false }
    state.freePlaces -= 1
    return true
  }

  /// - Returns: `nil` if the task is to wait.
  private func wait(_ waiter: Waiter) -> Result<Void, any Error>? {
    state.withLock { state in
      if Task.isCancelled { return .failure(CancellationError()) }
      if Self.takePlace(&state) { return .success(()) }
      guard state.waiting.count < longestQueue else { return .failure(Refusal.full) }
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
