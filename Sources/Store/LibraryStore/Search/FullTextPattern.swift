internal import ResultStore

/// Patterns of FTS5 that hold text of people: every word is quoted, so nothing in it is an operator.
enum FullTextPattern {
  /// Words of a search: what matches has all of them, in any column and order. `nil` if there is none to look for.
  /// - Parameter lastIsPrefix: The last word may go on.
  static func words(_ text: String, lastIsPrefix: Bool) -> String? {
    // More are of no use, and FTS5 has a limit.
    let words = text.split(whereSeparator: \.isWhitespace).filter(hasToken).prefix(32)
    if words.isEmpty { return nil }
    return words.enumerated().map { index, word in
      phrase(word, isPrefix: lastIsPrefix && index == words.count - 1)
    }.joined(separator: " AND ")
  }

  /// Words that follow each other, spelled in one way or another; `nil` if there is none to look for.
  static func phrase(_ text: String, isPrefix: Bool, columns: [String]) -> String? {
    guard hasToken(text) else { return nil }
    // Text without spaces between words is stored letter by letter in the column of variants alone.
    let columns = NameVariants.hasUnspacedScript(text) ? columns.filter { $0 != "full_path" } + ["variants"] : columns
    return "{\(columns.joined(separator: " "))} : (\(phrase(text, isPrefix: isPrefix)))"
  }

  private static func phrase(_ text: some StringProtocol, isPrefix: Bool) -> String {
    var spellings = [String(text)]
    if NameVariants.hasUnspacedScript(text) {
      spellings.append(NameVariants.lettersApart(text))
    } else if let plain = NameVariants.plain(text) {
      spellings.append(plain)
    }
    let quoted = spellings.map { spelling in
      // SQLite reads patterns up to the first NUL.
      let text = String(spelling.map { $0 == "\0" ? " " : $0 }).replacing("\"", with: "\"\"")
      return "\"\(text)\"\(isPrefix ? " *" : "")"
    }
    return quoted.count == 1 ? quoted[0] : "(\(quoted.joined(separator: " OR ")))"
  }

  /// Whether the tokenizer unicode61 finds a word in it: it takes letters, numbers and characters of private use.
  static func hasToken(_ text: some StringProtocol) -> Bool {
    text.unicodeScalars.contains { scalar in
      switch scalar.properties.generalCategory {
      case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
        .letterNumber, .otherNumber, .privateUse:
        true
      default: false
      }
    }
  }
}
