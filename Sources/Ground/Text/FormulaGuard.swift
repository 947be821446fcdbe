/// Adds an apostrophe to text that a spreadsheet would run as a formula (OWASP, CSV injection). Such text is not a
/// number and starts with `=`, `+`, `-`, `@`, their full-width forms, a tab or a carriage return.
///
/// Text that already has apostrophes before such a character gets another one, so that `removed` restores every text.
package enum FormulaGuard {
  package static func added(to text: String) -> String { String(decoding: added(to: Array(text.utf8)), as: UTF8.self) }

  /// - Parameter text: Text in UTF-8.
  package static func added(to text: [UInt8]) -> [UInt8] {
    // Numbers need no guard, because spreadsheets read them as numbers, too.
    guard needsGuard(text[...]), text.first == apostrophe || !isNumber(text) else { return text }
    return [apostrophe] + text
  }

  /// Removes the apostrophe that `added` inserted.
  package static func removed(from cell: String) -> String {
    let bytes = cell.utf8
    guard bytes.first == apostrophe, needsGuard(Array(bytes)[...]) else { return cell }
    return String(decoding: bytes.dropFirst(), as: UTF8.self)
  }

  private static let apostrophe = UInt8(ascii: "'")
  /// The beginnings of text that needs the apostrophe. The last one is a carriage return as `CSVWriter` escapes it.
  private static let starts: [[UInt8]] =
    ["=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠", #"\x0D"#].map { Array($0.utf8) }
  private static let firstBytes = Set(starts.compactMap(\.first))

  private static func needsGuard(_ text: ArraySlice<UInt8>) -> Bool {
    let rest = text.drop { $0 == apostrophe }
    guard let first = rest.first, firstBytes.contains(first) else { return false }
    return starts.contains { rest.starts(with: $0) }
  }

  private static func isNumber(_ text: [UInt8]) -> Bool {
    let number = /[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?/.asciiOnlyDigits()
    return String(decoding: text, as: UTF8.self).wholeMatch(of: number) != nil
  }
}
