internal import Analysis
internal import Foundation
internal import Platform
internal import Records
internal import SystemPackage
internal import TagWriting

/// The reason the journal of tag changes cannot be written or read.
package struct TagJournalError: Error, CustomStringConvertible {
  package let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// A journal of tag changes, for undoing them. It has one line of JSON per file, which is flushed to disk before the
/// file is replaced.
///
/// A line whose change was not made, because the program ended before making it, does no harm: `TagUndo` checks the
/// file. If the last line is truncated, its change was never made.
final class TagJournal {
  /// The first line of a journal.
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
    /// The bytes of the path, percent-encoded.
    var uri: String
    /// The path for display.
    var path: String
    var contentId: String
    var before: Stamp
    var after: Stamp
    var changes: [TagChange]
    /// The instructions for restoring the old file; `nil` if the new file contains too little of it.
    var restore: Restore?
  }

  /// A `FileReversal`, as stored in the journal.
  struct Restore: Codable {
    struct Piece: Codable {
      /// The start of `count` bytes of the new file; `nil` for `count` zeros.
      var from: Int?
      var count: Int?
      /// The Ogg stream whose pages are renumbered by `numberShift`.
      var serial: UInt32?
      var numberShift: UInt32?
      /// Literal bytes, in Base64, in which case the other fields are `nil`.
      var bytes: Data?
    }

    var oldSize: Int
    var oldDigest: String
    var newSize: Int
    var newDigest: String
    var pieces: [Piece]
  }

  /// Maximum length of a line that is read, in bytes.
  static let maxLineLength = 16 << 20

  let path: FilePath
  private let file: FileDescriptor

  /// Opens a journal to append to it, or creates one.
  init(_ path: FilePath) throws(TagJournalError) {
    self.path = path
    do {
      file = try FileDescriptor.open(
        path, .readWrite, options: [.create, .append, .closeOnExec, .nonBlocking],
        permissions: [.ownerReadWrite, .groupRead, .otherRead])
      guard try FileStatus(of: file).kind == .regular else {
        throw TagJournalError("\(path) is not a regular file. Name another file with --journal.")
      }
      var head = [UInt8](repeating: 0, count: 512)
      let count = try head.withUnsafeMutableBytes { try file.read(fromAbsoluteOffset: 0, into: $0) }
      if Self.isCutHeader(head[..<count]) {
        _ = ftruncate(file.rawValue, 0)
        try append(
          Header(
            journal: Header.name, version: Header.version, program: "Nocturne \(Nocturne.version)",
            startedAt: Timestamp.now.description))
        FileReplacement.synchronize(path.removingLastComponent())
      } else if !String(decoding: head[..<count], as: UTF8.self).contains("\"\(Header.name)\"") {
        throw TagJournalError("\(path) is not a journal of tag changes. Name another file with --journal.")
      } else if try file.seek(offset: -1, from: .end) >= 0 {
        var last = [UInt8](repeating: 0, count: 1)
        _ = try last.withUnsafeMutableBytes { try file.read(into: $0) }
        // Terminates a truncated last line.
        if last != [0x0A] { _ = try file.writeAll([0x0A]) }
      }
    } catch let error as TagJournalError {
      throw error
    } catch {
      throw TagJournalError("The journal \(path) cannot be written: \(error). No more tags were changed.")
    }
  }

  deinit { try? file.close() }

  /// Returns `true` if the journal is empty, or is left from a program that was killed before it had written the whole
  /// header.
  static func isCutHeader(_ head: some Collection<UInt8>) -> Bool {
    let start = Array("{\"journal\":\"\(Header.name)\"".utf8)
    return !head.contains(0x0A) && (start.starts(with: head) || head.starts(with: start))
  }

  /// Writes a line and flushes it to disk.
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
      try file.synchronize()
    } catch {
      // Removes the partial line.
      try? file.truncate(to: start)
      throw error
    }
  }

  /// Returns an unused path for a journal in the folder of the database.
  static func newPath(besideDatabase database: FilePath) -> FilePath {
    let time = Timestamp.now.description.filter { $0 != "-" && $0 != ":" }
    let base = "\(database.stem ?? "library")-tags-\(time)"
    let folder = database.removingLastComponent()
    var path = folder.appending("\(base).ndjson")
    var number = 2
    while path.exists {
      path = folder.appending("\(base)-\(number).ndjson")
      number += 1
    }
    return path
  }
}

extension TagJournal.Restore {
  init(_ reversal: FileReversal) {
    oldSize = reversal.old.size
    oldDigest = reversal.old.digest.description
    newSize = reversal.new.size
    newDigest = reversal.new.digest.description
    pieces = reversal.pieces.map { piece in
      switch piece {
      case .kept(let range): Piece(from: range.lowerBound, count: range.count)
      case .bytes(let bytes): Piece(bytes: Data(bytes))
      case .zeros(let count): Piece(count: count)
      case .pages(let range, let serial, let shift):
        Piece(from: range.lowerBound, count: range.count, serial: serial, numberShift: shift)
      }
    }
  }

  /// The reversal; `nil` if the line is malformed.
  var reversal: FileReversal? {
    guard let old = ContentID(oldDigest), let new = ContentID(newDigest) else { return nil }
    var pieces: [FileReversal.Piece] = []
    for piece in self.pieces {
      if let bytes = piece.bytes {
        pieces.append(.bytes(Array(bytes)))
      } else if let count = piece.count, count >= 0, let from = piece.from, from >= 0, from <= Int.max - count {
        let range = from..<from + count
        if let serial = piece.serial, let shift = piece.numberShift {
          pieces.append(.pages(range, serial: serial, numberShift: shift))
        } else {
          pieces.append(.kept(range))
        }
      } else if let count = piece.count, count >= 0 {
        pieces.append(.zeros(count))
      } else {
        return nil
      }
    }
    return FileReversal(
      old: FileDigest(size: oldSize, digest: old), new: FileDigest(size: newSize, digest: new), pieces: pieces)
  }
}
