public import LibraryScan
internal import Platform
public import SystemPackage
internal import Text

/// A list of files with sizes and times. It is created where the files are, so that a plan can be made elsewhere
/// without access to them.
///
/// A listing is CSV with a header row. The columns are `path` or `uri`, which names the file; `size_bytes`, its size;
/// `modified`, its modification time, either in seconds since 1970 with a fraction, as printed by `find -printf %T@`,
/// or in RFC 3339 format; and, for objects, optionally `etag`. Other columns are ignored. A name with a line break
/// requires `uri`.
public final class FileListing {
  /// A syntax error in a listing.
  public struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
    public var line: Int
    /// The problem, as a clause without a period.
    public var text: String
    public var description: String { "Line \(line) of the listing: \(text). No plan was made" }
  }

  private enum Column: String, CaseIterable {
    case path, uri
    case entityTag = "etag"
    case size = "size_bytes"
    case modified
  }

  private var lines: LineReader
  private let rule: CandidateRule
  private let workingFolder: FilePath
  private var places: [Column: Int] = [:]
  private var line = 0

  /// Maximum length of a line in bytes. Even when percent-encoded, the longest path is shorter.
  private static let lineLimit = 1 << 17

  /// - Parameters:
  ///   - descriptor: The descriptor of the listing. It is not closed.
  ///   - rule: Decides which names count as audio files.
  ///   - workingFolder: The base of relative paths.
  /// - Throws: `Problem` if the header is missing or lacks a required column.
  public init(reading descriptor: FileDescriptor, rule: CandidateRule, workingFolder: FilePath) throws {
    lines = LineReader(reading: descriptor, limit: Self.lineLimit)
    self.rule = rule
    self.workingFolder = workingFolder
    guard let header = try nextCells() else { throw Problem(line: 1, text: "it has no header row") }
    for (place, name) in header.enumerated() {
      if let column = Column(rawValue: name.lowercased()) { places[column] = place }
    }
    guard places[.path] != nil || places[.uri] != nil, places[.size] != nil, places[.modified] != nil else {
      throw Problem(
        line: line, text: "the header must name the columns path or uri, size_bytes and modified")
    }
  }

  /// Returns the next file, or an entry that is skipped because of its name; `nil` at the end.
  public func next() throws -> LibraryWalker.Entry? {
    guard let cells = try nextCells() else { return nil }
    func cell(_ column: Column) -> String? {
      places[column].flatMap { $0 < cells.count && !cells[$0].isEmpty ? cells[$0] : nil }
    }
    let path = try path(uri: cell(.uri), path: cell(.path))
    if let name = path.lastComponent, let reason = rule.reasonToSkip(fileNamed: Array(name.string.utf8)) {
      return .skipped(SkippedEntry(path: path, reason: reason))
    }
    guard let size = cell(.size).flatMap({ Int64($0) }), size >= 0 else { throw problem("size_bytes is not a number") }
    guard let modified = cell(.modified).flatMap(Self.time) else {
      throw problem("modified is neither seconds since 1970 nor a date such as 2026-11-21T04:15:04.5Z")
    }
    if let object = ObjectName(path) {
      return .file(ScannedFile(object, size: size, modified: modified, entityTag: cell(.entityTag)))
    }
    return .file(
      ScannedFile(
        // No file has these numbers: a listing does not identify files, so renamed files are not recognized.
        path: path, device: .max, inode: .max, size: size, modified: modified,
        statusChanged: Timestamp(nanoseconds: 0), linkCount: 1))
  }

  private func path(uri: String?, path: String?) throws -> FilePath {
    if let uri {
      if ObjectName.scheme(of: uri.utf8) != nil {
        do {
          return try ObjectAddress(uri: uri.utf8).name.path
        } catch {
          throw problem(String(error.message.dropLast()))
        }
      }
      guard uri.lowercased().hasPrefix("file:") else {
        throw problem("only file:, https:, http:, s3: and gs: URIs can be analyzed")
      }
      do {
        return try FilePath(fileURI: uri.utf8).lexicallyNormalized()
      } catch {
        throw problem(String(error.message.dropLast()))
      }
    }
    guard let path else { throw problem("it names no file") }
    let named = FilePath(path)
    return (named.isAbsolute ? named : workingFolder.pushing(named)).lexicallyNormalized()
  }

  private func problem(_ text: String) -> Problem { Problem(line: line, text: text) }

  private func nextCells() throws -> [String]? {
    while let next = try lines.next() {
      line += 1
      guard case .text(let bytes) = next else { throw problem("it is longer than any path") }
      guard String(validating: bytes, as: UTF8.self) != nil else {
        throw problem("it is not UTF-8; name the file by its percent-encoded uri")
      }
      let cells = CSVReader.cells(bytes)
      if cells != [""] { return cells }
    }
    return nil
  }

  /// Parses a time exactly, to the nanosecond, because scans compare times.
  private static func time(_ text: String) -> Timestamp? {
    if let date = Timestamp(rfc3339: text) { return date }
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let seconds = Int64(parts[0]) else { return nil }
    guard parts.count == 2 else { return Timestamp(seconds: seconds, nanoseconds: 0) }
    let digits = parts[1].prefix(9)
    guard !digits.isEmpty, parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let fraction = Int64(digits + String(repeating: "0", count: 9 - digits.count))
    else { return nil }
    return Timestamp(seconds: seconds, nanoseconds: text.hasPrefix("-") ? -fraction : fraction)
  }
}
