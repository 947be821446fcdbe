/// The styling of text in a terminal.
package struct TextStyle: Sendable {
  package var hasColor: Bool

  package init(hasColor: Bool = false) {
    self.hasColor = hasColor
  }

  /// The SGR codes of ECMA-48.
  package enum Color: String, Sendable {
    case red = "31"
    case green = "32"
    case yellow = "33"
    case faint = "2"
    case bold = "1"
  }

  package func colored(_ text: String, _ color: Color) -> String {
    hasColor ? "\u{1B}[\(color.rawValue)m\(text)\u{1B}[0m" : text
  }
}
