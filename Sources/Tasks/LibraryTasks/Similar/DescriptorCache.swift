internal import LibraryStore
internal import Likeness
package import ResultStore

/// Caches the descriptors of all tracks in memory, because reading them takes longer than comparing them.
package final class DescriptorCache: Sendable {
  struct Descriptors: Sendable {
    var stored: StoredDescriptors
    var collection: SoundCollection
  }

  private let store: ResultStore
  private let recent: TimedCache<WholeLibrary, Descriptors>

  package init(in store: ResultStore) throws(StoreError) {
    self.store = store
    recent = try TimedCache(of: store, count: 1, maxAge: .seconds(30))
  }

  /// Returns the descriptors of the library, which are at most 30 s out of date.
  func descriptors() throws(StoreError) -> Descriptors {
    try recent.value { () throws(StoreError) in try Self.read(store) }
  }

  static func read(_ store: ResultStore) throws(StoreError) -> Descriptors {
    let stored = try store.descriptors(version: SoundDescriptor.version, size: SoundDescriptor.count)
    return Descriptors(stored: stored, collection: SoundCollection(stored.bytes))
  }
}
