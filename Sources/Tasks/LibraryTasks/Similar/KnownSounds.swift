internal import LibraryStore
internal import Likeness
package import ResultStore

/// The descriptors of all tracks, kept in memory between questions: to read them takes longer than to compare them.
package final class KnownSounds: Sendable {
  struct Sounds: Sendable {
    var stored: StoredDescriptors
    var collection: SoundCollection
  }

  private let store: ResultStore
  private let recent: RecentValues<WholeLibrary, Sounds>

  package init(in store: ResultStore) throws(StoreError) {
    self.store = store
    recent = try RecentValues(of: store, count: 1, leastAge: .seconds(30))
  }

  /// Sounds of the library as it is now, or was half a minute ago.
  func sounds() throws(StoreError) -> Sounds {
    try recent.value { () throws(StoreError) in try Self.read(store) }
  }

  static func read(_ store: ResultStore) throws(StoreError) -> Sounds {
    let stored = try store.descriptors(version: SoundDescriptor.version, size: SoundDescriptor.count)
    return Sounds(stored: stored, collection: SoundCollection(stored.bytes))
  }
}
