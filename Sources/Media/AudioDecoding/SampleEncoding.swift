/// A decoder's representation of samples before they become the floats of an `AudioBlock`. It is needed only by
/// conversions that must match another program bit for bit (`AcoustIDConverter`).
public struct SampleEncoding: Hashable, Sendable {
  public enum SampleType: Hashable, Sendable {
    /// Unsigned 8 bits.
    case uint8
    /// Signed 16 bits, and every other integer format with at most 16 bits.
    case int16
    /// Signed 32 bits, and every other integer format with 17 to 32 bits.
    case int32
    case float
    case double
  }

  public var sampleType: SampleType
  /// Speaker positions as in WAVEFORMATEXTENSIBLE's `dwChannelMask` (which FFmpeg extends to 64 bits), in channel
  /// order; 0 if unknown.
  public var channelMask: UInt64

  public init(sampleType: SampleType, channelMask: UInt64 = 0) {
    self.sampleType = sampleType
    self.channelMask = channelMask
  }
}
