internal import Glibc
public import SystemPackage

/// What tells whether a name still means the file that was opened, and whether that file has changed.
public struct FileIdentity: Hashable, Sendable {
  public var device: UInt64
  public var inode: UInt64
  public var size: Int64
  /// When its content last changed.
  public var modified: Timestamp
  /// When its content or its rights last changed.
  public var changed: Timestamp
  public var isRegularFile: Bool
  /// The lower nine bits: read, write and execute for the owner, the group and others.
  public var permissions: UInt32

  /// Of what the path leads to; `nil` if there is nothing, or it may not be seen.
  public init?(_ path: FilePath) {
    var status = stat()
    guard unsafe path.withPlatformString({ unsafe stat($0, &status) }) == 0 else { return nil }
    self.init(status)
  }

  public init?(_ descriptor: FileDescriptor) {
    var status = stat()
    guard unsafe fstat(descriptor.rawValue, &status) == 0 else { return nil }
    self.init(status)
  }

  private init(_ status: stat) {
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    size = Int64(status.st_size)
    modified = Timestamp(status.st_mtim)
    changed = Timestamp(status.st_ctim)
    isRegularFile = status.st_mode & S_IFMT == S_IFREG
    permissions = UInt32(status.st_mode) & 0o777
  }
}

extension Timestamp {
  fileprivate init(_ time: timespec) {
    self.init(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }
}
