public import SystemPackage

/// The identity and state of a file. They show whether a name still refers to the file that was opened, and whether
/// that file has changed.
public struct FileIdentity: Hashable, Sendable {
  public var device: UInt64
  public var inode: UInt64
  public var size: Int64
  /// Time of the last change of the content.
  public var modified: Timestamp
  /// Time of the last change of the content or the inode.
  public var changed: Timestamp
  public var isRegularFile: Bool
  /// The lower nine bits of the mode: read, write and execute for owner, group and others.
  public var permissions: UInt32

  /// Reads the identity, following links. The result is `nil` if there is no file, or if it is not accessible.
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
