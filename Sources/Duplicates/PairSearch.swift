public import Chromaprint
public import Landmarks

/// The sounds of a library, by number from 0.
public protocol SoundSource {
  associatedtype Failure: Error

  var count: Int { get }
  /// Seconds of all sounds together, about.
  var duration: Double { get }
  /// The fingerprints of all sounds in the order of their numbers, `nil` where there is none.
  func forEachFingerprint(_ body: (Fingerprint?) -> Void) throws(Failure)
  /// The same of signatures.
  func forEachSignature(_ body: (Signature?) -> Void) throws(Failure)
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

  /// Keys that two sounds need in common.
  private static var leastVotes: (fingerprint: Int, signature: Int) { (4, 3) }
  /// Of sounds with fewer keys of signatures, which are short, one key less is enough.
  private static var fewKeys: Int { 120 }
  /// Candidates of each sound and index.
  private static var candidateLimit: Int { 32 }
  /// Keys in a second: of a fingerprint, and of a signature.
  private static var keyRate: (fingerprint: Double, signature: Double) { (1.1, 1.4) }
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
    var found: [UInt64: CandidatePair] = [:]
    func collect(
      _ index: SketchIndex, least: Int, _ path: WritableKeyPath<CandidatePair, Int>,
      isEnough: (SketchIndex, SketchIndex.Candidate, Int) -> Bool
    ) {
      var ballot = SketchIndex.Ballot()
      for number in 0..<source.count where isNew(number) {
        // Of two new ones the second asks.
        let candidates = index.candidates(of: number, least: least, limit: Self.candidateLimit, &ballot) {
          $0 < number || !isNew($0)
        }
        for candidate in candidates where isEnough(index, candidate, number) {
          let (first, second) = (min(number, candidate.number), max(number, candidate.number))
          let key = UInt64(first) << 32 | UInt64(second)
          found[
            key, default: CandidatePair(first: first, second: second, fingerprintVotes: 0, signatureVotes: 0)
          ][keyPath: path] = candidate.votes
        }
      }
    }
    // One index after the other: both together would take twice the memory.
    collect(try fingerprintIndex(), least: Self.leastVotes.fingerprint, \.fingerprintVotes) { _, _, _ in true }
    collect(try signatureIndex(), least: Self.leastVotes.signature - 1, \.signatureVotes) { index, candidate, number in
      candidate.votes >= Self.leastVotes.signature
        || min(index.keyCount(of: number), index.keyCount(of: candidate.number)) < Self.fewKeys
    }
    return found.values.sorted { ($0.first, $0.second) < ($1.first, $1.second) }
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

  private func fingerprintIndex() throws(Source.Failure) -> SketchIndex {
    let seconds = min(source.duration, Double(source.count) * Self.fingerprintLength)
    var index = SketchIndex(expected: Int(seconds * Self.keyRate.fingerprint))
    try source.forEachFingerprint { index.add($0.map { SketchKeys.of($0) } ?? []) }
    index.sort()
    return index
  }

  private func signatureIndex() throws(Source.Failure) -> SketchIndex {
    var index = SketchIndex(reach: 1, expected: Int(source.duration * Self.keyRate.signature))
    try source.forEachSignature { index.add($0.map { SketchKeys.of($0) } ?? []) }
    index.sort()
    return index
  }
}
