/// Escapes text for markup, both XML and HTML.
public enum MarkupText {
  /// Escapes text. It works on scalars, because a quotation mark followed by a combining accent is a single character.
  /// - Parameter replacement: Returns a replacement for a scalar other than `&`, `<`, `>` and `"`; `nil` to keep it.
  public static func escaped(_ text: String, replacing replacement: (Unicode.Scalar) -> String?) -> String {
    var escaped = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      let entity: String? =
        switch scalar {
        case "&": "&amp;"
        case "<": "&lt;"
        case ">": "&gt;"
        case "\"": "&quot;"
        default: replacement(scalar)
        }
      if let entity { escaped.append(contentsOf: entity.unicodeScalars) } else { escaped.append(scalar) }
    }
    return String(escaped)
  }
}
