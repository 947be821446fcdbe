#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A point in time as file systems store it: nanoseconds since 1970-01-01T00:00:00Z, without leap seconds. The range is
/// 1677 to 2262; later times, which some file systems support (ext4 to 2446, XFS to 2486), become the last
/// representable time.
public struct Timestamp: Hashable, Comparable, Sendable {
  public var nanoseconds: Int64

  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// Creates the representable time nearest to the given seconds since 1970 plus nanoseconds.
  public init(seconds: Int64, nanoseconds: Int64) {
    let (whole, isTooFar) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isTooLarge) = whole.addingReportingOverflow(nanoseconds)
    self.init(nanoseconds: isTooFar || isTooLarge ? (seconds < 0 ? .min : .max) : sum)
  }

  public static var now: Timestamp {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
  }

  public static func < (a: Timestamp, b: Timestamp) -> Bool { a.nanoseconds < b.nanoseconds }
}

extension Timestamp: CustomStringConvertible {
  /// The time in RFC 3339 and UTC, truncated to whole seconds: `2026-11-21T04:15:04Z`.
  public var description: String {
    let (days, second) = seconds.quotientAndRemainderFlooring(dividingBy: 86_400)
    let (year, month, day) = Self.civilDate(daysSinceEpoch: days)
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
      + "T\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))Z"
  }

  /// Whole seconds since 1970, rounded down.
  public var seconds: Int64 { nanoseconds.quotientAndRemainderFlooring(dividingBy: 1_000_000_000).quotient }

  private func padded(_ value: Int64, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }

  /// Returns the date in the proleptic Gregorian calendar. Years start on March 1, so the leap day comes last. 400
  /// years have 146,097 days.
  private static func civilDate(daysSinceEpoch days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let daysFrom0000March = days + 719_468
    let (era, dayOfEra) = daysFrom0000March.quotientAndRemainderFlooring(dividingBy: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    // From March on, every five months have 153 days.
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, day)
  }
}

extension Int64 {
  fileprivate func quotientAndRemainderFlooring(dividingBy divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
