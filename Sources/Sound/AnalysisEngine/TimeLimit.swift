/// The time limit for the analysis of one file.
///
/// The limit applies to processor time, so a file does not fail because the machine is busy or a disk is slow.
/// Wall-clock time counts only while there is no progress.
public struct TimeLimit: Hashable, Sendable, Codable {
  /// Seconds of processor time, regardless of how much audio is decoded.
  public var processorSeconds: Double
  /// Additional seconds of processor time per second of audio decoded.
  public var perAudioSecond: Double
  /// Maximum time, in seconds, without reading, decoding or computing, for example because a disk or a file server does
  /// not respond.
  public var standstillSeconds: Double

  /// The default limits: many times the processor time that the slowest formats need on a slow machine, and a
  /// standstill long enough for a file server to restart.
  public static let standard = TimeLimit(processorSeconds: 120, perAudioSecond: 0.25, standstillSeconds: 300)

  /// Duration of the decoded audio, in seconds, up to which the limit grows. Longer audio is considered endless.
  private static let maxAudioSeconds = 360_000.0
  /// Minimum of `standstillSeconds` if the user sets the limit: about the spin-up time of a sleeping disk.
  private static let minStandstillSeconds = 10.0

  /// Creates a fixed limit that the user has set.
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

  /// Returns the limit, in seconds of processor time, once this many seconds of audio have been decoded.
  func processorSeconds(afterDecoding audio: Double) -> Double {
    processorSeconds + perAudioSecond * min(audio, Self.maxAudioSeconds)
  }

  /// Returns the limit, in seconds of processor time, for a file that consists mostly of holes, and so can claim years
  /// of audio: a minute for each 100 MB on the disk, but at least a minute. `nil` for other files, and if the user has
  /// set a limit.
  /// - Parameters:
  ///   - size: Size of the file in bytes.
  ///   - stored: Number of bytes that are not in holes.
  package func processorSeconds(ofFileWith size: Int64, stored: Int64) -> Double? {
    guard perAudioSecond > 0, stored < size / 4 else { return nil }
    return 60 * max(1, Double(stored) / 1e8)
  }

  /// Returns the limit, in seconds of processor time, for a watcher outside the analyzing process. The limit inside
  /// that process should apply first, because it preserves some of the findings.
  package func outerProcessorSeconds(afterDecoding audio: Double) -> Double {
    processorSeconds(afterDecoding: audio) * 1.25 + 10
  }
}
