public import Platform
public import SystemPackage

/// A file or remote object found by a scan, described only by `lstat` or by its entry in a listing.
public struct FileStamp: Hashable, Sendable {
  /// Absolute path, or name of an object. The bytes of the path are the key of a file.
  public var path: FilePath
  /// Device number; 0 for an object.
  public var device: UInt64
  /// Inode number. For an object, a number derived from its entity tag; 0 if it has none.
  public var inode: UInt64
  public var sizeBytes: Int64
  /// Last change of the content (`st_mtim`), or the time a program has set.
  public var modified: Timestamp
  /// Last change of content, name, owner or mode (`st_ctim`), which only the kernel sets; `nil` if unreliable.
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

/// A file or folder that a scan skipped.
public struct SkippedFile: Hashable, Sendable {
  /// Absolute path.
  public var path: FilePath
  /// The reason, as a word in snake_case that is never renamed.
  public var code: String
  /// One sentence, without the file's name.
  public var message: String
  /// `true` if the file should have been read but could not be; it counts as failed.
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

/// The reason a file is waiting for analysis, in the order in which waiting files are analyzed.
public enum PendingReason: Int, Hashable, Sendable, CaseIterable {
  case new = 1
  /// Size or modification time differs from that of the last analysis.
  case changed = 2
  /// A wanted analyzer has not run, or ran in another version or configuration; or the run was asked to repeat
  /// everything.
  case outdated = 3
  /// The file failed before and should be retried: on request, because decoding has improved, or because the system,
  /// not the file, caused the failure (`DecodeError.Code.isTransient`).
  case retry = 4
  /// Size and modification time are unchanged, but another sign suggests that the content may have changed
  /// (`FileChange`). The audio is hashed and the tags are read; the file is analyzed only if the audio differs.
  case touched = 5
}

/// The store's verdict on a scanned file.
public enum ScanVerdict: Hashable, Sendable {
  /// Unchanged, with all wanted analyses known.
  case cached
  /// Unchanged, and known to fail.
  case knownFailure
  case pending(PendingReason)
}
