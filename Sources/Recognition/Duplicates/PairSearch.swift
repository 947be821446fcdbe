/// The recordings of a library, numbered from 0.
public protocol SoundSource {
  associatedtype Failure: Error

  var count: Int { get }
  /// Approximate total duration, in seconds.
  var duration: Double { get }
  /// Calls `body` with the number and the keys of each recording, in ascending order.
  /// - Parameter isWanted: Selects the recordings whose keys are read.
  func forEachSketch(
    by basis: Alignment.Basis, where isWanted: (Int) -> Bool, _ body: (Int, [SketchKey]) -> Void
  ) throws(Failure)
  func sound(_ number: Int) throws(Failure) -> Sound
}

/// A candidate pair of recordings, by number.
public struct CandidatePair: Hashable, Sendable {
  public var first: Int
  public var second: Int
  /// Number of keys that both recordings have at the same distance.
  public var fingerprintVotes: Int
  public var signatureVotes: Int
}

/// Finds the pairs of files that are the same recording.
public struct PairSearch<Source: SoundSource> {
  public struct Pair: Sendable {
    public var candidate: CandidatePair
    public var alignment: Alignment?
    /// `nil` if they are not the same recording.
    public var relation: Relation?
  }

  /// Maximum number of candidates for each recording in each index.
  private static var candidateLimit: Int { 32 }
  /// Duration that fingerprints cover, in seconds.
  private static var fingerprintLength: Double { 120 }

  private let source: Source
  private let rule: RelationRule

  public init(_ source: Source, rule: RelationRule = RelationRule()) {
    self.source = source
    self.rule = rule
  }

  /// Returns the candidate pairs, in ascending order.
  /// - Parameter isNew: True for recordings that have not yet been compared with the others. Pairs of two old
  ///   recordings are left out.
  public func candidates(isNew: (Int) -> Bool) throws(Source.Failure) -> [CandidatePair] {
    var all: [CandidatePair] = []
    // One index at a time: two would take twice the memory.
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

  /// Indexes the new recordings, and queries the index with all recordings.
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
    let all = { (_: Int) in true }
    try source.forEachSketch(by: basis, where: all) { number, keys in
      let isNew = isNew(number)
      // If both recordings are new, the second one finds the pair.
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

  /// Compares the recordings of each pair.
  /// - Parameter pairs: Preferably in ascending order, since the first recording of each pair is cached.
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

/// The minimum number of keys that two recordings must have in common at one distance.
///
/// The number of chance matches grows with the number of keys of both recordings, whereas files of one recording share
/// a fraction of the shorter one's keys.
private struct CandidateNeed {
  /// Absolute minimum number of keys.
  let least: Int
  /// Minimum if both recordings have at least `fewKeys` keys.
  private let usual: Int
  private let fewKeys: Int
  /// Minimum as a share of the keys of the recording that has fewer.
  private let share: Double
  /// Keys per second.
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
