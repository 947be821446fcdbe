internal import Analysis
internal import Platform
internal import ResultStore
internal import Text

/// A tempo as the track page shows it.
struct ShownTempo: Sendable {
  /// The tempo in force.
  var tempo: TempoFinding
  /// Not `nil` if a person has set it.
  var correction: TempoCorrection?
  /// The analyzer's tempo, without a person's correction.
  var found: TempoFinding?
  /// Newest first.
  var former: [FormerTempo]

  func write(into json: inout JSONWriter) {
    let isLocked = correction != nil
    json.put("bpm", tempo.bpm, decimals: 3)
    json.put("confidence", tempo.confidence, decimals: 3)
    json.put("octave_confidence", tempo.octaveConfidence, decimals: 3)
    json.put("is_stable", tempo.isStable)
    json.put("metre", tempo.metre)
    json.put("reason", tempo.reason)
    json.putList("candidates", tempo.candidates) { json, candidate in
      json.put("bpm", candidate.bpm, decimals: 3)
      json.put("weight", candidate.weight, decimals: 4)
      json.put("ratio", tempo.bpm.map { candidate.bpm / $0 }, decimals: 4)
    }
    json.put("text", TempoText.confidence(tempo, isLocked: isLocked))
    json.key("why")
    json.beginArray()
    for reason in TempoText.reasons(tempo, found: isLocked ? found : nil) { json.string(reason) }
    json.endArray()
    json.putNumbers("beats_s", tempo.beats, decimals: 4)
    if let downbeats = tempo.downbeats {
      json.putNumbers("downbeats_s", downbeats, decimals: 4)
    } else {
      json.putNull("downbeats_s")
    }
    json.putList("map", tempo.map) { json, section in
      json.put("start_s", section.startSeconds, decimals: 3)
      json.put("bpm", section.bpm, decimals: 3)
    }
    if tempo.onsets.values.isEmpty {
      json.putNull("onsets")
    } else {
      json.putObject("onsets") {
        $0.put("step_s", tempo.onsets.stepSeconds, decimals: 4)
        $0.putNumbers("values", tempo.onsets.values, decimals: 3)
      }
    }
    json.put("locked", isLocked)
    json.put("corrected_at", correction?.corrected.description)
    if isLocked, let found {
      json.putObject("found") {
        $0.put("bpm", found.bpm, decimals: 3)
        $0.put("confidence", found.confidence, decimals: 3)
      }
    } else {
      json.putNull("found")
    }
    json.putList("states", former) { json, state in
      // Without a correction, what was found counted.
      let bpm = state.correction.map(\.bpm) ?? (found ?? tempo).bpm
      json.put("id", state.id)
      json.put("at", state.replaced.description)
      json.put("bpm", bpm, decimals: 3)
      json.put("is_set", state.correction != nil)
      json.put("text", TempoText.bpm(bpm) + (state.correction == nil ? ", as found" : ", set"))
    }
  }
}
