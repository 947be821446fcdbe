extension Timestamp {
  /// Parses a time in RFC 3339 with any offset, such as `2026-11-21T04:15:04Z` or `2026-11-21T05:15:04.25+01:00`.
  /// Returns `nil` for any other text.
  public init?(rfc3339 text: String) {
    // A regular expression would be compiled on each call and take a hundred times as long.
    var reader = Reader(rest: text.utf8[...])
    guard let year = reader.number(4), reader.take("-") != nil, let month = reader.number(2), reader.take("-") != nil,
      let day = reader.number(2), reader.take("Tt ") != nil, let hour = reader.number(2), reader.take(":") != nil,
      let minute = reader.number(2), reader.take(":") != nil, let second = reader.number(2),
      (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second <= 60,
      let fraction = reader.nanoseconds(), let offset = reader.offset(), reader.rest.isEmpty
    else { return nil }
    let seconds = Self.daysSinceEpoch(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset
    let (whole, isTooFar) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !isTooFar else { return nil }
    let (nanoseconds, isTooLarge) = whole.addingReportingOverflow(fraction)
    guard !isTooLarge else { return nil }
    self.init(nanoseconds: nanoseconds)
  }

  private struct Reader {
    var rest: Substring.UTF8View

    /// Consumes the next character and returns it if it is one of `characters`; otherwise returns `nil`.
    mutating func take(_ characters: StaticString) -> UInt8? {
      guard let first = rest.first, characters.withUTF8Buffer({ $0.contains(first) }) else { return nil }
      rest.removeFirst()
      return first
    }

    mutating func number(_ digitCount: Int) -> Int64? {
      let digits = rest.prefix(digitCount)
      guard digits.count == digitCount, digits.allSatisfy(Self.isDigit) else { return nil }
      rest.removeFirst(digitCount)
      return digits.reduce(0) { 10 * $0 + Int64($1 - UInt8(ascii: "0")) }
    }

    /// Parses the digits after a decimal point, truncated to nine. Returns 0 if there is no decimal point, `nil` if no
    /// digits follow it.
    mutating func nanoseconds() -> Int64? {
      guard take(".") != nil else { return 0 }
      let digits = rest.prefix(while: Self.isDigit)
      guard !digits.isEmpty else { return nil }
      rest.removeFirst(digits.count)
      let first = digits.prefix(9).map { Int64($0 - UInt8(ascii: "0")) }
      return (first + Array(repeating: 0, count: 9 - first.count)).reduce(0) { 10 * $0 + $1 }
    }

    /// Parses the offset and returns it in seconds east of UTC; `nil` if it is malformed.
    mutating func offset() -> Int64? {
      if take("Zz") != nil { return 0 }
      guard let sign = take("+-"), let hours = number(2), take(":") != nil, let minutes = number(2) else { return nil }
      return (sign == UInt8(ascii: "-") ? -1 : 1) * (hours * 3600 + minutes * 60)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
  }

  /// Returns the number of days since 1970 in the proleptic Gregorian calendar. It is the inverse of `civilDate`. Years
  /// start on March 1.
  private static func daysSinceEpoch(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let year = month <= 2 ? year - 1 : year
    let era = year / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}
