internal import Foundation
internal import Recognition
internal import Text

/// Names of the files into which a recording is cut. They are good on Linux, macOS, Windows and memory sticks.
package enum PieceName {
  /// Bytes of UTF-8 that a name of common file systems can have.
  package static let longest = 255

  /// `03 Artist - Title.flac` for a track, `04 unknown 12-34.flac` for a stretch that begins at 12:34.
  /// - Parameters:
  ///   - number: From 1. Since all names begin with it, no two are the same.
  ///   - count: How many pieces there are, so names sort as the pieces do.
  package static func name(of piece: MixPiece, number: Int, of count: Int, fileExtension: String) -> String {
    let digits = max(2, String(count).count)
    let prefix = String(repeating: "0", count: max(0, digits - String(number).count)) + "\(number) "
    let suffix = ".\(fileExtension)"
    let words =
      piece.cue.map { track($0.match) } ?? "unknown \(clockText(piece.start.rounded(.down)).replacing(":", with: "-"))"
    return prefix + truncated(portable(words), to: longest - prefix.utf8.count - suffix.utf8.count) + suffix
  }

  private static func track(_ match: MatchedMediaItem) -> String {
    let title = match.item.title ?? match.referenceIdentifier
    return match.item.artist.map { "\($0) - \(title)" } ?? title
  }

  /// Without what some file system or shell takes for something else: separators, wildcards, quotes, control
  /// characters, characters that turn the direction of text, and spaces or dots at the ends.
  static func portable(_ text: String) -> String {
    var name = String.UnicodeScalarView()
    for scalar in text.precomposedStringWithCanonicalMapping.unicodeScalars {
      if scalar.properties.isWhitespace {
        // One of several.
        if name.last != " " { name.append(" ") }
      } else if scalar.isControlOrSeparator || scalar.isBidiControl || scalar.properties.isNoncharacterCodePoint {
        continue
      } else {
        name.append("/\\:*?\"<>|".unicodeScalars.contains(scalar) ? "_" : scalar)
      }
    }
    let trimmed = trimmed(String(name))
    return trimmed.isEmpty ? "_" : trimmed
  }

  private static func trimmed(_ text: String) -> String {
    text.trimmingCharacters(in: CharacterSet(charactersIn: " ."))
  }

  /// Cut between characters as a reader sees them.
  private static func truncated(_ text: String, to byteCount: Int) -> String {
    guard text.utf8.count > byteCount else { return text }
    var cut = ""
    for character in text {
      guard cut.utf8.count + character.utf8.count <= byteCount else { break }
      cut.append(character)
    }
    return trimmed(cut)
  }
}
