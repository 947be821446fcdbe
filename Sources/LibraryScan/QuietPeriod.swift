internal import Glibc

/// A time in which files that are changed are taken for files that are still being written.
struct QuietPeriod {
  /// In ns since 1970. Times in the future belong to wrong clocks: they are taken for no longer than the period.
  private let times: ClosedRange<Int64>

  /// `nil` for no time at all.
  init?(_ length: Duration, before now: Int64 = Self.now) {
    guard length > .zero else { return nil }
    let length =
      Int64(min(length.components.seconds, 1_000_000_000)) * 1_000_000_000
      + length.components.attoseconds / 1_000_000_000
    times = (now - length)...(now + length)
  }

  /// Programs that copy set the time of modification back before the copy is complete (SMB clients) or right after; the time
  /// of the last change of status tells.
  func contains(_ status: FileStatus) -> Bool { contains(status.mtimeNanoseconds, status.ctimeNanoseconds) }

  func contains(_ modified: Int64, _ statusChanged: Int64) -> Bool {
    times.contains(modified) || times.contains(statusChanged)
  }

  private static var now: Int64 {
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
  }
}
