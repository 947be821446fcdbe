/// The stretches of audio that two recordings have in common, and how similar they are.
public struct Alignment: Hashable, Sendable {
  /// A stretch of the first recording and the matching one of the second, in seconds.
  public struct Stretch: Hashable, Sendable {
    public var first: Range<Double>
    public var second: Range<Double>

    public init(first: Range<Double>, second: Range<Double>) {
      self.first = first
      self.second = second
    }
  }

  public enum Basis: String, Sendable, CaseIterable {
    /// Landmarks of the whole tracks.
    case signature
    /// Chromaprint items of the tracks' beginnings.
    case fingerprint
  }

  public var basis: Basis
  /// Ordered by position in the first recording.
  public var stretches: [Stretch]
  /// Playback speed of the second recording relative to the first: 1.01 is 1% faster.
  public var speed: Double
  /// Share of the audible blocks of the shorter recording that are found on a stretch of the other one, 0 to 1.
  public var coverage: Double
  /// Mean similarity of the blocks that `coverage` counts, 0 to 1.
  public var agreement: Double
  /// Share of the audible blocks that are found on one stretch, the one with the most blocks, 0 to 1.
  public var mainCoverage: Double
  /// Number of audible blocks of the shorter recording.
  public var blockCount: Int
  /// Share of one recording's dominant landmarks that the other one has as well, 0 to 1: the smaller of the shares in
  /// the two directions. `nil` without signatures.
  public var dominantShare: Double?
  /// Share of one recording's clear landmarks that the other one has as well, where the two agree least, 0 to 1; `nil`
  /// without signatures, or if too little can be compared.
  public var weakestShare: Double?
  /// Similarity of the fingerprints on the stretches, 0 to 1; `nil` without fingerprints, or if they cover too little
  /// of the stretches.
  public var fingerprintAgreement: Double?

  public init(
    basis: Basis, stretches: [Stretch], speed: Double, coverage: Double, agreement: Double, mainCoverage: Double,
    blockCount: Int
  ) {
    self.basis = basis
    self.stretches = stretches
    self.speed = speed
    self.coverage = coverage
    self.agreement = agreement
    self.mainCoverage = mainCoverage
    self.blockCount = blockCount
  }

  /// The same alignment with the recordings swapped.
  public var reversed: Alignment {
    var alignment = self
    alignment.stretches = stretches.map { Stretch(first: $0.second, second: $0.first) }
      .sorted { $0.first.lowerBound < $1.first.lowerBound }
    alignment.speed = 1 / speed
    return alignment
  }
}
