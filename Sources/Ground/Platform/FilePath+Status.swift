internal import Glibc
public import SystemPackage

extension FilePath {
  /// Whether there is something of this name, be it a link that leads nowhere.
  public var exists: Bool { (try? FileStatus(at: self, followingLinks: false)) != nil }

  /// The kind of the file that this leads to, through links; `nil` if there is none, or it cannot be seen.
  public var fileKind: FileStatus.Kind? { try? FileStatus(at: self, followingLinks: true).kind }

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

  public enum Access: Sendable { case read, write, run }

  /// Whether this process may do so with what the path leads to.
  public func allows(_ access: Access) -> Bool {
    let mode =
      switch access {
      case .read: R_OK
      case .write: W_OK
      case .run: X_OK
      }
    return withPlatformString { unsafe Glibc.access($0, mode) } == 0
  }
}
