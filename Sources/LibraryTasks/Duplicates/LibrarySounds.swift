internal import Analysis
package import Chromaprint
package import Duplicates
package import Landmarks
package import LibraryStore
package import ResultStore

/// The sounds of a library, read from its database whenever they are asked for: those of 100,000 tracks take 2 GB.
package struct LibrarySounds: SoundSource {
  package let stored: StoredSounds
  private let store: ResultStore

  package init(in store: ResultStore) throws(StoreError) {
    self.store = store
    stored = try store.sounds()
  }

  package var count: Int { stored.files.count }
  package var duration: Double { stored.durations.reduce(0, +) }

  package func forEachFingerprint(_ body: (Fingerprint?) -> Void) throws(StoreError) {
    try store.forEachFingerprintText(ofFiles: stored.files) { _, text in body(text.flatMap { Fingerprint($0) }) }
  }

  package func forEachSignature(_ body: (Signature?) -> Void) throws(StoreError) {
    try store.forEachSignature(ofFiles: stored.files) { _, bytes in body(Self.signature(bytes)) }
  }

  package func sound(_ number: Int) throws(StoreError) -> Sound {
    var sound = Sound(fingerprint: nil, signature: nil, duration: stored.durations[number])
    let file = CollectionOfOne(stored.files[number])
    try store.forEachFingerprintText(ofFiles: file) { _, text in sound.fingerprint = text.flatMap { Fingerprint($0) } }
    try store.forEachSignature(ofFiles: file) { _, bytes in sound.signature = Self.signature(bytes) }
    return sound
  }

  /// `nil` for one of another version, too.
  private static func signature(_ bytes: [UInt8]?) -> Signature? { bytes.flatMap { try? Signature(bytes: $0) } }
}
