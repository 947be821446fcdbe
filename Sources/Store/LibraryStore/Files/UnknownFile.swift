internal import Platform
package import SystemPackage
internal import Text

/// The error for a file that is not in the database.
package struct UnknownFile: Error, CustomStringConvertible {
  package var path: FilePath

  package init(_ path: FilePath) {
    self.path = path
  }

  package var description: String {
    let name = printable(DisplayPath.text(of: path))
    return "Nothing is known of \(name). "
      + (path.exists ? "Analyze it, or the folder it is in: analyze \(name)" : "There is no such file either.")
  }
}
