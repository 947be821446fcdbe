/// The sounds of a library, by number from 0.
public protocol SoundSource {
  associatedtype Failure: Error

  var count: Int { get }
  /// Seconds of all sounds together, about.
  var duration: Double { get }
  /// Calls `body` with the number and the keys of sounds, in ascending order.
  /// - Parameter isWanted: Whether the keys of a sound are to be read.
  func forEachSketch(
    by basis: Alignment.Basis, where isWanted: (Int) -> Bool, _ body: (Int, [SketchKey]) -> Void
  ) throws(Failure)
  func sound(_ number: Int) throws(Failure) -> Sound
}

/// Two sounds that are worth a comparison, by their numbers.
public struct CandidatePair: Hashable, Sendable {
  public var first: Int
  public var second: Int
  /// Keys in common at one distance.
  public var fingerprintVotes: Int
  public var signatureVotes: Int
}

/// Finds the pairs of sounds that are of one recording.
public struct PairSearch<Source: SoundSource> {
  public struct Pair: Sendable {
    public var candidate: CandidatePair
    public var alignment: Alignment?
    /// `nil`: they are not of one recording.
    public var relation: Relation?
  }

  /// Candidates of each sound and index.
  private static var candidateLimit: Int { 32 }
  /// Seconds that fingerprints cover.
  private static var fingerprintLength: Double { 120 }

  private let source: Source
  private let rule: RelationRule

  public init(_ source: Source, rule: RelationRule = RelationRule()) {
    self.source = source
    self.rule = rule
  }

  /// The pairs that are worth a comparison, in ascending order.
  /// - Parameter isNew: Whether a sound was not compared with the others before; pairs of two that were are left out.
  public func candidates(isNew: (Int) -> Bool) throws(Source.Failure) -> [CandidatePair] {
    var all: [CandidatePair] = []
    // One index after the other: both together would take twice the memory.
    for basis in Alignment.Basis.allCases { all += try candidates(by: basis, isNew: isNew) }
    all.sort { ($0.first, $0.second) < ($1.first, $1.second) }
    var found: [CandidatePair] = []
    for pair in all {
      if let last = found.last, (last.first, last.second) == (pair.first, pair.second) {
        found[found.count - 1].fingerprintVotes += pair.fingerprintVotes
        found[found.count - 1].signatureVotes += pair.signatureVotes
      } else {
        found.append(pair)
      }
    }
    return found
  }

  /// The new sounds are listed, and all ask.
  private func candidates(by basis: Alignment.Basis, isNew: (Int) -> Bool) throws(Source.Failure) -> [CandidatePair] {
    let need = CandidateNeed(by: basis)
    let newCount = (0..<source.count).count(where: isNew)
    guard newCount > 0 else { return [] }
    let duration = source.duration * Double(newCount) / Double(source.count)
    let seconds = basis == .fingerprint ? min(duration, Double(newCount) * Self.fingerprintLength) : duration
    var index = SketchIndex(reach: basis == .signature ? 1 : 0, expected: Int(seconds * need.keyRate))
    try source.forEachSketch(by: basis, where: isNew) { index.add($1, of: $0) }
    index.sort()
    var ballot = SketchIndex.Ballot()
    var found: [CandidatePair] = []
    try source.forEachSketch(by: basis, where: { _ in true }) { number, keys in
      let isNew = isNew(number)
      // Of two new ones the second asks.
      let candidates = index.candidates(of: keys, least: need.least, limit: Self.candidateLimit, &ballot) {
        !isNew || $0 < number
      }
      for candidate in candidates
      where candidate.votes >= need.votes(keyCounts: keys.count, index.keyCount(of: candidate.number)) {
        found.append(
          CandidatePair(
            first: min(number, candidate.number), second: max(number, candidate.number),
            fingerprintVotes: basis == .fingerprint ? candidate.votes : 0,
            signatureVotes: basis == .signature ? candidate.votes : 0))
      }
    }
    return found
  }

  /// Compares the sounds of pairs.
  /// - Parameter pairs: Best in ascending order, since the first sound of each is kept.
  public func compare(_ pairs: [CandidatePair], _ body: (Pair) -> Void) throws(Source.Failure) {
    var kept: (number: Int, sound: ComparableSound)?
    for pair in pairs {
      let first: ComparableSound
      if let kept, kept.number == pair.first {
        first = kept.sound
      } else {
        first = ComparableSound(try source.sound(pair.first))
        kept = (pair.first, first)
      }
      let second = ComparableSound(try source.sound(pair.second))
      let alignment = first.alignment(with: second)
      let relation = alignment.flatMap {
        rule.relation(of: $0, first: first.sound.duration, second: second.sound.duration)
      }
      body(Pair(candidate: pair, alignment: alignment, relation: relation))
    }
  }
}

/// How many keys two sounds need in common at one distance.
///
/// By chance that grows with the keys that both have; of files of one recording it is a share of those of the shorter one.
private struct CandidateNeed {
  /// Keys in common at least.
  let least: Int
  /// Keys in common of sounds that have more than a few keys.
  private let usual: Int
  private let fewKeys: Int
  /// The share of the keys of the one that has fewer.
  private let share: Double
  /// Keys in a second.
  let keyRate: Double

  init(by basis: Alignment.Basis) {
    switch basis {
    case .fingerprint: (least, usual, fewKeys, share, keyRate) = (4, 4, 0, 0.04, 1.1)
    case .signature: (least, usual, fewKeys, share, keyRate) = (2, 3, 120, 0.02, 1.4)
    }
  }

  func votes(keyCounts one: Int, _ other: Int) -> Int {
    let count = min(one, other)
    return max(count < fewKeys ? least : usual, Int((share * Double(count)).rounded(.up)))
  }
}
