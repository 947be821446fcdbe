internal import LibraryStore
internal import Platform
internal import SystemPackage

/// The folder that holds the file of a track, open, and what may be opened in it.
///
/// Someone who may write into the folder of the music must not be able to show other files of this machine, by a link
/// in the place of a file or of any folder above it. So links are followed to the folder that the run was given, which
/// they cannot replace, and from there on only to the exact file that the last run saw through them.
struct TrackFolder {
  let folder: OpenFolder
  /// Name of the file.
  let name: FilePath
  /// A link below the folder that the run was given leads here: only the file of the track shows that it is the right
  /// one.
  let isBehindLink: Bool
  /// Links to pictures may not lead out of this folder.
  private let boundary: OpenFolder
  /// The way from there to `folder`.
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

  /// Opens a file beside that of the track.
  func file(beside name: FilePath.Component) throws(OpenFile.Failure) -> OpenFile {
    do {
      return try OpenFile(FilePath(root: nil, [name]), in: folder, links: .refused)
    } catch .replaced {
      return try OpenFile(way.appending(name), in: boundary, links: .followedWithin)
    }
  }

  /// The names of all that is in it; those of the first entries if there are more.
  func names(atMost limit: Int) -> [FilePath.Component] {
    guard let listing = try? FolderListing(of: folder, limit: limit) else { return [] }
    return listing.entries.compactMap(listing.component)
  }
}
