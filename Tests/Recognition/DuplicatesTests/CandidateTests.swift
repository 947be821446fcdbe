import AnalysisTesting
import Landmarks
import Testing

@testable import Duplicates

/// Candidates of recordings whose keys are chosen, and the number of comparisons.
@Suite(.bounded) struct CandidateTests {
  private final class Reads {
    var numbers: [Int] = []
  }

  private struct ChosenKeys: SoundSource {
    var fingerprints: [[SketchKey]]
    var signatures: [[SketchKey]]
    var sounds: [Int: Sound] = [:]
    let reads = Reads()

    init(_ count: Int) {
      fingerprints = Array(repeating: [], count: count)
      signatures = fingerprints
    }

    var count: Int { fingerprints.count }
    var duration: Double { Double(count) * 60 }

    func forEachSketch(by basis: Alignment.Basis, where isWanted: (Int) -> Bool, _ body: (Int, [SketchKey]) -> Void) {
      for (number, keys) in (basis == .fingerprint ? fingerprints : signatures).enumerated() where isWanted(number) {
        body(number, keys)
      }
    }

    func sound(_ number: Int) -> Sound {
      reads.numbers.append(number)
      return sounds[number] ?? Sound(fingerprint: nil, signature: nil, duration: 60)
    }
  }

  /// Keys that no other number has.
  private static func keys(_ number: Int, count: Int) -> [SketchKey] {
    (0..<count).map { SketchKey(key: UInt32((number + 1) * 20_000 + $0 * 16), position: UInt32($0)) }
  }

  /// A recording with `counts.0` keys and one with `counts.1`, which have `shared` in common.
  private static func source(_ counts: (Int, Int), shared: Int, by basis: Alignment.Basis) -> ChosenKeys {
    var source = ChosenKeys(2)
    let common = keys(0, count: shared)
    let all = [common + keys(1, count: counts.0 - shared), common + keys(2, count: counts.1 - shared)]
    if basis == .fingerprint { source.fingerprints = all } else { source.signatures = all }
    return source
  }

  private static func candidates(_ source: ChosenKeys) -> [CandidatePair] {
    PairSearch(source).candidates { _ in true }
  }

  /// A share of the keys of the shorter one must be the same, and a few at least.
  @Test(
    arguments: [
      (.fingerprint, (10, 10), 4), (.fingerprint, (100, 100), 4), (.fingerprint, (101, 101), 5),
      (.fingerprint, (400, 300), 12), (.fingerprint, (301, 900), 13), (.fingerprint, (4, 900), 4),
      (.signature, (10, 10), 2), (.signature, (100, 100), 2), (.signature, (101, 101), 3), (.signature, (119, 119), 3),
      (.signature, (120, 120), 3), (.signature, (150, 150), 3), (.signature, (151, 151), 4),
      (.signature, (300, 700), 6), (.signature, (700, 301), 7), (.signature, (900, 3), 2),
    ] as [(Alignment.Basis, (Int, Int), Int)])
  func keysInCommonMakeACandidate(basis: Alignment.Basis, counts: (Int, Int), need: Int) {
    let votes = (basis == .fingerprint ? need : 0, basis == .signature ? need : 0)
    #expect(
      Self.candidates(Self.source(counts, shared: need, by: basis)) == [
        CandidatePair(first: 0, second: 1, fingerprintVotes: votes.0, signatureVotes: votes.1)
      ])
    #expect(Self.candidates(Self.source(counts, shared: need - 1, by: basis)).isEmpty)
  }

  /// Pairs of both bases are one, ordered by the second recording.
  @Test func pairsOfBothBasesAreOne() {
    var source = ChosenKeys(4)
    func share(_ one: Int, _ other: Int, _ number: Int, _ count: Int, by basis: Alignment.Basis) {
      for recording in [one, other] {
        if basis == .fingerprint {
          source.fingerprints[recording] += Self.keys(number, count: count)
        } else {
          source.signatures[recording] += Self.keys(number, count: count)
        }
      }
    }
    share(0, 3, 1, 6, by: .fingerprint)
    share(0, 1, 2, 5, by: .fingerprint)
    share(2, 3, 3, 7, by: .signature)
    share(0, 1, 4, 9, by: .signature)
    share(1, 2, 5, 4, by: .signature)
    let expected = [
      CandidatePair(first: 0, second: 1, fingerprintVotes: 5, signatureVotes: 9),
      CandidatePair(first: 1, second: 2, fingerprintVotes: 0, signatureVotes: 4),
      CandidatePair(first: 0, second: 3, fingerprintVotes: 6, signatureVotes: 0),
      CandidatePair(first: 2, second: 3, fingerprintVotes: 0, signatureVotes: 7),
    ]
    #expect(Self.candidates(source) == expected)
    // Only those of which one is new.
    for new in [[0], [1], [3], [0, 2], [1, 2, 3]] {
      let found = PairSearch(source).candidates { new.contains($0) }
      #expect(found == expected.filter { new.contains($0.first) || new.contains($0.second) }, "\(new)")
    }
    #expect(PairSearch(source).candidates { _ in false }.isEmpty)
  }

  /// One recording that shares a number of keys with each of the ones before it.
  private static func crowd(_ votes: [Int]) -> [Int] {
    var source = ChosenKeys(votes.count + 1)
    for (number, count) in votes.enumerated() {
      source.fingerprints[number] = keys(number, count: count)
      source.fingerprints[votes.count] += keys(number, count: count)
    }
    return candidates(source).map(\.first)
  }

  /// Up to 32 candidates are compared; more only if they have an eighth of the votes of the best.
  @Test func veryManyCandidatesAreChosenFrom() {
    func votes(_ many: Int, _ few: Int, of count: Int = 5) -> [Int] {
      [40] + Array(repeating: count, count: many - 1) + Array(repeating: 4, count: few)
    }
    #expect(Self.crowd(votes(20, 12)) == Array(0..<32))
    // The weakest is left out; of equal ones, the last.
    #expect(Self.crowd(votes(20, 13)) == Array(0..<32))
    #expect(Self.crowd([4] + votes(32, 0)) == Array(1..<33))
    #expect(Self.crowd(votes(31, 5)) == Array(0..<32))
    #expect(Self.crowd(votes(32, 5)) == Array(0..<32))
    // With more than 32 copies, all of them are, and four of the others.
    #expect(Self.crowd(votes(33, 0)) == Array(0..<33))
    #expect(Self.crowd(votes(33, 3)) == Array(0..<36))
    #expect(Self.crowd(votes(33, 6)) == Array(0..<37))
    #expect(Self.crowd(votes(40, 9)) == Array(0..<44))
    #expect(Self.crowd(votes(60, 0)) == Array(0..<60))
  }

  // MARK: Comparisons

  private static func pairs(_ first: some Sequence<Int>, with second: Int) -> [CandidatePair] {
    first.map { CandidatePair(first: $0, second: second, fingerprintVotes: 4, signatureVotes: 0) }
  }

  private static func compared(
    _ pairs: [CandidatePair], in source: ChosenKeys = ChosenKeys(400), known: [(first: Int, second: Int)] = []
  ) -> [[Int]] {
    var found: [[Int]] = []
    PairSearch(source).compare(pairs, known: known) { found.append([$0.candidate.second, $0.candidate.first]) }
    // The second recording of several pairs is read once.
    #expect(source.reads.numbers.count == found.count + Set(found.map { $0[0] }).count)
    return found
  }

  @Test func unlikeRecordingsAreComparedALimitedNumberOfTimes() {
    for (count, expected) in [(0, 0), (1, 1), (33, 33), (64, 64), (65, 32), (200, 32)] {
      #expect(Self.compared(Self.pairs(0..<count, with: 300)) == (0..<expected).map { [300, $0] }, "\(count)")
    }
    // Each recording has its own.
    let two = Self.pairs(0..<65, with: 300) + Self.pairs(0..<64, with: 301) + Self.pairs(5..<75, with: 302)
    let expected = (0..<32).map { [300, $0] } + (0..<64).map { [301, $0] } + (5..<37).map { [302, $0] }
    #expect(Self.compared(two) == expected)
  }

  @Test func copiesAreNoMisses() {
    var source = ChosenKeys(400)
    let music = MadeSounds.sound(MadeSounds.music(seed: 5, seconds: 20), seconds: 20)
    for number in [0, 1, 40, 90, 300] { source.sounds[number] = music }
    // Two copies and 32 others: the other copies are behind them.
    #expect(Self.compared(Self.pairs(0..<100, with: 300), in: source) == (0..<34).map { [300, $0] })
    for number in [20, 21, 22, 23, 24, 25, 26, 27, 28, 29] { source.sounds[number] = music }
    var more = ChosenKeys(400)
    more.sounds = source.sounds
    #expect(Self.compared(Self.pairs(0..<100, with: 300), in: more) == (0..<45).map { [300, $0] })
  }

  /// Once the eight lowest copies are known, eight others are compared.
  @Test func knownCopiesNeedFewComparisons() {
    // Number 3 has very many copies.
    let known = (0..<8).map { (first: $0, second: 300) } + (100..<140).map { (first: 3, second: $0) }
    #expect(Self.compared(Self.pairs(8..<60, with: 300), known: known) == (8..<16).map { [300, $0] })
    // Not yet below the eighth.
    #expect(Self.compared(Self.pairs(0..<60, with: 300), known: known) == (0..<8).map { [300, $0] })
    // One that is a copy of most of the same ones is left out.
    for (count, isLeftOut) in [(8, true), (5, true), (4, false)] {
      let more = known + (0..<count).map { (first: $0, second: 10) }
      let expected = isLeftOut ? [8, 9] + Array(11..<17) : Array(8..<16)
      #expect(Self.compared(Self.pairs(8..<60, with: 300), known: more) == expected.map { [300, $0] }, "\(count)")
    }
    // Few copies are all compared.
    let few = (0..<8).map { (first: $0, second: 300) }
    #expect(Self.compared(Self.pairs(8..<60, with: 300), known: few).count == 52)
  }
}

/// Groups of random pairs, as they were recorded.
@Suite(.bounded) struct RecordedGroupsTests {
  private static let relations: [Relation] = [.audio, .encoding, .encoding, .encoding, .cut, .edit, .speed, .part]

  @Test func groups() throws {
    var results = RecordedResults("Duplicates/groups.txt")
    for seed in UInt64(1)...60 {
      var random = SplitMix64(seed: seed)
      let count = Int.random(in: seed < 20 ? 4...14 : 20...90, using: &random)
      let mixes = Int.random(in: 1...3, using: &random)
      let leaders = seed < 20 ? count : Int.random(in: 7...20, using: &random)
      let (right, wrong) = (Int.random(in: 40...95, using: &random), Int.random(in: 0...45, using: &random))
      var pairs: [RelatedPair<Int>] = []
      for number in 0..<count {
        for other in 0..<number where other < leaders || Int.random(in: 0..<20, using: &random) == 0 {
          let isRight = other % mixes == number % mixes
          guard Int.random(in: 0..<100, using: &random) < (isRight ? right : wrong) else { continue }
          let relation = Self.relations.randomElement(using: &random) ?? .encoding
          // Few strengths, so that some are equal.
          let strength = Double(Int.random(in: isRight ? 5...9 : 3...7, using: &random)) / 10
          let isReversed = Bool.random(using: &random)
          pairs.append(
            RelatedPair(
              first: isReversed ? number : other, second: isReversed ? other : number, relation: relation,
              strength: strength))
        }
      }
      func add(_ name: String, _ groups: RecordingGroups<Int>) {
        let left = groups.left.prefix(12).map { "\($0.first)-\($0.second)" }
        results.add("\(seed), \(name)", "\(groups.groups); left \(groups.left.count) \(left.joined(separator: " "))")
      }
      add("all", RecordingGroups(pairs))
      add("distinct", RecordingGroups(pairs) { $0 + $1 == 9 || $0 * $1 % 37 == 5 })
    }
    let problem = try results.complaint()
    #expect(problem == nil)
  }

  /// Members that are like a part of a crowd, by the number of its leaders that they are like.
  @Test func crowds() throws {
    var results = RecordedResults("Duplicates/crowds.txt")
    func pair(_ first: Int, _ second: Int, _ strength: Double = 0.9) -> RelatedPair<Int> {
      RelatedPair(first: first, second: second, relation: .encoding, strength: strength)
    }
    func add(_ name: String, _ pairs: [RelatedPair<Int>]) {
      let groups = RecordingGroups(pairs)
      results.add(name, "\(groups.groups); left \(groups.left.count)")
    }
    for leaders in 7...10 {
      for size in [12, 15, 16, 17, 18, 24, 40] {
        let crowd = (0..<size).flatMap { number in (0..<min(number, leaders)).map { pair($0, number) } }
        add("\(leaders) leaders, \(size) copies", crowd)
        for links in 3...6 {
          let others = (0..<links).map { pair(2 * $0 % leaders, size + 1) }
          add("\(leaders) leaders, \(size) copies, another with \(links)", crowd + others)
          // Two that are alike, one of which is like the crowd.
          add(
            "\(leaders) leaders, \(size) copies, two others, one with \(links)",
            crowd + others + [pair(size + 1, size + 2, 0.95)])
        }
        // Two crowds.
        for links in [0, 4, 5, 8] {
          let second = crowd.map { pair($0.first + 100, $0.second + 100) }
          let between = (0..<links).flatMap { one in (0..<links).map { pair(one, 100 + $0, 0.5) } }
          add("\(leaders) leaders, \(size) copies, twice, \(links) alike", crowd + second + between)
        }
      }
    }
    let problem = try results.complaint()
    #expect(problem == nil)
  }
}
