/// Which stretches of two sounds are of the same recording.
public struct Alignment: Hashable, Sendable {
  /// A stretch of the first sound, and the one of the second that is the same, in seconds.
  public struct Stretch: Hashable, Sendable {
    public var first: Range<Double>
    public var second: Range<Double>

    public init(first: Range<Double>, second: Range<Double>) {
      self.first = first
      self.second = second
    }
  }

  /// What was compared.
  public enum Basis: String, Sendable, CaseIterable {
    /// Landmarks of the whole tracks.
    case signature
    /// Chromaprint's items of the beginnings.
    case fingerprint
  }

  public var basis: Basis
  /// In the order of the first sound.
  public var stretches: [Stretch]
  /// How much faster the second sound plays than the first: 1.01 is 1% faster.
  public var speed: Double
  /// The share of the audible blocks of the shorter sound that are in the other one at their place, 0 to 1.
  public var coverage: Double
  /// How alike these blocks are on the mean, 0 to 1.
  public var agreement: Double
  /// The share of the audible blocks that lie on the longest stretch, 0 to 1.
  public var mainCoverage: Double
  /// Audible blocks of the shorter sound.
  public var blockCount: Int
  /// The share of the dominant landmarks of either sound that the other one has, too, 0 to 1; `nil` without signatures.
  public var dominantShare: Double?
  /// The same of clear landmarks where both agree least, 0 to 1; `nil` without signatures.
  public var weakestShare: Double?
  /// How alike fingerprints are on these stretches, 0 to 1; `nil` if they do not cover them.
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

  /// The same seen from the second sound.
  public var reversed: Alignment {
    var alignment = self
    alignment.stretches = stretches.map { Stretch(first: $0.second, second: $0.first) }
      .sorted { $0.first.lowerBound < $1.first.lowerBound }
    alignment.speed = 1 / speed
    return alignment
  }
}
