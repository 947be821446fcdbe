internal import Foundation
internal import Text

extension TempoFinding {
  public static let declaration = FindingDeclaration<TempoFinding>(
    "tempo", "Tempo and beats; null if they were not looked for.",
    fields: [
      .field("bpm", \.bpm, "Beats per minute; null if there is no tempo."),
      .field(
        "confidence", \.confidence, "0 to 1: probability that bpm is within 4% of the truth, octave included."),
      .field("candidates", \.candidates, "Tempi that were considered, best first."),
      .field(
        "octave_confidence", \.octaveConfidence,
        "0 to 1: given that bpm is right up to a factor of 2 or 3, the probability that the factor is 1."),
      .field("stable", \.isStable, "One tempo throughout, within the error of measurement."),
      .field("map", \.map, "Tempo map: from each start on, the tempo is bpm."),
      .field(
        "beats_s", \.beats, "Beats in seconds from the start; null unless the report was made with beats.",
        long: "beats", table: "beat_grid"),
      .column("beat_count", "Number of beats.", table: "beat_grid") { $0.beats.count },
      .field(
        "metre", \.metre,
        "4/4, 3/4, 6/8, 9/8 or 12/8, in eighths with a dotted quarter as the beat; null where it is not sure."),
      .field(
        "downbeats_s", \.downbeats,
        "The beats that begin a bar; null where they are not sure, or without beats.", long: "beats",
        table: "beat_grid"),
      .record(
        "onsets", \.onsets, "Course of onsets; null unless the report was made with beats.", table: "onset_summary",
        long: "beats", isEmpty: \.values.isEmpty),
      .field("reason", \.reason, "Why there is no tempo: too_short, silence, no_pulse, …"),
      .derived(
        "locked",
        "A person has set bpm (analyze set) or said that there is none: confidences are 1, and what was found stays in "
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
