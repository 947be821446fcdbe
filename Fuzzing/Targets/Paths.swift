import Platform
import Glibc
import SystemPackage

@testable import LibraryScan
@testable import ResultStore

/// Ignore patterns over a path, lists of paths, and paths as text: up to the first NUL byte a path, then patterns.
struct PathTarget: FuzzTarget {
  static let name = "paths"
  private let file: MemoryFile

  init() throws { file = try MemoryFile() }

  func run(_ bytes: [UInt8]) throws {
    let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
    let name = Array(parts[0])
    let ignore = IgnoreFile(baseLength: 0, content: Array(parts.count > 1 ? parts[1] : []))
    _ = ignore.verdict(on: name, isFolder: false)
    _ = ignore.verdict(on: name, isFolder: true)

    let path = FilePath(bytes: name)
    let text = DisplayPath.text(of: path)
    require(DisplayPath.path(from: text) == path, "\(text) leads back to its path")
    _ = path.absolute()
    _ = PathRange.covering(path)

    try file.hold(bytes)
    for separator in [PathList.Separator.newline, .null] {
      var list = try PathList(at: file.path, separator: separator)
      while let entry = try? list.next() { _ = entry.absolute() }
    }
  }
}
