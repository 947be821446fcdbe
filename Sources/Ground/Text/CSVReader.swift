/// Reads CSV (RFC 4180); line breaks may be CRLF or LF.
package enum CSVReader {
  package struct Row: Sendable {
    /// The line of the text in which the row begins, counted from 1.
    package let line: Int
    package let cells: [String]
  }

  /// The error for a quotation mark that is never closed.
  package struct OpenQuote: Error {
    /// The line in which the row begins.
    package let line: Int
  }

  /// Parses all rows of a text. A quoted cell may contain line breaks. Empty lines and byte order marks are skipped.
  package static func rows(of text: String) throws(OpenQuote) -> [Row] {
    let (rows, openQuote) = parse(Array(text.utf8))
    if let openQuote { throw OpenQuote(line: openQuote) }
    return rows
  }

  /// Parses one row, which is passed without its line break.
  package static func cells(_ line: [UInt8]) -> [String] {
    parse(line).rows.first?.cells ?? [""]
  }

  private static let quote = UInt8(ascii: "\"")
  /// The bytes of a byte order mark after the first one.
  private static let restOfMark: [UInt8] = [0xBB, 0xBF]

  /// - Returns: The rows. If a quotation mark in the last row is never closed, also the first line of that row.
  private static func parse(_ text: [UInt8]) -> (rows: [Row], openQuote: Int?) {
    var rows: [Row] = []
    var cells: [String] = []
    var cell: [UInt8] = []
    var isQuoted = false
    /// `true` if the row is not just an empty line.
    var isRow = false
    var line = 1
    var firstLine = 1
    func endCell() {
      cells.append(String(decoding: cell, as: UTF8.self))
      cell.removeAll(keepingCapacity: true)
    }
    func endRow() {
      endCell()
      if isRow { rows.append(Row(line: firstLine, cells: cells)) }
      cells.removeAll()
      isRow = false
      firstLine = line
    }
    var index = 0
    while index < text.count {
      let byte = text[index]
      index += 1
      if byte == UInt8(ascii: "\n") { line += 1 }
      if isQuoted {
        if byte != quote {
          cell.append(byte)
        } else if index < text.count, text[index] == quote {
          cell.append(quote)
          index += 1
        } else {
          isQuoted = false
        }
        continue
      }
      switch byte {
      case quote where cell.isEmpty:
        isQuoted = true
        isRow = true
      case UInt8(ascii: ","):
        endCell()
        isRow = true
      case UInt8(ascii: "\n"): endRow()
      case UInt8(ascii: "\r"): break
      case 0xEF where text[index...].starts(with: restOfMark): index += restOfMark.count
      default:
        cell.append(byte)
        isRow = true
      }
    }
    endRow()
    return (rows, isQuoted ? rows.last?.line : nil)
  }
}
