internal import Analysis
internal import Platform

/// How a file that a scan meets compares with what is known of it, as far as `lstat` can tell. Device and inode do not count:
/// many network and FUSE file systems give others each time they are mounted.
enum FileChange: Hashable {
  /// The very same.
  case none
  /// Size and modification time say that it is the same, and something else that it may not be. A look at its content is
  /// due, which costs little; nothing else is.
  case touched
  /// Another size or modification time.
  case changed

  /// The stored state of a file.
  struct Known {
    var sizeBytes: Int64?
    /// In nanoseconds since 1970, as all times here.
    var modified: Int64?
    /// `nil` if it is not known.
    var statusChanged: Int64?
    /// When a scan first met this size and these times; `nil` if it is not known.
    var looked: Int64?
  }

  /// An object compares by its size and entity tag (`FileStamp.inode`); without both tags, by its size and time, which
  /// some answers cut to seconds.
  /// - Parameter inode: The number of the known tag.
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
      // FAT keeps local time: with daylight saving all its times move by an hour.
      if distance(modified, foundModified) == hour { return .touched }
      // The same time in another precision: some file systems forget the fraction once they are mounted again, and some
      // servers never tell it. Only if there is nothing else.
      guard let statusChanged = known.statusChanged, let foundStatusChanged = found.statusChanged?.nanoseconds,
        isSame(modified, foundModified), isSame(statusChanged, foundStatusChanged)
      else { return .changed }
    } else if let statusChanged = known.statusChanged, let foundStatusChanged = found.statusChanged?.nanoseconds,
      !isSame(statusChanged, foundStatusChanged)
    {
      // A file that was written with the old time set again (cp -p, rsync -t, tag editors), and also one that was made
      // read-only, given another name or restored from a backup.
      return .touched
    }
    return isRacy(known) ? .touched : .none
  }

  private static let second: Int64 = 1_000_000_000
  private static let hour = 3600 * second

  /// Whether a change after the look could have left the very same times: those of FAT have two seconds, and the finest are
  /// as coarse as the ticks of the kernel's clock (10 ms at most).
  private static func isRacy(_ known: Known) -> Bool {
    guard let looked = known.looked else { return false }
    return isRacy(known.modified, looked) || isRacy(known.statusChanged, looked)
  }

  private static func isRacy(_ time: Int64?, _ looked: Int64) -> Bool {
    guard let time else { return false }
    let precision = time % second == 0 ? 2 * second : 10_000_000
    let age = difference(looked, time)
    // Times far ahead belong to wrong clocks: nothing will ever be written at them.
    return age < precision && age > -24 * hour
  }

  /// Whether one of two times is the other, cut to a precision in which file systems and protocols keep them: 100 ns (NTFS,
  /// SMB), 1 µs, 1 ms, 10 ms (exFAT), 1 s (HFS+, ext3, many FUSE programs), 2 s (FAT).
  private static func isSame(_ a: Int64, _ b: Int64) -> Bool {
    let (earlier, later) = (min(a, b), max(a, b))
    return [1, 100, 1_000, 1_000_000, 10_000_000, second, 2 * second].contains { unit in
      earlier % unit == 0 && distance(earlier, later) < unit
    }
  }

  private static func distance(_ a: Int64, _ b: Int64) -> Int64 { difference(max(a, b), min(a, b)) }

  /// Without overflow: only broken file systems give times so far apart.
  private static func difference(_ a: Int64, _ b: Int64) -> Int64 {
    let (difference, overflow) = a.subtractingReportingOverflow(b)
    return overflow ? (a < b ? .min : .max) : difference
  }
}
