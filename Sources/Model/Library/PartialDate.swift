/// A date that is as precise as the tag: a year, possibly with a month and day.
///
/// ID3v2.4 and Vorbis comments require ISO 8601. Files also contain dates such as `19990301`, `03/1999`,
/// `1.3.1999` and `© 1999`. Only the unambiguous part of such dates is used.
public struct PartialDate: Sendable, Hashable {
  /// The year, from 1 to 9999.
  public let year: Int
  /// The month, from 1 to 12.
  public let month: Int?
  /// The day, from 1 to 31; only with a month.
  public let day: Int?

  /// - Parameter text: The value of a tag. The result is `nil` if the text contains no year, or if it contains several
  ///   and does not begin with one.
  public init?(_ text: String) {
    let numbers = Number.all(in: text)
    guard let first = numbers.first else { return nil }
    if first.isLeading, first.digits.count >= 4 {
      self.init(yearFirst: numbers)
    } else {
      self.init(yearLast: numbers)
    }
  }

  private init?(year: Int, month: Int? = nil, day: Int? = nil) {
    guard (1...9999).contains(year) else { return nil }
    self.year = year
    self.month = month.flatMap { (1...12).contains($0) ? $0 : nil }
    self.day = self.month == nil ? nil : day.flatMap { (1...31).contains($0) ? $0 : nil }
  }

  /// Accepts `1999`, `1999-03`, `1999/3/1`, `1999-03-01T12:00`, `199903`, `19990301`, `19990301120000`.
  private init?(yearFirst numbers: [Number]) {
    let digits = numbers[0].digits
    switch digits.count {
    case 4:
      // Only the year of `1999-2003` and `1999 03` is used.
      let parts = numbers.dropFirst().prefix { $0.isDatePart && $0.digits.count <= 2 }.map(\.value)
      self.init(year: numbers[0].value, month: parts.first, day: parts.dropFirst().first)
    case 6:
      // Rejects unlikely years: `120311` is another kind of date.
      let (year, month) = (Number.value(digits.prefix(4)), Number.value(digits.suffix(2)))
      guard (1800...2199).contains(year), (1...12).contains(month) else { return nil }
      self.init(year: year, month: month)
    case 8, 12, 14:
      let (month, day) = (Number.value(digits.dropFirst(4).prefix(2)), Number.value(digits.dropFirst(6).prefix(2)))
      guard (0...12).contains(month), (0...31).contains(day) else { return nil }
      self.init(year: Number.value(digits.prefix(4)), month: month, day: day)
    default: return nil
    }
  }

  /// Accepts `03/1999`, `1.3.1999`, `12/31/1999`, or a single year anywhere in a text. The day and month are
  /// distinguished by dots, which are used only where the day comes first, or by a number that is too large for a
  /// month; if they cannot be distinguished, only the year is used.
  private init?(yearLast numbers: [Number]) {
    let years = numbers.indices.filter { numbers[$0].digits.count == 4 }
    guard years.count == 1, let place = years.first else { return nil }
    let year = numbers[place]
    guard numbers[0].isLeading, year.isDatePart, numbers[..<place].allSatisfy({ $0.digits.count <= 2 }) else {
      self.init(year: year.value)
      return
    }
    switch place {
    case 1: self.init(year: year.value, month: numbers[0].value)
    case 2 where numbers[1].isDatePart:
      let (first, second) = (numbers[0].value, numbers[1].value)
      if numbers[1].separator == UInt8(ascii: ".") || first > 12 || first == second {
        self.init(year: year.value, month: second, day: first)
      } else if second > 12 {
        self.init(year: year.value, month: first, day: second)
      } else {
        self.init(year: year.value)
      }
    default: self.init(year: year.value)
    }
  }
}

extension PartialDate: CustomStringConvertible {
  /// The date in ISO 8601: `YYYY`, `YYYY-MM` or `YYYY-MM-DD`.
  public var description: String {
    func padded(_ number: Int, _ width: Int) -> String {
      let digits = String(number)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    return [padded(year, 4), month.map { padded($0, 2) }, day.map { padded($0, 2) }].compactMap(\.self)
      .joined(separator: "-")
  }
}

/// A sequence of digits in a text.
private struct Number {
  var digits: ArraySlice<UInt8>
  /// `true` if the text begins with these digits.
  var isLeading: Bool
  /// The single byte between these digits and the previous sequence; `nil` if there are several bytes, or if this is
  /// the first sequence.
  var separator: UInt8?

  var value: Int { Self.value(digits) }
  /// `true` if the separator is one that dates use.
  var isDatePart: Bool { separator.map { "-/.".utf8.contains($0) } ?? false }

  static func value(_ digits: ArraySlice<UInt8>) -> Int { digits.reduce(0) { 10 * $0 + Int($1 - UInt8(ascii: "0")) } }

  /// Returns the sequences of at most 14 digits, the maximum for a date.
  static func all(in text: String) -> [Number] {
    let bytes = Array(text.utf8.drop { $0 == UInt8(ascii: " ") })
    var numbers: [Number] = []
    var place = 0
    var behind = 0
    while place < bytes.count {
      let start = place
      while place < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[place]) { place += 1 }
      if place == start {
        place += 1
        continue
      }
      let separator = !numbers.isEmpty && start == behind + 1 ? bytes[behind] : nil
      if place - start <= 14 {
        numbers.append(Number(digits: bytes[start..<place], isLeading: start == 0, separator: separator))
      }
      behind = place
    }
    return numbers
  }
}
