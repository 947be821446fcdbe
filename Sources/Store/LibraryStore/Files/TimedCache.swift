package import ResultStore
internal import Synchronization

/// A cache of values that are computed from the library, and dropped after the library has changed. It pays off because
/// people repeat the same queries. The queries that take longest are the first letters of words, of which there are
/// few.
package final class TimedCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct State {
    var values: [Key: Value] = [:]
    var revision: Int64?
    var began = ContinuousClock.now
  }

  private let count: Int
  private let maxAge: Duration
  private let revision: StoreRevision
  private let state = Mutex(State())

  /// - Parameters:
  ///   - count: Maximum number of values in the cache.
  ///   - maxAge: Maximum age of a value when the library keeps changing, as it does every second during a run.
  package init(of store: ResultStore, count: Int, maxAge: Duration) throws(StoreError) {
    self.count = count
    self.maxAge = maxAge
    revision = try StoreRevision(of: store)
  }

  /// Returns the value for a key. A value from the cache is at most `maxAge` old if the library has changed since.
  /// - Parameter make: Computes the value. It may run on several threads at once.
  package func value<Failure: Error>(for key: Key, _ make: () throws(Failure) -> Value) throws(Failure) -> Value {
    let present = revision.current()
    let (known, asked) = state.withLock { state in
      if state.revision != present, .now - state.began >= maxAge { state = State(revision: present) }
      return (state.values[key], state.revision)
    }
    if let known { return known }
    let value = try make()
    state.withLock { state in
      // A value is not kept if a change of the library emptied the cache while the value was being computed.
      guard state.revision == asked else { return }
      if state.values.count >= count { state.values = [:] }
      state.values[key] = value
    }
    return value
  }
}

/// The key of a cache that has a single value for the whole library.
package struct WholeLibrary: Hashable, Sendable {}

extension TimedCache where Key == WholeLibrary {
  package func value<Failure: Error>(_ make: () throws(Failure) -> Value) throws(Failure) -> Value {
    try value(for: WholeLibrary(), make)
  }
}
