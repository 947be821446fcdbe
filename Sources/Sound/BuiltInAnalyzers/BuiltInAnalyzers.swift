public import Analysis
internal import Tempo
public import Text

/// The analyzers that come with Nocturne.
public enum BuiltInAnalyzers {
  /// All analyzers, in order. Everything that needs a list of analyzers uses this list or a part of it.
  public static let all: [AnalyzerKind] = [
    .tags,
    .tempo,
    .key,
    .loudness,
    .waveform,
    .sections,
    .cues,
    .traits,
    .likeness,
    .chromaprint,
    .signature,
    .health,
    .origin,
  ]

  /// The findings that the analyzers declare, from which tables, report fields and the lines of `show` are derived.
  public static let findings = all.compactMap { $0.findingType as? any DeclaredFinding.Type }

  /// Names of the long fields of findings, which reports omit by default.
  public static let longFields: Set<String> = Set(findings.flatMap { $0.longFields })

  /// Analyzers for single commands, not available to pipelines.
  public static let onRequest: [AnalyzerKind] = [AnalyzerKind(BeatFitAnalyzer.self)]

  /// Analyzer id and settings for fitting beats of a given tempo to a file. The finding is a `TempoFinding`.
  public static func beatFit(bpm: Double) -> (id: String, settings: [String: JSONValue]) {
    (BeatFitAnalyzer.id, ["bpm": .number(bpm)])
  }

  /// Tempi that `beatFit` accepts, in beats per minute.
  public static let beatFitRange = BeatFitAnalyzer.range
}
