internal import Platform
package import SystemPackage
internal import Text

/// Why there is no audio with clicks.
package enum ClickError: Error, CustomStringConvertible {
  /// No analyzer has looked for beats.
  case notLookedFor(FilePath)
  /// - reason: That of `TempoFinding`.
  case noBeats(FilePath, reason: String?)
  /// A person has set a tempo, and no beats of it were found; or that there is no steady beat.
  case noBeatsSet(FilePath, bpm: Double?)
  case cannotRead(FilePath, reason: String)
  /// The file holds other audio than when it was analyzed.
  case hasChanged(FilePath)
  case wouldReplaceTrack(FilePath)

  package var description: String {
    switch self {
    case .notLookedFor(let path):
      "No beats were looked for in \(Self.text(path)). Analyze it with a pipeline that has `tempo`: "
        + "analyze \(Self.text(path))"
    case .noBeats(let path, let reason):
      "\(Self.text(path)) has no beats: \(Self.sentence(reason)). If you know its tempo, give it beats with "
        + "`analyze set --bpm`."
    case .noBeatsSet(let path, let bpm):
      "\(Self.text(path)) has no beats: "
        + (bpm == nil
          ? "it was set to have no steady beat" : "none could be laid on the audio for the tempo that was set")
        + ". Go back to what was found with `analyze set --unset bpm`."
    case .cannotRead(let path, let reason): "\(Self.text(path)) cannot be read: \(reason)"
    case .hasChanged(let path):
      "\(Self.text(path)) holds other audio than when it was analyzed, so its beats do not fit. Analyze it again: "
        + "analyze \(Self.text(path))"
    case .wouldReplaceTrack(let path):
      "The clicks would replace the track \(Self.text(path)) itself. Name another file with --output."
    }
  }

  private static func sentence(_ reason: String?) -> String {
    switch reason {
    case "too_short": "it is too short to have a tempo"
    case "silence": "it is silent"
    case "no_pulse": "it has no pulse that could be followed"
    case let reason?: reason
    case nil: "none were found"
    }
  }

  private static func text(_ path: FilePath) -> String { printable(DisplayPath.text(of: path)) }
}
