internal import Analysis
internal import CLibAV

/// Limits that no real file exceeds; headers beyond them are rejected.
enum StreamLimits {
  /// Samples per second; DSD at four times its base rate comes as 1,411,200.
  static let sampleRates = Int(LAV_MINIMUM_SAMPLE_RATE)...Int(LAV_MAXIMUM_SAMPLE_RATE)
  static let channelCounts = 1...Int(LAV_MAXIMUM_CHANNEL_COUNT)
  /// Maximum bits per sample that FFmpeg 5.1 and libsndfile 1.2 read in FLAC; RFC 9639 allows 32.
  static let flacBitDepth = 24
  /// Maximum length: ten thousand hours.
  static let seconds: Int64 = 36_000_000

  static func check(sampleRate: Int, channelCount: Int) throws(DecodeError) {
    guard sampleRates.contains(sampleRate) else {
      throw DecodeError(.absurdHeader, "The header claims \(sampleRate) samples per second.")
    }
    guard channelCounts.contains(channelCount) else {
      throw DecodeError(.absurdHeader, "The header claims \(channelCount) channels.")
    }
  }
}
