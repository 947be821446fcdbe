public import Analysis

/// Facts about a decoded stream: final once it has been read to the end, preliminary before.
public struct DecodeSummary: Hashable, Sendable {
  /// Frames returned.
  public var frameCount: Int64 = 0
  /// Frames the file claims to hold; `nil` if it does not say.
  public var claimedFrameCount: Int64?
  /// Why the decoded audio is incomplete: the decoded part is good, the rest is missing or damaged. `nil` for a
  /// complete stream.
  public var problem: DecodeError?
  /// Samples that were NaN or infinite, returned as 0.
  public var nonFiniteSampleCount: Int64 = 0
  /// Samples beyond ±`AudioSource.sampleLimit`, clamped to it.
  public var absurdSampleCount: Int64 = 0
  /// Notes on a complete stream: sanitized samples, a wrong length, a change of rate or channels in mid-stream.
  public var remarks: [Problem] = []

  public init() {}
}
