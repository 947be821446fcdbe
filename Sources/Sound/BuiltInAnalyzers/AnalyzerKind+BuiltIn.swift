public import Analysis
internal import Chromaprint
internal import Landmarks
internal import Likeness
internal import TagReading
internal import Tempo

extension AnalyzerKind {
  /// Finds a `TagFinding`.
  public static let tags = AnalyzerKind(TagAnalyzer.self)
  /// Finds a `TempoFinding`.
  public static let tempo = AnalyzerKind(TempoAnalyzer.self)
  /// Finds a `KeyFinding`.
  public static let key = AnalyzerKind(KeyAnalyzer.self)
  /// Finds a `LoudnessFinding`.
  public static let loudness = AnalyzerKind(LoudnessAnalyzer.self)
  /// Finds a `WaveformFinding`.
  public static let waveform = AnalyzerKind(WaveformAnalyzer.self)
  /// Finds a `SectionsFinding`.
  public static let sections = AnalyzerKind(SectionsAnalyzer.self)
  /// Finds a `CuesFinding`.
  public static let cues = AnalyzerKind(CuesAnalyzer.self)
  /// Finds a `TraitsFinding`.
  public static let traits = AnalyzerKind(TraitsAnalyzer.self)
  /// Finds a `LikenessFinding`, which serves to find similar tracks.
  public static let likeness = AnalyzerKind(LikenessAnalyzer.self)
  /// Finds a `FingerprintFinding`, a Chromaprint fingerprint for AcoustID.
  public static let chromaprint = AnalyzerKind(ChromaprintAnalyzer.self)
  /// Finds a `SignatureFinding`, which serves to recognize recordings.
  public static let signature = AnalyzerKind(SignatureAnalyzer.self)
  /// Finds a `HealthFinding`.
  public static let health = AnalyzerKind(HealthAnalyzer.self)
  /// Finds an `OriginFinding`.
  public static let origin = AnalyzerKind(OriginAnalyzer.self)
}
