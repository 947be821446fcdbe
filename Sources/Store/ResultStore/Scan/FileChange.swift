internal import Analysis
internal import Platform

/// The result of comparing a scanned file with its stored state, as far as `lstat` can tell. Device and inode do not
/// count: many network and FUSE file systems assign new ones on each mount.
enum FileChange: Hashable {
  case none
  /// Size and modification time are unchanged, but another sign suggests that the content may have changed; or the time
  /// has shifted by exactly one hour. Only a cheap check of the content is due.
  case touched
  /// Size or modification time differs in any other way.
  case changed

  struct Known {
    var sizeBytes: Int64?
    /// In nanoseconds since 1970, like all times in this type.
    var modified: Int64?
    /// `nil` if unknown.
    var statusChanged: Int64?
    /// Time at which a scan first saw this size and these times; `nil` if unknown.
    var looked: Int64?
  }

  /// Compares an object by size and entity tag (`FileStamp.inode`). Unless both have a tag, compares it by size and
  /// time, which some responses truncate to seconds.
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
      // FAT stores local time, so a change to or from daylight saving time shifts all its times by an hour.
      if distance(modified, foundModified) == hour { return .touched }
      // The same time at another precision: some file systems lose the fraction on remount, and some servers never send
      // it. This applies only if the status time agrees.
      guard let statusChanged = known.statusChanged, let foundStatusChanged = found.statusChanged?.nanoseconds,
        isSame(modified, foundModified), isSame(statusChanged, foundStatusChanged)
      else { return .changed }
    } else if let statusChanged = known.statusChanged, let foundStatusChanged = found.statusChanged?.nanoseconds,
      !isSame(statusChanged, foundStatusChanged)
    {
      // Either the file was written and its old time restored (cp -p, rsync -t, tag editors), or the file was made
      // read-only, renamed or restored from a backup.
      return .touched
    }
    return isRacy(known) ? .touched : .none
  }

  private static let second: Int64 = 1_000_000_000
  private static let hour = 3600 * second

  /// `true` if a change after the scan could have left the same times: FAT has a resolution of two seconds, and even
  /// the finest resolution is only that of the kernel's clock ticks (10 ms at most).
  private static func isRacy(_ known: Known) -> Bool {
    guard let looked = known.looked else { return false }
    return isRacy(known.modified, looked) || isRacy(known.statusChanged, looked)
  }

  private static func isRacy(_ time: Int64?, _ looked: Int64) -> Bool {
    guard let time else { return false }
    let precision = time % second == 0 ? 2 * second : 10_000_000
    let age = difference(looked, time)
    // Times far in the future come from wrong clocks; later changes will not get the same times.
    return age < precision && age > -24 * hour
  }

  /// `true` if one of the times is the other one truncated to a precision that file systems and protocols use: 100 ns
  /// (NTFS, SMB), 1 µs, 1 ms, 10 ms (exFAT), 1 s (HFS+, ext3, many FUSE programs), 2 s (FAT).
  private static func isSame(_ a: Int64, _ b: Int64) -> Bool {
    let (earlier, later) = (min(a, b), max(a, b))
    return [1, 100, 1_000, 1_000_000, 10_000_000, second, 2 * second].contains { unit in
      earlier % unit == 0 && distance(earlier, later) < unit
    }
  }

  private static func distance(_ a: Int64, _ b: Int64) -> Int64 { difference(max(a, b), min(a, b)) }

  /// Returns the difference, saturating on overflow; only broken file systems report times that far apart.
  private static func difference(_ a: Int64, _ b: Int64) -> Int64 {
    let (difference, overflow) = a.subtractingReportingOverflow(b)
    return overflow ? (a < b ? .min : .max) : difference
  }
}
