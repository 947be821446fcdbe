internal import Analysis
internal import Foundation

/// Sentences about a tempo for the track page.
enum TempoText {
  /// Returns a sentence about the confidence of a tempo, about a person's correction, or about why there is no tempo.
  static func confidence(_ tempo: TempoFinding, isLocked: Bool) -> String {
    guard tempo.bpm != nil else { return isLocked ? "You said that there is no steady beat." : none(tempo.reason) }
    if isLocked { return "You set this tempo. Later runs keep it." }
    return Self.confidence(tempo.confidence)
  }

  /// Returns a sentence about the confidence of any finding: `Very likely right (96% confidence).`
  static func confidence(_ value: Double) -> String {
    let words =
      switch value {
      case 0.9...: "Very likely right"
      case 0.75...: "Probably right"
      case 0.5...: "Worth a listen"
      default: "A guess"
      }
    return "\(words) (\(Int((min(max(value, 0), 1) * 100).rounded(.down)))% confidence)."
  }

  /// Returns sentences that explain the tempo and its confidence.
  static func reasons(_ tempo: TempoFinding, found: TempoFinding?) -> [String] {
    var reasons: [String] = []
    if let found, let theirs = found.bpm {
      reasons.append("Analysis found \(bpm(theirs)) (\(percent(found.confidence)) confidence).")
    }
    guard let value = tempo.bpm else { return reasons }
    if found == nil { reasons += evidence(tempo, value) }
    if tempo.isStable {
      reasons.append("The tempo is the same throughout.")
    } else if let slowest = tempo.map.map(\.bpm).min(), let fastest = tempo.map.map(\.bpm).max(), tempo.map.count > 1 {
      reasons.append(
        "The tempo changes \(tempo.map.count - 1 == 1 ? "once" : "\(tempo.map.count - 1) times"), between "
          + "\(bpm(slowest)) and \(bpm(fastest)).")
    } else {
      reasons.append("The tempo varies a little.")
    }
    if tempo.downbeats == nil, tempo.beats.count > 1 {
      reasons.append("The starts of the bars are uncertain.")
    }
    return reasons
  }

  /// Describes the evidence for and against a tempo that was found.
  private static func evidence(_ tempo: TempoFinding, _ value: Double) -> [String] {
    var sentences: [String] = []
    let own = tempo.candidates.first { abs($0.bpm / value - 1) < 0.02 }?.weight ?? 0
    let rival = tempo.candidates.filter { abs($0.bpm / value - 1) >= 0.02 }.max { $0.weight < $1.weight }
    if let rival, rival.weight > 0, own > 0 {
      let times = own / rival.weight
      sentences.append(
        times >= 1.5
          ? "The evidence for \(bpm(value)) is \(times >= 100 ? "more than 100" : String(format: times < 10 ? "%.1f" : "%.0f", times)) "
            + "times that for \(bpm(rival.bpm))."
          : "There is about as much evidence for \(bpm(rival.bpm)).")
    } else if tempo.candidates.count == 1 {
      sentences.append("There is no evidence for another tempo.")
    }
    if tempo.octaveConfidence < 0.75 {
      sentences.append("The music may be counted at half or double this speed.")
    } else if tempo.confidence < 0.75 {
      sentences.append("The beat is weak or uneven, so the tempo may be off.")
    }
    return sentences
  }

  static func none(_ reason: String?) -> String {
    switch reason {
    case "too_short": "The track is too short to have a tempo."
    case "silence": "The track is silent."
    default: "No steady beat was found. Ambient, spoken or very free music often has none."
    }
  }

  /// Formats a tempo: `90.0 BPM`.
  static func bpm(_ value: Double?) -> String { value.map { String(format: "%.1f BPM", $0) } ?? "no beat" }

  private static func percent(_ share: Double) -> String { "\(Int((min(max(share, 0), 1) * 100).rounded(.down)))%" }
}
