internal import Analysis
internal import Foundation
internal import Platform
internal import Records
internal import SystemPackage
internal import TagWriting

/// The journal of changed tags cannot be written or read.
package struct TagJournalError: Error, CustomStringConvertible {
  package let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// The former state of changed tags, one line of JSON for each file, written to the disk before the file is replaced.
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
    /// `nil` if the new file lacks too much of the old one.
    var restore: Restore?
  }

  /// A `FileReversal`.
  struct Restore: Codable {
    struct Piece: Codable {
      /// A stretch of the new file from here on, `count` bytes long; without it, zeros.
      var from: Int?
      var count: Int?
      /// Ogg pages of this stream get other numbers.
      var serial: UInt32?
      var numberShift: UInt32?
      /// In place of the others: in Base64.
      var bytes: Data?
    }

    var oldSize: Int
    var oldDigest: String
    var newSize: Int
    var newDigest: String
    var pieces: [Piece]
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
      if Self.isCutHeader(head[..<count]) {
        _ = ftruncate(file.rawValue, 0)
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

  /// Whether this is the rest of a program that was killed before the first line was whole, or before it was begun.
  static func isCutHeader(_ head: some Collection<UInt8>) -> Bool {
    let start = Array("{\"journal\":\"\(Header.name)\"".utf8)
    return !head.contains(0x0A) && (start.starts(with: head) || head.starts(with: start))
  }

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
      try file.synchronize()
    } catch {
      // A part of the line would only be noise.
      try? file.truncate(to: start)
      throw error
    }
  }

  /// A name beside the database that is not taken.
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

  /// `nil` if the line is not what this program writes.
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
