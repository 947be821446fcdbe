/// A value in a filter.
struct FilterValue {
  var text: String
  var isQuoted: Bool
  /// `true` if a star follows the closing quotation mark.
  var isPrefix = false
  /// The position in the filter, counted from 1; `nil` in an option.
  var position: Int?
  /// The comparison by order that makes the value one end of a range, and an example for messages; `nil` otherwise.
  var order: (comparison: FilterComparison, example: String)?

  init(_ text: String, isQuoted: Bool, isPrefix: Bool = false, position: Int?) {
    self.text = text
    self.isQuoted = isQuoted
    self.isPrefix = isPrefix
    self.position = position
  }

  var withoutTilde: (value: FilterValue, hadTilde: Bool) {
    guard text.hasSuffix("~") else { return (self, false) }
    var value = self
    value.text.removeLast()
    return (value, true)
  }

  /// The text without its trailing star. The star stands for any continuation of the last word.
  var withoutStar: (text: String, hadStar: Bool) {
    if isPrefix { return (text, true) }
    if !isQuoted, text.hasSuffix("*") { return (String(text.dropLast()), true) }
    return (text, false)
  }

  func error(expecting expected: String) -> FilterSyntaxError { error("\(expected) is expected") }
  func error(_ reason: String) -> FilterSyntaxError {
    FilterSyntaxError(text.isEmpty ? "\"\"" : text, at: position, reason)
  }

  /// Returns the error for a value that cannot be the end of a range.
  func orderError(_ order: (comparison: FilterComparison, example: String)) -> FilterSyntaxError {
    error("a single value is expected after '\(order.comparison.rawValue)', such as \(order.example)")
  }

  // MARK: Reading

  /// Parses a range: two numbers separated by a hyphen or by two dots; with dots, either number may be missing. A
  /// single number matches everything that rounds to it or, with `order`, is one end of the range.
  /// - Parameters:
  ///   - expected: The expected form of a value, for messages.
  ///   - read: Parses a number, and returns it with the step between numbers of the same precision.
  func range(
    expecting expected: String, _ read: (String) -> (value: Double, step: Double)?
  ) throws(FilterSyntaxError) -> NumberRange {
    if let order {
      guard let (value, _) = read(text) else { throw orderError(order) }
      return NumberRange(order.comparison, value)
    }
    guard let sign = text.firstRange(of: "..") ?? hyphen else {
      guard let (center, step) = read(text) else { throw error(expecting: expected) }
      return NumberRange(lower: center - step / 2, upper: center + step / 2, includesUpper: false)
    }
    let (lower, upper) = (String(text[..<sign.lowerBound]), String(text[sign.upperBound...]))
    let (low, high) = (read(lower)?.value, read(upper)?.value)
    guard lower.isEmpty || low != nil, upper.isEmpty || high != nil, !(lower.isEmpty && upper.isEmpty) else {
      throw error(expecting: expected)
    }
    if let low, let high, low > high {
      throw error("the range starts after its end; did you mean \(upper)..\(lower)?")
    }
    return NumberRange(lower: low, upper: high)
  }

  /// The hyphen between two numbers, as opposed to a minus sign.
  private var hyphen: Range<String.Index>? {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    return parts.count == 2 && parts.allSatisfy { !$0.isEmpty } ? text.firstRange(of: "-") : nil
  }

  func flag(expecting expected: String) throws(FilterSyntaxError) -> Bool {
    switch text.lowercased() {
    case "yes", "true", "1": true
    case "no", "false", "0": false
    default: throw error(expecting: expected)
    }
  }
}

/// Parses numbers in filters; `step` is the distance between numbers of the same precision.
enum FilterNumber {
  static func decimal(_ text: String) -> (value: Double, step: Double)? {
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
    guard digits.utf8.count <= 15, (1...2).contains(parts.count),
      parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (48...57).contains($0) } }), let value = Double(text)
    else { return nil }
    return (value, parts.count == 1 ? 1 : parts[1].utf8.reduce(1) { step, _ in step / 10 })
  }

  /// Parses a duration: `3:00`, `1:02:03`, `90`, `90s`, `5m`, `1h`.
  static func duration(_ text: String) -> (value: Double, step: Double)? {
    let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600]
    if let last = text.last, let unit = units[last] {
      return decimal(String(text.dropLast())).flatMap { $0.value < 0 ? nil : ($0.value * unit, $0.step * unit) }
    }
    var total = 0.0
    var step = 1.0
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count <= 3 else { return nil }
    for (position, part) in parts.enumerated() {
      guard let found = decimal(String(part)), found.value >= 0, position == 0 || found.value < 60 else { return nil }
      total = total * 60 + found.value
      step = found.step
    }
    return (total, step)
  }
}
