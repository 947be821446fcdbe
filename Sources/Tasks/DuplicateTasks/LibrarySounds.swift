internal import Analysis
internal import Chromaprint
package import Duplicates
internal import Landmarks
package import LibraryStore
package import ResultStore

/// The fingerprints and signatures of a library. They are read from its database on demand, because they take 2 GB for
/// 100,000 tracks.
package struct LibrarySounds: SoundSource {
  package let stored: ComparableAudio
  private let store: ResultStore
  /// Row ids of stored keys; `nil` for tracks whose keys are computed on demand.
  private var sketches: [Int64?]

  /// Number of tracks whose keys are stored in one transaction.
  private static let batchSize = 2_000

  package init(in store: ResultStore) throws(StoreError) {
    self.store = store
    stored = try store.comparableAudio()
    let methods = stored.methods(version: Sketch.version)
    sketches = zip(stored.sketches, methods).map { sketch, method in sketch?.method == method ? sketch?.id : nil }
  }

  package var count: Int { stored.files.count }
  package var duration: Double { stored.durations.reduce(0, +) }

  /// Stores the keys of tracks for which none are stored yet.
  package mutating func storeSketches() throws(StoreError) {
    let methods = stored.methods(version: Sketch.version)
    let missing = sketches.indices.filter { sketches[$0] == nil }
    for start in stride(from: 0, to: missing.count, by: Self.batchSize) {
      let numbers = missing[start..<min(start + Self.batchSize, missing.count)]
      var rows = numbers.map {
        SketchRow(content: stored.contents[$0], method: methods[$0], fingerprint: [], signature: [])
      }
      try makeKeys(numbers, by: .fingerprint) { rows[$0].fingerprint = SketchKey.bytes(of: $1) }
      try makeKeys(numbers, by: .signature) { rows[$0].signature = SketchKey.bytes(of: $1) }
      for (number, id) in zip(numbers, try store.storeSketches(rows)) { sketches[number] = id }
    }
  }

  package func forEachSketch(
    by basis: Alignment.Basis, where isWanted: (Int) -> Bool, _ body: (Int, [SketchKey]) -> Void
  ) throws(StoreError) {
    let column: SketchColumn = basis == .fingerprint ? .fingerprint : .signature
    var start = 0
    let numbers = sketches.indices.filter(isWanted)
    while start < numbers.count {
      // Runs of stored keys alternate with runs of missing keys.
      let isStored = sketches[numbers[start]] != nil
      let end = numbers[start...].firstIndex { (sketches[$0] != nil) != isStored } ?? numbers.count
      let run = numbers[start..<end]
      if isStored {
        var number = run.startIndex
        try store.forEachSketch(run.lazy.compactMap { sketches[$0] }, column) { _, bytes in
          body(numbers[number], SketchKey.keys(in: bytes))
          number += 1
        }
      } else {
        try makeKeys(run, by: basis) { body(run[run.startIndex + $0], $1) }
      }
      start = end
    }
  }

  /// Calls `body` with the position of each number in `numbers`, and the keys of that track.
  private func makeKeys(
    _ numbers: ArraySlice<Int>, by basis: Alignment.Basis, _ body: (Int, [SketchKey]) -> Void
  ) throws(StoreError) {
    var place = 0
    let files = numbers.lazy.map { stored.files[$0] }
    switch basis {
    case .fingerprint:
      try store.forEachFingerprintText(ofFiles: files) { _, text in
        body(place, Sketch(fingerprint: text.flatMap { Fingerprint($0) }, signature: nil).fingerprint)
        place += 1
      }
    case .signature:
      try store.forEachSignature(ofFiles: files) { _, bytes in
        body(place, Sketch(fingerprint: nil, signature: Self.signature(bytes)).signature)
        place += 1
      }
    }
  }

  package func sound(_ number: Int) throws(StoreError) -> Sound {
    var sound = Sound(fingerprint: nil, signature: nil, duration: stored.durations[number])
    let file = CollectionOfOne(stored.files[number])
    try store.forEachFingerprintText(ofFiles: file) { _, text in sound.fingerprint = text.flatMap { Fingerprint($0) } }
    try store.forEachSignature(ofFiles: file) { _, bytes in sound.signature = Self.signature(bytes) }
    return sound
  }

  /// Returns a signature; `nil` if there is none or it has another version.
  private static func signature(_ bytes: [UInt8]?) -> Signature? { bytes.flatMap { try? Signature(bytes: $0) } }
}

extension ComparableAudio {
  /// Returns the methods by which tracks are compared. They encode the versions and which data exists, so that audio
  /// that gets a signature later is compared again.
  func methods(version: Int) -> [Int] {
    zip(hasFingerprint, hasSignature).map {
      (version * 100 + Signature.version) * 4 + ($0 ? 1 : 0) + ($1 ? 2 : 0)
    }
  }
}
