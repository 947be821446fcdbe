internal import Analysis
internal import Text

/// JSON arrays of numbers or of tuples of numbers, as they are stored in columns. They are read without creating a
/// value for each nested array.
///
/// Numbers have four decimals, as in reports. Steps of 0.1 ms and 0.0001 BPM are far below any measurement error.
/// Numbers that are not finite are left out.
enum NumberList {
  private static let decimals = 4

  static func text(of numbers: [Double]) -> String {
    var writer = JSONWriter()
    writer.beginArray()
    for number in numbers where number.isFinite { writer.number(number, decimals: decimals) }
    writer.endArray()
    return writer.text
  }

  /// Writes records as arrays of their values. Records with a number that is not finite are left out.
  static func text(ofTuples records: [[FieldValue]]) -> String {
    var writer = JSONWriter()
    writer.beginArray()
    for record in records where record.allSatisfy(\.isFinite) {
      writer.beginArray()
      for value in record {
        switch value {
        case .number(let number): writer.number(number, decimals: decimals)
        case .integer(let number): writer.integer(number)
        case .boolean(let flag): writer.bool(flag)
        case .text(let text): writer.string(text)
        case .json(let value): writer.value(value)
        case .null, .blob, .texts, .numbers, .textLists, .record, .records: writer.null()
        }
      }
      writer.endArray()
    }
    writer.endArray()
    return writer.text
  }

  /// Returns all numbers in the text, ignoring brackets.
  static func numbers(in text: UnsafeBufferPointer<UInt8>) -> [Double] {
    var numbers: [Double] = []
    var index = 0
    while index < text.count {
      guard isNumber(text[index]) else {
        index += 1
        continue
      }
      let start = index
      while index < text.count, isNumber(text[index]) { index += 1 }
      if let number = parse(UnsafeBufferPointer(rebasing: text[start..<index])) { numbers.append(number) }
    }
    return numbers
  }

  /// Returns tuples of `size` numbers.
  static func tuples(of size: Int, in text: UnsafeBufferPointer<UInt8>) -> [[FieldValue]] {
    let numbers = numbers(in: text)
    return stride(from: 0, through: numbers.count - size, by: size).map { start in
      (start..<start + size).map { .number(numbers[$0]) }
    }
  }

  private static func isNumber(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
      || byte == UInt8(ascii: "e") || byte == UInt8(ascii: "+")
  }

  /// Parses a number; `nil` if it is invalid. A decimal of up to 15 digits is a whole number divided by a power of ten.
  /// Both are exact, so a single rounding results in the nearest value (Clinger, PLDI 1990). All other numbers are
  /// parsed in a slower way.
  private static func parse(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
    var digits: Int64 = 0
    var digitCount = 0
    var decimals: Int?
    var isNegative = false
    for (index, byte) in text.enumerated() {
      switch byte {
      case UInt8(ascii: "-") where index == 0: isNegative = true
      case UInt8(ascii: ".") where decimals == nil: decimals = 0
      case UInt8(ascii: "0")...UInt8(ascii: "9") where digitCount < 15:
        digits = digits * 10 + Int64(byte - UInt8(ascii: "0"))
        digitCount += 1
        if let places = decimals { decimals = places + 1 }
      default: return Double(String(decoding: text, as: UTF8.self))
      }
    }
    if digitCount == 0 { return nil }
    let value = Double(digits) / powersOfTen[decimals ?? 0]
    return isNegative ? -value : value
  }

  private static let powersOfTen: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
  ]
}

extension FieldValue {
  fileprivate var isFinite: Bool { if case .number(let number) = self { number.isFinite } else { true } }
}
