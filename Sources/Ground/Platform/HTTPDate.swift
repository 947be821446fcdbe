internal import Glibc

/// HTTP dates in whole seconds (RFC 9110, section 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
public enum HTTPDate {
  private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// - Parameter seconds: Seconds since 1970. If the year is not in 1900 to 9999, 0 is used instead.
  public static func text(ofSeconds seconds: Int64) -> String {
    var time = time_t(seconds)
    var parts = tm()
    // Later years have more than four digits.
    guard unsafe gmtime_r(&time, &parts) != nil, 0...8099 ~= parts.tm_year + 0 else { return text(ofSeconds: 0) }
    func two(_ number: CInt) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let clock = "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
    let day = "\(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) \(parts.tm_year + 1900)"
    return "\(days[Int(parts.tm_wday)]), \(day) \(clock) GMT"
  }

  /// Parses the preferred form and returns seconds since 1970. Returns `nil` for any other text.
  public static func seconds(of text: String) -> Int64? {
    let words = text.split { $0 == " " || $0 == ":" || $0 == "," }
    guard words.count == 8, words[7] == "GMT", days.contains(String(words[0])),
      let month = months.firstIndex(of: String(words[2]))
    else { return nil }
    let numbers = [1, 3, 4, 5, 6].compactMap { CInt(words[$0]) }
    guard numbers.count == 5, 1...31 ~= numbers[0], 1900...9999 ~= numbers[1], 0...23 ~= numbers[2],
      0...59 ~= numbers[3], 0...60 ~= numbers[4]
    else { return nil }
    var parts = tm()
    parts.tm_mday = numbers[0]
    parts.tm_mon = CInt(month)
    parts.tm_year = numbers[1] - 1900
    (parts.tm_hour, parts.tm_min, parts.tm_sec) = (numbers[2], numbers[3], numbers[4])
    return unsafe Int64(timegm(&parts))
  }
}
