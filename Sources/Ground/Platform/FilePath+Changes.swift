internal import Glibc
public import SystemPackage

extension FilePath {
  /// Gives a file another name in the same file system; a file of that name is replaced.
  public func rename(to other: FilePath) throws(Errno) {
    let result = withPlatformString { old in other.withPlatformString { new in unsafe Glibc.rename(old, new) } }
    guard result == 0 else { throw .current }
  }

  /// Removes a name of a file or a link; folders are refused.
  public func unlink() throws(Errno) {
    guard withPlatformString({ unsafe Glibc.unlink($0) }) == 0 else { throw .current }
  }
}
