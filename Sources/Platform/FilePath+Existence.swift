internal import Glibc
public import SystemPackage

extension FilePath {
  /// Whether there is something of this name, be it a link that leads nowhere.
  public var isThere: Bool {
    var status = Glibc.stat()
    return withPlatformString { unsafe lstat($0, &status) } == 0
  }

  /// Whether the system says that nothing has this name. It does not say so of a disk that reports errors, or a server
  /// that does not answer.
  public func isGone(followingLinks: Bool = false) -> Bool {
    do {
      _ = try FileStatus(at: self, followingLinks: followingLinks)
      return false
    } catch {
      return error == .noSuchFileOrDirectory || error == .notDirectory
    }
  }

  /// The absolute path without symbolic links, `.` and `..` of something that is there.
  public func resolved() throws(Errno) -> FilePath {
    guard let real = withPlatformString({ unsafe realpath($0, nil) }) else { throw Errno(rawValue: errno) }
    defer { unsafe free(real) }
    return unsafe FilePath(platformString: real)
  }

  public enum Access: Sendable { case write, run }

  /// Whether this process may do so with what the path leads to.
  public func allows(_ access: Access) -> Bool {
    withPlatformString { unsafe Glibc.access($0, access == .write ? W_OK : X_OK) } == 0
  }
}
