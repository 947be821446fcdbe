internal import Text

/// Adds line breaks to JSON and XML, for people and for `diff`. Only white space changes, not the order of members or
/// the spelling of values.
public enum ReadableText {
  /// Preferred maximum number of characters per line.
  public static let width = 100

  /// Returns bytes as text, with `\xHH` for each byte that is not part of valid UTF-8.
  public static func plain(_ bytes: [UInt8]) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    var text = ""
    var index = 0
    while index < bytes.count {
      let lengths = 1...min(4, bytes.count - index)
      let found = lengths.lazy.compactMap { String(validating: bytes[index..<index + $0], as: UTF8.self) }.first
      text += found ?? "\\x" + String(bytes[index], radix: 16, uppercase: true)
      index += found?.utf8.count ?? 1
    }
    return text
  }

  // MARK: JSON

  /// - Returns: `nil` if the bytes are not JSON.
  public static func json(_ bytes: [UInt8], width: Int = width) -> String? {
    guard (try? JSONValue(parsing: bytes)) != nil, let text = String(validating: bytes, as: UTF8.self) else {
      return nil
    }
    var rest = Array(text.unicodeScalars)[...]
    return lines(of: value(&rest), indent: "", room: width, width: width)
  }

  private indirect enum Node {
    case plain(String)
    /// An array or object, with its brackets.
    case list(open: String, close: String, [(key: String, value: Node)])

    var oneLine: String {
      switch self {
      case .plain(let text): text
      case .list(let open, let close, let members):
        open + members.map { $0.key + $0.value.oneLine }.joined(separator: ", ") + close
      }
    }

    var isPlain: Bool { if case .plain = self { true } else { false } }
  }

  private static func value(_ rest: inout ArraySlice<Unicode.Scalar>) -> Node {
    skipSpace(&rest)
    guard let first = rest.first, first == "{" || first == "[" else { return .plain(token(&rest)) }
    let close: Unicode.Scalar = first == "{" ? "}" : "]"
    rest.removeFirst()
    var members: [(String, Node)] = []
    while true {
      skipSpace(&rest)
      guard let next = rest.first, next != close else { break }
      if next == "," {
        rest.removeFirst()
        continue
      }
      var key = ""
      if first == "{" {
        key = token(&rest) + ": "
        skipSpace(&rest)
        rest.removeFirst()
      }
      members.append((key, value(&rest)))
    }
    rest = rest.dropFirst()
    return .list(open: String(first), close: String(close), members)
  }

  private static func skipSpace(_ rest: inout ArraySlice<Unicode.Scalar>) {
    rest = rest.drop { $0.properties.isWhitespace }
  }

  /// Consumes a string, a number or a word.
  private static func token(_ rest: inout ArraySlice<Unicode.Scalar>) -> String {
    var end = rest.startIndex
    if rest.first == "\"" {
      end += 1
      while end < rest.endIndex, rest[end] != "\"" { end += rest[end] == "\\" ? 2 : 1 }
      end = min(end + 1, rest.endIndex)
    } else {
      while end < rest.endIndex, !",:]} \n".unicodeScalars.contains(rest[end]) { end += 1 }
    }
    defer { rest = rest[end...] }
    var text = String.UnicodeScalarView()
    text.append(contentsOf: rest[..<end])
    return String(text)
  }

  private static func lines(of node: Node, indent: String, room: Int, width: Int) -> String {
    guard case .list(let open, let close, let members) = node, !members.isEmpty else { return node.oneLine }
    let whole = node.oneLine
    if whole.count <= room { return whole }
    let inner = indent + "  "
    var lines: [String] = []
    if open == "[", members.allSatisfy({ $0.value.isPlain }) {
      for member in members {
        let text = member.value.oneLine
        if let last = lines.last, last.count + text.count + 2 <= width {
          lines[lines.count - 1] = last + ", " + text
        } else {
          lines.append(text)
        }
      }
    } else {
      lines = members.map { key, value in
        key + Self.lines(of: value, indent: inner, room: width - inner.count - key.count, width: width)
      }
    }
    return open + "\n" + lines.map { inner + $0 }.joined(separator: ",\n") + "\n" + indent + close
  }

  // MARK: XML

  /// Formats well-formed XML without comments and CDATA sections. Each element is on its own line. If an element is
  /// long, each attribute is on its own line, too.
  public static func xml(_ text: String) -> String {
    var result = ""
    var depth = 0
    var rest = Array(text.unicodeScalars)[...]
    // `true` if the current line is an element whose text has begun.
    var isInside = false
    func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
      var text = String.UnicodeScalarView()
      text.append(contentsOf: scalars)
      return String(text)
    }
    while let first = rest.first {
      guard first == "<" else {
        let end = rest.firstIndex(of: "<") ?? rest.endIndex
        let content = string(rest[..<end])
        rest = rest[end...]
        if content.unicodeScalars.allSatisfy(\.properties.isWhitespace), !content.isEmpty, content.first == "\n" {
          continue
        }
        result += content
        isInside = true
        continue
      }
      var end = rest.startIndex
      var quote: Unicode.Scalar?
      while end < rest.endIndex, quote != nil || rest[end] != ">" {
        if rest[end] == "\"" || rest[end] == "'" { quote = quote == nil ? rest[end] : quote == rest[end] ? nil : quote }
        end += 1
      }
      end = min(end + 1, rest.endIndex)
      let tag = string(rest[..<end])
      rest = rest[end...]
      let isEnd = tag.hasPrefix("</")
      if isEnd { depth = max(0, depth - 1) }
      if !result.isEmpty, !isInside { result += "\n" }
      let indent = isInside ? "" : String(repeating: "  ", count: depth)
      result += indent + (tag.count > width ? wrapped(tag, String(repeating: "  ", count: depth + 1)) : tag)
      isInside = false
      if !isEnd, !tag.hasSuffix("/>"), !tag.hasPrefix("<?"), !tag.hasPrefix("<!") {
        depth += 1
        // An end tag that follows immediately stays on the same line.
        if rest.starts(with: "</".unicodeScalars) { isInside = true }
      }
    }
    return result
  }

  private static func wrapped(_ tag: String, _ indent: String) -> String {
    var result = String.UnicodeScalarView()
    var quote: Unicode.Scalar?
    for scalar in tag.unicodeScalars {
      if scalar == "\"" || scalar == "'" { quote = quote == nil ? scalar : quote == scalar ? nil : quote }
      if scalar == " ", quote == nil {
        result.append(contentsOf: ("\n" + indent).unicodeScalars)
      } else {
        result.append(scalar)
      }
    }
    return String(result)
  }
}
