internal import Analysis
internal import Platform
internal import SystemPackage

/// The list of a directory's segments. It is a text file:
///
///     nocturne catalog 1
///     next 8
///     segment 3.segment removed 17 40
///     segment 7.segment removed
///     checksum 8c1f…
struct CatalogList: Equatable {
  struct Entry: Equatable {
    var name: String
    /// Indices of removed tracks.
    var removed: Set<Int>
  }

  static let name = "CATALOG"
  private static let version = 1

  /// Number that the next segment will get.
  var next = 1
  var entries: [Entry] = []

  init() {}

  /// Creates a list from the names of segments alone.
  init(segments: [String]) {
    entries = segments.map { Entry(name: $0, removed: []) }
    next = (segments.compactMap { Int($0.prefix { $0 != "." }) }.max() ?? 0) + 1
  }

  /// Reads the list of a directory; `nil` if it does not exist.
  init?(in directory: FilePath) throws(CatalogError) {
    let path = directory.appending(Self.name)
    do {
      _ = try FileStatus(at: path, followingLinks: true)
    } catch .noSuchFileOrDirectory {
      return nil
    } catch {
      throw .unreadable(path: path.string, reason: "\(error)")
    }
    try self.init(text: String(decoding: CatalogFile.read(path), as: UTF8.self), path: path.string)
  }

  init(text: String, path: String) throws(CatalogError) {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard let first = lines.first, first.hasPrefix("nocturne catalog ") else { throw .notACatalog(path: path) }
    let version = Int(first.dropFirst("nocturne catalog ".count)) ?? 0
    guard version == Self.version else { throw .otherVersion(path: path, version: version) }
    guard lines.count >= 3, lines.removeLast().isEmpty else { throw .damaged(path: path, detail: "cut off") }
    let last = lines.removeLast()
    guard last == Self.checksumLine(lines) else { throw .damaged(path: path, detail: "checksum") }
    for line in lines.dropFirst() {
      let words = line.split(separator: " ").map(String.init)
      if words.count == 2, words[0] == "next", let number = Int(words[1]) {
        next = number
      } else if words.count >= 3, words[0] == "segment", words[2] == "removed", !words[1].contains("/") {
        entries.append(
          Entry(name: words[1], removed: Set(words.dropFirst(3).compactMap { Int($0) }.filter { $0 >= 0 })))
      } else {
        throw .damaged(path: path, detail: "line \(line)")
      }
    }
  }

  private static func checksumLine(_ lines: [String]) -> String {
    "checksum \(ContentID(hashing: Array(lines.joined(separator: "\n").utf8)))"
  }

  var text: String {
    var lines = ["nocturne catalog \(Self.version)", "next \(next)"]
    for entry in entries {
      lines.append(
        (["segment", entry.name, "removed"] + entry.removed.sorted().map(String.init)).joined(separator: " "))
    }
    lines.append(Self.checksumLine(lines))
    return lines.joined(separator: "\n") + "\n"
  }

  func write(in directory: FilePath) throws(CatalogError) {
    let path = directory.appending(Self.name)
    try CatalogFile.replace(path) { (file) throws(CatalogError) in
      do { _ = try file.writeAll(text.utf8) } catch { throw .unwritable(path: path.string, reason: "\(error)") }
    }
  }
}
