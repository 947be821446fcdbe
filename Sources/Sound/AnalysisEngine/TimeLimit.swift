/// How long the analysis of one file may take.
///
/// Processor time counts: a file does not fail because the machine is busy or a disk is slow. Wall-clock time counts
/// only when nothing makes progress.
public struct TimeLimit: Hashable, Sendable, Codable {
  /// Seconds of processor time, whatever is decoded.
  public var processorSeconds: Double
  /// Additional seconds of processor time for each second of audio decoded.
  public var perAudioSecond: Double
  /// Seconds without any reading, decoding or computing: the disk, or the server behind it, does not answer.
  public var standstillSeconds: Double

  /// The default: many times what the slowest formats need on a slow machine, and enough time for a server to restart.
  public static let standard = TimeLimit(processorSeconds: 120, perAudioSecond: 0.25, standstillSeconds: 300)

  /// Seconds of audio up to which the limit grows. Longer audio counts as endless.
  private static let longestAudio = 360_000.0
  /// Seconds. Sleeping disks take about as long to spin up.
  private static let shortestStandstill = 10.0

  /// A fixed limit, set by the user.
  public init(seconds: Double) {
    self.init(
      processorSeconds: max(0, seconds), perAudioSecond: 0,
      standstillSeconds: min(max(seconds, Self.shortestStandstill), 1e9))
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

  /// The limit in seconds of processor time once this many seconds of audio were decoded.
  func processorSeconds(afterDecoding audio: Double) -> Double {
    processorSeconds + perAudioSecond * min(audio, Self.longestAudio)
  }

  /// The same for a watcher outside the process. The inner limit should strike first: it keeps a part of the findings.
  package func outerProcessorSeconds(afterDecoding audio: Double) -> Double {
    processorSeconds(afterDecoding: audio) * 1.25 + 10
  }
}
