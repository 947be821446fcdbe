/// The time limit for the analysis of one file.
///
/// The limit applies to processor time, so that a file does not fail because the machine is busy or a disk is slow.
/// Wall-clock time counts only while there is no progress.
public struct TimeLimit: Hashable, Sendable, Codable {
  /// Seconds of processor time, independent of the audio decoded.
  public var processorSeconds: Double
  /// Additional seconds of processor time per second of audio decoded.
  public var perAudioSecond: Double
  /// Maximum seconds without reading, decoding or computing, for example because a disk, or the server that it is on,
  /// does not respond.
  public var standstillSeconds: Double

  /// The default limit: many times what the slowest formats need on a slow machine, and enough time for a server to
  /// restart.
  public static let standard = TimeLimit(processorSeconds: 120, perAudioSecond: 0.25, standstillSeconds: 300)

  /// Length of audio, in seconds, up to which the limit grows. Longer audio counts as endless.
  private static let maxAudioSeconds = 360_000.0
  /// Minimum of `standstillSeconds`: about the spin-up time of a sleeping disk.
  private static let minStandstillSeconds = 10.0

  /// Creates a fixed limit, set by the user.
  public init(seconds: Double) {
    self.init(
      processorSeconds: max(0, seconds), perAudioSecond: 0,
      standstillSeconds: min(max(seconds, Self.minStandstillSeconds), 1e9))
  }

  public init(processorSeconds: Double, perAudioSecond: Double, standstillSeconds: Double) {
    self.processorSeconds = processorSeconds
    self.perAudioSecond = perAudioSecond
    self.standstillSeconds = standstillSeconds
  }

  enum CodingKeys: String, CodingKey {
    case processorSeconds = "processor_s"
    case perAudioSecond = "processor_per_audio_s"
    case standstillSeconds = "standstill_s"
  }

  /// Limit in seconds of processor time after this many seconds of audio were decoded.
  func processorSeconds(afterDecoding audio: Double) -> Double {
    processorSeconds + perAudioSecond * min(audio, Self.maxAudioSeconds)
  }

  /// Limit for a watcher outside the process. The limit inside the process should apply first, because it keeps part of
  /// the findings.
  package func outerProcessorSeconds(afterDecoding audio: Double) -> Double {
    processorSeconds(afterDecoding: audio) * 1.25 + 10
  }
}
