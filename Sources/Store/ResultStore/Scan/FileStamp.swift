public import Platform
public import SystemPackage

/// A file as a scan finds it, from `lstat` alone.
public struct FileStamp: Hashable, Sendable {
  /// Absolute, or the name of an object; the key of a file is its path's bytes.
  public var path: FilePath
  /// 0 for an object.
  public var device: UInt64
  /// For an object, a number that stands for its entity tag; 0 if it has none.
  public var inode: UInt64
  public var sizeBytes: Int64
  /// Last change of the content (`st_mtim`), or what a program has set it to.
  public var modified: Timestamp
  /// Last change of content, name, owner or mode (`st_ctim`), which only the kernel sets; `nil` if it is not to be relied on.
  public var statusChanged: Timestamp?

  public init(
    path: FilePath, device: UInt64, inode: UInt64, sizeBytes: Int64, modified: Timestamp,
    statusChanged: Timestamp? = nil
  ) {
    self.path = path
    self.device = device
    self.inode = inode
    self.sizeBytes = sizeBytes
    self.modified = modified
    self.statusChanged = statusChanged
  }
}

/// A file or folder that a scan met and passed over.
public struct SkippedFile: Hashable, Sendable {
  /// Absolute.
  public var path: FilePath
  /// snake_case, never renamed.
  public var code: String
  /// One sentence, without the file's name.
  public var message: String
  /// True for what should have been read and could not be: it counts as failed.
  public var isFailure: Bool
  public var sizeBytes: Int64?
  public var modified: Timestamp?

  public init(
    path: FilePath, code: String, message: String, isFailure: Bool = false, sizeBytes: Int64? = nil,
    modified: Timestamp? = nil
  ) {
    self.path = path
    self.code = code
    self.message = message
    self.isFailure = isFailure
    self.sizeBytes = sizeBytes
    self.modified = modified
  }
}

/// Why a file waits for analysis, in the order in which waiting files are taken.
public enum PendingReason: Int, Hashable, Sendable, CaseIterable {
  /// Never analyzed.
  case new = 1
  /// Size or modification time is another than when it was analyzed.
  case changed = 2
  /// An analyzer that is wanted has not run, or in another version or configuration; or the run was told to do everything
  /// again.
  case outdated = 3
  /// Failed before and is to be tried again: on request, because decoding has got better, or because the system was to blame
  /// and not the file (`DecodeError.Code.isTransient`).
  case retry = 4
  /// Its size and modification time say that it is the same, and something else says that it may not be (`FileChange`): the
  /// audio is hashed and the tags are read; only if the audio is another is it analyzed.
  case touched = 5
}

/// The store's verdict on a scanned file.
public enum ScanVerdict: Hashable, Sendable {
  /// Unchanged, and everything wanted is known.
  case cached
  /// Unchanged, and known as failing.
  case knownFailure
  case pending(PendingReason)
}
