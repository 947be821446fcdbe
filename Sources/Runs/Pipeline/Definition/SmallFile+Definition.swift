internal import Platform
internal import SystemPackage

extension SmallFile {
  /// Reads a file that people write for this program, or one that comes through a pipe.
  static func definition(at path: FilePath) throws(Errno) -> [UInt8] {
    try read(path, limit: 1 << 20, isRegular: false)
  }
}
