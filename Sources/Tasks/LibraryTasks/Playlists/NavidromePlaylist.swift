internal import Exports
internal import Text

/// A smart playlist of Navidrome (`.nsp`): rules in JSON, which Navidrome applies to its own library.
package enum NavidromePlaylist {
  /// The text that marks each smart playlist.
  package static var mark: String { NavidromeFile.mark }

  /// - Throws: `PlaylistError.notInNavidrome` if a smart playlist cannot express the request.
  package static func bytes(_ request: PlaylistProposal.Request, name: String) throws(PlaylistError) -> [UInt8] {
    if request.like != nil { throw cannotSay("likeness (--like)", "Write an M3U8 file.") }
    if request.spacing > 0 { throw cannotSay("--no-repeat-artist", "Leave it out, or write an M3U8 file.") }
    var fields: [String: JSONValue] = [:]
    switch request.order {
    case .mix: break
    case .tempo: fields["sort"] = "bpm"
    case .path: fields["sort"] = "filepath"
    case .key, .energy:
      throw cannotSay("--order \(request.order.rawValue)", "Use the order tempo or path, or write an M3U8 file.")
    }
    switch request.length {
    case .all: break
    case .tracks(let count): fields["limit"] = .integer(Int64(count))
    case .seconds: throw cannotSay("--length", "Give --tracks, or write an M3U8 file.")
    }
    do {
      return try NavidromeFile.bytes(request.filter, name: name, with: fields)
    } catch {
      throw cannotSay(error.what, error.advice)
    }
  }

  private static func cannotSay(_ what: String, _ advice: String) -> PlaylistError {
    .notInNavidrome(what: what, advice: advice)
  }
}
