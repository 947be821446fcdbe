internal import Foundation
internal import Text

extension TempoFinding {
  public static let declaration = FindingDeclaration<TempoFinding>(
    "tempo", "Tempo and beats; null if not analyzed.",
    fields: [
      .field("bpm", \.bpm, "Beats per minute; null if there is no tempo."),
      .field(
        "confidence", \.confidence, "Probability, 0 to 1, that bpm is within 4% of the true tempo, octave included."),
      .field("candidates", \.candidates, "Candidate tempi, the most likely first; null if there are none."),
      .field(
        "octave_confidence", \.octaveConfidence,
        "Probability, 0 to 1, that bpm is not off by a factor of 2 or 3, if it is otherwise right."),
      .field("stable", \.isStable, "The tempo is the same throughout, within the error of measurement."),
      .field("map", \.map, "Tempo map: stretches of one tempo, in order of time; null if there are none."),
      .field(
        "beats_s", \.beats,
        "Times of the beats in seconds from the start of the audio; null unless the report includes beats.",
        long: "beats", table: "beat_grid"),
      .column("beat_count", "Number of beats.", table: "beat_grid") { $0.beats.count },
      .field(
        "metre", \.metre,
        "4/4, 3/4, 6/8, 9/8 or 12/8 (those in eighths have a dotted quarter as the beat); null if uncertain."),
      .field(
        "downbeats_s", \.downbeats,
        "The beats that begin a bar; null where they are not sure, or without beats.", long: "beats",
        table: "beat_grid"),
      .record(
        "onsets", \.onsets, "Onset strength over time; null unless the report includes beats.", table: "onset_summary",
        long: "beats", isEmpty: \.values.isEmpty),
      .field("reason", \.reason, "Why there is no tempo: too_short, silence, no_pulse, …; null otherwise."),
      .derived(
        "locked",
        "bpm was set by a person (analyze set), possibly to none. Confidences are 1; the analyzed tempo stays in "
          + "the database."
      ) { $1.tempoCorrection != nil },
    ],
    lines: { tempo, context in
      guard let correction = context.tempoCorrection else { return [FindingLine("tempo", tempo.text)] }
      return [
        FindingLine(
          "tempo",
          (correction.bpm.map { String(format: "%.2f BPM", $0) } ?? "none, there is no steady beat")
            + ", locked, \(tempo.beatText)"),
        FindingLine("tempo found", correction.found.map(\.text) ?? "not looked for"),
      ]
    })

  private var text: String {
    guard let bpm else { return "none (\(reason ?? "unknown reason"))" }
    var parts = [String(format: "%.2f BPM", bpm), String(format: "confidence %.2f", confidence)]
    let others = candidates.dropFirst().prefix(3).map { String(format: "%.2f", $0.bpm) }
    if !others.isEmpty { parts.append("alternatives: \(others.joined(separator: ", "))") }
    parts.append(isStable ? "stable" : counted(map.count, "section"))
    return (parts + [beatText]).joined(separator: ", ")
  }

  /// The number of beats, and the meter.
  private var beatText: String {
    let count = counted(beats.count, "beat")
    guard let metre else { return count }
    return "\(count), \(metre)" + (downbeats == nil ? " (where bars begin is not clear)" : "")
  }
}
