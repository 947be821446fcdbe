internal import Platform
internal import SystemPackage

/// A folder tree that mirrors the library, with files for each track.
struct MirroredFolder {
  /// Suffixes that turn the name of a track into names of files. Files that are no longer written are removed.
  private let suffixes: [String]
  /// The folder of the library at which the tree begins.
  private let root: FilePath
  private let files: StagedFolder

  static let options = ["root"]

  init(_ context: ExportContext, suffixes: [String]) throws(ExportError) {
    guard let folder = context.output else {
      throw .unavailable("This format writes a folder of files. Name the folder with --output.")
    }
    let root = context.options["root"].map { FilePath($0).lexicallyNormalized() } ?? "/"
    guard root.isAbsolute else {
      throw .badOption("root", value: root.string, expected: "an absolute path")
    }
    self.suffixes = suffixes
    self.root = root
    files = try StagedFolder(in: folder, context.overwriting)
  }

  /// Writes the files of a track, given by their suffixes, and marks files with other suffixes for removal.
  func write(_ contents: [String: [UInt8]], for track: FilePath) throws(ExportError) {
    let path = relativePath(of: track)
    for suffix in suffixes {
      let file = FilePath(path + suffix)
      if let bytes = contents[suffix] { try files.write(bytes, to: file) } else { files.remove(file) }
    }
  }

  /// Marks the files of a removed track for removal.
  func remove(_ track: FilePath) {
    let path = relativePath(of: track)
    for suffix in suffixes { files.remove(FilePath(path + suffix)) }
  }

  /// Moves all written files into place, and removes the files that are marked for removal.
  /// - Returns: The folder.
  func commit() throws(ExportError) -> [FilePath] { [try files.commit()] }

  private func relativePath(of track: FilePath) -> String {
    var path = track
    if !path.removePrefix(root) { path = FilePath(root: nil, track.components) }
    return path.components.map(\.safeName).joined(separator: "/")
  }
}
