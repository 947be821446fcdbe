public import Analysis

/// Facts about a decoded stream, which are final once it has been read to the end.
public struct DecodeSummary: Hashable, Sendable {
  /// Number of frames that `AudioSource.read` returned.
  public var frameCount: Int64 = 0
  /// Number of frames the file claims to contain; `nil` if it does not say.
  public var claimedFrameCount: Int64?
  /// The reason the decoded audio is incomplete (the rest is missing or damaged) or differs from what was encoded.
  /// `nil` for an intact stream.
  public var problem: DecodeError?
  /// Number of samples that were NaN or infinite, and were returned as 0.
  public var nonFiniteSampleCount: Int64 = 0
  /// Number of samples beyond ±`AudioSource.sampleLimit`, which were clamped to it.
  public var absurdSampleCount: Int64 = 0
  /// Notes other than `problem`, such as sanitized samples, a wrong length, a change of rate or channels in mid-stream.
  public var remarks: [Problem] = []

  public init() {}
}
