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

  /// Number of candidates of a recording in one index above which most are taken for copies of each other.
  private static var candidateLimit: Int { 32 }
  /// Number of candidates with few votes that a recording with very many candidates is compared with.
  private static var sampleSize: Int { 4 }
  /// Maximum number of comparisons without success for a recording with very many candidates, and for one whose copies
  /// are known.
  private static var maxMisses: (unknown: Int, settled: Int) { (candidateLimit, 8) }
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

  /// Returns the candidate pairs, ordered by their second recordings, then by their first ones.
  /// - Parameter isNew: `true` for recordings that have not yet been compared with the others. Pairs of two old
  ///   recordings are left out.
  public func candidates(isNew: (Int) -> Bool) throws(Source.Failure) -> [CandidatePair] {
    var all: [CandidatePair] = []
    // One index at a time: two would take twice the memory.
    for basis in Alignment.Basis.allCases { all += try candidates(by: basis, isNew: isNew) }
    all.sort { ($0.second, $0.first) < ($1.second, $1.first) }
    var found: [CandidatePair] = []
    for pair in all {
      if let last = found.last, (last.first, last.second) == (pair.first, pair.second) {
        found[found.count - 1].fingerprintVotes = max(last.fingerprintVotes, pair.fingerprintVotes)
        found[found.count - 1].signatureVotes = max(last.signatureVotes, pair.signatureVotes)
      } else {
        found.append(pair)
      }
    }
    return found
  }

  /// Returns the candidate pairs for one basis: indexes the new recordings, and queries the index with all recordings.
  /// The candidates of a recording are those with lower numbers.
  private func candidates(by basis: Alignment.Basis, isNew: (Int) -> Bool) throws(Source.Failure) -> [CandidatePair] {
    let need = CandidateNeed(by: basis)
    let newCount = (0..<source.count).count(where: isNew)
    guard newCount > 0 else { return [] }
    let duration = source.duration * Double(newCount) / Double(source.count)
    // A damaged file may claim any duration.
    let longest = basis == .fingerprint ? Self.fingerprintLength : Self.meanLengthLimit
    let seconds = min(max(0, duration), Double(newCount) * longest)
    func makeIndex(for seconds: Double) -> SketchIndex {
      SketchIndex(reach: basis == .signature ? 1 : 0, expected: Int(seconds * need.keyRate))
    }
    var index = makeIndex(for: seconds)
    try source.forEachSketch(by: basis, where: isNew) { index.add($1, of: $0) }
    index.sort()
    var ballot = SketchIndex.Ballot()
    func query(_ index: SketchIndex, _ keys: [SketchKey], isWanted: (Int) -> Bool) -> [SketchIndex.Candidate] {
      index.candidates(of: keys, least: need.least, &ballot, isWanted: isWanted)
        .filter { $0.votes >= need.votes(keyCounts: keys.count, index.keyCount(of: $0.number)) }
    }
    var found: [CandidatePair] = []
    func add(_ candidates: [SketchIndex.Candidate], to number: Int) {
      for candidate in Self.choice(of: candidates) {
        found.append(
          CandidatePair(
            first: candidate.number, second: number,
            fingerprintVotes: basis == .fingerprint ? candidate.votes : 0,
            signatureVotes: basis == .signature ? candidate.votes : 0))
      }
    }
    // Old candidates of each new recording that has not been looked up yet.
    var old: [Int: [SketchIndex.Candidate]] = [:]
    // Old recordings with very many new candidates. For a common key, the index names only the lowest of them.
    var crowd = makeIndex(for: 0)
    let all = { (_: Int) in true }
    try source.forEachSketch(by: basis, where: all) { number, keys in
      if isNew(number) {
        add(query(index, keys) { $0 < number } + (old.removeValue(forKey: number) ?? []), to: number)
        return
      }
      let candidates = query(index, keys, isWanted: all)
      add(candidates.filter { $0.number < number }, to: number)
      for candidate in candidates where candidate.number > number {
        old[candidate.number, default: []].append(SketchIndex.Candidate(number: number, votes: candidate.votes))
      }
      if candidates.count > Self.candidateLimit { crowd.add(keys, of: number) }
    }
    guard crowd.keyCount > 0 else { return found }
    crowd.sort()
    try source.forEachSketch(by: basis, where: isNew) { number, keys in
      add(query(crowd, keys) { $0 < number }, to: number)
    }
    return found
  }

  /// Returns the candidates to compare a recording with. If more candidates than the limit have many votes, the
  /// recording is one of very many copies, and all of these are returned: `compare` decides how many it needs.
  private static func choice(of candidates: [SketchIndex.Candidate]) -> [SketchIndex.Candidate] {
    guard candidates.count > candidateLimit else { return candidates }
    let ordered = candidates.sorted { ($1.votes, $0.number) < ($0.votes, $1.number) }
    let copies = ordered.prefix { 8 * $0.votes >= ordered[0].votes }
    if copies.count <= candidateLimit { return Array(ordered.prefix(candidateLimit)) }
    return Array(copies) + ordered[copies.count...].prefix(sampleSize)
  }

  /// Compares the recordings of each pair, and passes the result to `body`. A pair is left out if `KnownCopies` says
  /// that the two are copies of the same recording.
  /// - Parameters:
  ///   - pairs: The output of `candidates`, in the same order.
  ///   - known: Pairs of old recordings that are duplicates.
  public func compare(
    _ pairs: [CandidatePair], known: some Sequence<(first: Int, second: Int)> = EmptyCollection(),
    _ body: (Pair) -> Void
  ) throws(Source.Failure) {
    var copies = KnownCopies()
    for pair in known { copies.insert(pair.first, pair.second) }
    var start = pairs.startIndex
    while start < pairs.endIndex {
      let number = pairs[start].second
      let end = pairs[start...].firstIndex { $0.second != number } ?? pairs.endIndex
      let maxMisses = end - start > 2 * Self.candidateLimit ? Self.maxMisses.unknown : .max
      var second: ComparableSound?
      var misses = 0
      for pair in pairs[start..<end] {
        if copies.isSettled(number, before: pair.first) {
          if misses >= Self.maxMisses.settled { break }
          if copies.makesCopies(pair.first, number) { continue }
        }
        if misses >= maxMisses { break }
        let first = ComparableSound(try source.sound(pair.first))
        let other: ComparableSound
        if let second {
          other = second
        } else {
          other = ComparableSound(try source.sound(number))
          second = other
        }
        let alignment = first.alignment(with: other)
        let relation = alignment.flatMap {
          rule.relation(of: $0, first: first.sound.duration, second: other.sound.duration)
        }
        if relation?.makesDuplicates == true { copies.insert(pair.first, number) } else { misses += 1 }
        body(Pair(candidate: pair, alignment: alignment, relation: relation))
      }
      start = end
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
