import Chromaprint
import Duplicates
import Landmarks
import Testing

/// Searches for pairs among many recordings.
@Suite struct PairSearchTests {
  private struct Library: SoundSource {
    var sounds: [Sound]

    var count: Int { sounds.count }
    var duration: Double { sounds.reduce(0) { $0 + $1.duration } }
    func forEachSketch(by basis: Alignment.Basis, where isWanted: (Int) -> Bool, _ body: (Int, [SketchKey]) -> Void) {
      for (number, sound) in sounds.enumerated() where isWanted(number) {
        let sketch = Sketch(fingerprint: sound.fingerprint, signature: sound.signature)
        // Encode and decode the keys, as a database does.
        body(number, SketchKey.keys(in: SketchKey.bytes(of: sketch.keys(by: basis))))
      }
    }
    func sound(_ number: Int) -> Sound { sounds[number] }
  }

  /// Twelve recordings in three encodings each, one of them cut.
  private static let library = Library(
    sounds: (0..<36).map { number in
      let music = MadeSounds.music(seed: UInt64(number / 3 + 1), seconds: 90)
      let encoded = MadeSounds.encoded(music, seed: UInt64(1000 + number))
      var sound =
        number % 3 == 2
        ? MadeSounds.sound(MadeSounds.slice(encoded, from: 15, to: 90), seconds: 75)
        : MadeSounds.sound(encoded, seconds: 90)
      // 15 s are 121 items.
      let items = Array(MadeSounds.items(seed: UInt64(number / 3 + 1), count: 700).dropFirst(number % 3 == 2 ? 121 : 0))
      sound.fingerprint = Fingerprint(items: MadeSounds.noisy(items, percent: 3, seed: UInt64(number)))
      return sound
    })

  private func pairs(isNew: (Int) -> Bool) -> Set<[Int]> {
    let search = PairSearch(Self.library)
    var found: Set<[Int]> = []
    search.compare(search.candidates(isNew: isNew)) { pair in
      if pair.relation != nil { found.insert([pair.candidate.first, pair.candidate.second]) }
    }
    return found
  }

  private var truth: Set<[Int]> {
    Set((0..<36).flatMap { one in ((one + 1)..<36).filter { $0 / 3 == one / 3 }.map { [one, $0] } })
  }

  @Test func allPairsAndNoOthers() {
    #expect(pairs { _ in true } == truth)
  }

  @Test func onlyPairsWithNewSounds() {
    let isNew: (Int) -> Bool = { $0 % 3 == 1 }
    #expect(pairs(isNew: isNew) == truth.filter { $0.contains(where: isNew) })
    #expect(pairs { _ in false } == [])
  }

  @Test func keysAsBytes() {
    let keys = [(7, 0), (UInt32.max, 0), (0, 254), (1, 509), (2, 1400), (3, 1400)].map {
      SketchKey(key: $0.0, position: $0.1)
    }
    let bytes = SketchKey.bytes(of: keys)
    #expect(SketchKey.keys(in: bytes) == keys && SketchKey.keys(in: []) == [])
    for count in bytes.indices { #expect(keys.starts(with: SketchKey.keys(in: Array(bytes[..<count])))) }
  }

  /// A key that all recordings have costs nothing and hides nothing; the order of the index does not matter.
  @Test func commonKeysAreNoCandidates() {
    var index = SketchIndex(expected: 2_000)
    let common = SketchKey(key: 99, position: 3)
    for number in 0..<500 {
      let own = (0..<4).map {
        SketchKey(key: UInt32(truncatingIfNeeded: (number / 2 * 4 + $0) &* 2_654_435_761), position: 10)
      }
      index.add([common, common] + own, of: number)
    }
    index.sort()
    var ballot = SketchIndex.Ballot()
    for number in [0, 33, 499] {
      let own = (0..<4).map {
        SketchKey(key: UInt32(truncatingIfNeeded: (number / 2 * 4 + $0) &* 2_654_435_761), position: 10)
      }
      let found = index.candidates(of: [common] + own, least: 2, limit: 9, &ballot) { $0 != number }
      #expect(found.map(\.number) == [number ^ 1] && found.first?.votes == 4)
    }
  }

  @Test func emptyLibrary() {
    let search = PairSearch(Library(sounds: []))
    #expect(search.candidates { _ in true } == [])
  }
}
