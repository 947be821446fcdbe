public import Platform
public import SystemPackage

/// A regular file that may hold audio, as `lstat` (or, through a followed link, `stat`) saw it. It has not been opened.
public struct ScannedFile: Hashable, Sendable {
  /// Absolute, and as the walk reached it: a link that was followed stays in the path.
  public var path: FilePath
  public var device: UInt64
  public var inode: UInt64
  /// Bytes.
  public var size: Int64
  /// Last change of the content (`st_mtim`). File systems store it with a precision of 1 ns to 2 s, and copying programs
  /// reset it on purpose.
  public var modified: Timestamp
  /// Last change of content, name, owner or mode (`st_ctim`); only the kernel sets it.
  public var statusChanged: Timestamp
  /// Number of names this file has (hard links).
  public var linkCount: Int

  public init(
    path: FilePath, device: UInt64, inode: UInt64, size: Int64, modified: Timestamp, statusChanged: Timestamp,
    linkCount: Int
  ) {
    self.path = path
    self.device = device
    self.inode = inode
    self.size = size
    self.modified = modified
    self.statusChanged = statusChanged
    self.linkCount = linkCount
  }
}

extension ScannedFile {
  /// Looks at a file without opening it; links are followed.
  ///
  /// - Parameter path: Absolute.
  /// - Returns: `nil` if there is no regular file of this name.
  public init?(lookingAt path: FilePath) {
    guard let status = try? FileStatus(at: path, followingLinks: true), status.kind == .regular else { return nil }
    self.init(path: path, status: status)
  }

  /// Whether content or status changed within this time before now, or after now by a clock that is ahead.
  public func hasChanged(within period: Duration) -> Bool {
    QuietPeriod(period)?.contains(modified, statusChanged) ?? false
  }

  /// The status of a file compared with an earlier look.
  public enum PresentStatus: Hashable, Sendable {
    /// The same bytes as at the first look, as far as `stat` can tell.
    case unchanged
    /// Its content or its status was changed.
    case changed
    /// Another file has its name now, or the file system reports another inode.
    case replaced
    /// No regular file has this name any more.
    case vanished
  }

  /// Compares with the present file, for instance after it was read: results from a file that changed meanwhile are
  /// worthless.
  public func presentStatus() -> PresentStatus {
    guard let now = ScannedFile(lookingAt: path) else { return .vanished }
    if now == self { return .unchanged }
    return now.device == device && now.inode == inode ? .changed : .replaced
  }

  init(path: FilePath, status: FileStatus) {
    self.init(
      path: path, device: status.key.device, inode: status.key.inode, size: status.size,
      modified: status.modified, statusChanged: status.statusChanged, linkCount: status.linkCount)
  }
}

/// The state of a folder: tells a folder from the mount point of a disk that is not mounted.
public struct FolderStatus: Hashable, Sendable {
  public var device: UInt64
  /// It holds nothing, except names that start with a dot.
  public var isEmpty: Bool

  /// - Returns: `nil` if there is no such folder or it cannot be read.
  public init?(at path: FilePath) {
    guard let listing = try? FolderListing(of: path) else { return nil }
    device = listing.key.device
    isEmpty = listing.entries.allSatisfy { listing.name($0).first == UInt8(ascii: ".") }
  }
}
