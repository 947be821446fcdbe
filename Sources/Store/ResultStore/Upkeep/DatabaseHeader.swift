internal import Platform
internal import SystemPackage

/// The first bytes of an SQLite database (https://sqlite.org/fileformat2.html, section 1.3). They are read without
/// SQLite, because SQLite writes files next to a database in WAL mode even if it only reads.
struct DatabaseHeader {
  private static let mark = Array("SQLite format 3\0".utf8)
  private static let length = 100

  let applicationID: UInt32
  /// `true` if the database is in WAL mode.
  let usesWAL: Bool

  /// Returns `nil` if the bytes are not the start of an SQLite database.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.length, bytes.starts(with: Self.mark) else { return nil }
    applicationID = bytes[68..<72].reduce(0) { $0 << 8 | UInt32($1) }
    usesWAL = bytes[19] == 2
  }

  /// Examines a file before it is used as a database of this program.
  /// - Returns: `nil` if the file is missing, empty, or left by a process that was killed while creating it, in which
  ///   case SQLite rolls it back.
  /// - Throws: `notAStore` for a file of another program; `cannotOpen` if the file cannot be read.
  static func ofStore(at path: FilePath) throws(StoreError) -> DatabaseHeader? {
    guard let status = try? FileStatus(at: path, followingLinks: true) else { return nil }
    guard status.kind == .regular else { throw .notAStore(path: path, reason: "it is not a regular file") }
    guard status.size > 0 else { return nil }
    let bytes = try read(path)
    guard let header = DatabaseHeader(bytes) else {
      let journalSize = ResultStore.fileSize(of: path.string + "-journal") ?? 0
      if journalSize > 0, bytes.allSatisfy({ $0 == 0 }) { return nil }
      throw .notAStore(path: path, reason: "it is not a SQLite database")
    }
    // Many programs leave this field at 0. In a new database, the number may be only in the write-ahead log.
    guard [0, UInt32(Schema.applicationID)].contains(header.applicationID) else {
      throw .notAStore(path: path, reason: "it belongs to another program")
    }
    return header
  }

  private static func read(_ path: FilePath) throws(StoreError) -> [UInt8] {
    do {
      let file = try FileDescriptor.openWithoutWaiting(path)
      return try file.closeAfter {
        try [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
          count = try file.read(fromAbsoluteOffset: 0, into: UnsafeMutableRawBufferPointer(buffer))
        }
      }
    } catch {
      throw .cannotOpen(path: path, reason: "\(error)")
    }
  }
}
