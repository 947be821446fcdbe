internal import Synchronization

/// What follows from the whole library and takes long to make, kept until the library changes.
///
/// While a run goes on, the library changes every second: a value is kept for half a minute at least.
package final class RecentValue<Value: Sendable>: Sendable {
  private struct State {
    var value: Value?
    var revision: Int64?
    var made = ContinuousClock.now
  }

  private let leastAge = Duration.seconds(30)
  private let revision: StoreRevision
  private let state = Mutex(State())

  package init(of store: ResultStore) throws(StoreError) { revision = try StoreRevision(of: store) }

  /// That of the library as it is now, or was half a minute ago.
  /// - Parameter make: Makes it anew; may run on several threads at once.
  package func value<Failure: Error>(_ make: () throws(Failure) -> Value) throws(Failure) -> Value {
    let present = revision.current()
    let known = state.withLock { state in
      state.revision == present || .now - state.made < leastAge ? state.value : nil
    }
    if let known { return known }
    let value = try make()
    state.withLock { $0 = State(value: value, revision: present) }
    return value
  }
}
