internal import Analysis
internal import DSP

/// Divides a track into sections based on its self-similarity, and gives similar sections the same label.
///
/// Each beat is compared with every other beat in harmony and timbre. A section begins where the resemblance to all
/// other parts of the track changes (structure features, after Serrà, Müller, Grosche & Arcos, IEEE Transactions on
/// Multimedia 2014) or where the timbre changes (Foote, ICME 2000), preferably at the end of a group of four bars.
/// Sections that pass through similar beats in the same order are alike. docs/sections.md describes the method.
struct SectionsAnalyzer: Analyzer {
  static let id = "sections"
  static let version = 2
  static let summary = "Sections, with equal labels for similar ones (A B A C)"
  static let reads = ["tempo"]

  init(_ configuration: NoConfiguration) throws(ConfigurationError) {}

  var feed: Feed { .spectrum(SoundProfile.layout) }

  func makeSession(for file: AudioFile) throws(AnalysisError) -> Session { Session() }

  struct Session: AnalysisSession {
    /// Minimum duration in seconds. Shorter audio has no sections.
    static let minSeconds = 30.0

    private var profile = SoundProfile()

    init() {}

    mutating func consume(_ values: Span<Float>, at index: Int64) throws(AnalysisError) {
      try SoundProfile.layout.check(values)
      profile.append(values)
    }

    mutating func finish() throws(AnalysisError) -> SectionsFinding { try finish(after: EarlierFindings()) }

    mutating func finish(after earlier: EarlierFindings) throws(AnalysisError) -> SectionsFinding {
      profile.finish()
      guard !profile.isSilent else { return .none(reason: "silence") }
      guard profile.seconds + SoundProfile.columnSeconds >= Self.minSeconds else {
        return .none(reason: "too_short")
      }
      let tempo = earlier[TempoFinding.self]
      let units = BeatUnits(beats: tempo?.beats ?? [], seconds: profile.seconds)
      let resemblance = Resemblance(profile, units: units)
      let bounds = SectionBounds(resemblance, units: units, downbeats: tempo?.downbeats ?? []).bounds
      guard bounds.count > 2 else { return .none(reason: "no_structure") }
      let labels = SectionLabels(bounds: bounds, recurrence: resemblance.recurrences.both, units: units)
      guard labels.sections.count > 1 else { return .none(reason: "no_structure") }
      let total = profile.power(from: 0, to: profile.seconds)
      return SectionsFinding(
        map: labels.sections.map { range, label in
          let (start, end) = (units.edges[range.lowerBound], units.edges[range.upperBound])
          return SectionsFinding.Section(
            startSeconds: start.rounded(toPlaces: 3), endSeconds: end.rounded(toPlaces: 3), label: label,
            levelDecibels: SoundProfile.decibels(profile.power(from: start, to: end), of: total).rounded(toPlaces: 1))
        })
    }
  }
}
