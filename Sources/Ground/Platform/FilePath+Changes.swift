internal import Glibc
public import SystemPackage

extension FilePath {
  /// Renames a file within its file system, replacing any file that has the new name.
  public func rename(to other: FilePath) throws(Errno) {
    let result = withPlatformString { old in other.withPlatformString { new in unsafe Glibc.rename(old, new) } }
    guard result == 0 else { throw .current }
  }

  /// Removes a file's name, or a link; fails for a folder.
  public func unlink() throws(Errno) {
    guard withPlatformString({ unsafe Glibc.unlink($0) }) == 0 else { throw .current }
  }
}
