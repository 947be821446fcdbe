public struct AudioFormat: Codable, Hashable, Sendable {
  /// The container's name in lower case: `wav`, `flac`, `mp3`, `ogg`, `mp4`, `aiff`, `matroska`, …
  public var container: String
  /// The codec's name in lower case: `pcm_s16`, `flac`, `mp3`, `vorbis`, `opus`, `aac`, `alac`, …
  public var codec: String
  /// Samples per second in the first segment of the stream.
  public var sampleRate: Int
  public var channelCount: Int
  /// Bits per sample; `nil` for codecs without a bit depth (MP3, Vorbis, AAC).
  public var bitDepth: Int?
  /// Mean bits per second of the audio.
  public var bitRate: Int?
  public var isLossless: Bool
  /// The number of frames that the file claims to have. It may be wrong, so the number of decoded frames takes
  /// precedence.
  public var claimedFrameCount: Int64?
  /// The number of frames estimated from bit rate and size, if the file claims none and was not decoded.
  public var estimatedFrameCount: Int64?
  /// The number of decoded frames; `nil` until the whole file has been read.
  public var frameCount: Int64?

  /// The duration in seconds: the decoded one if known, otherwise the claimed one, otherwise the estimate.
  public var duration: Double? {
    guard sampleRate > 0, let frames = frameCount ?? claimedFrameCount ?? estimatedFrameCount else { return nil }
    return Double(frames) / Double(sampleRate)
  }

  /// `true` if `duration` is an estimate.
  public var durationIsEstimated: Bool { frameCount ?? claimedFrameCount == nil && estimatedFrameCount != nil }

  public init(
    container: String, codec: String, sampleRate: Int, channelCount: Int, bitDepth: Int? = nil, bitRate: Int? = nil,
    isLossless: Bool, claimedFrameCount: Int64? = nil, estimatedFrameCount: Int64? = nil, frameCount: Int64? = nil
  ) {
    self.container = container
    self.codec = codec
    self.sampleRate = sampleRate
    self.channelCount = channelCount
    self.bitDepth = bitDepth
    self.bitRate = bitRate
    self.isLossless = isLossless
    self.claimedFrameCount = claimedFrameCount
    self.estimatedFrameCount = estimatedFrameCount
    self.frameCount = frameCount
  }

  /// The keys used in reports and in the database.
  private enum CodingKeys: String, CodingKey {
    case container, codec
    case sampleRate = "sample_rate_hz"
    case channelCount = "channels"
    case bitDepth = "bit_depth"
    case bitRate = "bit_rate_bps"
    case isLossless = "lossless"
    case claimedFrameCount = "claimed_frames"
    case estimatedFrameCount = "estimated_frames"
    case frameCount = "frames"
  }
}
