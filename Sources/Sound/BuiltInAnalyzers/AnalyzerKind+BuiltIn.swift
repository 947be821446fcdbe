public import Analysis
internal import Chromaprint
internal import Landmarks
internal import Likeness
internal import TagReading
internal import Tempo

extension AnalyzerKind {
  /// Produces a `TagFinding`.
  public static let tags = AnalyzerKind(TagAnalyzer.self)
  /// Produces a `TempoFinding`.
  public static let tempo = AnalyzerKind(TempoAnalyzer.self)
  /// Produces a `KeyFinding`.
  public static let key = AnalyzerKind(KeyAnalyzer.self)
  /// Produces a `LoudnessFinding`.
  public static let loudness = AnalyzerKind(LoudnessAnalyzer.self)
  /// Produces a `WaveformFinding`.
  public static let waveform = AnalyzerKind(WaveformAnalyzer.self)
  /// Produces a `SectionsFinding`.
  public static let sections = AnalyzerKind(SectionsAnalyzer.self)
  /// Produces a `CuesFinding`.
  public static let cues = AnalyzerKind(CuesAnalyzer.self)
  /// Produces a `TraitsFinding`.
  public static let traits = AnalyzerKind(TraitsAnalyzer.self)
  /// Produces a `LikenessFinding`, which is used to find similar tracks.
  public static let likeness = AnalyzerKind(LikenessAnalyzer.self)
  /// Produces a `FingerprintFinding`, a Chromaprint fingerprint for AcoustID.
  public static let chromaprint = AnalyzerKind(ChromaprintAnalyzer.self)
  /// Produces a `SignatureFinding`, which is used to recognize recordings.
  public static let signature = AnalyzerKind(SignatureAnalyzer.self)
  /// Produces a `HealthFinding`.
  public static let health = AnalyzerKind(HealthAnalyzer.self)
  /// Produces an `OriginFinding`.
  public static let origin = AnalyzerKind(OriginAnalyzer.self)
}
