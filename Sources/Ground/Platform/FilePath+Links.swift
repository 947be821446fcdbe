internal import Glibc
public import SystemPackage

extension FilePath {
  /// The target of a symbolic link, which may be relative to the link's folder; `nil` for anything else.
  public var linkTarget: FilePath? {
    var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = withPlatformString { path in
      bytes.withUnsafeMutableBytes { unsafe readlink(path, $0.baseAddress!, $0.count) }
    }
    return count > 0 ? FilePath(bytes: bytes[..<count]) : nil
  }

  /// Returns the absolute path without symbolic links, `.` and `..`. The path must exist; an empty path is the current
  /// folder.
  public func resolved() throws(Errno) -> FilePath {
    guard let real = (isEmpty ? "." : self).withPlatformString({ unsafe realpath($0, nil) }) else {
      throw Errno(rawValue: errno)
    }
    defer { unsafe free(real) }
    return unsafe FilePath(platformString: real)
  }

  /// Returns `true` if both paths lead to the same existing file.
  public func isSameFile(as other: FilePath) -> Bool {
    guard let own = try? FileStatus(at: self, followingLinks: true).key,
      let others = try? FileStatus(at: other, followingLinks: true).key, own == others
    else { return false }
    return own.isTrustworthy || (try? resolved()) == (try? other.resolved())
  }
}
