internal import Glibc
internal import SystemPackage

/// Identifies a file or folder on this machine by device and inode, independent of its name.
struct FileKey: Hashable {
  var device: UInt64
  var inode: UInt64

  /// Some network and FUSE file systems have no inode numbers and say 0 for everything.
  var isTrustworthy: Bool { inode != 0 }
}

/// The result of `lstat` or `stat`.
struct FileStatus {
  enum Kind {
    case regular, folder, link, fifo, socket, device, unknown
  }

  var key: FileKey
  var kind: Kind
  var size: Int64
  var mtimeNanoseconds: Int64
  var ctimeNanoseconds: Int64
  var linkCount: Int

  init(at path: FilePath, followingLinks: Bool) throws(Errno) {
    let result = path.withPlatformString { path in
      Result { () throws(Errno) in try unsafe FileStatus(at: path, followingLinks: followingLinks) }
    }
    self = try result.get()
  }

  init(at path: UnsafePointer<CChar>, followingLinks: Bool) throws(Errno) {
    var status = stat()
    let result = unsafe fstatat(AT_FDCWD, path, &status, followingLinks ? 0 : AT_SYMLINK_NOFOLLOW)
    guard result == 0 else { throw Errno(rawValue: errno) }
    self.init(status)
  }

  init(of descriptor: Int32) throws(Errno) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw Errno(rawValue: errno) }
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
    mtimeNanoseconds = Self.nanoseconds(status.st_mtim)
    ctimeNanoseconds = Self.nanoseconds(status.st_ctim)
    linkCount = Int(status.st_nlink)
  }

  /// Times outside 1677 to 2262, which only broken file systems report, are clamped.
  private static func nanoseconds(_ time: timespec) -> Int64 {
    let (seconds, overflow) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, carry) = seconds.addingReportingOverflow(Int64(time.tv_nsec))
    return overflow || carry ? (time.tv_sec < 0 ? .min : .max) : sum
  }
}
