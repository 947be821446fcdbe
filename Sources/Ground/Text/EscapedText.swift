/// Escapes characters as the bytes of their UTF-8 form, for example U+0085 as `\xC2\x85`. Display paths use the same
/// form (`DisplayPath`).
public enum EscapedText {
  private static let digits = Array("0123456789ABCDEF".unicodeScalars)

  public static func text(_ text: some StringProtocol, escaping isEscaped: (Unicode.Scalar) -> Bool) -> String {
    guard text.unicodeScalars.contains(where: isEscaped) else { return String(text) }
    var escaped = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      guard isEscaped(scalar) else {
        escaped.append(scalar)
        continue
      }
      for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
        escaped.append(contentsOf: ["\\", "x", digits[Int(byte >> 4)], digits[Int(byte & 15)]])
      }
    }
    return String(escaped)
  }
}

extension Unicode.Scalar {
  /// `true` for C0, DEL and C1 controls, and for line and paragraph separators, because some programs end a line at
  /// each of these.
  public var isControlOrSeparator: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: true
    default: false
    }
  }

  /// `true` for characters that control the direction of text, and can make it look like something else (Unicode
  /// Standard Annex #9, table 4).
  public var isBidiControl: Bool {
    switch value {
    case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}

/// Makes untrusted text, such as names and tags, safe for one line of a terminal.
public func printable(_ text: some StringProtocol) -> String {
  EscapedText.text(text) { $0.isControlOrSeparator || $0.isBidiControl }
}

/// Formats a count with its noun: “1 file”, “2 files”.
/// - Parameter plural: The plural; required unless it is the noun with an s.
public func counted(_ count: some BinaryInteger, _ noun: String, plural: String? = nil) -> String {
  "\(count) \(count == 1 ? noun : plural ?? noun + "s")"
}
