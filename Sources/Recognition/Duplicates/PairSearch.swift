/// The recordings of a library, numbered from 0.
public protocol SoundSource {
  associatedtype Failure: Error

  var count: Int { get }
  /// Approximate total duration, in seconds.
  var duration: Double { get }
  /// Calls `body` with the number and the keys of each wanted recording, in ascending order of number.
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
  /// Number of common keys whose positions differ by the same amount.
  public var fingerprintVotes: Int
  public var signatureVotes: Int
}

/// Finds the pairs of files of the same recording.
public struct PairSearch<Source: SoundSource> {
  public struct Pair: Sendable {
    public var candidate: CandidatePair
    public var alignment: Alignment?
    /// `nil` if the files are not the same recording.
    public var relation: Relation?
  }

  /// Maximum number of candidates for each recording in each index.
  private static var candidateLimit: Int { 32 }
  /// Numbers of copies and of other candidates that a recording is compared with if it is one of very many copies.
  private static var sampleSize: (copies: Int, others: Int) { (8, 4) }
  /// Duration that fingerprints cover, in seconds.
  private static var fingerprintLength: Double { 120 }
  /// Maximum mean duration of recordings for which index space is reserved, in seconds.
  private static var meanLengthLimit: Double { 3_600 }

  private let source: Source
  private let rule: RelationRule

  public init(_ source: Source, rule: RelationRule = RelationRule()) {
    self.source = source
    self.rule = rule
  }

  /// Returns the candidate pairs, in ascending order.
  /// - Parameter isNew: `true` for recordings that have not yet been compared with the others. Pairs of two old
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

  /// Returns the candidate pairs for one basis: indexes the new recordings, and queries the index with all recordings.
  private func candidates(by basis: Alignment.Basis, isNew: (Int) -> Bool) throws(Source.Failure) -> [CandidatePair] {
    let need = CandidateNeed(by: basis)
    let newCount = (0..<source.count).count(where: isNew)
    guard newCount > 0 else { return [] }
    let duration = source.duration * Double(newCount) / Double(source.count)
    // A damaged file may claim any duration.
    let longest = basis == .fingerprint ? Self.fingerprintLength : Self.meanLengthLimit
    let seconds = min(max(0, duration), Double(newCount) * longest)
    var index = SketchIndex(reach: basis == .signature ? 1 : 0, expected: Int(seconds * need.keyRate))
    try source.forEachSketch(by: basis, where: isNew) { index.add($1, of: $0) }
    index.sort()
    var ballot = SketchIndex.Ballot()
    var found: [CandidatePair] = []
    func add(_ number: Int, _ candidate: SketchIndex.Candidate) {
      found.append(
        CandidatePair(
          first: min(number, candidate.number), second: max(number, candidate.number),
          fingerprintVotes: basis == .fingerprint ? candidate.votes : 0,
          signatureVotes: basis == .signature ? candidate.votes : 0))
    }
    // Old candidates of each new recording. They are limited, too: a new recording may have hundreds of old copies.
    var old: [Int: [SketchIndex.Candidate]] = [:]
    let all = { (_: Int) in true }
    try source.forEachSketch(by: basis, where: all) { number, keys in
      let isNew = isNew(number)
      // A pair of new recordings is found when the second one is looked up.
      let candidates = index.candidates(of: keys, least: need.least, &ballot) { !isNew || $0 < number }
        .filter { $0.votes >= need.votes(keyCounts: keys.count, index.keyCount(of: $0.number)) }
      for candidate in Self.choice(of: candidates) {
        if isNew {
          add(number, candidate)
        } else {
          old[candidate.number, default: []].append(SketchIndex.Candidate(number: number, votes: candidate.votes))
        }
      }
    }
    for (number, candidates) in old {
      let ordered = candidates.sorted { ($1.votes, $0.number) < ($0.votes, $1.number) }
      for candidate in Self.choice(of: ordered) { add(number, candidate) }
    }
    return found
  }

  /// Returns the candidates to compare a recording with.
  ///
  /// If more candidates than the limit have many votes, the recording is one of very many copies. All copies are
  /// compared with the same few, those with the lowest numbers, so that the work grows only in proportion to the number
  /// of copies.
  /// - Parameter candidates: Best first.
  private static func choice(of candidates: [SketchIndex.Candidate]) -> [SketchIndex.Candidate] {
    guard candidates.count > candidateLimit, let most = candidates.first?.votes else { return candidates }
    let copies = candidates.prefix { 4 * $0.votes >= most }
    if copies.count <= candidateLimit { return Array(candidates.prefix(candidateLimit)) }
    let first = copies.sorted { $0.number < $1.number }.prefix(sampleSize.copies)
    return Array(first) + candidates.dropFirst(copies.count).prefix(sampleSize.others)
  }

  /// Compares the recordings of each pair, and passes the result to `body`.
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
/// a certain fraction of the keys of the shorter file.
private struct CandidateNeed {
  /// Minimum if one of the recordings has fewer than `fewKeys` keys.
  let least: Int
  /// Minimum if both recordings have at least `fewKeys` keys.
  private let usual: Int
  private let fewKeys: Int
  /// Minimum as a share of the keys of the recording that has fewer.
  private let share: Double
  /// Approximate number of keys per second of audio.
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
