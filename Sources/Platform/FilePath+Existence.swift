internal import Glibc
public import SystemPackage

extension FilePath {
  /// Whether there is something of this name, be it a link that leads nowhere.
  public var isThere: Bool {
    var status = Glibc.stat()
    return withPlatformString { unsafe lstat($0, &status) } == 0
  }

  public enum Access: Sendable { case write, run }

  /// Whether this process may do so with what the path leads to.
  public func allows(_ access: Access) -> Bool {
    withPlatformString { unsafe Glibc.access($0, access == .write ? W_OK : X_OK) } == 0
  }
}
