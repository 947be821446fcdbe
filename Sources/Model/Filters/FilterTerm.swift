/// A field with its values: `bpm>=120`, `genre:house,techno`.
struct FilterTerm {
  let field: ParsedField
  /// The comparison; `nil` after a colon and in an option, where the first value may begin with an operator:
  /// `bpm:>120`.
  var comparison: FilterComparison?
  /// The values, of which there is at least one.
  var values: [FilterValue]

  func expression() throws(FilterSyntaxError) -> TrackFilter.Expression {
    var term = self
    try term.takeComparison()
    try term.refuseDecimalCommas()
    let comparison = term.comparison ?? .equal
    if comparison.isOrder { return try field.expression(term.ordered(comparison)) }
    var alternatives: [TrackFilter.Expression] = []
    for value in term.values { alternatives.append(try field.expression(value)) }
    let any = alternatives.count == 1 ? alternatives[0] : .any(alternatives)
    return comparison == .equal ? any : .not(any)
  }

  /// Moves the operator at the start of the first value to `comparison`. In a text field or in quotation marks, it is
  /// part of the text.
  private mutating func takeComparison() throws(FilterSyntaxError) {
    guard comparison == nil, !field.isText, let first = values.first, !first.isQuoted else { return }
    let sign = FilterComparison.prefix(of: first.text)
    guard !sign.isEmpty else { return }
    guard let found = FilterComparison(sign: sign) else {
      throw first.error("one of \(FilterComparison.list) is expected")
    }
    comparison = found
    values[0].text = String(first.text.dropFirst(sign.count).drop(while: \.isWhitespace))
    values[0].position = first.position.map { $0 + sign.count }
  }

  /// Returns the only value, marked as one end of a range.
  private func ordered(_ comparison: FilterComparison) throws(FilterSyntaxError) -> FilterValue {
    var value = values[0]
    guard let example = field.orderExample else {
      throw value.error("\(field.name) has no order; \(field.expects) is expected after '\(field.name):'")
    }
    guard values.count == 1 else {
      throw value.error("one value is expected after '\(comparison.rawValue)', such as \(example)")
    }
    value.order = (comparison, example)
    return value
  }

  /// Rejects values such as `120,5..128`, which would mean the alternatives 120 or 5..128.
  private func refuseDecimalCommas() throws(FilterSyntaxError) {
    guard field.hasDecimals else { return }
    for (left, right) in zip(values, values.dropFirst())
    where !left.isQuoted && !right.isQuoted && DecimalComma.isLikely(between: left.text, and: right.text) {
      let start = field.name + (comparison?.rawValue ?? ":")
      let alternatives =
        comparison?.isOrder == true ? "" : ", or \(start)\(left.text) OR \(start)\(right.text) for alternatives"
      var whole = left
      whole.text = "\(left.text),\(right.text)"
      throw whole.error("write \(left.text).\(right.text) for a decimal\(alternatives)")
    }
  }
}

/// Distinguishes a decimal comma from one between alternatives.
enum DecimalComma {
  /// Returns `true` if a comma is likely to be a decimal comma. In `90,174`, it separates two tempi. It is a decimal
  /// comma if the part after it makes no sense as an alternative: a single digit, a range that contains the number
  /// before it, a unit that the number before it lacks, or a number after a zero or a negative number.
  static func isLikely(between left: String, and right: String) -> Bool {
    let whole = String(left.reversed().prefix(while: \.isASCIIDigit).reversed())
    let before = left.dropLast(whole.count)
    let fraction = right.prefix(while: \.isASCIIDigit)
    let rest = right.dropFirst(fraction.count)
    guard !whole.isEmpty, before.isEmpty || before.hasSuffix("..") || before.hasSuffix("-"), !fraction.isEmpty
    else { return false }
    // `90,2.5` and `90,1:30` are alternatives.
    guard rest.first != ":", !rest.hasPrefix(".") || rest.hasPrefix("..") else { return false }
    if fraction.count == 1 || whole == "0" || before == "-" || before.hasSuffix("..-") { return true }
    if fraction.count == 2, let unit = rest.first, "smh".contains(unit) { return true }
    guard rest.hasPrefix("..") || rest.hasPrefix("-"), let number = Double(whole), let low = Double(fraction) else {
      return false
    }
    let end = rest.drop { $0 == "." || $0 == "-" }.prefix { $0.isASCIIDigit || $0 == "." }
    return low <= number && number <= Double(end) ?? .infinity
  }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}

/// The field before the operator.
enum ParsedField {
  case own(FilterField)
  case finding(FindingColumn)

  var name: String {
    switch self {
    case .own(let field): field.rawValue
    case .finding(let column): column.name
    }
  }

  var expects: String {
    switch self {
    case .own(let field): field.expects
    case .finding(let column): column.expects
    }
  }

  /// An example of a comparison by order; `nil` if the field has no order.
  var orderExample: String? {
    switch self {
    case .own(let field): field.orderExample
    case .finding(let column): column.orderExample
    }
  }

  /// `true` if values are free text, in which an operator has no meaning.
  var isText: Bool {
    switch self {
    case .own(let field): field.allowsCommas
    case .finding(let column): column.kind == .text
    }
  }

  var hasDecimals: Bool {
    switch self {
    case .own(let field): [.bpm, .confidence, .lufs, .duration].contains(field)
    case .finding(let column): column.kind == .seconds || column.kind == .number && !column.isWhole
    }
  }

  func expression(_ value: FilterValue) throws(FilterSyntaxError) -> TrackFilter.Expression {
    switch self {
    case .own(let field): try field.expression(value)
    case .finding(let column): try column.expression(value)
    }
  }
}
