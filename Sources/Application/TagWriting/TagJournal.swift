internal import Analysis
internal import Foundation
internal import Glibc
internal import Platform
internal import SystemPackage

/// The journal of changed tags cannot be written or read.
package struct TagJournalError: Error, CustomStringConvertible {
  package let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// What was there before tags were changed, one line of JSON for each file, written to the disk before the file is replaced.
///
/// A line without its change (the program was ended between the two) does no harm: `TagUndo` looks at the file. A last line
/// that is cut off has no change.
final class TagJournal {
  /// The first line.
  struct Header: Codable {
    static let name = "nocturne.tag_journal"
    static let version = 1

    var journal: String
    var version: Int
    var program: String
    var startedAt: String
  }

  struct Stamp: Codable, Hashable {
    var sizeBytes: Int64
    var modifiedNs: Int64

    init(_ identity: FileIdentity) {
      sizeBytes = identity.size
      modifiedNs = identity.modified.nanoseconds
    }
  }

  struct Entry: Codable {
    var at: String
    /// Bytes of the path, percent-encoded.
    var uri: String
    /// For people.
    var path: String
    var contentId: String
    var before: Stamp
    var after: Stamp
    var changes: [TagChange]
  }

  /// The longest line that is read.
  static let lineLimit = 16 << 20

  let path: FilePath
  private let file: FileDescriptor

  /// Goes on in a journal, or begins one.
  init(_ path: FilePath) throws(TagJournalError) {
    self.path = path
    do {
      file = try FileDescriptor.open(
        path, .readWrite, options: [.create, .append, .closeOnExec],
        permissions: [.ownerReadWrite, .groupRead, .otherRead])
      var head = [UInt8](repeating: 0, count: 512)
      let count = try head.withUnsafeMutableBytes { try file.read(fromAbsoluteOffset: 0, into: $0) }
      if count == 0 {
        try append(
          Header(
            journal: Header.name, version: Header.version, program: "Nocturne \(Nocturne.version)",
            startedAt: Timestamp.now.description))
        FileReplacement.synchronize(path.removingLastComponent())
      } else if !String(decoding: head[..<count], as: UTF8.self).contains("\"\(Header.name)\"") {
        throw TagJournalError("\(path) is no journal of changed tags. Name another file with --journal.")
      } else if try file.seek(offset: -1, from: .end) >= 0 {
        var last = [UInt8](repeating: 0, count: 1)
        _ = try last.withUnsafeMutableBytes { try file.read(into: $0) }
        // A line that was cut off stays one of its own.
        if last != [0x0A] { _ = try file.writeAll([0x0A]) }
      }
    } catch let error as TagJournalError {
      throw error
    } catch {
      throw TagJournalError("The journal \(path) cannot be written: \(error). No more tags were changed.")
    }
  }

  deinit { try? file.close() }

  /// Writes a line, and waits until it is on the disk.
  func append(_ entry: Entry) throws(TagJournalError) {
    do {
      try append(entry as any Encodable)
    } catch {
      throw TagJournalError("The journal \(path) cannot be written: \(error). No more tags were changed.")
    }
  }

  private func append(_ line: any Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.keyEncodingStrategy = .convertToSnakeCase
    let start = try file.seek(offset: 0, from: .end)
    do {
      _ = try file.writeAll(Array(try encoder.encode(line)) + [0x0A])
      guard fsync(file.rawValue) == 0 else { throw Errno(rawValue: errno) }
    } catch {
      // What is there of the line would only be noise.
      _ = ftruncate(file.rawValue, off_t(start))
      throw error
    }
  }

  /// Reads a journal. Lines that are none are left out, such as the last one of a program that was killed.
  static func entries(of path: FilePath) throws(TagJournalError) -> [Entry] {
    do {
      let file = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
      defer { try? file.close() }
      let decoder = JSONDecoder()
      decoder.keyDecodingStrategy = .convertFromSnakeCase
      var lines = LineReader(reading: file, limit: lineLimit)
      guard case .text(let first)? = try lines.next(),
        let header = try? decoder.decode(Header.self, from: Data(first)), header.journal == Header.name
      else { throw TagJournalError("\(path) is no journal of changed tags.") }
      guard header.version <= Header.version else {
        throw TagJournalError("The journal \(path) was written by a newer version of analyze.")
      }
      var entries: [Entry] = []
      while let line = try lines.next() {
        if case .text(let bytes) = line, let entry = try? decoder.decode(Entry.self, from: Data(bytes)) {
          entries.append(entry)
        }
      }
      return entries
    } catch let error as TagJournalError {
      throw error
    } catch {
      throw TagJournalError("The journal \(path) cannot be read: \(error).")
    }
  }

  /// A name beside the database that is not taken.
  static func newPath(besideDatabase database: FilePath) -> FilePath {
    let time = Timestamp.now.description.filter { $0 != "-" && $0 != ":" }
    let base = "\(database.stem ?? "library")-tags-\(time)"
    let folder = database.removingLastComponent()
    var path = folder.appending("\(base).ndjson")
    var number = 2
    while path.isThere {
      path = folder.appending("\(base)-\(number).ndjson")
      number += 1
    }
    return path
  }
}
