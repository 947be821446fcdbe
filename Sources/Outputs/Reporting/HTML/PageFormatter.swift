internal import Foundation
internal import Platform
internal import Text

/// Formats numbers, durations and dates for the page.
enum PageFormatter {
  /// Formats a number: `1,204`.
  static func number(_ value: Int) -> String {
    var digits = String(abs(value))
    var groups: [String] = []
    while digits.count > 3 {
      groups.insert(String(digits.suffix(3)), at: 0)
      digits.removeLast(3)
    }
    return (value < 0 ? "−" : "") + ([digits] + groups).joined(separator: ",")
  }

  /// Formats a number of items: `1 track`, `1,204 tracks`.
  static func counted(_ count: Int, _ noun: String) -> String { "\(number(count)) \(noun)\(count == 1 ? "" : "s")" }

  /// Formats a duration of music: `under 1 min`, `49 min`, `6 h 30 min`, `1,204 h`.
  static func span(_ seconds: Double) -> String {
    guard seconds.isFinite, seconds < 1e12 else { return "a very long time" }
    let minutes = Int((max(seconds, 0) / 60).rounded())
    switch minutes {
    case 0: return "under 1 min"
    case ..<60: return "\(minutes) min"
    case ..<6000: return minutes % 60 == 0 ? "\(minutes / 60) h" : "\(minutes / 60) h \(minutes % 60) min"
    default: return "\(number(Int((seconds / 3600).rounded()))) h"
    }
  }

  /// Formats an elapsed time: `27 s`, `3 min 20 s`, `1 h 5 min`.
  static func elapsed(_ seconds: Double) -> String {
    guard seconds.isFinite, seconds < 1e12 else { return "a very long time" }
    let whole = Int(max(seconds, 0).rounded())
    switch whole {
    case 0: return "under 1 s"
    case ..<60: return "\(whole) s"
    case ..<3600: return whole % 60 == 0 ? "\(whole / 60) min" : "\(whole / 60) min \(whole % 60) s"
    default: return span(seconds)
    }
  }

  /// Formats a position in a track: `3:07`, `1:02:03`.
  static func clock(_ seconds: Double) -> String {
    seconds <= 1e9 ? clockText(seconds) : "a very long time"
  }

  /// Formats a number with one decimal, regardless of the locale: `62.8`.
  static func decimal(_ value: Double) -> String { String(format: "%.1f", value) }

  static func percent(_ share: Double) -> String { "\(Int((min(max(share, 0), 1) * 100).rounded(.down)))%" }

  /// Formats a list: `a`, `a and b`, `a, b and c`.
  static func list(_ parts: [String]) -> String {
    guard let last = parts.last, parts.count > 1 else { return parts.first ?? "" }
    return parts.dropLast().joined(separator: ", ") + " and " + last
  }
}

/// A point in time, as local time.
struct LocalTime {
  let year, month, day, hour, minute: Int
  private let weekday: Int

  init(_ time: Timestamp, in zone: TimeZone) {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    let date = Date(timeIntervalSince1970: Double(time.seconds))
    let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .weekday], from: date)
    year = parts.year ?? 1970
    month = parts.month ?? 1
    day = parts.day ?? 1
    hour = parts.hour ?? 0
    minute = parts.minute ?? 0
    weekday = parts.weekday ?? 1
  }

  /// The date, such as `2026-11-22`.
  var date: String { String(format: "%04d-%02d-%02d", year, month, day) }
  /// The month and day, such as `November 22`.
  var monthAndDay: String { "\(Self.months[(month + 11) % 12]) \(day)" }
  /// The long form of the date, such as `November 22, 2026`.
  var longDate: String { "\(monthAndDay), \(year)" }
  /// The day of the week, such as `Sunday`.
  var dayOfWeek: String { Self.weekdays[(weekday + 6) % 7] }
  /// The time of day, such as `5:02 AM`.
  var clock: String {
    String(format: "%d:%02d %@", hour % 12 == 0 ? 12 : hour % 12, minute, hour < 12 ? "AM" : "PM")
  }

  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
  ]
  private static let weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
}
