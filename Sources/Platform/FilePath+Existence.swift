internal import Glibc
public import SystemPackage

extension FilePath {
  /// Whether there is something of this name, be it a link that leads nowhere.
  public var isThere: Bool {
    var status = Glibc.stat()
    return withPlatformString { unsafe lstat($0, &status) } == 0
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
