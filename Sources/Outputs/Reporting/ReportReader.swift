internal import Foundation
internal import Platform
public import Records
public import SystemPackage
internal import Text

/// The facts about one file in a report, limited to the facts on which other reports and the store must agree.
public struct ReportedFile: Hashable, Sendable {
  public var path: FilePath
  public var id: String?
  public var uri: String
  public var status: String

  /// Creates the facts that a report would contain if it were written now.
  public init(_ record: FileRecord) {
    let line = ReportWriter.ndjsonLine(for: record, options: ReportOptions(findings: []))
    self = (try? JSONValue(parsing: line)).flatMap { ReportedFile($0) } ?? ReportedFile(path: record.path)
  }

  private init(path: FilePath) {
    self.path = path
    id = nil
    uri = ""
    status = ""
  }

  init?(_ value: JSONValue) {
    guard case .object(let members) = value, case .string(let path)? = members["path"],
      case .string(let uri)? = members["uri"], case .string(let status)? = members["status"]
    else { return nil }
    self.path = DisplayPath.path(from: path)
    self.uri = uri
    self.status = status
    if case .string(let id)? = members["id"] { self.id = id } else { id = nil }
  }

  init?(_ row: [String], columns: [String: Int]) {
    func value(_ name: String) -> String? {
      guard let column = columns[name], column < row.count else { return nil }
      return row[column]
    }
    guard row.count == columns.count, let path = value("path"), let uri = value("uri"), let status = value("status"),
      let id = value("id")
    else { return nil }
    self.path = DisplayPath.path(from: path)
    self.uri = uri
    self.status = status
    self.id = id.isEmpty ? nil : id
  }
}

/// Reads a report written by `ReportWriter`. Memory use does not depend on the number of files.
public enum ReportReader {
  public struct Head: Hashable, Sendable {
    /// The number of the run that a JSON report describes; `nil` for other formats.
    public var run: Int64?
    public var runStarted: String?
  }

  /// The reason a file is not a valid report, as a clause that names the line if only one is wrong.
  public struct Damage: Error, CustomStringConvertible {
    public let description: String
  }

  /// - Parameters:
  ///   - head: Called first. The files are read only if it returns `true`.
  ///   - file: Called for each file.
  /// - Throws: `Damage`, an error of the system, or any error that the closures throw.
  public static func read(
    _ format: ReportFormat, at path: FilePath, head: (Head) throws -> Bool, file: (ReportedFile) throws -> Void
  ) throws {
    let handle = try FileHandle(forReadingFrom: URL(filePath: path.string))
    defer { try? handle.close() }
    var lines = Lines(handle: handle, quoted: format == .csv)
    func damage(_ what: String) -> Damage { Damage(description: "line \(lines.number) \(what)") }
    switch format {
    case .json:
      guard let line = try lines.next(), let value = try? JSONValue(parsing: line + Array("]}".utf8)),
        case .object(let members) = value, members["files"] != nil
      else {
        // A report without files is a single line.
        lines = Lines(handle: handle, quoted: false)
        try handle.seek(toOffset: 0)
        guard let line = try lines.next(), let value = try? JSONValue(parsing: line), case .object(let members) = value,
          members["files"] != nil
        else { throw damage("is not the beginning of a report") }
        _ = try head(Self.head(members))
        return
      }
      guard try head(Self.head(members)) else { return }
      var isComplete = false
      while let line = try lines.next() {
        var record = line[...]
        if record.last == UInt8(ascii: ",") {
          record.removeLast()
        } else if record.suffix(2).elementsEqual("]}".utf8) {
          record.removeLast(2)
          isComplete = true
        }
        guard let value = try? JSONValue(parsing: Array(record)), let found = ReportedFile(value) else {
          throw damage("is not the record of a file")
        }
        try file(found)
      }
      if !isComplete { throw Damage(description: "it ends early") }
    case .ndjson:
      guard try head(Head()) else { return }
      while let line = try lines.next() {
        guard let value = try? JSONValue(parsing: line), let found = ReportedFile(value) else {
          throw damage("is not the record of a file")
        }
        try file(found)
      }
    case .csv:
      guard let names = try lines.next().map(CSVReader.cells) else { throw Damage(description: "it is empty") }
      let columns = Dictionary(names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
      guard try head(Head()) else { return }
      while let line = try lines.next() {
        guard let found = ReportedFile(CSVReader.cells(line), columns: columns) else {
          throw damage("is not the row of a file")
        }
        try file(found)
      }
    // HTML is for people and cannot be read back.
    case .html: return
    }
    if lines.endsEarly { throw Damage(description: "its last line is incomplete") }
  }

  private static func head(_ members: [String: JSONValue]) -> Head {
    guard case .object(let run)? = members["run"] else { return Head() }
    var head = Head()
    if case .integer(let id)? = run["id"] { head.run = id }
    if case .string(let started)? = run["started_at"] { head.runStarted = started }
    return head
  }
}

/// The lines of a file, one by one, without line endings.
private struct Lines {
  let handle: FileHandle
  /// `true` if line breaks inside double quotes do not end a line, as in CSV.
  let quoted: Bool
  private(set) var number = 0
  /// `true` if the last line has no line break.
  private(set) var endsEarly = false
  private var buffer: [UInt8] = []
  private var position = 0

  init(handle: FileHandle, quoted: Bool) {
    self.handle = handle
    self.quoted = quoted
  }

  mutating func next() throws -> [UInt8]? {
    var line: [UInt8] = []
    var isQuoted = false
    while true {
      if position == buffer.count {
        buffer = try handle.read(upToCount: 1 << 16).map { Array($0) } ?? []
        position = 0
        if buffer.isEmpty {
          if line.isEmpty { return nil }
          endsEarly = true
          number += 1
          return line
        }
      }
      let byte = buffer[position]
      position += 1
      if byte == UInt8(ascii: "\n") && !isQuoted {
        number += 1
        if quoted, line.last == UInt8(ascii: "\r") { line.removeLast() }
        return line
      }
      if quoted && byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      line.append(byte)
    }
  }
}
