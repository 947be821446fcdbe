internal import Likeness
package import ResultStore
internal import Synchronization

/// The descriptors of all tracks, kept in memory between questions: to read them takes longer than to compare them.
package final class KnownSounds: Sendable {
  struct Sounds: Sendable {
    var stored: StoredDescriptors
    var collection: SoundCollection
  }

  private struct State {
    var sounds: Sounds?
    var revision: Int64?
    var read = ContinuousClock.now
  }

  /// While a run goes on, the library changes every second.
  private static let leastAge = Duration.seconds(30)

  private let store: ResultStore
  private let revision: StoreRevision
  private let state = Mutex(State())

  package init(in store: ResultStore) throws(StoreError) {
    self.store = store
    revision = try StoreRevision(of: store)
  }

  /// Those of the library as it is now, or was half a minute ago.
  func sounds() throws(StoreError) -> Sounds {
    let present = revision.current()
    let known = state.withLock { state in
      state.revision == present || .now - state.read < Self.leastAge ? state.sounds : nil
    }
    if let known { return known }
    let sounds = try Self.read(store)
    state.withLock { $0 = State(sounds: sounds, revision: present) }
    return sounds
  }

  static func read(_ store: ResultStore) throws(StoreError) -> Sounds {
    let stored = try store.descriptors(version: SoundDescriptor.version, size: SoundDescriptor.count)
    return Sounds(stored: stored, collection: SoundCollection(stored.bytes))
  }
}
