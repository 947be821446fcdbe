internal import Platform
package import SystemPackage
internal import Text

/// The reason audio with clicks cannot be created.
package enum ClickError: Error, CustomStringConvertible {
  /// The beats of the file were not analyzed.
  case notAnalyzed(FilePath)
  /// There are no beats. `reason` comes from the `TempoFinding`.
  case noBeats(FilePath, reason: String?)
  /// The correction has no beats, either because none fit its tempo, or because it states that there is no steady beat
  /// (`bpm` is `nil`).
  case noBeatsSet(FilePath, bpm: Double?)
  case cannotRead(FilePath, reason: String)
  /// The audio of the file has changed since it was analyzed.
  case hasChanged(FilePath)
  case wouldReplaceTrack(FilePath)

  package var description: String {
    switch self {
    case .notAnalyzed(let path):
      "\(Self.text(path)) was not analyzed for beats. Analyze it with a pipeline that has `tempo`: "
        + "analyze \(Self.text(path))"
    case .noBeats(let path, let reason):
      "\(Self.text(path)) has no beats: \(Self.sentence(reason)). If you know its tempo, give it beats with "
        + "`analyze set --bpm`."
    case .noBeatsSet(let path, let bpm):
      "\(Self.text(path)) has no beats: "
        + (bpm == nil
          ? "it was set to have no steady beat" : "none fit the audio at the tempo that was set")
        + ". Remove the correction with `analyze set --unset bpm`."
    case .cannotRead(let path, let reason): "\(Self.text(path)) cannot be read: \(reason)"
    case .hasChanged(let path):
      "The audio of \(Self.text(path)) has changed since it was analyzed, so its beats do not fit. Analyze it again: "
        + "analyze \(Self.text(path))"
    case .wouldReplaceTrack(let path):
      "The clicks would replace the track \(Self.text(path)) itself. Name another file with --output."
    }
  }

  private static func sentence(_ reason: String?) -> String {
    switch reason {
    case "too_short": "it is too short to have a tempo"
    case "silence": "it is silent"
    case "no_pulse": "it has no steady pulse"
    case let reason?: reason
    case nil: "none were found"
    }
  }

  private static func text(_ path: FilePath) -> String { printable(DisplayPath.text(of: path)) }
}
