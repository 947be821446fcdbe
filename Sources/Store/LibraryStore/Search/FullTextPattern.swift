internal import ResultStore

/// Creates FTS5 patterns from text that users enter. Every word is quoted, so nothing in the text is an operator.
enum FullTextPattern {
  /// Returns a pattern for all words (at most 32), in any column and order; `nil` if there are no words to search for.
  /// - Parameter lastIsPrefix: `true` if the last word may be incomplete.
  static func words(_ text: String, lastIsPrefix: Bool) -> String? {
    // More words would be useless, and FTS5 limits the complexity of patterns.
    let words = text.split(whereSeparator: \.isWhitespace).filter(hasToken).prefix(32)
    if words.isEmpty { return nil }
    return words.enumerated().map { index, word in
      phrase(word, isPrefix: lastIsPrefix && index == words.count - 1)
    }.joined(separator: " AND ")
  }

  /// Returns a pattern for adjacent words in any of their spellings; `nil` if there are no words to search for.
  static func phrase(_ text: String, isPrefix: Bool, columns: [String]) -> String? {
    guard hasToken(text) else { return nil }
    // Text without spaces between words is stored letter by letter, and only in the column of variants.
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

  /// Returns `true` if the tokenizer unicode61 finds a word in the text. It accepts letters, numbers and private-use
  /// characters.
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
