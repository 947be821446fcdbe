/// Writes CSV (RFC 4180), with commas, CRLF, and quotes around cells that contain a comma or quote, or that begin or
/// end with a space.
///
/// Every program that splits text into lines sees each row as a single line: control characters other than tabs, and
/// line and paragraph separators, are escaped as in `EscapedText`. A backslash that would look like the start of such
/// an escape is written as `\x5C`, so every text can be restored.
package struct CSVWriter: Sendable {
  package private(set) var bytes: [UInt8] = []
  /// `true` to add a `FormulaGuard` to text that a spreadsheet would run as a formula. Tags come from
  /// untrusted sources.
  package let guardsFormulas: Bool
  private var isFirstCell = true
  /// The elements of the list that is being written; `nil` outside a list.
  private var elements: [UInt8]?

  package init(guardsFormulas: Bool) {
    self.guardsFormulas = guardsFormulas
  }

  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
  }

  package mutating func endRow() {
    bytes.append(contentsOf: [0x0D, 0x0A])
    isFirstCell = true
  }

  package mutating func empty() { cell([]) }
  package mutating func bool(_ value: Bool) { cell(Array((value ? "true" : "false").utf8)) }
  package mutating func integer(_ value: Int) { cell(Array(String(value).utf8)) }

  package mutating func number(_ value: Double, decimals: Int) {
    var json = JSONWriter()
    json.number(value, decimals: decimals)
    cell(json.bytes)
  }

  package mutating func text(_ value: String) {
    guard value.utf8.contains(UInt8(ascii: "\\")) else { return escapedText(value) }
    let escape = /\\x(?=[0-9A-F]{2})/.matchingSemantics(.unicodeScalar)
    escapedText(value.replacing(escape, with: #"\x5Cx"#))
  }

  /// Writes text that already contains escapes, such as a display path or JSON. The escapes are kept.
  package mutating func escapedText(_ value: String) {
    let text = Self.withoutControls(value)
    cell(guardsFormulas && elements == nil ? FormulaGuard.added(to: text) : text)
  }

  private static func withoutControls(_ value: String) -> [UInt8] {
    let bytes = Array(value.utf8)
    // A character to escape begins with one of these bytes.
    guard bytes.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == 0xC2 || $0 == 0xE2 }) else { return bytes }
    return Array(EscapedText.text(value) { $0.isControlOrSeparator && $0 != "\t" }.utf8)
  }

  /// Writes all elements into one cell.
  package mutating func list<Element>(_ list: [Element], _ write: (Element, inout CSVWriter) -> Void) {
    elements = []
    for element in list { write(element, &self) }
    let joined = elements ?? []
    elements = nil
    cell(guardsFormulas ? FormulaGuard.added(to: joined) : joined)
  }

  private static let separator = Array(ListText.separator.utf8)

  private mutating func cell(_ text: [UInt8]) {
    if let written = elements {
      elements = written.isEmpty ? text : written + Self.separator + text
      return
    }
    if !isFirstCell { bytes.append(UInt8(ascii: ",")) }
    isFirstCell = false
    let needsQuotes =
      text.first == UInt8(ascii: " ") || text.last == UInt8(ascii: " ")
      || text.contains { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") }
    guard needsQuotes else {
      bytes.append(contentsOf: text)
      return
    }
    bytes.append(UInt8(ascii: "\""))
    for byte in text {
      if byte == UInt8(ascii: "\"") { bytes.append(byte) }
      bytes.append(byte)
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
