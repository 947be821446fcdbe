internal import NIOCore
internal import Serving
internal import Synchronization

/// Hands events to all that listen. A listener that reads too slowly misses the oldest ones.
final class EventHub: Sendable {
  private struct Listener {
    var owner: Client.Owner
    var events: AsyncStream<ServerEvent>.Continuation
  }

  private struct State {
    /// The later one came, the larger is its number.
    var listeners: [Int: Listener] = [:]
    var next = 0
    var isClosed = false
  }

  /// Connections that can listen at a time.
  static let mostListeners = 128
  /// Most listeners of one client. Its next one takes the place of its oldest, so a page that is loaded again is always
  /// heard.
  static let mostOfOne = 16
  private static let keptEvents = 64

  private let state = Mutex(State())

  /// How many listen.
  var count: Int { state.withLock { $0.listeners.count } }
  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Events from now on; `nil` if too many listen, or there will be no more events. Listening ends with the task that
  /// reads, or when the client is gone.
  func listen(_ owner: Client.Owner, until end: EventLoopFuture<Void>) -> AsyncStream<ServerEvent>? {
    let (stream, continuation) = AsyncStream.makeStream(
      of: ServerEvent.self, bufferingPolicy: .bufferingNewest(Self.keptEvents))
    let (number, oldest): (Int?, Listener?) = state.withLock { state in
      guard !state.isClosed else { return (nil, nil) }
      let own = state.listeners.filter { $0.value.owner == owner }.keys
      let oldest = own.count < Self.mostOfOne ? nil : own.min().flatMap { state.listeners.removeValue(forKey: $0) }
      guard state.listeners.count < Self.mostListeners else { return (nil, oldest) }
      state.next += 1
      state.listeners[state.next] = Listener(owner: owner, events: continuation)
      return (state.next, oldest)
    }
    // Out of the lock: what ends a listener takes it.
    oldest?.events.finish()
    guard let number else { return nil }
    continuation.onTermination = { [weak self] _ in self?.remove(number) }
    end.whenComplete { _ in continuation.finish() }
    return stream
  }

  func send(_ event: ServerEvent) {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.events.yield(event) }
  }

  /// Ends all streams, so no client waits for their ends.
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
