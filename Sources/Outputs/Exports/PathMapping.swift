internal import Platform
internal import SystemPackage

/// Maps paths to the location of the library on another computer, where a program reads the export: `--option
/// from=/srv/music --option to=/Volumes/Music`, or `to=D:/Music`.
struct PathMapping {
  static let options = ["from", "to"]

  private let from: [UInt8]
  private let to: [UInt8]

  /// - Throws: `ExportError.badOption` if only one of the two options is given, or `from` is not absolute.
  init(_ options: [String: String]) throws(ExportError) {
    let from = options["from"] ?? ""
    let to = options["to"] ?? ""
    guard from.isEmpty == to.isEmpty else {
      throw .badOption(from.isEmpty ? "from" : "to", value: "", expected: "a folder: from and to go together")
    }
    guard from.isEmpty || from.hasPrefix("/") else {
      throw .badOption("from", value: from, expected: "an absolute path")
    }
    self.from = Self.withoutSlash(from)
    self.to = Self.withoutSlash(to.replacing("\\", with: "/"))
  }

  private static func withoutSlash(_ path: String) -> [UInt8] {
    var bytes = Array(path.utf8)
    while bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
    return bytes
  }

  /// Returns the mapped path, with slashes. Paths outside the folder `from` stay unchanged.
  func path(_ path: FilePath) -> [UInt8] {
    let bytes = path.withBytes { Array($0) }
    guard !to.isEmpty, bytes.starts(with: from), bytes.dropFirst(from.count).first == UInt8(ascii: "/") else {
      return bytes
    }
    return to + bytes.dropFirst(from.count)
  }
}
