internal import Foundation
internal import Text

/// Whom credits name, by one set of rules: a credit is the text of a tag `artist` or `albumartist`, such as
/// `Anna feat. Ben`.
public enum Credit {
  // MARK: Names

  /// Performers one by one: as the tag `artists` lists them, or else out of the credits, where guests and lists are told apart
  /// by `feat.`, ` / ` and `; `. Names that are equal but for their spelling are listed once.
  public static func performers(listed: [String], credited: [String]) -> [String] {
    distinct(listed.isEmpty ? credited.flatMap(names(in:)) : listed, by: normalized)
  }

  /// Names in one credit.
  public static func names(in credit: String) -> [String] {
    var names: [[Substring]] = [[]]
    var bracket: Character?
    let words = credit.split(whereSeparator: \.isWhitespace)
    for (index, word) in words.enumerated() {
      let isBehindName = !(names.last ?? []).isEmpty && index < words.count - 1
      let isBracketed = word.first == "(" || word.first == "["
      let isGuest = index < words.count - 1 && guests.contains(word.drop { $0 == "(" || $0 == "[" }.lowercased())
      // `A; feat. B`
      if isGuest, names.count > 1, (names.last ?? []).isEmpty { continue }
      if isBehindName, isGuest {
        if isBracketed { bracket = word.first == "(" ? ")" : "]" }
        names.append([])
      } else if isBehindName, word == "/" || word == ";" {
        names.append([])
      } else if word.last == ";" {
        names[names.count - 1].append(word.dropLast())
        names.append([])
      } else {
        names[names.count - 1].append(word)
      }
    }
    let named = names.filter { !$0.isEmpty }
    return named.enumerated().map { place, words in
      var name = words.joined(separator: " ")
      // `A, feat. B`: the comma stands between names.
      while place < named.count - 1, let last = name.last, last == "," || last == ";" || last.isWhitespace {
        name.removeLast()
      }
      if let bracket, name.last == bracket, !name.contains(where: { $0 == "(" || $0 == "[" }) { name.removeLast() }
      return name
    }
  }

  private static let guests: Set<String> = ["feat.", "feat", "ft.", "ft", "featuring"]

  // MARK: Text

  /// The credit of a track as one text: what `artist` says, and performers that `artists` lists and no credit names.
  /// - Returns: `nil` if no one is named.
  public static func text(credited: [String], listed: [String]) -> String? {
    ListText.joined(credited + listed.filter { name in !credited.contains { $0.contains(name) } })
  }

  // MARK: Genres

  /// Genres one by one: a value that names several has ` / ` between.
  public static func genres(_ values: [String]) -> [String] {
    distinct(values.flatMap { $0.components(separatedBy: ListText.separator) }, by: CatalogID.genre)
  }

  // MARK: Spelling

  /// Names that differ in case or spaces alone, or in kinds of quotes and hyphens, are one.
  public static func normalized(_ name: String) -> String {
    var name = name
    if !name.utf8.allSatisfy({ $0 < 0x80 }) {
      name = name.precomposedStringWithCanonicalMapping
      name = String(String.UnicodeScalarView(name.unicodeScalars.map { plainSigns[$0] ?? $0 }))
    }
    return name.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  private static let plainSigns: [Unicode.Scalar: Unicode.Scalar] = [
    "‘": "'", "’": "'", "ʼ": "'", "“": "\"", "”": "\"", "‐": "-", "‑": "-", "–": "-", "—": "-",
  ]

  private static func distinct(_ names: [String], by form: (String) -> String) -> [String] {
    var seen: Set<String> = []
    return names.filter { !normalized($0).isEmpty && seen.insert(form($0)).inserted }
  }
}
