internal import Foundation
package import Platform
internal import Text

/// Reads and writes media items as comma-separated values (RFC 4180), for editing in a spreadsheet.
///
/// Columns are named after the media item properties in ShazamKit. The column `reference` is the identifier of the
/// reference; any other column is a custom property. List elements are joined with ` / `, and ranges are written as
/// `from-to`. Text that a spreadsheet would run as a formula is prefixed with an apostrophe, which is removed when the
/// table is read.
public enum MediaItemTable {
  public struct Row: Hashable, Sendable {
    /// The identifier of the reference.
    public var reference: String
    public var item: MediaItem

    public init(reference: String, item: MediaItem) {
      self.reference = reference
      self.item = item
    }
  }

  /// A syntax error in a table, with its line number.
  public struct ReadError: Error, Hashable, Sendable, CustomStringConvertible {
    public var line: Int
    public var problem: String
    public var description: String { "line \(line): \(problem)" }
  }

  static let columns = [
    "reference", "title", "subtitle", "artist", "album", "isrc", "genres", "artworkURL", "webURL", "creationDate",
    "explicitContent", "timeRanges", "frequencySkewRanges",
  ]
  private static let separator = ListText.separator

  /// Identifies a file that contains a table of media items.
  package static let proof = OriginProof.text(beginning: columns.map(quoted).joined(separator: ","))

  /// Formats a header and one line per row.
  public static func write(_ rows: [Row]) -> String {
    let further = Set(rows.flatMap { $0.item.properties.keys }).subtracting(columns).sorted()
    var text = (columns + further).map(quoted).joined(separator: ",") + "\r\n"
    for row in rows {
      let item = row.item
      var values = [row.reference]
      values += [item.title, item.subtitle, item.artist, item.album, item.isrc].map { $0 ?? "" }
      values.append(item.genres.joined(separator: separator))
      values += [item.artworkURL, item.webURL, item.creationDate].map { $0 ?? "" }
      values.append(item.isExplicit.map { $0 ? "true" : "false" } ?? "")
      values.append(item.timeRanges.map { "\($0.start)-\($0.end)" }.joined(separator: separator))
      values.append(item.frequencySkewRanges.map { "\($0.lower)-\($0.upper)" }.joined(separator: separator))
      values += further.map { name in item.properties[name].map { Self.text($0) } ?? "" }
      text += values.map(quoted).joined(separator: ",") + "\r\n"
    }
    return text
  }

  /// Parses a table written by `write`. Columns may be in any order, and all except `reference` are optional. The names
  /// in `columns` are not case-sensitive.
  /// - Parameters:
  ///   - text: The table.
  ///   - reference: The identifier for all rows if there is no column `reference`, as in tables for ShazamKit.
  public static func read(_ text: String, reference: String? = nil) throws(ReadError) -> [Row] {
    let records: [CSVReader.Row]
    do {
      records = try CSVReader.rows(of: text)
    } catch {
      throw ReadError(line: error.line, problem: "a quotation mark is never closed")
    }
    guard let names = records.first?.cells.map(FormulaGuard.removed) else { return [] }
    let header = names.map { name in columns.first { $0.lowercased() == name.lowercased() } ?? name }
    let key = header.firstIndex(of: "reference")
    guard key != nil || reference != nil else {
      throw ReadError(line: 1, problem: "there is no column named reference")
    }
    var rows: [Row] = []
    for record in records.dropFirst() {
      guard record.cells.count == header.count else {
        throw ReadError(line: record.line, problem: "\(record.cells.count) fields, but the header has \(header.count)")
      }
      var item = MediaItem()
      let cells = record.cells.map(FormulaGuard.removed)
      for (name, value) in zip(header, cells) where name != "reference" && !value.isEmpty {
        try set(name, value, of: &item, line: record.line)
      }
      rows.append(Row(reference: key.map { cells[$0] } ?? reference ?? "", item: item))
    }
    return rows
  }

  private static func set(_ name: String, _ value: String, of item: inout MediaItem, line: Int) throws(ReadError) {
    switch name {
    case "title": item.title = value
    case "subtitle": item.subtitle = value
    case "artist": item.artist = value
    case "album": item.album = value
    case "isrc": item.isrc = value
    case "genres": item.genres = list(value)
    case "artworkURL": item.artworkURL = value
    case "webURL": item.webURL = value
    case "creationDate": item.creationDate = value
    case "explicitContent":
      guard ["true", "false"].contains(value.lowercased()) else {
        throw ReadError(line: line, problem: "explicitContent is \(value), not true or false")
      }
      item.isExplicit = value.lowercased() == "true"
    case "timeRanges":
      for range in list(value) {
        let (start, end) = try self.range(range, line: line)
        item.timeRanges.append(MediaItem.TimeRange(start: start, end: end))
      }
    case "frequencySkewRanges":
      for range in list(value) {
        let (lower, upper) = try self.range(range, line: line)
        item.frequencySkewRanges.append(MediaItem.FrequencySkewRange(lower: lower, upper: upper))
      }
    default: item.properties[name] = .string(value)
    }
  }

  private static func list(_ value: String) -> [String] {
    value.components(separatedBy: separator).filter { !$0.isEmpty }
  }

  /// Parses two numbers joined by a minus sign. Each of them may be negative.
  private static func range(_ text: String, line: Int) throws(ReadError) -> (Double, Double) {
    for index in text.indices.dropFirst() where text[index] == "-" {
      if let first = Double(text[..<index]), let second = Double(text[text.index(after: index)...]), first.isFinite,
        second.isFinite, first <= second
      {
        return (first, second)
      }
    }
    throw ReadError(line: line, problem: "\(text) is not a range such as 10-20.5")
  }

  private static func text(_ value: JSONValue) -> String {
    if case .string(let string) = value { return string }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  private static func quoted(_ text: String) -> String {
    let field = FormulaGuard.added(to: text)
    // Scalars are compared, as in `read`, because a quotation mark and a combining accent after it are a single
    // character. A byte order mark has to be quoted because it would be dropped on reading.
    guard field.unicodeScalars.contains(where: { "\",\r\n\u{FEFF}".unicodeScalars.contains($0) }) else { return field }
    var text = "\"".unicodeScalars
    for scalar in field.unicodeScalars { text.append(contentsOf: scalar == "\"" ? [scalar, scalar] : [scalar]) }
    text.append("\"")
    return String(text)
  }
}
