internal import GRDB
internal import SystemPackage
internal import Text

/// The alternative spellings by which names are found.
///
/// - A track without a title is found by its file name.
/// - In scripts without spaces between words (Chinese, Japanese, Thai, …; and Korean, whose words have endings), each
///   letter is a word. So any part of a name, however short, is a phrase in the full-text index.
/// - Some letters, such as `ß`, are not a base letter with a diacritic that the index would strip. They are replaced
///   with their usual plain spelling: `ß` with `ss`, `ø` with `o`, `æ` with `ae`.
package enum NameVariants {
  /// The SQL function that returns the variants, or NULL if there are none. Its arguments are a flag that is true if
  /// there is a title, then names, and finally the path.
  static let function = "name_variants"

  static let sqlFunction = DatabaseFunction(function, pure: true) { values in
    let texts = values.dropFirst().map { String.fromDatabaseValue($0) }
    var found = texts.compactMap { text in text.flatMap { variants(of: $0) } }
    if values.first.flatMap({ Bool.fromDatabaseValue($0) }) == false, let path = texts.last.flatMap({ $0 }) {
      found.append(FilePath(path).stem ?? path)
    }
    return ListText.joined(found)
  }

  /// Returns the variants of a name; `nil` if it has none.
  package static func variants(of name: String) -> String? {
    if name.utf8.allSatisfy({ $0 < 0x80 }) { return nil }
    let words = name.split(whereSeparator: \.isWhitespace).compactMap { word -> String? in
      if hasUnspacedScript(word) { return lettersApart(word) }
      return plain(word)
    }
    return words.isEmpty ? nil : words.joined(separator: " ")
  }

  package static func hasUnspacedScript(_ text: some StringProtocol) -> Bool {
    text.unicodeScalars.contains(where: isUnspaced)
  }

  /// Puts spaces around each letter of a script without spaces.
  package static func lettersApart(_ text: some StringProtocol) -> String {
    var apart = ""
    for scalar in text.unicodeScalars {
      if isUnspaced(scalar) {
        apart += " \(scalar) "
      } else {
        apart.unicodeScalars.append(scalar)
      }
    }
    return apart.split(separator: " ").joined(separator: " ")
  }

  /// Returns the text in plain spelling; `nil` if that makes no difference.
  package static func plain(_ text: some StringProtocol) -> String? {
    guard text.contains(where: { spellings[$0] != nil }) else { return nil }
    return text.reduce(into: "") { $0 += spellings[$1] ?? String($1) }
  }

  private static let spellings: [Character: String] = [
    "ß": "ss", "ẞ": "ss", "ø": "o", "Ø": "O", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ł": "l", "Ł": "L", "đ": "d",
    "Đ": "D", "ð": "d", "Ð": "D", "þ": "th", "Þ": "Th", "ı": "i",
  ]

  /// Covers Thai, Lao, Tibetan, Myanmar; Khmer; kana, Han and Hangul.
  private static func isUnspaced(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0E00...0x0FFF, 0x1000...0x109F, 0x1780...0x17FF, 0x3005...0x3007, 0x3040...0x30FF, 0x3400...0x9FFF,
      0xAC00...0xD7AF, 0xF900...0xFAFF, 0xFF66...0xFF9F, 0x20000...0x3FFFF:
      scalar.properties.isAlphabetic || scalar.properties.numericType != nil
    default: false
    }
  }
}
