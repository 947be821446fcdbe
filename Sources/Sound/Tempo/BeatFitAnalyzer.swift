public import Analysis

/// Fits beats to the audio, at a tempo that the user has specified. Pipelines don't use it, because its finding is a
/// correction.
///
/// It has the same input as `TempoAnalyzer`, and determines the phase and course of the beats in the same way.
public struct BeatFitAnalyzer: Analyzer {
  public static let id = "beat_fit"
  public static let version = 1
  public static let summary = "Beats of a given tempo"
  /// The tempi for which beats can be fitted, in beats per minute.
  public static let range = PulseSurvey.range

  public struct Configuration: AnalyzerConfiguration {
    public var bpm = 120.0

    public init() {}
  }

  private let bpm: Double

  public init(_ configuration: Configuration) throws(ConfigurationError) {
    bpm = configuration.bpm
    guard Self.range.contains(bpm) else {
      throw ConfigurationError(
        key: "bpm",
        problem: "\(bpm) is not between \(Self.range.lowerBound) and \(Self.range.upperBound) beats per minute")
    }
  }

  public var feed: Feed { .spectrum(BandSpectrogram.layout) }

  public func makeSession(for file: AudioFile) throws(AnalysisError) -> TempoAnalyzer.Session {
    TempoAnalyzer.Session(near: bpm)
  }
}
