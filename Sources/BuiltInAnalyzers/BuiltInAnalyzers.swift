public import AudioAnalysis
internal import Fingerprinting
internal import TagReading
internal import Tempo

/// The analyzers that come with Nocturne.
public enum BuiltInAnalyzers {
  /// The one list: everything else that knows analyzers is given this or a part of it.
  public static let all: [AnalyzerKind] = [
    AnalyzerKind(TagAnalyzer.self),
    AnalyzerKind(TempoAnalyzer.self),
    AnalyzerKind(ChromaprintAnalyzer.self),
    AnalyzerKind(SignatureAnalyzer.self),
  ]
}
