internal import Foundation
internal import Recognition
internal import Text

/// The file names of pieces. They are valid on Linux, macOS, Windows and USB sticks.
package enum PieceName {
  /// Maximum length of a name on common file systems, in UTF-8 bytes.
  package static let maxLength = 255

  /// Returns `03 Artist - Title.flac` for a track, or `04 unknown 12-34.flac` for an unrecognized stretch that starts
  /// at 12:34.
  /// - Parameters:
  ///   - number: The number of the piece, counted from 1. It makes names unique, because each name starts with it.
  ///   - count: Total number of pieces. Piece numbers are padded to its number of digits, so that names sort in the
  ///     order of the pieces.
  package static func name(of piece: MixPiece, number: Int, of count: Int, fileExtension: String) -> String {
    let digits = max(2, String(count).count)
    let prefix = String(repeating: "0", count: max(0, digits - String(number).count)) + "\(number) "
    let suffix = ".\(fileExtension)"
    let words =
      piece.cue.map { track($0.match) } ?? "unknown \(clockText(piece.start.rounded(.down)).replacing(":", with: "-"))"
    return prefix + truncated(portable(words), to: maxLength - prefix.utf8.count - suffix.utf8.count) + suffix
  }

  private static func track(_ match: MatchedMediaItem) -> String {
    let title = match.item.title ?? match.referenceIdentifier
    return match.item.artist.map { "\($0) - \(title)" } ?? title
  }

  /// Replaces or removes characters that are special to some file system or shell: separators, wildcards, quotes,
  /// control characters, characters that change the direction of text, and spaces or dots at the ends.
  static func portable(_ text: String) -> String {
    var name = String.UnicodeScalarView()
    for scalar in text.precomposedStringWithCanonicalMapping.unicodeScalars {
      if scalar.properties.isWhitespace {
        // White space is collapsed.
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

  /// Truncates a text at the boundary of a grapheme cluster.
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
