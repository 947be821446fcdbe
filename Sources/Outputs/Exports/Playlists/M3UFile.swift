internal import Foundation
internal import Platform
package import SystemPackage
internal import Text

/// An extended M3U playlist in UTF-8. The bytes of paths stay unchanged, even if they are not UTF-8. Objects, and paths
/// with control characters, are written as URIs.
package enum M3UFile {
  /// A comment, which players skip.
  package static let mark = "# Made by Nocturne"
  package static let header = Array("#EXTM3U\n\(mark)\n".utf8)

  /// Returns the lines of one track.
  ///
  /// - Parameters:
  ///   - duration: The duration in seconds; `nil` if unknown.
  ///   - folder: The folder to which the path is relative; `nil` for an absolute path.
  package static func entry(
    _ path: FilePath, name: String, duration: Double?, relativeTo folder: FilePath?
  ) -> [UInt8] {
    // −1 means that the duration is unknown.
    let seconds = duration.map { Int($0.rounded()) } ?? -1
    var bytes = Array("#EXTINF:\(seconds),\(line(name))\n".utf8)
    bytes += location(of: path, relativeTo: folder)
    bytes.append(UInt8(ascii: "\n"))
    return bytes
  }

  /// Returns the text without line breaks, which would end the tag.
  private static func line(_ text: String) -> String {
    String(text.unicodeScalars.map { $0.isControlOrSeparator ? " " : Character($0) })
  }

  private static func location(of path: FilePath, relativeTo folder: FilePath?) -> [UInt8] {
    if path.isObject { return Array(path.uri.utf8) }
    let bytes = path.withBytes { Array($0) }
    // A path that does not fit on one line, or would affect the terminal that shows it, can be written only as a URI.
    if String(decoding: bytes, as: UTF8.self).unicodeScalars.contains(where: \.isControlOrSeparator) {
      return Array(path.uri.utf8)
    }
    guard let folder else { return bytes }
    let relative = relativePath(of: path, to: folder).withBytes { Array($0) }
    // A line that begins with # would be a comment, and some programs trim spaces.
    let isOdd = relative.first.map { $0 == UInt8(ascii: "#") || $0 == 32 || $0 == 9 } ?? false
    return (isOdd ? Array("./".utf8) : []) + relative
  }

  /// - Parameters: Both paths must be absolute and without `..`.
  package static func relativePath(of path: FilePath, to folder: FilePath) -> FilePath {
    var own = path.components[...]
    var base = folder.components[...]
    while let first = own.first, first == base.first, own.count > 1 {
      own.removeFirst()
      base.removeFirst()
    }
    return FilePath(root: nil, Array(repeating: "..", count: base.count) + Array(own))
  }
}
