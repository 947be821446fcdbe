extension Timestamp {
  /// Reads RFC 3339 with any offset, as `2026-11-21T04:15:04Z` or `2026-11-21T05:15:04.25+01:00`; `nil` for anything else.
  public init?(rfc3339 text: String) {
    let form = /(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9})\d*)?(?:[Zz]|([+-])(\d\d):(\d\d))/
    guard let match = text.wholeMatch(of: form), let year = Int64(match.1), let month = Int64(match.2),
      let day = Int64(match.3), let hour = Int64(match.4), let minute = Int64(match.5), let second = Int64(match.6),
      (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second <= 60
    else { return nil }
    var seconds = Self.daysSinceEpoch(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second
    if let sign = match.8, let hours = match.9.flatMap({ Int64($0) }), let minutes = match.10.flatMap({ Int64($0) }) {
      seconds -= (sign == "-" ? -1 : 1) * (hours * 3600 + minutes * 60)
    }
    let fraction = match.7.map { $0 + String(repeating: "0", count: 9 - $0.count) }.flatMap { Int64($0) } ?? 0
    let (whole, isTooFar) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !isTooFar else { return nil }
    let (nanoseconds, isTooLarge) = whole.addingReportingOverflow(fraction)
    guard !isTooLarge else { return nil }
    self.init(nanoseconds: nanoseconds)
  }

  /// In the proleptic Gregorian calendar: the inverse of `civilDate`. Years start on 1 March.
  private static func daysSinceEpoch(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let year = month <= 2 ? year - 1 : year
    let era = year / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}
