/// The invalid part of a filter, and what would be valid.
public struct FilterSyntaxError: Error, Hashable, Sendable {
  public let word: String
  /// The position of the word's first character, counted from 1; `nil` in the value of an option.
  public let position: Int?
  /// A sentence without its period: what is wrong, and what is valid.
  public let reason: String

  init(_ word: String, at position: Int?, _ reason: String) {
    self.word = word
    self.position = position
    self.reason = reason
  }
}

extension FilterSyntaxError: CustomStringConvertible {
  public var description: String {
    let sentence = reason.hasSuffix("?") ? reason : "\(reason)."
    guard let position else { return "'\(word)': \(sentence)" }
    return "at character \(position), '\(word)': \(sentence)"
  }
}
