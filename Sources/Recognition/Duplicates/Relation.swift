/// The difference between two files of one recording.
public enum Relation: String, Sendable, CaseIterable {
  /// The same encoded audio.
  case audio
  /// Another encoding, level, sample rate or master of the same audio, from start to end.
  case encoding
  /// One file starts later or ends sooner.
  case cut
  /// One file lacks something in the middle.
  case edit
  /// One file plays faster.
  case speed
  /// One file is a part of the other, which is more than twice as long and contains more than a minute of other audio:
  /// a whole album, for example, or a hidden track.
  case part
  /// The same performance in another mix, with a voice, an instrument or an effect in one file only. Not a duplicate.
  case version

  /// `true` if the two files are duplicates. Parts are not, since otherwise a file with a whole album would join the
  /// tracks of that album into one group.
  public var makesDuplicates: Bool { self != .part && self != .version }
}

/// The thresholds at which two aligned files count as the same recording, fitted on half of the packages of
/// `Benchmarks/duplicates/material.py`. docs/duplicates.md has the distributions.
public struct RelationRule: Sendable {
  /// Minimum share of the audible blocks of the shorter file that are found in the other one.
  public var minCoverage = 0.75
  /// Minimum share of the audible blocks on one stretch. Tracks that merely have loops in common match in many short
  /// pieces.
  public var minMainCoverage = 0.5
  /// Minimum mean similarity of the blocks found, by landmarks and by fingerprints.
  public var minAgreement = (signature: 0.5, fingerprint: 0.78)
  /// Minimum share of one file's dominant landmarks that the other one has as well. A voice adds landmarks that a
  /// karaoke version lacks.
  public var minDominantShare = 0.72
  /// Minimum similarity of the fingerprints, if available, at equal and at different speeds. Fingerprints change with
  /// the pitch, and thus with the speed.
  public var minFingerprintAgreement = (sameSpeed: 0.79, otherSpeed: 0.33)
  /// Minimum share of clear landmarks that both files have where they agree least; if the share is smaller, one file is
  /// another mix.
  public var minWeakestShare = 0.46
  /// Minimum number of audible blocks of 4 s in the shorter file.
  public var minBlocks = 4

  /// Maximum number of seconds that encoders add or remove at either end, and the tolerance for the places of
  /// stretches. None of 586 measured pairs exceeded it; docs/duplicates.md has the distribution.
  public static let endTolerance = 1.0
  /// Minimum duration of other audio in the longer file if the shorter one is a part of it, in seconds.
  static let minRest = 60.0
  /// Minimum relative difference in speed for the relation `speed`.
  static let minSpeedDifference = 0.002

  public init() {}

  /// Returns the relation; `nil` if the files are not the same recording.
  /// - Parameters:
  ///   - first: Duration of the first recording, in seconds.
  ///   - second: Duration of the second recording, in seconds.
  public func relation(of alignment: Alignment, first: Double, second: Double) -> Relation? {
    let least = alignment.basis == .signature ? minAgreement.signature : minAgreement.fingerprint
    guard alignment.coverage >= minCoverage, alignment.mainCoverage >= minMainCoverage,
      alignment.agreement >= least, alignment.blockCount >= minBlocks
    else { return nil }
    if let share = alignment.dominantShare, share < minDominantShare { return nil }
    if let agreement = alignment.fingerprintAgreement {
      let isSameSpeed = abs(alignment.speed - 1) < Self.minSpeedDifference
      let least = isSameSpeed ? minFingerprintAgreement.sameSpeed : minFingerprintAgreement.otherSpeed
      if agreement < least { return nil }
    }
    guard let found = extent(of: alignment, first: first, second: second) else { return nil }
    if let share = alignment.weakestShare, share < minWeakestShare { return .version }
    return found
  }

  /// Determines the relation from the extent of the stretches; `nil` if they cover too little of the shorter file.
  private func extent(of alignment: Alignment, first: Double, second: Double) -> Relation? {
    guard let start = alignment.stretches.first, let end = alignment.stretches.last else { return nil }
    // Fingerprints cover only the beginnings of tracks, so the first two checks require signatures.
    let lengths = (first, second)
    let shared = alignment.stretches.reduce(0) { $0 + $1.first.upperBound - $1.first.lowerBound }
    if alignment.basis == .signature, shared < min(lengths.0, lengths.1) * minMainCoverage { return nil }
    let rest = max(lengths.0, lengths.1) - shared
    if alignment.basis == .signature, rest > max(shared, Self.minRest) { return .part }
    if alignment.stretches.count > 1 { return .edit }
    let tolerance = Self.endTolerance
    let cutAtStart = abs(start.first.lowerBound - start.second.lowerBound) > tolerance
    let left =
      alignment.basis == .signature
      ? (lengths.0 - end.first.upperBound, lengths.1 - end.second.upperBound)
      : (lengths.0 / alignment.speed, lengths.1)
    if cutAtStart || abs(left.0 - left.1) > tolerance * 2 { return .cut }
    return abs(alignment.speed - 1) >= Self.minSpeedDifference ? .speed : .encoding
  }
}
