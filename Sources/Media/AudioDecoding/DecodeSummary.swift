public import Analysis

/// Facts about a decoded stream, which are final once it has been read to the end.
public struct DecodeSummary: Hashable, Sendable {
  /// Number of frames returned.
  public var frameCount: Int64 = 0
  /// Number of frames the file claims to contain; `nil` if it does not say.
  public var claimedFrameCount: Int64?
  /// The reason the decoded audio is incomplete: the decoded part is good, the rest is missing or damaged. `nil` for a
  /// complete stream.
  public var problem: DecodeError?
  /// Number of samples that were NaN or infinite, and were returned as 0.
  public var nonFiniteSampleCount: Int64 = 0
  /// Number of samples beyond ±`AudioSource.sampleLimit`, which were clamped to it.
  public var absurdSampleCount: Int64 = 0
  /// Notes on a complete stream: sanitized samples, a wrong length, a change of rate or channels in mid-stream.
  public var remarks: [Problem] = []

  public init() {}
}
