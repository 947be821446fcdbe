internal import Platform

/// The period before the current time. A file that changed in this period counts as still being written.
struct QuietPeriod {
  /// The times within the period. Times in the future come from a wrong clock and count only if they are less than one
  /// period from now.
  private let times: ClosedRange<Timestamp>

  /// Returns `nil` for a period of zero.
  init?(_ length: Duration, before now: Timestamp = .now) {
    guard length > .zero else { return nil }
    let length =
      Int64(min(length.components.seconds, 1_000_000_000)) * 1_000_000_000
      + length.components.attoseconds / 1_000_000_000
    times = Timestamp(nanoseconds: now.nanoseconds - length)...Timestamp(nanoseconds: now.nanoseconds + length)
  }

  /// Returns whether the file changed within the period. The status change time counts as well, because copying
  /// programs reset the modification time before the copy is complete (SMB clients) or right afterwards.
  func contains(_ status: FileStatus) -> Bool { contains(status.modified, status.statusChanged) }

  func contains(_ modified: Timestamp, _ statusChanged: Timestamp) -> Bool {
    times.contains(modified) || times.contains(statusChanged)
  }
}
