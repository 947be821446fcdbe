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
  /// The SQL function that returns the variants of its arguments, or NULL if there are none.
  static let function = "name_variants"
  /// The SQL function that returns the variants for a track, or NULL if there are none. Its arguments are a flag that is
  /// true if there is a title, then names, and finally the path.
  static let trackFunction = "track_variants"

  static let sqlFunctions = [
    DatabaseFunction(function, pure: true) { ListText.joined(variants(of: $0)) },
    DatabaseFunction(trackFunction, pure: true) { values in
      var found = variants(of: values.dropFirst())
      if values.first.flatMap({ Bool.fromDatabaseValue($0) }) == false,
        let path = values.last.flatMap({ String.fromDatabaseValue($0) })
      {
        found.append(FilePath(path).stem ?? path)
      }
      return ListText.joined(found)
    },
  ]

  private static func variants(of names: some Sequence<DatabaseValue>) -> [String] {
    names.compactMap { name in String.fromDatabaseValue(name).flatMap { variants(of: $0) } }
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
