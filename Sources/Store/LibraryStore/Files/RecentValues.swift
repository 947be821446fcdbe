package import ResultStore
internal import Synchronization

/// Values computed from the library for some questions, kept until the library changes: people ask the same things
/// again, and the first letters of words, of which there are few, take longest.
package final class RecentValues<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct State {
    var values: [Key: Value] = [:]
    var revision: Int64?
    var began = ContinuousClock.now
  }

  private let count: Int
  private let leastAge: Duration
  private let revision: StoreRevision
  private let state = Mutex(State())

  /// - Parameters:
  ///   - count: So many are kept.
  ///   - leastAge: While a run goes on, the library changes every second; values are kept so long all the same.
  package init(of store: ResultStore, count: Int, leastAge: Duration) throws(StoreError) {
    self.count = count
    self.leastAge = leastAge
    revision = try StoreRevision(of: store)
  }

  /// That of the library as it is now, or was `leastAge` ago.
  /// - Parameter make: Makes it again; may run on several threads at once.
  package func value<Failure: Error>(for key: Key, _ make: () throws(Failure) -> Value) throws(Failure) -> Value {
    let present = revision.current()
    let (known, asked) = state.withLock { state in
      if state.revision != present, .now - state.began >= leastAge { state = State(revision: present) }
      return (state.values[key], state.revision)
    }
    if let known { return known }
    let value = try make()
    state.withLock { state in
      // Values read before the library changed are not kept.
      guard state.revision == asked else { return }
      if state.values.count >= count { state.values = [:] }
      state.values[key] = value
    }
    return value
  }
}

/// The one question about all of it.
package struct WholeLibrary: Hashable, Sendable {}

extension RecentValues where Key == WholeLibrary {
  package func value<Failure: Error>(_ make: () throws(Failure) -> Value) throws(Failure) -> Value {
    try value(for: WholeLibrary(), make)
  }
}
