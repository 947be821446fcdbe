internal import Records

/// Writes HTML: markup as it is, text escaped.
struct HTMLWriter: Sendable {
  private(set) var bytes: [UInt8] = []

  mutating func removeBytes() { bytes.removeAll(keepingCapacity: true) }

  /// Trusted text only: nothing that was read from a file.
  mutating func markup(_ markup: String) {
    bytes.append(contentsOf: markup.utf8)
  }

  /// Text from anywhere, for the content of elements and for values of attributes in double quotes. Control characters, which
  /// HTML does not allow, are shown as their symbols (U+2400 to U+2421).
  mutating func text(_ text: String) {
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": markup("&amp;")
      case "<": markup("&lt;")
      case ">": markup("&gt;")
      case "\"": markup("&quot;")
      case "\u{0}"..."\u{1F}": append(Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}")
      case "\u{7F}": append("\u{2421}")
      case "\u{80}"..."\u{9F}": append("\u{FFFD}")
      default: append(scalar)
      }
    }
  }

  mutating func element(_ name: String, _ content: String) {
    markup("<\(name)>")
    text(content)
    markup("</\(name)>\n")
  }

  mutating func link(to target: String, _ content: String) {
    markup("<a href=\"")
    text(target)
    markup("\">")
    text(content)
    markup("</a>")
  }

  /// A cell of a table; the end of it may be left out in HTML, and is.
  mutating func cell(_ content: String?, class name: String? = nil) {
    markup(name.map { "<td class=\"\($0)\">" } ?? "<td>")
    if let content { text(content) }
  }

  private mutating func append(_ scalar: Unicode.Scalar) {
    bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
  }
}
