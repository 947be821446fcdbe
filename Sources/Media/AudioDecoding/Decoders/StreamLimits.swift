internal import Analysis
internal import CLibAV

/// Limits that no real file exceeds. Headers beyond them are rejected; implausible claimed lengths are ignored.
enum StreamLimits {
  /// Samples per second; DSD at four times its base rate decodes to 1,411,200.
  static let sampleRates = Int(LAV_MINIMUM_SAMPLE_RATE)...Int(LAV_MAXIMUM_SAMPLE_RATE)
  static let channelCounts = 1...Int(LAV_MAXIMUM_CHANNEL_COUNT)
  /// Maximum bits per sample that FFmpeg 5.1 and libsndfile 1.2 read in FLAC; RFC 9639 allows 32.
  static let flacBitDepth = 24
  /// Maximum duration: ten thousand hours.
  static let seconds: Int64 = 36_000_000

  /// Minimum bits per second. A constant signal in FLAC frames of maximum length needs 60.
  static let minBitRate: Double = 20

  /// Returns the format, without its claimed frame count if no file, or no file of this size, can have such a duration.
  static func plausible(_ format: AudioFormat?, in layout: AudioLayout) -> AudioFormat? {
    guard var format, let claimed = format.claimedFrameCount, format.sampleRate > 0 else { return format }
    let length = Double(claimed) / Double(format.sampleRate)
    let isTooLong = length > 60 && Double(layout.fileSize) * 8 < length * minBitRate
    if isTooLong || length > Double(seconds) { format.claimedFrameCount = nil }
    return format
  }

  static func check(sampleRate: Int, channelCount: Int) throws(DecodeError) {
    guard sampleRates.contains(sampleRate) else {
      throw DecodeError(.absurdHeader, "The header claims \(sampleRate) samples per second.")
    }
    guard channelCounts.contains(channelCount) else {
      throw DecodeError(.absurdHeader, "The header claims \(channelCount) channels.")
    }
  }
}
