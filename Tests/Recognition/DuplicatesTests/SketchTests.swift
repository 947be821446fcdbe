import AnalysisTesting
import Chromaprint
import Landmarks
import Testing

@testable import Duplicates

/// Keys of recordings and the index of these keys, compared with their definitions.
@Suite(.bounded) struct SketchTests {
  private static func mixed(_ value: UInt64) -> UInt64 {
    var random = SplitMix64(seed: value)
    return random.next()
  }

  /// Every eighth item by its hash, unless it repeats the one before or is zero.
  @Test func keysOfFingerprintsAreSampled() {
    var random = SplitMix64(seed: 4)
    var items: [UInt32] = []
    while items.count < 2_000 {
      let item = UInt32(truncatingIfNeeded: random.next())
      items += Array(repeating: item, count: Int.random(in: 1...3, using: &random))
      if items.count % 7 == 0 { items += [0, 0] }
    }
    var expected: [SketchKey] = []
    for (place, item) in items.enumerated() where item != 0 && (place == 0 || items[place - 1] != item) {
      let mixed = Self.mixed(UInt64(item))
      guard (mixed >> 32) % 8 == 0 else { continue }
      expected.append(SketchKey(key: UInt32(truncatingIfNeeded: mixed), position: UInt32(place / 4)))
    }
    let sketch = Sketch(fingerprint: Fingerprint(items: items), signature: nil)
    #expect(sketch.fingerprint == expected && sketch.signature.isEmpty)
    #expect(expected.count > 80)
    #expect(sketch.keys(by: .fingerprint) == expected && sketch.keys(by: .signature).isEmpty)
    #expect(Sketch(fingerprint: Fingerprint(items: [0, 0, 0]), signature: nil).fingerprint.isEmpty)
  }

  /// Few strengths, and bands at multiples, so that distances are often at the limits.
  private static func landmarks(seed: UInt64) -> [Landmark] {
    var random = SplitMix64(seed: seed)
    let places = Set(
      (0..<500).map { _ in
        Int.random(in: 0..<1_100, using: &random) * 138 + Int.random(in: 0..<138, using: &random)
      })
    return places.sorted().map {
      Landmark(column: $0 / 138, band: $0 % 138, strength: Int.random(in: 1...5, using: &random))
    }
  }

  private static func dominant(_ landmarks: [Landmark]) -> [Landmark] {
    landmarks.indices.filter { index in
      let landmark = landmarks[index]
      return !landmarks.indices.contains { other in
        other != index && abs(landmarks[other].column - landmark.column) <= 10
          && abs(landmarks[other].band - landmark.band) <= 23
          && (landmarks[other].strength > landmark.strength
            || landmarks[other].strength == landmark.strength && other < index)
      }
    }.map { landmarks[$0] }
  }

  @Test(arguments: [UInt64(1), 2, 3]) func dominantLandmarksHaveNoStrongerNeighbors(seed: UInt64) {
    let landmarks = Self.landmarks(seed: seed)
    let expected = Self.dominant(landmarks)
    #expect(SketchKeys.dominant(landmarks) == expected)
    #expect(expected.count > 50 && expected.count < landmarks.count / 2)
  }

  @Test func neighborsAreTenColumnsAndTwentyThreeBandsAway() {
    for (column, band, isNear) in [(10, 23, true), (11, 0, false), (0, 24, false), (10, -23, true), (9, -24, false)] {
      let weak = Landmark(column: 50, band: 60, strength: 2)
      for strength in [2, 3] {
        let other = Landmark(column: 50 + column, band: 60 + band, strength: strength)
        // The first of equal ones stays.
        let later = SketchKeys.dominant([weak, other])
        #expect(later == (!isNear ? [weak, other] : strength == 2 ? [weak] : [other]))
      }
    }
  }

  /// Every twentieth triplet of a dominant landmark and two of the next four that are 2 to 64 columns later.
  @Test func keysOfSignaturesAreTriplets() {
    let landmarks = Self.landmarks(seed: 9)
    let chosen = Self.dominant(landmarks)
    var expected: [SketchKey] = []
    for (index, first) in chosen.enumerated() {
      let targets = chosen[(index + 1)...].filter { (2...64).contains($0.column - first.column) }.prefix(4)
      for (place, second) in targets.enumerated() {
        for third in targets.dropFirst(place + 1) {
          let mixed = Self.mixed(
            UInt64((second.band - first.band + 138) / 2) << 32 | UInt64((third.band - first.band + 138) / 2) << 16
              | UInt64((second.column - first.column) / 2) << 8 | UInt64((third.column - first.column) / 2))
          guard (mixed >> 32) % 20 == 0 else { continue }
          let key = UInt32(truncatingIfNeeded: mixed) << 8 | UInt32(first.band)
          expected.append(SketchKey(key: key, position: UInt32(first.column / 16)))
        }
      }
    }
    let signature = Signature(landmarks: landmarks, columnCount: 1_100)
    #expect(SketchKeys.of(signature) == expected)
    #expect(expected.count > 10)
  }

  // MARK: Index

  private static func key(_ key: UInt32, _ position: Int) -> SketchKey {
    SketchKey(key: key, position: UInt32(position))
  }

  /// The most hits at one distance, give or take one position.
  private static func votes(_ query: [SketchKey], _ keys: [SketchKey], reach: Int) -> Int {
    var bins: [Int: Int] = [:]
    for one in query {
      for other in keys {
        guard abs(Int(one.key & 0xFFF_FFFF) - Int(other.key & 0xFFF_FFFF)) <= reach else { continue }
        let bin = (Int(other.position) - Int(one.position) + 65_536) / 2
        bins[bin, default: 0] += 1
        bins[bin + 1, default: 0] += 1
      }
    }
    return bins.values.max() ?? 0
  }

  @Test(arguments: [0, 1], [0, 5_000]) func candidatesShareKeysAtOneDistance(reach: Int, expected: Int) {
    var random = SplitMix64(seed: UInt64(7 + reach))
    // Pairs of neighboring keys; the upper bits of a key are ignored.
    var values: [UInt32] = [1, 0x0FFF_FFFF, 0x0FFF_FFFE]
    for number in UInt32(0)..<150 { values.append(2 * number + number % 2 | 0xF000_0000) }
    var keys: [[SketchKey]] = []
    for _ in 0..<20 {
      let chosen = values.shuffled(using: &random).prefix(30).map { value in
        Self.key(value, Int.random(in: 0..<60, using: &random))
      }
      keys.append(chosen.sorted { $0.position < $1.position })
    }
    var index = SketchIndex(reach: reach, expected: expected)
    for number in keys.indices.shuffled(using: &random) { index.add(keys[number], of: 3 * number) }
    index.sort()
    #expect(index.keyCount == 600)
    var ballot = SketchIndex.Ballot()
    for (number, query) in keys.enumerated() {
      #expect(index.keyCount(of: 3 * number) == 30)
      var all: [SketchIndex.Candidate] = []
      for other in keys.indices where other % 2 == 0 && other != number {
        all.append(SketchIndex.Candidate(number: 3 * other, votes: Self.votes(query, keys[other], reach: reach)))
      }
      all.sort { $0.votes != $1.votes ? $0.votes > $1.votes : $0.number < $1.number }
      for least in [1, 2, 3] {
        let found = index.candidates(of: query, least: least, &ballot) { $0 % 2 == 0 && $0 != 3 * number }
        let best = all.filter { $0.votes >= least }
        #expect(found == best, "\(number)")
      }
    }
  }

  /// A key counts again in the same recording 16 positions later, eight times at most.
  @Test func repeatedKeysHaveADistance() {
    for (positions, count) in [
      ([0, 15, 16, 31, 32], 3), ([0, 16], 2), ([0, 15], 1), ([5], 1), (Array(stride(from: 0, to: 160, by: 16)), 8),
      (Array(stride(from: 0, to: 128, by: 16)), 8), ([65_535], 1), ([65_536], 0),
    ] {
      var index = SketchIndex()
      index.add(positions.map { Self.key(7, $0) }, of: 4)
      index.add([Self.key(7, 3)], of: 5)
      index.sort()
      #expect(index.keyCount == count + 1, "\(positions)")
      if positions != [65_536] { #expect(index.keyCount(of: 4) == count) }
      #expect(index.keyCount(of: 5) == 1 && index.keyCount(of: 0) == 0)
    }
    var index = SketchIndex()
    index.add([Self.key(7, 0)], of: SketchIndex.capacity)
    index.add([Self.key(7, 0)], of: SketchIndex.capacity - 1)
    index.sort()
    #expect(index.keyCount == 1 && index.keyCount(of: SketchIndex.capacity - 1) == 1)
  }

  /// A key of more than 128 recordings stands for the first 32 of them.
  @Test func commonKeysStandForTheFirst() {
    for (count, reach, shown) in [(128, 0, 128), (129, 0, 32), (64, 1, 64), (65, 1, 65), (129, 1, 32)] {
      var index = SketchIndex(reach: reach, expected: 300)
      for number in 0..<count {
        index.add([Self.key(7, 1)], of: number)
        // Together with its neighbors, it is more common.
        if reach == 1 { index.add([Self.key(8, 1)], of: 1_000 + number) }
      }
      index.sort()
      var ballot = SketchIndex.Ballot()
      let found = index.candidates(of: [Self.key(7, 1)], least: 1, &ballot) { $0 < 1_000 }
      let expected = reach == 1 && count * 2 > 128 ? min(count, 32) : shown
      #expect(found.map(\.number) == Array(0..<expected), "\(count) \(reach)")
      #expect(found.allSatisfy { $0.votes == 1 })
      #expect(index.candidates(of: [Self.key(7, 1)], least: 2, &ballot) { _ in true }.isEmpty)
      #expect(index.candidates(of: [Self.key(7, 65_536)], least: 1, &ballot) { _ in true }.isEmpty)
    }
  }

  // MARK: Copies

  @Test func veryManyCopiesNeedNoComparison() {
    func copies(of leader: Int, count: Int, lower: Int = 8) -> KnownCopies {
      var copies = KnownCopies()
      for number in 0..<count { copies.insert(200 + number, leader) }
      for number in (0..<lower).reversed() {
        copies.insert(number, 100)
        copies.insert(100, number)
      }
      return copies
    }
    // With number 100 itself, the leader has one copy more.
    #expect(copies(of: 3, count: 32).isSettled(100, before: 8))
    #expect(copies(of: 7, count: 32).isSettled(100, before: 8))
    #expect(!copies(of: 8, count: 40).isSettled(100, before: 8))
    #expect(!copies(of: 3, count: 31).isSettled(100, before: 8))
    #expect(!copies(of: 3, count: 32).isSettled(100, before: 7))
    #expect(!copies(of: 3, count: 32, lower: 7).isSettled(100, before: 9))
    #expect(copies(of: 3, count: 32, lower: 9).isSettled(100, before: 8))
    #expect(!copies(of: 3, count: 32).isSettled(101, before: 8))
  }

  /// Two recordings are copies if more than half of the lowest copies of one are copies of the other.
  @Test func copiesOfTheSameAreCopies() {
    for (shared, isCopy) in [(8, true), (5, true), (4, false), (0, false)] {
      var copies = KnownCopies()
      for number in 0..<8 { copies.insert(number, 60) }
      for number in 0..<shared { copies.insert(number, 50) }
      for number in shared..<12 { copies.insert(20 + number, 50) }
      #expect(copies.makesCopies(50, 60) == isCopy, "\(shared)")
      #expect(!copies.makesCopies(50, 61) && !copies.makesCopies(49, 60))
    }
  }
}

/// The meaning of an alignment on both sides of each limit.
@Suite(.bounded) struct RelationLimitTests {
  private static func alignment(
    _ first: Range<Double> = 0..<100, _ second: Range<Double> = 0..<100, basis: Alignment.Basis = .signature,
    speed: Double = 1
  ) -> Alignment {
    var alignment = Alignment(
      basis: basis, stretches: [Alignment.Stretch(first: first, second: second)], speed: speed, coverage: 0.9,
      agreement: 0.9, mainCoverage: 0.9, blockCount: 9)
    (alignment.dominantShare, alignment.weakestShare, alignment.fingerprintAgreement) = (0.9, 0.9, 0.9)
    return alignment
  }

  private static func relation(_ alignment: Alignment, _ first: Double = 100, _ second: Double = 100) -> Relation? {
    RelationRule().relation(of: alignment, first: first, second: second)
  }

  @Test func everyMeasureHasALimit() {
    func expect(
      _ path: WritableKeyPath<Alignment, Double>, _ enough: Double, _ few: Double, _ given: Alignment = Self.alignment()
    ) {
      var alignment = given
      alignment[keyPath: path] = enough
      #expect(Self.relation(alignment) == .encoding)
      alignment[keyPath: path] = few
      #expect(Self.relation(alignment) == nil)
    }
    func expect(
      _ path: WritableKeyPath<Alignment, Double?>, _ enough: Double, _ few: Double,
      _ given: Alignment = Self.alignment(), relation: Relation = .encoding, otherwise: Relation? = nil
    ) {
      var alignment = given
      for (value, expected) in [(enough, relation), (few, otherwise), (nil, relation)] as [(Double?, Relation?)] {
        alignment[keyPath: path] = value
        #expect(Self.relation(alignment) == expected)
      }
    }
    expect(\.coverage, 0.75, 0.749)
    expect(\.mainCoverage, 0.5, 0.499)
    expect(\.agreement, 0.5, 0.499)
    expect(\.agreement, 0.78, 0.779, Self.alignment(basis: .fingerprint))
    expect(\.dominantShare, 0.72, 0.719)
    expect(\.fingerprintAgreement, 0.79, 0.789)
    expect(\.fingerprintAgreement, 0.79, 0.789, Self.alignment(speed: 1.0019))
    expect(\.fingerprintAgreement, 0.33, 0.329, Self.alignment(speed: 1.0021), relation: .speed)
    expect(\.fingerprintAgreement, 0.33, 0.329, Self.alignment(speed: 0.9979), relation: .speed)
    // Alike, but another mix.
    expect(\.weakestShare, 0.46, 0.459, otherwise: .version)
    var few = Self.alignment()
    few.blockCount = 4
    #expect(Self.relation(few) == .encoding)
    few.blockCount = 3
    #expect(Self.relation(few) == nil)
    few = Self.alignment()
    few.stretches = []
    #expect(Self.relation(few) == nil)
  }

  @Test func extentsHaveLimits() {
    let half = Self.alignment(0..<50, 0..<50)
    // Half of the shorter one must be shared.
    #expect(Self.relation(half) == .encoding && Self.relation(half, 101, 100) == .encoding)
    #expect(Self.relation(half, 101, 101) == nil)
    // The rest of the longer one is more than the shared part, and more than a minute.
    #expect(Self.relation(Self.alignment(), 100, 200) == .cut && Self.relation(Self.alignment(), 100, 200.1) == .part)
    let short = Self.alignment(0..<30, 0..<30)
    #expect(Self.relation(short, 90, 30) == .cut && Self.relation(short, 90.1, 30) == .part)
    var edit = Self.alignment(0..<40, 0..<40)
    edit.stretches.append(Alignment.Stretch(first: 40..<100, second: 60..<120))
    #expect(Self.relation(edit, 100, 120) == .edit && Self.relation(edit, 100, 201) == .part)
    // A second at the start, and two at the end.
    #expect(Self.relation(Self.alignment(0..<100, 1..<101), 100, 101) == .encoding)
    #expect(Self.relation(Self.alignment(0..<100, 1.1..<101.1), 100, 101.1) == .cut)
    #expect(Self.relation(Self.alignment(1.1..<100, 0..<98.9), 100, 98.9) == .cut)
    #expect(Self.relation(Self.alignment(), 100, 102) == .encoding)
    #expect(Self.relation(Self.alignment(), 100, 102.1) == .cut)
    #expect(Self.relation(Self.alignment(), 102.1, 100) == .cut)
    for speed in [1.0021, 0.9979] { #expect(Self.relation(Self.alignment(speed: speed)) == .speed) }
    #expect(Self.relation(Self.alignment(speed: 1.0019)) == .encoding)
    // Fingerprints end after two minutes, so whole durations count.
    let beginning = Self.alignment(basis: .fingerprint)
    #expect(Self.relation(beginning, 400, 402) == .encoding && Self.relation(beginning, 400, 402.1) == .cut)
    #expect(Self.relation(Self.alignment(basis: .fingerprint, speed: 1.25), 500, 402) == .speed)
    #expect(Self.relation(Self.alignment(basis: .fingerprint, speed: 1.25), 500, 403) == .cut)
    #expect(Relation.allCases.filter { !$0.makesDuplicates } == [.part, .version])
  }

  @Test func alignmentsAreReversed() {
    var alignment = Self.alignment(0..<40, 60..<100, speed: 1.25)
    alignment.stretches.append(Alignment.Stretch(first: 50..<90, second: 10..<50))
    let reversed = alignment.reversed
    #expect(
      reversed.stretches == [
        Alignment.Stretch(first: 10..<50, second: 50..<90), Alignment.Stretch(first: 60..<100, second: 0..<40),
      ])
    #expect(reversed.speed == 0.8 && reversed.coverage == 0.9 && reversed.weakestShare == 0.9)
  }
}

/// Blocks of one recording in another one.
@Suite(.bounded) struct BlockTests {
  private static let music = MadeSounds.music(seed: 3, seconds: 40)

  private static func map(_ landmarks: [Landmark], columnCount: Int = 1_250) -> LandmarkMap {
    LandmarkMap(Signature(landmarks: landmarks, columnCount: columnCount))
  }

  private static func moved(by columns: Int, bands: Int = 0) -> [Landmark] {
    music.map { Landmark(column: $0.column + columns, band: $0.band + bands, strength: $0.strength) }
      .filter { $0.column >= 0 && (0..<138).contains($0.band) }
  }

  @Test func aMapHasItsLandmarks() {
    let map = Self.map(Self.music)
    let places = Set(Self.music.map { [$0.column, $0.band] })
    for column in -2..<1_253 {
      for band in [-1, 0, 1, 63, 64, 136, 137, 138] {
        #expect(map.has(column, band: band) == places.contains([column, band]), "\(column) \(band)")
      }
    }
    for band in 0..<138 {
      let columns = map.columns[map.starts[band]..<map.starts[band + 1]].map { Int($0) }
      #expect(columns == Self.music.filter { $0.band == band }.map(\.column))
    }
    #expect(map.landmarks == Self.music && map.columnCount == 1_250)
  }

  /// The highest scores, the first of equal ones, more than `distance` from each other.
  @Test func bestPlacesAreApart() {
    let scores: [Int32] = [1, 9, 8, 7, 6, 5, 9, 2, 2, 2, 3]
    #expect(LandmarkBlocks.best(9, of: scores, least: 2, distance: 3) == [1, 6, 10])
    #expect(LandmarkBlocks.best(9, of: scores, least: 4, distance: 3) == [1, 6])
    #expect(LandmarkBlocks.best(9, of: scores, least: 3, distance: 4) == [1, 6])
    #expect(LandmarkBlocks.best(2, of: scores, least: 2, distance: 0) == [1, 6])
    #expect(LandmarkBlocks.best(3, of: scores, least: 2, distance: 0) == [1, 6, 2])
    #expect(LandmarkBlocks.best(0, of: scores, least: 2, distance: 0) == [])
    #expect(LandmarkBlocks.best(3, of: [], least: 2, distance: 0) == [])
  }

  /// A block is found where the other recording has it, even if it begins up to a block earlier.
  @Test(arguments: [0, 1, 37, 400, -60, -124]) func blocksAreFoundAtTheirDistance(distance: Int) {
    let blocks = LandmarkBlocks(
      Self.map(Self.music), in: Self.map(Self.moved(by: distance), columnCount: 1_250 + max(distance, 0)))
    #expect(blocks.blockCount == 10)
    for block in 1..<10 {
      #expect(blocks.isAudible(block))
      let places = blocks.places(of: block)
      // Landmarks may be a column away, so places beside the right one may have a few more.
      #expect(places.first.map { abs($0.offset - distance) <= 1 && $0.score >= 1 } == true, "\(places)")
      #expect(places.count <= 4 && places.map(\.score) == places.map(\.score).sorted(by: >))
      #expect(blocks.score(of: block, at: Double(distance), speed: 1) == 1)
    }
  }

  /// Landmarks may be up to three columns away, all in one direction and each by one.
  @Test func landmarksOfABlockMayMove() {
    func score(_ distance: Int, bands: Int = 0, speed: Double = 1) -> Double {
      let other = Self.map(Self.moved(by: 20, bands: bands), columnCount: 1_300)
      return LandmarkBlocks(Self.map(Self.music), in: other).score(of: 4, at: Double(20 + distance), speed: speed)
    }
    for distance in -3...3 { #expect(score(distance) == 1, "\(distance)") }
    for distance in [-6, 6] { #expect(score(distance) < 0.5 && score(distance, bands: 1, speed: 0.99) < 0.5) }
    // A recording that is slower by 1% has its landmarks less than a band higher.
    #expect(score(0, bands: 1, speed: 0.99) > 0.9 && score(0, bands: 1) < 0.5 && score(0, bands: -1, speed: 0.99) < 0.5)
    #expect(LandmarkBlocks.bands(atSpeed: 1) == 0...0)
    // 36 bands per octave.
    #expect(LandmarkBlocks.bands(atSpeed: 1.01) == -1...0 && LandmarkBlocks.bands(atSpeed: 0.99) == 0...1)
    #expect(LandmarkBlocks.bands(atSpeed: 1.03) == -2...(-1) && LandmarkBlocks.bands(atSpeed: 0.97) == 1...2)
    #expect(LandmarkBlocks.bands(atSpeed: 2) == -36...(-36))
  }

  @Test func blocksWithThirtyLandmarksAreAudible() {
    for count in [29, 30] {
      var landmarks = (0..<count).map { Landmark(column: 4 * $0, band: $0, strength: 3) }
      landmarks.append(Landmark(column: 125, band: 5, strength: 3))
      let blocks = LandmarkBlocks(Self.map(landmarks, columnCount: 250), in: Self.map(landmarks, columnCount: 250))
      #expect(blocks.isAudible(0) == (count == 30) && !blocks.isAudible(1) && blocks.blockCount == 2)
    }
    let empty = LandmarkBlocks(Self.map([], columnCount: 249), in: Self.map(Self.music))
    #expect(empty.blockCount == 1 && empty.score(of: 0, at: 0, speed: 1) == 0)
  }

  private static func fingerprints(_ own: [UInt32], in other: [UInt32]) -> FingerprintBlocks {
    FingerprintBlocks(Fingerprint(items: own), in: Fingerprint(items: other))
  }

  @Test(arguments: [0, 7, -40]) func itemsAreFoundAtTheirDistance(distance: Int) {
    let items = MadeSounds.items(seed: 5, count: 200)
    let other = distance < 0 ? Array(items[(-distance)...]) : MadeSounds.items(seed: 6, count: distance) + items
    let blocks = Self.fingerprints(items, in: other)
    #expect(blocks.blockCount == 6)
    for block in 2..<6 {
      #expect(blocks.isAudible(block))
      #expect(blocks.places(of: block).first == BlockPlace(offset: distance, score: 1))
      #expect(blocks.score(of: block, at: Double(distance), speed: 1) == 1)
      // A place may be off by one.
      for near in [-1, 1] { #expect(blocks.score(of: block, at: Double(distance + near), speed: 1) == 1) }
      #expect(blocks.score(of: block, at: Double(distance + 2), speed: 1) < 0.3)
    }
  }

  /// Half of all bits differ by chance, which is a score of 0.
  @Test func scoresCountDifferentBits() {
    let items = MadeSounds.items(seed: 5, count: 32)
    for (bits, score) in [(0, 1.0), (32, 0.9375), (256, 0.5), (306, 0.402_343_75), (307, 0.400_390_625), (600, 0)] {
      var other = items
      for bit in 0..<bits { other[bit % 32] ^= 1 << UInt32(bit / 32) }
      let blocks = Self.fingerprints(items, in: other)
      // By chance, items a place before or after may be less different.
      let found = blocks.score(of: 0, at: 0, speed: 1)
      #expect(score > 0 ? found == score : found < 0.15, "\(bits)")
      // Places are searched for with up to 30% of different bits.
      let places = blocks.places(of: 0)
      #expect(places == (bits < 307 ? [BlockPlace(offset: 0, score: score)] : []), "\(bits)")
    }
    #expect(Self.fingerprints(items, in: Array(items.dropLast())).places(of: 0).isEmpty)
  }

  /// A block at the end of the other recording counts if half of it is there.
  @Test func halfOfABlockIsEnough() {
    let items = MadeSounds.items(seed: 5, count: 32)
    for (count, score) in [(32, 1.0), (17, 1), (16, 1), (15, 0)] {
      #expect(Self.fingerprints(items, in: Array(items[..<count])).score(of: 0, at: 0, speed: 1) == score, "\(count)")
    }
  }

  @Test func blocksOfEightDifferentItemsAreAudible() {
    for count in [7, 8] {
      let items = (0..<32).map { UInt32($0 % count) }
      #expect(Self.fingerprints(items, in: items).isAudible(0) == (count == 8))
    }
  }
}
