/// How two files of one recording differ.
public enum Relation: String, Sendable, CaseIterable {
  /// The same encoded audio.
  case audio
  /// Another encoding, level, sample rate or master: the same from start to end.
  case encoding
  /// One begins later or ends sooner.
  case cut
  /// Something in the middle is missing in one of them.
  case edit
  /// One plays faster.
  case speed
  /// One is a part of the other, which holds more than twice as much, and more than a minute besides: a file of a whole
  /// album, a hidden track.
  case part
  /// The same performance in another mix: a voice, an instrument or an effect is there in one of them only. No duplicate.
  case version

  /// Whether it makes two files duplicates. The tracks of an album in one file would else become one group.
  public var makesDuplicates: Bool { self != .part && self != .version }
}

/// When an alignment says that two files are of one recording. Fitted on half of the packages of
/// `Benchmarks/duplicates/material.py`; docs/duplicates.md has the distributions.
public struct RelationRule: Sendable {
  /// The share of the audible blocks of the shorter file that must be in the other one.
  public var leastCoverage = 0.75
  /// The share that must lie on one stretch: tracks that share loops match in pieces.
  public var leastMainCoverage = 0.5
  /// How alike these blocks must be on the mean, by landmarks and by fingerprints.
  public var leastAgreement = (signature: 0.5, fingerprint: 0.78)
  /// The share of dominant landmarks that both must have: a voice over a karaoke version brings its own.
  public var leastDominantShare = 0.72
  /// How alike fingerprints must be besides, at one speed and at different ones: they follow the pitch.
  public var leastFingerprintAgreement = (sameSpeed: 0.79, otherSpeed: 0.33)
  /// The share of clear landmarks that both must have where they agree least; below it one is another mix.
  public var leastWeakestShare = 0.46
  /// Blocks of 4 s that must be compared.
  public var leastBlocks = 4

  /// Seconds at either end that encoders add or lose, and that places of stretches may be off by. Of 586 pairs measured, none
  /// was off by more; docs/duplicates.md has the distribution.
  public static let endTolerance = 1.0
  /// Seconds that a longer file has besides at least, if the shorter one is a part of it.
  static let leastRest = 60.0
  /// From here on a difference in speed is one.
  static let leastSpeed = 0.002

  public init() {}

  /// `nil` if the files are not of one recording.
  /// - Parameters:
  ///   - first: Seconds of the first sound.
  ///   - second: Seconds of the second one.
  public func relation(of alignment: Alignment, first: Double, second: Double) -> Relation? {
    let least = alignment.basis == .signature ? leastAgreement.signature : leastAgreement.fingerprint
    guard alignment.coverage >= leastCoverage, alignment.mainCoverage >= leastMainCoverage,
      alignment.agreement >= least, alignment.blockCount >= leastBlocks
    else { return nil }
    if let share = alignment.dominantShare, share < leastDominantShare { return nil }
    if let agreement = alignment.fingerprintAgreement {
      let isSameSpeed = abs(alignment.speed - 1) < Self.leastSpeed
      let least = isSameSpeed ? leastFingerprintAgreement.sameSpeed : leastFingerprintAgreement.otherSpeed
      if agreement < least { return nil }
    }
    guard let found = extent(of: alignment, first: first, second: second) else { return nil }
    if let share = alignment.weakestShare, share < leastWeakestShare { return .version }
    return found
  }

  /// What of both is on the stretches.
  private func extent(of alignment: Alignment, first: Double, second: Double) -> Relation? {
    guard let start = alignment.stretches.first, let end = alignment.stretches.last else { return nil }
    // Fingerprints tell nothing of what comes behind them.
    let lengths = (first, second)
    let shared = alignment.stretches.reduce(0) { $0 + $1.first.upperBound - $1.first.lowerBound }
    if alignment.basis == .signature, shared < min(lengths.0, lengths.1) * leastMainCoverage { return nil }
    let rest = max(lengths.0, lengths.1) - shared
    if alignment.basis == .signature, rest > max(shared, Self.leastRest) { return .part }
    if alignment.stretches.count > 1 { return .edit }
    let tolerance = Self.endTolerance
    let cutAtStart = abs(start.first.lowerBound - start.second.lowerBound) > tolerance
    let left = alignment.basis == .signature
      ? (lengths.0 - end.first.upperBound, lengths.1 - end.second.upperBound)
      : (lengths.0 / alignment.speed, lengths.1)
    if cutAtStart || abs(left.0 - left.1) > tolerance * 2 { return .cut }
    return abs(alignment.speed - 1) >= Self.leastSpeed ? .speed : .encoding
  }
}
