internal import Analysis
internal import Platform

/// Comparison of a scanned file with its stored state, as far as `lstat` can tell. Device and inode do not count: many
/// network and FUSE file systems assign new ones on each mount.
enum FileChange: Hashable {
  /// Unchanged.
  case none
  /// Size and modification time are unchanged, but another sign says that the content may not be. Only a cheap check of
  /// the content is due.
  case touched
  /// Size or modification time differs.
  case changed

  /// Stored state of a file.
  struct Known {
    var sizeBytes: Int64?
    /// Nanoseconds since 1970, like all times here.
    var modified: Int64?
    /// `nil` if unknown.
    var statusChanged: Int64?
    /// Time at which a scan first saw this size and these times; `nil` if unknown.
    var looked: Int64?
  }

  /// Compares an object by size and entity tag (`FileStamp.inode`); without both tags, by size and time, which some
  /// responses truncate to seconds.
  /// - Parameter inode: Number of the known tag.
  static func betweenObjects(_ known: Known, inode: Int64?, and found: FileStamp) -> FileChange {
    guard let size = known.sizeBytes, size == found.sizeBytes else { return .changed }
    if let inode, inode != 0, found.inode != 0 { return inode == Int64(bitPattern: found.inode) ? .none : .changed }
    guard let modified = known.modified else { return .changed }
    return Timestamp(nanoseconds: modified).seconds == found.modified.seconds ? .none : .changed
  }

  static func between(_ known: Known, and found: FileStamp) -> FileChange {
    guard let size = known.sizeBytes, let modified = known.modified, size == found.sizeBytes else { return .changed }
    let foundModified = found.modified.nanoseconds
    if modified != foundModified {
      // FAT stores local time: daylight saving time shifts all its times by an hour.
      if distance(modified, foundModified) == hour { return .touched }
      // Same time in another precision: some file systems lose the fraction on remount, and some servers never send it.
      // Applies only if the status time agrees.
      guard let statusChanged = known.statusChanged, let foundStatusChanged = found.statusChanged?.nanoseconds,
        isSame(modified, foundModified), isSame(statusChanged, foundStatusChanged)
      else { return .changed }
    } else if let statusChanged = known.statusChanged, let foundStatusChanged = found.statusChanged?.nanoseconds,
      !isSame(statusChanged, foundStatusChanged)
    {
      // Either the file was written and its old time restored (cp -p, rsync -t, tag editors), or it was made read-only,
      // renamed or restored from a backup.
      return .touched
    }
    return isRacy(known) ? .touched : .none
  }

  private static let second: Int64 = 1_000_000_000
  private static let hour = 3600 * second

  /// True if a change after the scan could have left the same times: FAT's resolution is two seconds, and the finest is
  /// that of the kernel's clock ticks (10 ms at most).
  private static func isRacy(_ known: Known) -> Bool {
    guard let looked = known.looked else { return false }
    return isRacy(known.modified, looked) || isRacy(known.statusChanged, looked)
  }

  private static func isRacy(_ time: Int64?, _ looked: Int64) -> Bool {
    guard let time else { return false }
    let precision = time % second == 0 ? 2 * second : 10_000_000
    let age = difference(looked, time)
    // Times far in the future come from wrong clocks: nothing will be written at them.
    return age < precision && age > -24 * hour
  }

  /// True if one time is the other, truncated to a precision of file systems and protocols: 100 ns (NTFS, SMB), 1 µs,
  /// 1 ms, 10 ms (exFAT), 1 s (HFS+, ext3, many FUSE programs), 2 s (FAT).
  private static func isSame(_ a: Int64, _ b: Int64) -> Bool {
    let (earlier, later) = (min(a, b), max(a, b))
    return [1, 100, 1_000, 1_000_000, 10_000_000, second, 2 * second].contains { unit in
      earlier % unit == 0 && distance(earlier, later) < unit
    }
  }

  private static func distance(_ a: Int64, _ b: Int64) -> Int64 { difference(max(a, b), min(a, b)) }

  /// Saturates on overflow; only broken file systems report times that far apart.
  private static func difference(_ a: Int64, _ b: Int64) -> Int64 {
    let (difference, overflow) = a.subtractingReportingOverflow(b)
    return overflow ? (a < b ? .min : .max) : difference
  }
}
