public import Analysis

/// Facts about a decoded stream once it has been read; before that, the facts so far.
public struct DecodeSummary: Hashable, Sendable {
  /// Frames handed out.
  public var frameCount: Int64 = 0
  /// Frames the file claims to hold; `nil` if it does not say.
  public var claimedFrameCount: Int64?
  /// Why the stream is only a part of what the file should hold: what was decoded is good, the rest is missing or was
  /// damaged. `nil` for a stream that is whole.
  public var problem: DecodeError?
  /// Samples that were NaN or infinite; they were handed out as 0.
  public var nonFiniteSampleCount: Int64 = 0
  /// Samples beyond ±`AudioSource.sampleLimit`; they were handed out as ± that limit.
  public var absurdSampleCount: Int64 = 0
  /// Notes for people although the stream is whole: samples made harmless, a false length, a change of rate or channels
  /// in mid-stream.
  public var remarks: [Problem] = []

  public init() {}
}
