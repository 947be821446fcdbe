import AnalysisTesting
import Chromaprint
import Duplicates
import Landmarks
import Testing

/// Searches for pairs among many recordings.
@Suite(.bounded) struct PairSearchTests {
  private struct Library: SoundSource {
    private let sounds: [Sound]
    private let sketches: [Sketch]

    init(sounds: [Sound]) {
      self.sounds = sounds
      sketches = sounds.map { Sketch(fingerprint: $0.fingerprint, signature: $0.signature) }
    }

    /// Some of the recordings of a library.
    init(_ numbers: [Int], of library: Library) {
      sounds = numbers.map { library.sounds[$0] }
      sketches = numbers.map { library.sketches[$0] }
    }

    var count: Int { sounds.count }
    var duration: Double { sounds.reduce(0) { $0 + $1.duration } }
    func forEachSketch(by basis: Alignment.Basis, where isWanted: (Int) -> Bool, _ body: (Int, [SketchKey]) -> Void) {
      for (number, sketch) in sketches.enumerated() where isWanted(number) {
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
      let found = index.candidates(of: [common] + own, least: 2, &ballot) { $0 != number }
      #expect(found.map(\.number) == [number ^ 1] && (found.first?.votes ?? 0) >= 4)
    }
  }

  /// Any keys of any recordings can be indexed, such as those of a periodic sound.
  @Test func anyKeysCanBeIndexed() {
    var random = SplitMix64.fresh()
    for _ in 0..<20 {
      var index = SketchIndex(reach: Int.random(in: 0...1, using: &random), expected: 100)
      // Few values, so that many entries are equal.
      let values = (0..<3).map { _ in UInt32(truncatingIfNeeded: random.next()) } + [0, .max]
      func keys() -> [SketchKey] {
        (0..<Int.random(in: 0..<400, using: &random)).map { _ in
          SketchKey(
            key: values.randomElement(using: &random)!,
            position: Int.random(in: 0..<9, using: &random) == 0 ? .max : .random(in: 0..<200, using: &random))
        }
      }
      for number in [0, 1, 2, 500, SketchIndex.capacity - 1, SketchIndex.capacity] { index.add(keys(), of: number) }
      index.sort()
      var ballot = SketchIndex.Ballot()
      for _ in 0..<20 { _ = index.candidates(of: keys(), least: 1, &ballot) { _ in true } }
    }
  }

  /// A key in every second of a recording counts a few times only.
  @Test func repeatedKeysCountAFewTimes() {
    let keys = (0..<7_200).map { SketchKey(key: .max, position: UInt32($0)) }
    var index = SketchIndex(expected: 100)
    index.add(keys, of: 0)
    index.add(keys, of: 1)
    index.sort()
    var ballot = SketchIndex.Ballot()
    let found = index.candidates(of: keys, least: 2, &ballot) { $0 == 1 }
    #expect(index.keyCount <= 16 && found.map(\.number) == [1] && found[0].votes <= 8)
  }

  /// Copies of three recordings beside others of one file each, in any order.
  private func copies(_ counts: [Int], random: inout SplitMix64) -> (library: Library, recordings: [Int]) {
    var recordings = counts.enumerated().flatMap { Array(repeating: $0, count: $1) }
    recordings.append(contentsOf: counts.count..<counts.count + 10)
    recordings.shuffle(using: &random)
    let music = (0..<counts.count + 10).map { _ in MadeSounds.music(seed: random.next(), seconds: 40) }
    let sounds = recordings.map {
      MadeSounds.sound(MadeSounds.encoded(music[$0], seed: random.next()), seconds: 40)
    }
    return (Library(sounds: sounds), recordings)
  }

  /// Groups the recordings, which were added in batches.
  /// - Parameter batches: The recordings that are new at each search. Their order in the library is always the same.
  private func groups(_ library: Library, batches: [[Int]]) -> (groups: Set<[Int]>, comparisons: Int) {
    var related: [RelatedPair<Int>] = []
    var comparisons = 0
    var present: [Int] = []
    for batch in batches {
      let new = Set(batch)
      present = (present + batch).sorted()
      let numbers = Dictionary(uniqueKeysWithValues: present.enumerated().map { ($1, $0) })
      let known = related.filter { $0.relation.makesDuplicates }.map { (numbers[$0.first]!, numbers[$0.second]!) }
      let search = PairSearch(Library(present, of: library))
      let candidates = search.candidates { new.contains(present[$0]) }
      search.compare(candidates, known: known) { pair in
        comparisons += 1
        guard let relation = pair.relation, let alignment = pair.alignment else { return }
        related.append(
          RelatedPair(
            first: present[pair.candidate.first], second: present[pair.candidate.second], relation: relation,
            strength: alignment.coverage * alignment.agreement))
      }
    }
    return (Set(RecordingGroups(related).groups), comparisons)
  }

  /// Splits the recordings of a library, in random order, into batches.
  private func batches(of library: Library, sizes: ClosedRange<Int>, random: inout SplitMix64) -> [[Int]] {
    var rest = Array(0..<library.count).shuffled(using: &random)[...]
    var batches: [[Int]] = []
    while !rest.isEmpty {
      let size = min(rest.count, Int.random(in: sizes, using: &random))
      batches.append(Array(rest.prefix(size)))
      rest = rest.dropFirst(size)
    }
    return batches
  }

  private func truth(_ recordings: [Int], count: Int) -> Set<[Int]> {
    Set((0..<count).map { recording in recordings.indices.filter { recordings[$0] == recording } })
  }

  /// Hundreds of copies are found, with work in proportion to their number.
  @Test(arguments: [[33, 34, 35, 60], [300, 40, 2]]) func allOfVeryManyCopies(counts: [Int]) {
    var random = SplitMix64.fresh()
    let (library, recordings) = copies(counts, random: &random)
    let (found, comparisons) = groups(library, batches: [Array(0..<library.count)])
    let isRight = found == truth(recordings, count: counts.count)
    #expect(isRight)
    #expect(comparisons < counts.reduce(50) { $0 + min($1 * ($1 - 1) / 2, 561 + 9 * $1) })
  }

  @Test(arguments: [[0.9, 0.95, 1], [0.99, 1]]) func newCopiesJoinVeryManyOldOnes(parts: [Double]) {
    var random = SplitMix64.fresh()
    let (library, recordings) = copies([150, 3], random: &random)
    var start = 0
    let batches = parts.map { part in
      defer { start = Int(Double(library.count) * part) }
      return Array(start..<Int(Double(library.count) * part))
    }
    let found = groups(library, batches: batches).groups
    let isRight = found == truth(recordings, count: 2)
    #expect(isRight)
  }

  /// The groups do not depend on the order in which files are added, nor on how many at a time. Some pairs of copies do
  /// not match, and a copy that matches few others may be left out of the group.
  @Test(arguments: [300, 45, 34, 20]) func batchesOfCopiesMakeNoDifference(count: Int) {
    var random = SplitMix64.fresh()
    var recordings = Array(repeating: 0, count: count) + Array(1...50)
    recordings.shuffle(using: &random)
    let music = (0...50).map { _ in MadeSounds.music(seed: random.next(), seconds: 40) }
    let library = Library(
      sounds: recordings.map { recording in
        var encoded = MadeSounds.encoded(music[recording], seed: random.next())
        if Int.random(in: 0..<4, using: &random) == 0 { encoded = MadeSounds.weaker(encoded, seed: random.next()) }
        return MadeSounds.sound(encoded, seconds: 40)
      })
    let copies = Set(recordings.indices.filter { recordings[$0] == 0 })
    let whole = groups(library, batches: [Array(0..<library.count)]).groups
    let isRight = whole.count == 1 && whole.allSatisfy { copies.isSuperset(of: $0) && $0.count * 10 >= count * 9 }
    #expect(isRight, "\(whole.map(\.count))")
    for sizes in [1...8, 1...60, 40...41, 130...200] {
      let (found, comparisons) = groups(library, batches: batches(of: library, sizes: sizes, random: &random))
      let isSame = found == whole
      #expect(isSame, "\(sizes): \(found.map(\.count)), \(whole.map(\.count))")
      #expect(comparisons <= min(count * (count - 1) / 2, 1_000 + 20 * count) + 50, "\(sizes)")
    }
  }

  @Test func emptyLibrary() {
    let search = PairSearch(Library(sounds: []))
    #expect(search.candidates { _ in true } == [])
  }
}
