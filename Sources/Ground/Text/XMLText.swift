/// Escapes text for XML 1.0.
public enum XMLText {
  /// Escapes text for element content and quoted attributes. Characters that XML 1.0 cannot represent are dropped.
  public static func escaped(_ text: String) -> String {
    MarkupText.escaped(text) { scalar in
      switch scalar {
      case "\t", "\n", "\r": "&#\(scalar.value);"
      case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": ""
      default: nil
      }
    }
  }

  /// Returns `true` if `escaped` drops nothing.
  public static func canHold(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      switch scalar {
      case "\t", "\n", "\r": true
      case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": false
      default: true
      }
    }
  }

  /// Returns a start tag without its angle brackets. Attributes without a value are left out.
  public static func tag(_ name: String, _ attributes: KeyValuePairs<String, String?>) -> String {
    attributes.reduce(into: name) { text, attribute in
      if let value = attribute.value { text += " \(attribute.key)=\"\(escaped(value))\"" }
    }
  }
}
