internal import Glibc

/// The period before now in which a changed file counts as still being written.
struct QuietPeriod {
  /// In ns since 1970. A time in the future comes from a wrong clock and counts only within one period's length of now.
  private let times: ClosedRange<Int64>

  /// `nil` for a period of zero.
  init?(_ length: Duration, before now: Int64 = Self.now) {
    guard length > .zero else { return nil }
    let length =
      Int64(min(length.components.seconds, 1_000_000_000)) * 1_000_000_000
      + length.components.attoseconds / 1_000_000_000
    times = (now - length)...(now + length)
  }

  /// Also looks at the status change time: copying programs reset the modification time before the copy is complete
  /// (SMB clients) or right after.
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
