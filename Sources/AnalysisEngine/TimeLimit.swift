/// How long the analysis of one file may take.
///
/// What counts is the time of the processor: a file does not fail because the machine is loaded or a disk is slow. Only when
/// nothing goes on at all does the clock on the wall decide.
public struct TimeLimit: Hashable, Sendable, Codable {
  /// Seconds of processor time, whatever is decoded.
  public var processorSeconds: Double
  /// Seconds of processor time more for each second of audio that was decoded.
  public var perAudioSecond: Double
  /// Seconds in which nothing is read, decoded or computed: the disk, or the server behind it, does not answer.
  public var standstillSeconds: Double

  /// Where no other is set: many times what the slowest formats need on a slow machine, and time enough for a server to
  /// start again.
  public static let standard = TimeLimit(processorSeconds: 120, perAudioSecond: 0.25, standstillSeconds: 300)

  /// Seconds of audio that make the limit grow. What decodes to more than that has no end.
  private static let longestAudio = 360_000.0
  /// Seconds. Disks that sleep take about as long to spin up.
  private static let shortestStandstill = 10.0

  /// A limit that a person has set, which does not grow.
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

  /// Seconds of processor time for a file of which so many seconds were decoded.
  func processorSeconds(afterDecoding audio: Double) -> Double {
    processorSeconds + perAudioSecond * min(audio, Self.longestAudio)
  }

  /// The same for whoever watches from outside. The inner limit should come first: it leaves a part of the findings.
  package func outerProcessorSeconds(afterDecoding audio: Double) -> Double {
    processorSeconds(afterDecoding: audio) * 1.25 + 10
  }
}
