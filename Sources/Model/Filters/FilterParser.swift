internal import Text

/// Parses the expression of `--where`:
///
///     filter = or
///     or     = and { "OR" and }
///     and    = term { [ "AND" ] term }
///     term   = [ "-" | "NOT" ] ( "(" or ")" | field ":" value { "," value } | value )
///     value  = '"' { any character but '"' } '"' | characters without space, parenthesis, comma and '"'
struct FilterParser {
  private let characters: [Character]
  private let columns: [FindingColumn]
  private var index = 0
  private var depth = 0
  private var count = 0

  /// Maximum nesting depth of parentheses and negations.
  private static let maxDepth = 50
  private static let maxValueCount = 500

  init(_ text: String, columns: [FindingColumn]) {
    characters = Array(text)
    self.columns = columns
  }

  mutating func parse() throws(FilterSyntaxError) -> TrackFilter.Expression {
    skipSpace()
    if index == characters.count { return .all([]) }
    let expression = try alternatives()
    guard index == characters.count else {
      throw FilterSyntaxError(")", at: index + 1, "no parenthesis is open here")
    }
    return expression
  }

  private mutating func alternatives() throws(FilterSyntaxError) -> TrackFilter.Expression {
    var parts = [try conjunction()]
    while takeWord("OR") { parts.append(try conjunction()) }
    return parts.count == 1 ? parts[0] : .any(parts)
  }

  private mutating func conjunction() throws(FilterSyntaxError) -> TrackFilter.Expression {
    var parts = [try term()]
    while true {
      let hasAnd = takeWord("AND")
      if !hasAnd, isAtEnd || isAtWord("OR") { break }
      parts.append(try term())
    }
    return parts.count == 1 ? parts[0] : .all(parts)
  }

  private mutating func term() throws(FilterSyntaxError) -> TrackFilter.Expression {
    skipSpace()
    guard !isAtEnd, !isAtWord("OR"), !isAtWord("AND") else {
      let found = peekWord()
      throw FilterSyntaxError(
        found.isEmpty ? "end" : found, at: index + 1,
        "a filter such as bpm:120..128 is expected here; in quotation marks, OR, AND and NOT are ordinary words")
    }
    depth += 1
    defer { depth -= 1 }
    try checkSize()
    if takeWord("NOT") { return .not(try term()) }
    if characters[index] == "-", index + 1 < characters.count, !characters[index + 1].isWhitespace {
      index += 1
      return .not(try term())
    }
    if characters[index] == "(" { return try group() }
    return try condition()
  }

  private func checkSize() throws(FilterSyntaxError) {
    guard depth <= Self.maxDepth, count <= Self.maxValueCount else {
      throw FilterSyntaxError(
        String(peekWord().prefix(20)), at: index + 1,
        "the filter is too large: up to \(Self.maxDepth) levels and \(Self.maxValueCount) values are possible")
    }
  }

  private mutating func group() throws(FilterSyntaxError) -> TrackFilter.Expression {
    let start = index
    index += 1
    let inner = try alternatives()
    guard index < characters.count, characters[index] == ")" else {
      throw FilterSyntaxError("(", at: start + 1, "this parenthesis is not closed")
    }
    index += 1
    skipSpace()
    return inner
  }

  private mutating func condition() throws(FilterSyntaxError) -> TrackFilter.Expression {
    let start = index
    if let name = takeFieldName() {
      let field = try self.field(name, at: start + 1)
      var values: [TrackFilter.Expression] = []
      repeat {
        try checkSize()
        values.append(try field.expression(value(of: field)))
      } while take(",")
      skipSpace()
      return values.count == 1 ? values[0] : .any(values)
    }
    let words = try value(of: nil)
    skipSpace()
    return try FilterField.anyName(words)
  }

  private func field(_ name: String, at position: Int) throws(FilterSyntaxError) -> ParsedField {
    if let field = FilterField(name: name) { return .own(field) }
    if let column = columns.first(where: { $0.name == name.lowercased() }) { return .finding(column) }
    let names = FilterField.allCases.map(\.rawValue)
    // Suggests any name, but lists only the fields: with the names of finding columns, the list would be long.
    let nearest = Suggestion.nearest(to: name, in: names + columns.map(\.name))
    let hint = nearest.map { "did you mean '\($0)'?" } ?? Suggestion.hint(for: name, in: names)
    throw FilterSyntaxError(name, at: position, "there is no such filter; \(hint)")
  }

  private mutating func value(of field: ParsedField?) throws(FilterSyntaxError) -> FilterValue {
    let start = index
    count += 1
    if index < characters.count, characters[index] == "\"" {
      index += 1
      guard let end = characters[index...].firstIndex(of: "\"") else {
        throw FilterSyntaxError("\"", at: start + 1, "this quotation mark is not closed")
      }
      let text = String(characters[index..<end])
      index = end + 1
      let isPrefix = take("*")
      return FilterValue(text, isQuoted: true, isPrefix: isPrefix, position: start + 1)
    }
    while index < characters.count, !characters[index].endsValue(inList: field != nil) { index += 1 }
    guard index > start else {
      let found = index < characters.count ? String(characters[index]) : "end"
      throw FilterSyntaxError(
        field.map { "\($0.name):" } ?? found, at: start + 1,
        field.map { "\($0.expects) is expected right after the colon" } ?? "a filter cannot begin with this")
    }
    return FilterValue(String(characters[start..<index]), isQuoted: false, position: start + 1)
  }

  /// Consumes a name and the colon after it.
  private mutating func takeFieldName() -> String? {
    var end = index
    while end < characters.count,
      characters[end].isLetter || characters[end] == "-" || characters[end] == "_"
        || end > index && characters[end].isNumber
    {
      end += 1
    }
    guard end > index, end < characters.count, characters[end] == ":" else { return nil }
    defer { index = end + 1 }
    return String(characters[index..<end])
  }

  // MARK: Characters

  private var isAtEnd: Bool { index == characters.count || characters[index] == ")" }

  private mutating func skipSpace() {
    while index < characters.count, characters[index].isWhitespace { index += 1 }
  }

  private mutating func take(_ character: Character) -> Bool {
    guard index < characters.count, characters[index] == character else { return false }
    index += 1
    return true
  }

  private func peekWord() -> String {
    String(characters[index...].prefix { !$0.isWhitespace && $0 != "(" && $0 != ")" })
  }

  private func isAtWord(_ word: String) -> Bool { peekWord() == word }

  private mutating func takeWord(_ word: String) -> Bool {
    skipSpace()
    guard isAtWord(word) else { return false }
    index += word.count
    skipSpace()
    return true
  }
}

/// The field named before the colon.
private enum ParsedField {
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

  func expression(_ value: FilterValue) throws(FilterSyntaxError) -> TrackFilter.Expression {
    switch self {
    case .own(let field): try field.expression(value)
    case .finding(let column): try column.expression(value)
    }
  }
}

extension Character {
  fileprivate func endsValue(inList: Bool) -> Bool {
    isWhitespace || self == "(" || self == ")" || self == "\"" || inList && self == ","
  }
}
