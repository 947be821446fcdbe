internal import Platform
public import SystemPackage

/// A program that plays WAV files.
public struct Player: Hashable, Sendable {
  public let name: String
  public let executable: FilePath
  /// Options that precede the file name.
  let options: [String]

  /// The known players, best first: PipeWire, PulseAudio, ALSA, FFmpeg, mpv and SoX. With these options, none of them
  /// opens a window, reads keys, or prints anything except errors.
  private static let known: [(name: String, options: [String])] = [
    ("pw-play", []), ("paplay", []), ("aplay", ["-q"]),
    ("ffplay", ["-nodisp", "-autoexit", "-loglevel", "error"]),
    ("mpv", ["--no-video", "--no-terminal"]), ("play", ["-q"]),
  ]

  public static var knownNames: [String] { known.map(\.name) }

  /// Returns the installed players, best first.
  ///
  /// - Parameter searchPath: A list of folders in the format of `PATH`.
  public static func installed(searchPath: String?) -> [Player] {
    let folders = (searchPath ?? "").split(separator: ":").filter { $0.hasPrefix("/") }.map { FilePath(String($0)) }
    return known.compactMap { player in
      let paths = folders.map { $0.appending(player.name) }
      return paths.first { $0.fileKind == .regular && $0.allows(.run) }.map {
        Player(name: player.name, executable: $0, options: player.options)
      }
    }
  }
}

/// The reason nothing was played.
public enum PlayerError: Error, Hashable, Sendable, CustomStringConvertible {
  case noPlayer
  case cannotStart(String, reason: String)
  /// All players that were tried failed. Contains their names, the exit status of the last one, and the first line it
  /// printed.
  case failed([String], status: Int, message: String?)

  public var description: String {
    switch self {
    case .noPlayer:
      "No program that plays audio was found. Install one of \(Player.knownNames.joined(separator: ", ")), for example "
        + "with apt install pipewire-bin, pulseaudio-utils or alsa-utils; or write a file with --output and play that."
    case .cannotStart(let name, let reason): "\(name) cannot be started: \(reason)."
    case .failed(let names, let status, let message):
      "Nothing could be played. \(names.joined(separator: ", ")) ended \(status == 0 ? "at once" : "with status \(status)")"
        + (message.map { ": \($0.prefix(200))" } ?? "") + (message?.hasSuffix(".") == true ? "" : ".")
        + " Check that there is a sound device and that you have access to it, or write a file with --output and "
        + "play that."
    }
  }
}
