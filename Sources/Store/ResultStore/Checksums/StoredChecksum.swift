public import Analysis
internal import GRDB
public import Platform
internal import Synchronization

/// The stored facts about the bytes of a file: a row of the table `checksum`.
public struct StoredChecksum: Hashable, Sendable {
  public enum State: String, Hashable, Sendable {
    case changedSilently = "changed_silently"
    case unreadable
  }

  /// The part of the file in which bytes differ.
  public enum Hit: String, Hashable, Sendable, Codable {
    case audio
    /// The bytes before or after the audio: tags, pictures, headers, padding.
    case tags
  }

  /// The checksum; `nil` if the file was never read completely.
  public var checksum: FileChecksum?
  /// The time at which the file was last known to have these bytes; `nil` if unknown.
  public var well: Timestamp?
  public var verified: Timestamp?
  /// The state of the bytes; `nil` if the file is intact.
  public var state: State?
  public var hit: Hit?
  /// The XXH3-128 of the bytes that were found instead; `nil` if the bytes have not changed.
  public var found: ContentID?
  public var foundAt: Timestamp?

  public init(checksum: FileChecksum?, well: Timestamp? = nil) {
    self.checksum = checksum
    self.well = well
  }

  /// The columns, from `checksum c`.
  static let columns = """
    c.xxh3, c.sha256, c.md5, c.audio_start, c.audio_end, c.audio_xxh3, c.well_ns, c.verified_ns, c.state, c.hit,
    c.found_xxh3, c.found_ns
    """
  static let columnCount: Int32 = 12

  /// - Parameter first: Index of the first of `columns`.
  static func read(_ row: Query, from first: Int32, byteCount: Int64) -> StoredChecksum {
    var stored = StoredChecksum(checksum: nil)
    if let whole = row.hash(first) {
      var checksum = FileChecksum(whole: whole, byteCount: byteCount, audioHash: row.hash(first + 5))
      if !row.isNull(first + 1) { checksum.digests[.sha256] = Array(row.bytes(first + 1)) }
      if !row.isNull(first + 2) { checksum.digests[.md5] = Array(row.bytes(first + 2)) }
      if let start = row.optionalInteger(first + 3), let end = row.optionalInteger(first + 4), start <= end {
        checksum.audio = start..<end
      }
      stored.checksum = checksum
    }
    func time(_ column: Int32) -> Timestamp? {
      row.optionalInteger(first + column).map { Timestamp(nanoseconds: $0) }
    }
    stored.well = time(6)
    stored.verified = time(7)
    stored.state = State(rawValue: row.text(first + 8))
    stored.hit = Hit(rawValue: row.text(first + 9))
    stored.found = row.hash(first + 10)
    stored.foundAt = time(11)
    return stored
  }

  /// Returns the part of the file in which the present bytes differ from the stored ones; `nil` if the hashes do not
  /// show it.
  /// - Parameter found: The checksum of the present file, with a hash of the same range of audio bytes.
  public func hit(in found: FileChecksum) -> Hit? {
    guard let known = checksum, let range = known.audio, range == found.audio, let hash = known.audioHash,
      let foundHash = found.audioHash
    else { return nil }
    return hash == foundHash ? .tags : .audio
  }
}

extension Query {
  /// Reads a hash of 16 bytes, big-endian; `nil` if the column has another size.
  fileprivate func hash(_ column: Int32) -> ContentID? {
    let bytes = bytes(column)
    guard bytes.count == 16 else { return nil }
    func number(_ part: Slice<UnsafeBufferPointer<UInt8>>) -> UInt64 { part.reduce(0) { $0 << 8 | UInt64($1) } }
    return ContentID(high: number(bytes[..<8]), low: number(bytes[8...]))
  }
}

extension SQLValue {
  static func hash(_ hash: ContentID?) -> SQLValue { hash.map { .blob($0.bigEndianBytes) } ?? .null }
  static func digest(_ bytes: [UInt8]?) -> SQLValue { bytes.map { .blob($0) } ?? .null }
  static func time(_ time: Timestamp?) -> SQLValue { .integer(time?.nanoseconds) }
}

/// The statements that use the table `checksum`.
enum Checksums {
  static func read(file: Int64, in db: Database) throws -> StoredChecksum? {
    let select = try Query(
      db,
      """
      SELECT \(StoredChecksum.columns), f.size_bytes FROM checksum c JOIN file f ON f.id = c.file WHERE c.file = ?
      """)
    return try select.first(.integer(file)) {
      StoredChecksum.read(select, from: 0, byteCount: select.integer(StoredChecksum.columnCount))
    }
  }

  /// Returns the stored checksum; `nil` if a scan has found a different size or time since it was stored.
  static func current(file: Int64, in db: Database) throws -> FileChecksum? {
    let select = try Query(db, "SELECT pending FROM file WHERE id = ?")
    let reason = try select.first(.integer(file)) { PendingState(rawValue: select.integer(0)).reason } ?? nil
    guard reason != .new, reason != .changed else { return nil }
    return try read(file: file, in: db)?.checksum
  }

  /// Accepts the present bytes as correct.
  static func take(_ checksum: FileChecksum, file: Int64, at time: Timestamp, in db: Database) throws {
    try Query(
      db,
      """
      INSERT OR REPLACE INTO checksum (file, xxh3, sha256, md5, audio_start, audio_end, audio_xxh3, taken_ns, well_ns,
        read_ns)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """
    ).run(
      .integer(file), .hash(checksum.whole), .digest(checksum.digests[.sha256]), .digest(checksum.digests[.md5]),
      .integer(checksum.audio?.lowerBound), .integer(checksum.audio?.upperBound), .hash(checksum.audioHash),
      .time(time), .time(time), .time(time))
  }

  /// Confirms the known bytes, and stores digests that were not known yet.
  static func confirm(
    _ found: FileChecksum, file: Int64, at time: Timestamp, verification: Int64?, in db: Database
  ) throws {
    try Query(
      db,
      """
      UPDATE checksum SET well_ns = ?, verified_ns = ?, verification = ?, read_ns = ?, state = NULL, hit = NULL,
        found_xxh3 = NULL, found_ns = NULL, sha256 = coalesce(sha256, ?), md5 = coalesce(md5, ?)
      WHERE file = ?
      """
    ).run(
      .time(time), .time(time), .integer(verification), .time(time), .digest(found.digests[.sha256]),
      .digest(found.digests[.md5]), .integer(file))
  }

  static func noteChange(
    _ found: ContentID, hit: StoredChecksum.Hit, file: Int64, at time: Timestamp, in db: Database
  ) throws {
    try Query(
      db,
      """
      UPDATE checksum SET state = 'changed_silently', hit = ?, found_xxh3 = ?, found_ns = ?, read_ns = ? WHERE file = ?
      """
    ).run(.text(hit.rawValue), .hash(found), .time(time), .time(time), .integer(file))
  }

  static func noteReading(file: Int64, at time: Timestamp, in db: Database) throws {
    try Query(db, "UPDATE checksum SET read_ns = ? WHERE file = ?").run(.time(time), .integer(file))
  }

  static func noteUnreadable(file: Int64, at time: Timestamp, in db: Database) throws {
    try Query(
      db,
      """
      INSERT INTO checksum (file, read_ns, state, found_ns) VALUES (?, ?, 'unreadable', ?)
      ON CONFLICT (file) DO UPDATE SET read_ns = excluded.read_ns,
        found_ns = iif(state = 'unreadable', found_ns, excluded.found_ns),
        state = coalesce(state, 'unreadable')
      """
    ).run(.integer(file), .time(time), .time(time))
  }

  static func forget(file: Int64, in db: Database) throws {
    try Query(db, "DELETE FROM checksum WHERE file = ?").run(.integer(file))
  }
}
