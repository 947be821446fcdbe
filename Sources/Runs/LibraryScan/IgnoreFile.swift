internal import Platform
internal import SystemPackage

/// The patterns of one `.nocturneignore` file, and the folder to which they are relative.
struct IgnoreFile {
  static let name = ".nocturneignore"
  /// Maximum size in bytes. A larger file cannot be an ignore file, so it is not read.
  static let sizeLimit = 1 << 20

  /// Length of the folder's path in bytes, including the slash at its end. Patterns match the rest of a path.
  var baseLength: Int
  var patterns: [IgnorePattern]

  init(baseLength: Int, content: [UInt8]) {
    self.baseLength = baseLength
    patterns = content.split(separator: UInt8(ascii: "\n")).compactMap(IgnorePattern.init(line:))
  }

  /// Reads the file; `nil` if it does not exist.
  init?(at path: FilePath, baseLength: Int) throws(Errno) {
    do {
      self.init(baseLength: baseLength, content: try SmallFile.read(path, limit: Self.sizeLimit))
    } catch .noSuchFileOrDirectory {
      return nil
    }
  }

  /// Returns `true` if a path is ignored, `false` if a negated pattern includes it, and `nil` if no pattern matches.
  /// The last matching pattern decides.
  func verdict(on path: [UInt8], isFolder: Bool) -> Bool? {
    let relative = path[baseLength...]
    return patterns.last { $0.matches(relative, isFolder: isFolder) }.map { !$0.isNegated }
  }
}
