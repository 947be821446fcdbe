public import Analysis
internal import Tempo
public import Text

/// The analyzers that come with Nocturne.
public enum BuiltInAnalyzers {
  /// All analyzers that pipelines can contain. All code that needs a list of these analyzers uses this list, in this
  /// order, or a part of it.
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

  /// The finding types that the analyzers declare. Tables, report fields and the lines of `show` are derived from them.
  public static let findings = all.compactMap { $0.findingType as? any DeclaredFinding.Type }

  /// Names of the long fields of findings, which reports leave out by default.
  public static let longFields: Set<String> = Set(findings.flatMap { $0.longFields })

  /// Analyzers that only particular commands use. Pipelines cannot contain them.
  public static let onRequest: [AnalyzerKind] = [AnalyzerKind(BeatFitAnalyzer.self)]

  /// Returns the analyzer ID and settings for fitting beats with a given tempo to a file. The finding is a
  /// `TempoFinding`.
  public static func beatFit(bpm: Double) -> (id: String, settings: [String: JSONValue]) {
    (BeatFitAnalyzer.id, ["bpm": .number(bpm)])
  }

  /// The tempi that `beatFit` accepts, in beats per minute.
  public static let beatFitRange = BeatFitAnalyzer.range
}
