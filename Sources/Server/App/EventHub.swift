internal import Synchronization

/// Hands events to all that listen. Who reads too slowly misses the oldest ones.
final class EventHub: Sendable {
  private struct State {
    var listeners: [Int: AsyncStream<ServerEvent>.Continuation] = [:]
    var next = 0
    var isClosed = false
  }

  /// Connections that can listen at a time.
  static let mostListeners = 64
  private static let keptEvents = 64

  private let state = Mutex(State())

  /// How many listen.
  var count: Int { state.withLock { $0.listeners.count } }
  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// What happens from now on; `nil` if too many listen, or nothing happens any more. Listening ends with the task that reads.
  func listen() -> AsyncStream<ServerEvent>? {
    let (stream, continuation) = AsyncStream.makeStream(
      of: ServerEvent.self, bufferingPolicy: .bufferingNewest(Self.keptEvents))
    let number: Int? = state.withLock { state in
      guard !state.isClosed, state.listeners.count < Self.mostListeners else { return nil }
      state.next += 1
      state.listeners[state.next] = continuation
      return state.next
    }
    guard let number else { return nil }
    continuation.onTermination = { [weak self] _ in self?.remove(number) }
    return stream
  }

  func send(_ event: ServerEvent) {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield(event) }
  }

  /// Ends all streams, so that nobody waits for their ends.
  func close() {
    let listeners = state.withLock { state in
      state.isClosed = true
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.finish() }
  }

  private func remove(_ number: Int) {
    state.withLock { _ = $0.listeners.removeValue(forKey: number) }
  }
}
