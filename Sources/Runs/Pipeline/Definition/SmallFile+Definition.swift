internal import Platform
internal import SystemPackage

extension SmallFile {
  /// Reads a configuration file or a pipe, of at most 1 MiB.
  static func definition(at path: FilePath) throws(Errno) -> [UInt8] {
    try read(path, limit: 1 << 20, isRegular: false)
  }
}
