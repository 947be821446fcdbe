public import Analysis
internal import Tempo
public import Text

/// The analyzers that come with Nocturne.
public enum BuiltInAnalyzers {
  /// The one list: everything else that knows analyzers is given this or a part of it.
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

  /// Their declared findings: tables, fields of reports and lines of `show` come from these.
  public static let findings = all.compactMap { $0.findingType as? any DeclaredFinding.Type }

  /// Names of the long fields of findings, which reports leave out unless asked.
  public static let longFields: Set<String> = Set(findings.flatMap { $0.longFields })

  /// Analyzers for single commands; pipelines cannot name them.
  public static let onRequest: [AnalyzerKind] = [AnalyzerKind(BeatFitAnalyzer.self)]

  /// The same for a command: lays beats of a given tempo over a file. Its finding is a `TempoFinding`.
  public static func beatFit(bpm: Double) -> (id: String, settings: [String: JSONValue]) {
    (BeatFitAnalyzer.id, ["bpm": .number(bpm)])
  }

  /// Beats per minute that `beatFit` takes.
  public static let beatFitRange = BeatFitAnalyzer.range
}
