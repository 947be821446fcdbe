internal import Analysis
internal import Platform
internal import ResultStore
internal import Serving

/// A track's tempo for the track page, with its correction and its former tempi.
struct ShownTempo: Sendable {
  /// The tempo in effect.
  var tempo: TempoFinding
  /// The correction; `nil` unless a person has set the tempo.
  var correction: TempoCorrection?
  /// The analyzer's tempo, without a person's correction.
  var found: TempoFinding?
  /// Former tempi, newest first.
  var former: [FormerTempo]

  var isLocked: Bool { correction != nil }
}

extension JSONType<ShownTempo> {
  static var appTempo: Self {
    let formerTempo = JSONType<(state: FormerTempo, bpm: Double?)>.object(
      "AppTempoState", .required("id", .integer) { Int($0.state.id) }, .required("at", .time) { $0.state.replaced },
      .optional("bpm", .number(decimals: 3)) { $0.bpm }, .required("is_set", .flag) { $0.state.correction != nil },
      .required("text", .text) { TempoText.bpm($0.bpm) + ($0.state.correction == nil ? ", as found" : ", set") })
    let found = JSONType<TempoFinding>.object(
      "AppFoundTempo", .optional("bpm", .number(decimals: 3)) { $0.bpm },
      .optional("confidence", .number(decimals: 3)) { $0.confidence })
    let onsets = JSONType<TempoFinding.OnsetSummary>.object(
      "AppOnsets", .required("step_s", .number(decimals: 4)) { $0.stepSeconds },
      .required("values", .numbers(decimals: 3)) { $0.values })
    let section = JSONType<TempoFinding.Section>.object(
      "AppTempoSection", .required("start_s", .number(decimals: 3)) { $0.startSeconds },
      .required("bpm", .number(decimals: 3)) { $0.bpm })
    let candidate = JSONType<(candidate: TempoFinding.Candidate, bpm: Double?)>.object(
      "AppTempoCandidate", .required("bpm", .number(decimals: 3)) { $0.candidate.bpm },
      .required("weight", .number(decimals: 4)) { $0.candidate.weight },
      .optional("ratio", .number(decimals: 4)) { shown in shown.bpm.map { shown.candidate.bpm / $0 } })
    return .object(
      "AppTempo", .optional("bpm", .number(decimals: 3)) { $0.tempo.bpm },
      .optional("confidence", .number(decimals: 3)) { $0.tempo.confidence },
      .optional("octave_confidence", .number(decimals: 3)) { $0.tempo.octaveConfidence },
      .optional("is_stable", .flag) { $0.tempo.isStable }, .optional("metre", .text) { $0.tempo.metre },
      .optional("reason", .text) { $0.tempo.reason },
      .required("candidates", .list(candidate)) { shown in shown.tempo.candidates.map { ($0, shown.tempo.bpm) } },
      .required("text", .text) { TempoText.confidence($0.tempo, isLocked: $0.isLocked) },
      .required("why", .list(.text)) { TempoText.reasons($0.tempo, found: $0.isLocked ? $0.found : nil) },
      .required("beats_s", .numbers(decimals: 4)) { $0.tempo.beats },
      .optional("downbeats_s", .numbers(decimals: 4)) { $0.tempo.downbeats },
      .required("map", .list(section)) { $0.tempo.map },
      .optional("onsets", onsets) { $0.tempo.onsets.values.isEmpty ? nil : $0.tempo.onsets },
      .required("locked", .flag) { $0.isLocked }, .optional("corrected_at", .time) { $0.correction?.corrected },
      .optional("found", found) { $0.isLocked ? $0.found : nil },
      .required("states", .list(formerTempo)) { shown in
        // If there was no correction, the analyzer's tempo was in effect.
        shown.former.map { ($0, $0.correction.map(\.bpm) ?? (shown.found ?? shown.tempo).bpm) }
      })
  }
}
