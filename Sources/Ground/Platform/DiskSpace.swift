internal import Glibc
public import SystemPackage

/// The free space of a file system, and whether it is read-only.
public struct DiskSpace: Hashable, Sendable {
  /// Number of bytes that this user may still write.
  public var free: Int
  public var isReadOnly: Bool

  /// - Parameter path: Any file or folder on the file system.
  /// - Returns: `nil` if the system does not report it.
  public init?(holding path: FilePath) {
    var status = statvfs()
    guard path.withPlatformString({ unsafe statvfs($0, &status) }) == 0 else { return nil }
    free = Int(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
    isReadOnly = Int(status.f_flag) & Int(ST_RDONLY) != 0
  }
}
