internal import Analysis
internal import Platform
public import SystemPackage

/// The ids of artists, albums and genres: 22 characters, or words for genres. They are derived from tags and folders
/// alone, so they are the same in every database.
public enum SongCatalogID {
  /// The artist of a compilation whose tags name no album artist.
  public static let variousArtists = "Various Artists"

  public static func artist(_ name: String) -> String { id("artist", [Credit.normalized(name)]) }

  /// - Parameters:
  ///   - release: The MusicBrainz release, which distinguishes editions.
  ///   - artists: The album artists. If there are none and it is not a compilation, tracks with the same album name
  ///     belong together if they are in the same folder.
  public static func album(_ name: String, release: String?, artists: [String], isCompilation: Bool, path: FilePath)
    -> String
  {
    if let release { return id("release", [release.lowercased()]) }
    let name = Credit.normalized(name)
    if !artists.isEmpty { return id("album", [name] + artists.map(Credit.normalized)) }
    if isCompilation { return id("album", [name, Credit.normalized(variousArtists)]) }
    return id("folder", [name, DisplayPath.text(of: folder(of: path))])
  }

  /// Returns an identifier for URLs: letters and digits, with `-` between words, as in `drum-bass`; a hash for a name
  /// without letters and digits.
  public static func genre(_ name: String) -> String {
    let id = Credit.normalized(name).split { !$0.isLetter && !$0.isNumber }.joined(separator: "-")
    return id.isEmpty ? ContentID(hashing: Array(name.utf8)).description : id
  }

  private static func id(_ kind: String, _ parts: [String]) -> String {
    ContentID(hashing: Array(([kind] + parts).joined(separator: "\0").utf8)).description
  }

  /// Returns the folder of an album. Discs in separate folders (`CD 2`, `Disc 1`) count as one album.
  private static func folder(of path: FilePath) -> FilePath {
    let folder = path.removingLastComponent()
    guard let name = folder.lastComponent?.string.lowercased() else { return folder }
    let isDisc = ["cd", "disc", "disk", "disque", "medium"].contains { kind in
      guard name.hasPrefix(kind) else { return false }
      let number = name.dropFirst(kind.count).drop { $0 == " " || $0 == "_" || $0 == "-" || $0 == "." }
      return !number.isEmpty && number.count <= 2 && number.allSatisfy(\.isWholeNumber)
    }
    return isDisc ? folder.removingLastComponent() : folder
  }
}
