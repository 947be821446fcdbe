internal import Platform
package import SystemPackage
internal import Text

/// The reason a playlist cannot be created, and what to do about it.
package enum PlaylistError: Error, Hashable, Sendable, CustomStringConvertible {
  case nothingMatches
  /// There are more tracks than the order `mix` supports.
  case tooMany(Int)
  case noEnergies
  case cannotWrite(FilePath, reason: String)
  /// A Navidrome smart playlist cannot express the request.
  case notInNavidrome(what: String, advice: String)

  package var description: String {
    switch self {
    case .nothingMatches:
      "No analyzed track matches. Check the filters with `analyze search`."
    case .tooMany(let count):
      "\(count) tracks match, but --order mix takes at most \(PlaylistProposal.maxMixTracks). Narrow the filter, set "
        + "--length or --tracks, or choose another --order."
    case .noEnergies:
      "No track has an energy. Analyze your music with a pipeline that has traits, such as default: analyze FOLDER"
    case .cannotWrite(let path, let reason): "\(Self.text(path)) cannot be written: \(reason)."
    case .notInNavidrome(let what, let advice): "A Navidrome smart playlist cannot express \(what). \(advice)"
    }
  }

  private static func text(_ path: FilePath) -> String { printable(DisplayPath.text(of: path)) }
}
