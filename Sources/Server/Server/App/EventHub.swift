internal import NIOCore
internal import Serving
internal import Synchronization

/// Broadcasts events to all listeners. A listener that reads too slowly misses the oldest events.
final class EventHub: Sendable {
  private struct Listener {
    var owner: Client.Owner
    var events: AsyncStream<ServerEvent>.Continuation
  }

  private struct State {
    /// The listeners, keyed by numbers in the order of arrival.
    var listeners: [Int: Listener] = [:]
    var next = 0
    var isClosed = false
  }

  /// Maximum number of connections that can listen at a time.
  static let maxListeners = 128
  /// Maximum number of listeners per client. At this limit, a new listener replaces the client's oldest one, so the
  /// client's old connections never prevent a reloaded page from listening.
  static let maxPerClient = 16
  private static let keptEvents = 64

  private let state = Mutex(State())

  var count: Int { state.withLock { $0.listeners.count } }
  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Returns events from now on; `nil` if there are too many listeners, or if the hub is closed. Listening ends with
  /// the task that reads the events, when `end` completes because the client has disconnected, or when the hub ends it.
  func listen(_ owner: Client.Owner, until end: EventLoopFuture<Void>) -> AsyncStream<ServerEvent>? {
    let (stream, continuation) = AsyncStream.makeStream(
      of: ServerEvent.self, bufferingPolicy: .bufferingNewest(Self.keptEvents))
    let (number, oldest): (Int?, Listener?) = state.withLock { state in
      guard !state.isClosed else { return (nil, nil) }
      let own = state.listeners.filter { $0.value.owner == owner }.keys
      let oldest = own.count < Self.maxPerClient ? nil : own.min().flatMap { state.listeners.removeValue(forKey: $0) }
      guard state.listeners.count < Self.maxListeners else { return (nil, oldest) }
      state.next += 1
      state.listeners[state.next] = Listener(owner: owner, events: continuation)
      return (state.next, oldest)
    }
    // Ends the listener outside the lock, because ending it takes the lock.
    oldest?.events.finish()
    guard let number else { return nil }
    continuation.onTermination = { [weak self] _ in self?.remove(number) }
    end.whenComplete { _ in continuation.finish() }
    return stream
  }

  func send(_ event: ServerEvent) {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.events.yield(event) }
  }

  /// Ends all streams and accepts no more listeners.
  func close() {
    let listeners = state.withLock { state in
      state.isClosed = true
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.events.finish() }
  }

  private func remove(_ number: Int) {
    state.withLock { _ = $0.listeners.removeValue(forKey: number) }
  }
}
