import AnalysisTesting
import Chromaprint
import Landmarks
import Testing

@testable import Duplicates

/// Alignments of blocks whose places are chosen, on both sides of each limit.
@Suite(.bounded) struct AlignmentSearchTests {
  private final class Asked {
    var blocks: [Int] = []
  }

  /// Blocks of four seconds, each 32 frames.
  private struct ChosenBlocks: SoundBlocks {
    static let framesPerSecond = 8.0
    static let length = 32
    static let minScore = 0.5
    static let tolerance = 2.0

    let blockCount: Int
    var silent: Set<Int> = []
    var given: [Int: [BlockPlace]] = [:]
    let asked = Asked()

    init(_ blockCount: Int) { self.blockCount = blockCount }

    /// Puts blocks at an offset.
    mutating func put(_ blocks: some Sequence<Int>, at offset: Int, score: Double = 1) {
      for block in blocks { given[block, default: []].append(BlockPlace(offset: offset, score: score)) }
    }

    func isAudible(_ block: Int) -> Bool { !silent.contains(block) }

    func places(of block: Int) -> [BlockPlace] {
      asked.blocks.append(block)
      return given[block] ?? []
    }

    func score(of block: Int, at place: Double, speed: Double) -> Double {
      given[block, default: []].filter { abs(Double($0.offset) - place) <= 3 }.map(\.score).max() ?? 0
    }

    /// - Parameters:
    ///   - own: Length of the recording in frames; by default that of its blocks.
    ///   - other: Length of the other recording in frames.
    func alignment(own: Int? = nil, other: Int) -> Alignment? {
      AlignmentSearch(self).alignment(
        basis: .signature, own: Double(own ?? blockCount * Self.length) / 8, other: Double(other) / 8)
    }
  }

  /// The frames of the stretches of an alignment: the start and the end in both recordings.
  private static func frames(_ alignment: Alignment?) -> [[Double]] {
    alignment?.stretches.map {
      [$0.first.lowerBound * 8, $0.first.upperBound * 8, $0.second.lowerBound * 8, $0.second.upperBound * 8]
    } ?? []
  }

  // MARK: Sample

  /// Twelve blocks of every three are searched for first; fewer are no sample.
  @Test(arguments: [(33, false), (34, true), (36, true)]) func aSampleIsSearchedForFirst(count: Int, isSampled: Bool) {
    var blocks = ChosenBlocks(count + 2)
    blocks.silent = [0, 5]
    _ = AlignmentSearch(blocks)
    let audible = (0..<count + 2).filter { $0 != 0 && $0 != 5 }
    let expected = isSampled ? stride(from: 0, to: count, by: 3).map { audible[$0] } : audible
    #expect(Set(blocks.asked.blocks) == Set(expected) && blocks.asked.blocks.count == expected.count)
    #expect(blocks.alignment(other: 2_000) == nil)
  }

  /// Three places within a second of each other make the other blocks worth a search.
  @Test(
    arguments: [
      ([(0, 1), (4, 1), (8, 1)], true), ([(0, 1), (4, 1), (9, 1)], false), ([(8, 1), (8, 1)], false),
      ([(-5, 0.5), (0, 0.5), (3, 0.5)], true), ([(0, 0.49), (4, 1), (8, 1)], false),
      ([(0, 1), (30, 1), (60, 1), (64, 1), (66, 1)], true), ([], false),
    ] as [([(Int, Double)], Bool)])
  func aSampleWithALineIsFollowed(places: [(offset: Int, score: Double)], isFollowed: Bool) {
    var blocks = ChosenBlocks(60)
    for (number, place) in places.enumerated() { blocks.put([3 * number], at: place.offset, score: place.score) }
    _ = AlignmentSearch(blocks)
    #expect(blocks.asked.blocks.count == (isFollowed ? 60 : 20))
    #expect(Set(blocks.asked.blocks).count == blocks.asked.blocks.count)
    if !isFollowed { #expect(blocks.alignment(other: 3_000) == nil) }
  }

  // MARK: Main line

  @Test func blocksAtOneOffsetAreAStretch() throws {
    var blocks = ChosenBlocks(10)
    blocks.put(0..<10, at: 5, score: 0.75)
    let found = try #require(blocks.alignment(other: 360))
    #expect(Self.frames(found) == [[0, 320, 5, 325]])
    #expect(found.basis == .signature && found.speed == 1 && found.blockCount == 10)
    #expect(found.coverage == 1 && found.mainCoverage == 1 && found.agreement == 0.75)
    // Silent blocks do not count, and blocks that are elsewhere do.
    blocks.silent = [4, 5]
    blocks.given[8] = nil
    blocks.given[0] = [BlockPlace(offset: 5, score: 0.5)]
    let less = try #require(blocks.alignment(other: 360))
    #expect(less.blockCount == 8 && less.coverage == 0.875 && less.mainCoverage == 0.875)
    #expect(abs(less.agreement - 5 / 7) < 1e-9)
  }

  @Test func withoutBlocksThereIsNoAlignment() {
    var blocks = ChosenBlocks(5)
    #expect(blocks.alignment(other: 360) == nil)
    blocks.put(0..<5, at: 5, score: 0.49)
    #expect(blocks.alignment(other: 360) == nil)
    blocks.given = [:]
    blocks.put(0..<5, at: 5, score: 0.5)
    #expect(blocks.alignment(other: 360)?.coverage == 1)
    blocks.silent = [0, 1, 2, 3, 4]
    #expect(blocks.alignment(other: 360) == nil)
    #expect(ChosenBlocks(0).alignment(other: 360) == nil)
    var single = ChosenBlocks(1)
    single.put([0], at: 7)
    #expect(Self.frames(single.alignment(other: 360)) == [[0, 32, 7, 39]])
  }

  /// Ends beyond which there are less than two and a half blocks of sound belong to a stretch.
  @Test func stretchesExtendToTheEnds() {
    func frames(
      _ found: Range<Int>, at offset: Int = 0, own: Int = 320, other: Int = 2_000, silent: Set<Int> = []
    ) -> [[Double]] {
      var blocks = ChosenBlocks(10)
      blocks.silent = silent
      blocks.put(found, at: offset)
      return Self.frames(blocks.alignment(own: own, other: other))
    }
    // At the start.
    #expect(frames(2..<10) == [[0, 320, 0, 320]])
    #expect(frames(3..<10) == [[96, 320, 96, 320]])
    #expect(frames(3..<10, silent: [0, 1, 2]) == [[0, 320, 0, 320]])
    #expect(frames(3..<10, silent: [1, 2]) == [[96, 320, 96, 320]])
    #expect(frames(3..<10, at: -16) == [[96, 320, 80, 304]])
    #expect(frames(3..<10, at: -17) == [[17, 320, 0, 303]])
    #expect(frames(3..<10, at: 40) == [[96, 320, 136, 360]])
    // At the end.
    #expect(frames(0..<8) == [[0, 320, 0, 320]])
    #expect(frames(0..<7) == [[0, 224, 0, 224]])
    #expect(frames(0..<7, silent: [7, 8, 9]) == [[0, 320, 0, 320]])
    #expect(frames(0..<7, other: 304) == [[0, 224, 0, 224]])
    #expect(frames(0..<7, other: 303) == [[0, 303, 0, 303]])
    #expect(frames(0..<10, own: 330) == [[0, 330, 0, 330]])
    #expect(frames(0..<10, other: 310) == [[0, 310, 0, 310]])
    // A stretch does not leave the other recording.
    #expect(frames(0..<10, at: -20) == [[20, 320, 0, 300]])
    #expect(frames(0..<10, at: 30, other: 340) == [[0, 310, 30, 340]])
    #expect(frames(0..<10, at: 3_000).isEmpty)
  }

  // MARK: Other stretches

  /// Six stretches are the most.
  @Test func stretchesAreLimited() throws {
    for (groups, expected) in [(2, 2), (5, 5), (6, 6), (7, 6), (9, 6)] {
      var blocks = ChosenBlocks(3 * groups)
      for group in 0..<groups { blocks.put(3 * group..<3 * group + 3, at: 20 * group) }
      let found = try #require(blocks.alignment(other: 4_000))
      #expect(found.stretches.count == expected, "\(groups)")
      #expect(found.blockCount == 3 * groups && found.coverage == Double(expected) / Double(groups))
      #expect(found.mainCoverage == 1 / Double(groups) && found.agreement == 1)
      #expect(found.stretches.map(\.first.lowerBound) == found.stretches.map(\.first.lowerBound).sorted())
    }
  }

  /// Ten blocks at an offset of 100 before others.
  private static func after(_ others: [Int], at offset: Int, score: Double = 1) -> [[Double]] {
    var blocks = ChosenBlocks(14)
    blocks.put(0..<10, at: 100)
    blocks.put(others, at: offset, score: score)
    return frames(blocks.alignment(other: 4_000))
  }

  @Test func aStretchNeedsTwoBlocks() {
    #expect(Self.after([10], at: 150).count == 1)
    #expect(Self.after([10, 11], at: 150).count == 2)
    #expect(Self.after([10, 11], at: 150, score: 0.5).count == 2)
    #expect(Self.after([10, 11], at: 150, score: 0.49).count == 1)
    #expect(Self.after([10, 12], at: 150).count == 2)
    // Two places that are two frames apart are on one line.
    for (distance, count) in [(2, 2), (3, 1)] {
      var blocks = ChosenBlocks(14)
      blocks.put(0..<10, at: 100)
      blocks.put([10], at: 150)
      blocks.put([11], at: 150 + distance)
      #expect(blocks.alignment(other: 4_000)?.stretches.count == count)
    }
  }

  /// Stretches have the same order in both recordings, to within a block.
  @Test func stretchesAreInOrder() {
    #expect(Self.after([10, 11], at: 68).count == 2 && Self.after([10, 11], at: 67).count == 1)
    #expect(Self.after([10, 11], at: -200).count == 1 && Self.after([10, 11], at: 900).count == 2)
    func before(_ offset: Int) -> Int {
      var blocks = ChosenBlocks(12)
      blocks.put([0, 1], at: offset)
      blocks.put(2..<12, at: 100)
      return blocks.alignment(other: 4_000)?.stretches.count ?? 0
    }
    #expect(before(132) == 2 && before(133) == 1 && before(20) == 2 && before(900) == 1)
    // Blocks among those of another stretch.
    var blocks = ChosenBlocks(10)
    blocks.put([0, 1, 2, 4, 5, 7, 8, 9], at: 100)
    blocks.put([3, 6], at: 130)
    #expect(blocks.alignment(other: 4_000)?.stretches.count == 1)
    #expect(blocks.alignment(other: 4_000)?.coverage == 0.8)
  }

  /// The stretch with the most blocks is taken first.
  @Test func largerStretchesComeFirst() {
    var blocks = ChosenBlocks(16)
    blocks.put(0..<8, at: 10)
    // Blocks 8 to 11 fit at two offsets, with two others at the second.
    blocks.put(8..<12, at: 60)
    blocks.put(8..<14, at: 90)
    #expect(Self.frames(blocks.alignment(other: 4_000)) == [[0, 256, 10, 266], [256, 512, 346, 602]])
  }

  // MARK: Recorded

  /// Lines of all slopes, and mixtures of them.
  @Test func lines() throws {
    var results = RecordedResults("Duplicates/lines.txt")
    func text(_ alignment: Alignment?) -> String {
      guard let alignment else { return "none" }
      return "\(Self.frames(alignment)) \(alignment.speed) \(alignment.coverage) \(alignment.mainCoverage) "
        + "\(alignment.agreement) \(alignment.blockCount)"
    }
    func add(_ name: String, _ count: Int, _ offset: (Int) -> Double) {
      var blocks = ChosenBlocks(count)
      for block in 0..<count { blocks.put([block], at: Int(offset(32 * block + 16).rounded())) }
      results.add(name, text(blocks.alignment(other: 32 * count + 100)))
    }
    for slope in [0, 0.0003, 0.0006, 0.0007, 0.0009, 0.0012, 0.0025, 0.01, 0.02, 0.033, 0.039, 0.04, 0.0405, 0.045] {
      for sign in [1.0, -1] {
        for count in [5, 30] { add("slope \(sign * slope), \(count) blocks", count) { 50 + sign * slope * Double($0) } }
      }
    }
    // Two halves at other offsets, and at other slopes.
    for step in [1, 2, 3, 4, 6, 30, -6, -30, -50] {
      add("a step of \(step)", 24) { 60 + Double($0 < 400 ? 0 : step) }
      add("a step of \(step), sloped", 24) { 60 + 0.01 * Double($0) + Double($0 < 400 ? 0 : step) }
    }
    // Places at random beside the right ones.
    for seed in UInt64(1)...12 {
      var random = SplitMix64(seed: seed)
      var blocks = ChosenBlocks(24)
      let slopes: [Double] = [0, 0.0127, -0.0213]
      let slope = slopes.randomElement(using: &random) ?? 0
      for block in 0..<24 {
        let isRight = Int.random(in: 0..<4, using: &random) > 0
        let score = Double(Int.random(in: 3...8, using: &random)) / 8
        if isRight {
          let drift = (slope * Double(32 * block + 16)).rounded()
          let offset = (block < 9 ? 40 : 65) + Int(drift) + Int.random(in: -1...1, using: &random)
          blocks.put([block], at: offset, score: score)
        }
        for _ in 0..<3 {
          blocks.put(
            [block], at: Int.random(in: -60...160, using: &random), score: Double.random(in: 0.3...1, using: &random))
        }
        if Int.random(in: 0..<9, using: &random) == 0 { blocks.silent.insert(block) }
      }
      results.add("random places, \(seed)", text(blocks.alignment(other: 900)))
    }
    let problem = try results.complaint()
    #expect(problem == nil)
  }

  /// Recordings that share more and less, and their relations.
  @Test func recordings() throws {
    var results = RecordedResults("Duplicates/recordings.txt")
    let music = MadeSounds.music(seed: 31, seconds: 60)
    func add(_ name: String, _ other: [Landmark], seconds: Double) {
      let (one, two) = (MadeSounds.sound(music, seconds: 60), MadeSounds.sound(other, seconds: seconds))
      for (name, first, second) in [(name, one, two), ("\(name), reversed", two, one)] {
        guard let alignment = ComparableSound(first).alignment(with: ComparableSound(second)) else {
          results.add(name, "none")
          continue
        }
        let relation = RelationRule().relation(of: alignment, first: first.duration, second: second.duration)
        results.add(name, "\(relation.map { "\($0)" } ?? "no relation") \(alignment)")
      }
    }
    var encoded = music
    for generation in 1...5 {
      encoded = MadeSounds.encoded(encoded, seed: UInt64(generation))
      add("generation \(generation)", encoded, seconds: 60)
    }
    for speed in [1.002, 1.005, 1.01, 1.02, 1.035] {
      add("\(speed) times as fast", MadeSounds.faster(music, by: speed), seconds: 60 / speed)
    }
    for seconds in [5.0, 9, 14, 17, 30, 58] {
      add("the first \(seconds) s", MadeSounds.slice(music, from: 0, to: seconds), seconds: seconds)
      add("the last \(seconds) s", MadeSounds.slice(music, from: 60 - seconds, to: 60), seconds: seconds)
    }
    let others = MadeSounds.music(seed: 77, seconds: 60)
    for seconds in [4.0, 8, 12, 20, 30] {
      let edit = MadeSounds.joined([
        (MadeSounds.slice(music, from: 0, to: 25), 25), (MadeSounds.slice(others, from: 0, to: seconds), seconds),
        (MadeSounds.slice(music, from: 25, to: 60), 35),
      ])
      add("\(seconds) s inserted", edit, seconds: 60 + seconds)
      let part = MadeSounds.joined([
        (MadeSounds.slice(music, from: 0, to: 60 - seconds), 60 - seconds),
        (MadeSounds.slice(others, from: 0, to: seconds), seconds),
      ])
      add("\(seconds) s replaced", part, seconds: 60)
    }
    let problem = try results.complaint()
    #expect(problem == nil)
  }
}
