internal import Foundation
internal import Text

/// The rules for the names in credits and genre tags. A credit is the text of an `artist` or `albumartist` tag, such as
/// `Anna feat. Ben`.
public enum Credit {
  // MARK: Names

  /// Returns the individual performers in the tag `artists`. Without that tag, returns those named in the credits,
  /// where `feat.`, ` / ` and `; ` separate names. Names that are equal after `normalized` are returned once.
  public static func performers(listed: [String], credited: [String]) -> [String] {
    distinct(listed.isEmpty ? credited.flatMap(names(in:)) : listed, by: normalized)
  }

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
      // `A, feat. B`: the comma separates names.
      while place < named.count - 1, let last = name.last, last == "," || last == ";" || last.isWhitespace {
        name.removeLast()
      }
      if let bracket, name.last == bracket, !name.contains(where: { $0 == "(" || $0 == "[" }) { name.removeLast() }
      return name
    }
  }

  private static let guests: Set<String> = ["feat.", "feat", "ft.", "ft", "featuring"]

  // MARK: Text

  /// Returns the credit of a track as one text: the `artist` tag, and the performers in `artists` whom no credit names.
  /// - Returns: `nil` if there are no names.
  public static func text(credited: [String], listed: [String]) -> String? {
    ListText.joined(credited + listed.filter { name in !credited.contains { $0.contains(name) } })
  }

  // MARK: Genres

  /// Returns the individual genres, each once. A value may contain several, separated by ` / `.
  public static func genres(_ values: [String]) -> [String] {
    distinct(values.flatMap { $0.components(separatedBy: ListText.separator) }, by: SongCatalogID.genre)
  }

  // MARK: Spelling

  /// Returns the same text for names that differ only in case, spaces, or kinds of quotes and hyphens.
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
