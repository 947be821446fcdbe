internal import Platform
package import SystemPackage
internal import Text

/// The error for a file that is not in the database.
package struct UnknownFile: Error, CustomStringConvertible {
  package var path: FilePath
  /// `true` if a folder may stand for all files below it.
  package var acceptsFolders: Bool

  package init(_ path: FilePath, acceptsFolders: Bool = false) {
    self.path = path
    self.acceptsFolders = acceptsFolders
  }

  package var description: String {
    let name = printable(DisplayPath.text(of: path))
    if path.fileKind == .folder {
      return acceptsFolders
        ? "\(name) is not in the database. Analyze it: analyze \(name)" : "\(name) is a folder. Name a file in it."
    }
    return "\(name) is not in the database. "
      + (path.exists ? "Analyze it, or the folder it is in: analyze \(name)" : "There is no such file either.")
  }
}
