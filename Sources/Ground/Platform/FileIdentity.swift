public import SystemPackage

/// The identity of a file: tells whether a name still means the file that was opened, and whether that file has
/// changed.
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

  /// The identity of the file that the path leads to; `nil` if there is none, or it may not be seen.
  public init?(_ path: FilePath) {
    guard let status = try? FileStatus(at: path, followingLinks: true) else { return nil }
    self.init(status)
  }

  public init?(_ descriptor: FileDescriptor) {
    guard let status = try? FileStatus(of: descriptor) else { return nil }
    self.init(status)
  }

  public init(_ status: FileStatus) {
    device = status.key.device
    inode = status.key.inode
    size = status.size
    modified = status.modified
    changed = status.statusChanged
    isRegularFile = status.kind == .regular
    permissions = status.permissions
  }
}
