internal import Platform
package import SystemPackage
internal import Text

/// Why there is no playlist, and what to do about it.
package enum PlaylistError: Error, Hashable, Sendable, CustomStringConvertible {
  case nothingMatches
  /// More than are put into the order `mix`.
  case tooMany(Int)
  case noEnergies
  case cannotWrite(FilePath, reason: String)
  /// Something that a smart playlist of Navidrome does not have.
  case notInNavidrome(what: String, advice: String)

  package var description: String {
    switch self {
    case .nothingMatches:
      "No track matches. `analyze search` with the same filters shows what does; files must have been analyzed."
    case .tooMany(let count):
      "\(count) tracks match, and at most \(Playlist.mixLimit) are put in order by how they mix. Narrow the filter, give "
        + "--length or --tracks, or choose another --order."
    case .noEnergies:
      "No track has an energy. Analyze them with the analyzer traits, as the pipeline default has it: analyze FOLDER"
    case .cannotWrite(let path, let reason): "\(Self.text(path)) cannot be written: \(reason)."
    case .notInNavidrome(let what, let advice): "A smart playlist of Navidrome cannot say \(what). \(advice)"
    }
  }

  private static func text(_ path: FilePath) -> String { printable(DisplayPath.text(of: path)) }
}
