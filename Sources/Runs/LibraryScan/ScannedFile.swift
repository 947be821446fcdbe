public import Platform
public import SystemPackage

/// A regular file that may contain audio, with its `lstat` (or `stat`, if a link was followed). It has not been opened.
public struct ScannedFile: Hashable, Sendable {
  /// The absolute path by which the walk reached the file, including any links that were followed.
  public var path: FilePath
  public var device: UInt64
  public var inode: UInt64
  /// Size in bytes.
  public var size: Int64
  /// The time of the last change of the content (`st_mtim`). File systems store it with a precision of 1 ns to 2 s, and
  /// copying programs reset it on purpose.
  public var modified: Timestamp
  /// The time of the last change of content, name, owner or mode (`st_ctim`). Only the kernel sets it.
  public var statusChanged: Timestamp
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
  /// Reads the status of a file without opening it. Links are followed.
  ///
  /// - Parameter path: An absolute path.
  /// - Returns: `nil` if there is no regular file with this path.
  public init?(lookingAt path: FilePath) {
    guard let status = try? FileStatus(at: path, followingLinks: true), status.kind == .regular else { return nil }
    self.init(path: path, status: status)
  }

  /// Returns whether the content or status changed within this period before now. Times up to one period after now,
  /// from a clock that is ahead, count as well.
  public func hasChanged(within period: Duration) -> Bool {
    QuietPeriod(period)?.contains(modified, statusChanged) ?? false
  }

  /// The status of a file compared with its earlier status.
  public enum PresentStatus: Hashable, Sendable {
    /// The same bytes as before, as far as `stat` can tell.
    case unchanged
    /// The content or status has changed.
    case changed
    /// Another file now has the name, or the file system reports another inode.
    case replaced
    /// There is no longer a regular file with this name.
    case vanished
  }

  /// Compares the file with its current status. After reading a file, use this to detect that it has changed in the
  /// meantime, in which case the results are worthless.
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

/// The device of a folder, and whether the folder is empty. These facts distinguish a folder from the mount point of a
/// disk that is not mounted.
public struct FolderStatus: Hashable, Sendable {
  public var device: UInt64
  /// `true` if all names in the folder start with a dot.
  public var isEmpty: Bool

  /// - Returns: `nil` if the folder does not exist or cannot be read.
  public init?(at path: FilePath) {
    guard let listing = try? FolderListing(of: path) else { return nil }
    device = listing.key.device
    isEmpty = listing.entries.allSatisfy { listing.name($0).first == UInt8(ascii: ".") }
  }
}
