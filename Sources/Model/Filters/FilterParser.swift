internal import Text

/// Parses the expression of `--where`:
///
///     filter = or
///     or     = and { "OR" and }
///     and    = term { [ "AND" ] term }
///     term   = ( "-" | "NOT" ) term | "(" or ")" | field op value { "," value } | value
///     op     = ":" | "=" | "!=" | "<" | "<=" | ">" | ">="
///     value  = '"' { any character but '"' } '"' [ "*" ] | characters without space, parenthesis, comma and '"'
///
/// There may be spaces around all operators except the colon.
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
    guard depth <= Self.maxDepth, count < Self.maxValueCount else {
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
    if let (name, sign) = takeFieldName() {
      let field = try self.field(name, at: start + 1, before: sign)
      let comparison = try sign.map { sign throws(FilterSyntaxError) in try parsedComparison(sign, after: name) }
      var values: [FilterValue] = []
      repeat {
        try checkSize()
        values.append(try value(of: field, after: sign ?? ":"))
      } while take(",")
      skipSpace()
      return try FilterTerm(field: field, comparison: comparison, values: values).expression()
    }
    let words = try value(of: nil)
    skipSpace()
    if !words.isQuoted, words.text.contains(where: \.isComparison) {
      throw words.error(
        "a field, an operator and a value are expected, such as bpm>=120; in quotation marks, this is a word")
    }
    return try FilterField.anyName(words)
  }

  private func parsedComparison(_ sign: String, after name: String) throws(FilterSyntaxError) -> FilterComparison {
    guard let found = FilterComparison(sign: sign) else {
      throw FilterSyntaxError(
        sign, at: index - sign.count + 1, "one of \(FilterComparison.list) is expected after \(name)")
    }
    return found
  }

  private func field(
    _ name: String, at position: Int, before sign: String?
  ) throws(FilterSyntaxError) -> ParsedField {
    if let field = FilterField(name: name) { return .own(field) }
    if let column = columns.first(where: { $0.name == name.lowercased() }) { return .finding(column) }
    let names = FilterField.allCases.map(\.rawValue)
    // Any name may be suggested, but only the fields are listed, because the list would be too long with the finding
    // columns.
    let nearest = Suggestion.nearest(to: name, in: names + columns.map(\.name))
    let hint = nearest.map { "did you mean '\($0)'?" } ?? Suggestion.hint(for: name, in: names)
    let quoting = sign.map { "; in quotation marks, \($0) is a part of a word" } ?? ""
    throw FilterSyntaxError(name, at: position, "there is no such filter\(quoting); \(hint)")
  }

  private mutating func value(
    of field: ParsedField?, after sign: String = ""
  ) throws(FilterSyntaxError) -> FilterValue {
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
        field.map { "\($0.name)\(sign)" } ?? found, at: start + 1,
        field.map { "\($0.expects) is expected \(sign == ":" ? "right after the colon" : "after \(sign)")" }
          ?? "a filter cannot begin with this")
    }
    return FilterValue(String(characters[start..<index]), isQuoted: false, position: start + 1)
  }

  /// Consumes a name and the operator after it, with the spaces around the operator.
  ///
  /// - Returns: The name and the operator. The operator is `nil` for a colon, and need not be a valid comparison. If no
  ///   operator follows a name, nothing is consumed, and the result is `nil`.
  private mutating func takeFieldName() -> (name: String, sign: String?)? {
    var end = index
    while end < characters.count,
      characters[end].isLetter || characters[end] == "-" || characters[end] == "_"
        || end > index && characters[end].isNumber
    {
      end += 1
    }
    guard end > index else { return nil }
    let name = String(characters[index..<end])
    if end < characters.count, characters[end] == ":" {
      index = end + 1
      return (name, nil)
    }
    let start = characters[end...].firstIndex { !$0.isWhitespace } ?? characters.count
    let sign = FilterComparison.prefix(of: characters[start...])
    guard !sign.isEmpty else { return nil }
    index = start + sign.count
    skipSpace()
    return (name, sign)
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

extension Character {
  fileprivate func endsValue(inList: Bool) -> Bool {
    isWhitespace || self == "(" || self == ")" || self == "\"" || inList && self == ","
  }
}
