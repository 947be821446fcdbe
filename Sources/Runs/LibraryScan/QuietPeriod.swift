internal import Platform

/// The period before now in which a changed file counts as still being written.
struct QuietPeriod {
  /// A time in the future comes from a wrong clock; it counts only if it is less than one period from now.
  private let times: ClosedRange<Timestamp>

  /// `nil` for a period of zero.
  init?(_ length: Duration, before now: Timestamp = .now) {
    guard length > .zero else { return nil }
    let length =
      Int64(min(length.components.seconds, 1_000_000_000)) * 1_000_000_000
      + length.components.attoseconds / 1_000_000_000
    times = Timestamp(nanoseconds: now.nanoseconds - length)...Timestamp(nanoseconds: now.nanoseconds + length)
  }

  /// Also checks the status change time, because copying programs reset the modification time before the copy is
  /// complete (SMB clients) or right after.
  func contains(_ status: FileStatus) -> Bool { contains(status.modified, status.statusChanged) }

  func contains(_ modified: Timestamp, _ statusChanged: Timestamp) -> Bool {
    times.contains(modified) || times.contains(statusChanged)
  }
}
