internal import Foundation
internal import Text

extension KeyFinding {
  public static let declaration = FindingDeclaration<KeyFinding>(
    "key", table: "musical_key", "Key and tuning; null if not analyzed.",
    fields: [
      .field("tonic", \.tonic, "Tonic of the key: C, Db, F#, …; null if there is no key.", isIndexed: true),
      .field("mode", \.mode, "Mode of the key, major or minor; null if there is no key."),
      .field(
        "camelot", \.camelot, "Key in Camelot notation: 8B is C major, 8A is A minor; null if there is no key.",
        isIndexed: true),
      .field("open_key", \.openKey, "Key in Open Key notation: 1d is C major, 1m is A minor; null if there is no key."),
      .field("confidence", \.confidence, "0 to 1: probability that tonic and mode are right."),
      .field("candidates", \.candidates, "Candidate keys, the most probable first; null if there are none."),
      .field("map", \.map, "Stretches of one key, in order of time; null if there are none."),
      .field(
        "tuning_hz", \.tuningHertz, "Frequency of the A above middle C in Hz; null if the sound has no clear pitch."),
      .field(
        "tuning_cents", \.tuningCents,
        "Tuning in cents above 440 Hz, -50 to 50; null if the sound has no clear "
          + "pitch."),
      .field("reason", \.reason, "Why there is no key: too_short, silence or no_key; null otherwise."),
    ],
    isOnPages: true,
    lines: { key, _ in [FindingLine("key", key.text)] })

  private var text: String {
    guard let tonic, let mode, let camelot else { return "none (\(reason ?? "unknown reason"))" }
    var parts = ["\(tonic) \(mode) (\(camelot))", String(format: "confidence %.2f", confidence)]
    if map.count > 1 { parts.append(counted(map.count, "section")) }
    if let tuningHertz { parts.append(String(format: "A = %.1f Hz", tuningHertz)) }
    return parts.joined(separator: ", ")
  }
}
