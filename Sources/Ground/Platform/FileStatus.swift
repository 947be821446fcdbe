internal import Glibc
public import SystemPackage

/// Identifies a file or folder on this machine by device and inode, independent of its name.
public struct FileKey: Hashable, Sendable {
  public var device: UInt64
  public var inode: UInt64

  public init(device: UInt64, inode: UInt64) {
    self.device = device
    self.inode = inode
  }

  /// `false` on network and FUSE file systems that have no inode numbers and always report 0.
  public var isTrustworthy: Bool { inode != 0 }
}

/// The result of `lstat`, `stat` or `fstat`, and the source of all file times.
public struct FileStatus: Sendable {
  public enum Kind: Sendable {
    case regular, folder, link, fifo, socket, device, unknown
  }

  public var key: FileKey
  public var kind: Kind
  /// Size in bytes.
  public var size: Int64
  /// Time of the last change of the content (`st_mtim`), or the time that a program set.
  public var modified: Timestamp
  /// Time of the last change of content, name, owner or mode (`st_ctim`), which only the kernel sets.
  public var statusChanged: Timestamp
  /// Number of names (hard links).
  public var linkCount: Int
  /// The lower nine bits of the mode: read, write and execute for owner, group and others.
  public var permissions: UInt32
  /// Number of bytes on the disk. It can be less than `size` if the file has holes.
  public var allocatedSize: Int64
  public var ownerID: UInt32

  public init(at path: FilePath, followingLinks: Bool) throws(Errno) {
    let result = path.withPlatformString { path in
      Result { () throws(Errno) in try unsafe FileStatus(at: path, followingLinks: followingLinks) }
    }
    self = try result.get()
  }

  public init(at path: UnsafePointer<CChar>, followingLinks: Bool) throws(Errno) {
    var status = stat()
    let result = unsafe fstatat(AT_FDCWD, path, &status, followingLinks ? 0 : AT_SYMLINK_NOFOLLOW)
    guard result == 0 else { throw Errno(rawValue: errno) }
    self.init(status)
  }

  public init(of descriptor: FileDescriptor) throws(Errno) {
    var status = stat()
    guard unsafe fstat(descriptor.rawValue, &status) == 0 else { throw Errno(rawValue: errno) }
    self.init(status)
  }

  private init(_ status: stat) {
    key = FileKey(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .folder
      case S_IFLNK: .link
      case S_IFIFO: .fifo
      case S_IFSOCK: .socket
      case S_IFCHR, S_IFBLK: .device
      default: .unknown
      }
    size = Int64(status.st_size)
    modified = Timestamp(status.st_mtim)
    statusChanged = Timestamp(status.st_ctim)
    linkCount = Int(status.st_nlink)
    permissions = UInt32(status.st_mode) & 0o777
    // These blocks have 512 bytes, regardless of the file system's block size.
    allocatedSize = Int64(status.st_blocks) * 512
    ownerID = UInt32(status.st_uid)
  }
}

extension Timestamp {
  fileprivate init(_ time: timespec) {
    self.init(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
  }
}
