internal import Foundation
internal import ResultStore

/// Finds the words of a search in a name in the same way as the full-text index does. Case and diacritics are ignored,
/// and the last word may be the beginning of a word. In a script without spaces, any part of a name can match.
public struct WordMatch: Sendable {
  private struct Word {
    var text: [Character]
    var isPrefix: Bool
    var isPart: Bool
  }

  private let words: [Word]

  /// - Parameter lastIsPrefix: `true` if the last word may be incomplete.
  public init(_ text: String, lastIsPrefix: Bool = true) {
    let tokens = Self.tokens(of: text).map(\.text)
    words = tokens.enumerated().map { index, token in
      Word(
        text: token, isPrefix: lastIsPrefix && index == tokens.count - 1,
        isPart: NameVariants.hasUnspacedScript(String(token)))
    }
  }

  public func matches(_ name: String) -> Bool {
    let tokens = Self.tokens(of: name)
    return words.allSatisfy { word in tokens.contains { Self.range(of: word, in: $0) != nil } }
  }

  /// Returns the ranges of the words in a name, in order and without overlaps.
  public func ranges(in name: String) -> [Range<String.Index>] {
    Self.tokens(of: name).compactMap { token in
      // The longest match is the most specific one.
      words.compactMap { Self.range(of: $0, in: token) }.max { $0.count < $1.count }
        .map { token.indices[$0.lowerBound]..<name.index(after: token.indices[$0.upperBound - 1]) }
    }
  }

  private struct Token {
    /// The letters after folding case and diacritics.
    var text: [Character] = []
    /// The index of each letter in the source.
    var indices: [String.Index] = []
  }

  private static func range(of word: Word, in token: Token) -> Range<Int>? {
    let (long, short) = (token.text, word.text)
    guard long.count >= short.count, !short.isEmpty else { return nil }
    if word.isPart { return long.firstRange(of: short) }
    let fits = word.isPrefix ? long.starts(with: short) : long == short
    return fits ? 0..<short.count : nil
  }

  private static func tokens(of text: String) -> [Token] {
    var tokens: [Token] = []
    var token = Token()
    for index in text.indices {
      let folded = folded(text[index])
      if folded.isEmpty {
        if !token.text.isEmpty { tokens.append(token) }
        token = Token()
      }
      for letter in folded {
        token.text.append(letter)
        token.indices.append(index)
      }
    }
    return token.text.isEmpty ? tokens : tokens + [token]
  }

  private static let asciiLetters: [String] = (0..<0x80).map { code in
    let letter = Character(Unicode.Scalar(UInt8(code)))
    return letter.isLetter || letter.isNumber ? letter.lowercased() : ""
  }

  /// Returns the folded letters; empty for characters between words.
  private static func folded(_ letter: Character) -> String {
    if let ascii = letter.utf8.first, ascii < 0x80, letter.utf8.count == 1 { return asciiLetters[Int(ascii)] }
    guard FullTextPattern.hasToken(String(letter)) else { return "" }
    let plain = NameVariants.plain(String(letter)) ?? String(letter)
    return plain.folding(options: [.diacriticInsensitive, .caseInsensitive], locale: nil)
  }
}
