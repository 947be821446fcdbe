internal import Glibc
public import SystemPackage

extension FilePath {
  /// `true` if the name exists, even as a dangling link.
  public var exists: Bool { (try? FileStatus(at: self, followingLinks: false)) != nil }

  /// The kind of the file, after following links; `nil` if there is no file, or if it is not accessible.
  public var fileKind: FileStatus.Kind? { try? FileStatus(at: self, followingLinks: true).kind }

  /// Returns `true` only if the system reports that the name does not exist, not if a disk has errors or a server does
  /// not respond.
  public func isGone(followingLinks: Bool = false) -> Bool {
    do {
      _ = try FileStatus(at: self, followingLinks: followingLinks)
      return false
    } catch {
      return error == .noSuchFileOrDirectory || error == .notDirectory
    }
  }

  public enum Access: Sendable { case read, write, run }

  /// Returns `true` if this process has the given access to the path's target.
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
