internal import LibraryStore
internal import Platform
internal import SystemPackage

/// The open folder of a track's file, with access limited to files that belong to the library.
///
/// A user who can write to the music folder must not be able to expose other files of this machine by replacing a file,
/// or a folder above it, with a link. Therefore, links are followed up to the root of the run, which such a user cannot
/// replace. Below the root, they are followed only to the exact file that the last run saw through them, inside the
/// track's `linkScope`.
struct TrackFolder {
  let folder: OpenFolder
  /// The name of the file.
  let name: FilePath
  /// `true` if there is a link in the path below the root of the run, so that the identity of the track's file must be
  /// checked.
  let isBehindLink: Bool
  /// The folder in which links to pictures must stay.
  private let boundary: OpenFolder
  /// The path from `boundary` to `folder`.
  private let way: FilePath

  init(of track: TrackFile) throws(OpenFile.Failure) {
    guard !track.path.isObject, let name = track.path.lastComponent else { throw .missing }
    self.name = FilePath(root: nil, [name])
    let path = track.path.removingLastComponent()
    let root = track.root ?? "/"
    let way = FilePath(root: nil, path.components.dropFirst(root.components.count))
    do {
      let top = try OpenFolder(root)
      do {
        folder = try top.folder(way, links: .refused)
        isBehindLink = false
      } catch .tooManySymbolicLinkLevels {
        folder = try OpenFolder(path)
        isBehindLink = true
      }
      let isBounded = track.root != nil && !isBehindLink
      boundary = isBounded ? top : folder
      self.way = isBounded ? way : ""
    } catch {
      throw .missing
    }
  }

  /// Opens a file in the same folder. The file may be a link that stays within `boundary`.
  func file(beside name: FilePath.Component) throws(OpenFile.Failure) -> OpenFile {
    do {
      return try OpenFile(FilePath(root: nil, [name]), in: folder, links: .refused)
    } catch .replaced {
      return try OpenFile(way.appending(name), in: boundary, links: .followedWithin)
    }
  }

  /// Returns the names of at most `limit` entries.
  func names(atMost limit: Int) -> [FilePath.Component] {
    guard let listing = try? FolderListing(of: folder, limit: limit) else { return [] }
    return listing.entries.compactMap(listing.component)
  }
}
