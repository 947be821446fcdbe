internal import Foundation
internal import Text

extension KeyFinding {
  public static let declaration = FindingDeclaration<KeyFinding>(
    "key", table: "musical_key", "Key and tuning; null if they were not looked for.",
    fields: [
      .field("tonic", \.tonic, "C, Db, F#, …; null if there is no key.", isIndexed: true),
      .field("mode", \.mode, "major or minor."),
      .field("camelot", \.camelot, "Camelot: 8B is C major, 8A is A minor.", isIndexed: true),
      .field("open_key", \.openKey, "Open Key: 1d is C major, 1m is A minor."),
      .field("confidence", \.confidence, "0 to 1: probability that tonic and mode are right."),
      .field("candidates", \.candidates, "Keys that were considered, best first."),
      .field("map", \.map, "From each start on, the key is this."),
      .field("tuning_hz", \.tuningHertz, "Frequency of the A above middle C; null if the sound has no clear pitch."),
      .field("tuning_cents", \.tuningCents, "The same in cents above 440 Hz, -50 to 50."),
      .field("reason", \.reason, "Why there is no key: too_short, silence, no_key."),
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
