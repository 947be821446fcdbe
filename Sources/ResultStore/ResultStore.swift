internal import AudioAnalysis
internal import GRDB
internal import Glibc
public import SystemPackage

/// The results of all runs: one SQLite database in WAL mode that any number of processes may read while one run writes it.
///
/// Methods block the calling thread.
public final class ResultStore: Sendable {
  public enum Access: Hashable, Sendable {
    /// Creates the database if it is not there, and brings an older schema up to date.
    case readWrite
    /// An older schema is brought up to date all the same: nothing else can be read. Where nothing may be written, that is
    /// done in a copy.
    case readOnly
  }

  public let path: FilePath
  private let name: String
  /// Device and inode.
  private let place: FilePlace?
  let pool: any DatabaseWriter
  /// A copy that was made because nothing may be written beside the database; it goes with this object.
  private let copy: TemporaryCopy?
  let analysisSets = AnalysisSets()

  /// - Throws: `cannotOpen`, `notAStore` (nothing was written to that file), `newerSchema`, `corrupt`, `readOnly`, `busy`
  ///   or `diskFull`.
  public init(path: FilePath, access: Access = .readWrite) throws(StoreError) {
    self.path = path
    guard let name = path.withBytes({ unsafe String(validating: $0, as: UTF8.self) }) else {
      throw .cannotOpen(path: path, reason: "the name of a database must be UTF-8")
    }
    self.name = name
    do {
      let exists = Self.fileSize(of: name) != nil
      guard exists || access == .readWrite else {
        throw StoreError.cannotOpen(path: path, reason: "there is no such file")
      }
      (pool, copy) = try Self.open(name, access, path: path)
      place = FilePlace(of: name)
    } catch {
      throw Self.storeError(error, path: path)
    }
  }

  private static func open(
    _ name: String, _ access: Access, path: FilePath
  ) throws -> (any DatabaseWriter, TemporaryCopy?) {
    do {
      return (try openInPlace(name, access, path: path), nil)
    } catch let error as DatabaseError where access == .readOnly && isRefusal(error) {
      // To read a database in WAL mode, SQLite writes beside it, unless it is told that nobody does.
      if let frozen = try? openFrozen(name, path: path) { return (frozen, nil) }
      guard let copy = TemporaryCopy(of: name) else { throw error }
      return (try openInPlace(copy.name, .readWrite, path: path), copy)
    }
  }

  private static func openInPlace(_ name: String, _ access: Access, path: FilePath) throws -> any DatabaseWriter {
    let found = try schemaVersion(ofDatabaseNamed: name, path: path)
    guard found <= Schema.version else {
      throw StoreError.newerSchema(path: path, found: found, known: Schema.version)
    }
    guard access == .readWrite || found < Schema.version else {
      return try DatabasePool(path: name, configuration: configuration(readOnly: true))
    }
    let pool = try DatabasePool(path: name, configuration: configuration(readOnly: false))
    try Schema.migrator.migrate(pool)
    return pool
  }

  /// A database of the present schema that lies all in its main file; `nil` for others.
  private static func openFrozen(_ name: String, path: FilePath) throws -> (any DatabaseWriter)? {
    guard fileSize(of: name + "-wal") ?? 0 == 0 else { return nil }
    let uri = "file:\(percentEncoded(name))?immutable=1"
    guard try schemaVersion(probing: uri, path: path) == Schema.version else { return nil }
    return try DatabaseQueue(path: uri, configuration: configuration(readOnly: true))
  }

  private static func isRefusal(_ error: DatabaseError) -> Bool {
    [.SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PERM].contains(error.resultCode)
  }

  private static func percentEncoded(_ name: String) -> String {
    name.utf8.map { byte in
      let character = Character(Unicode.Scalar(byte))
      return byte < 0x80 && (character.isLetter || character.isNumber || "/-_.".contains(character))
        ? String(character) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
  }

  /// Asks SQLite to look over the whole file.
  /// - Returns: what is wrong, one line each; empty if nothing is.
  public func checkIntegrity() throws(StoreError) -> [String] {
    try read { db in
      var complaints = try String.fetchAll(db, sql: "PRAGMA integrity_check(20)").filter { $0 != "ok" }
      for row in try Row.fetchAll(db, sql: "PRAGMA foreign_key_check") {
        complaints.append(
          "a row of \(row[0] as String? ?? "?") refers to a row of \(row[2] as String? ?? "?") that is missing")
      }
      return complaints
    }
  }

  /// Reads from one snapshot of the database.
  func read<Result>(_ body: (Database) throws -> Result) throws(StoreError) -> Result {
    do {
      return try pool.read(body)
    } catch {
      throw Self.storeError(error, path: path)
    }
  }

  /// Writes in one transaction that is rolled back if `body` throws.
  func write<Result>(_ body: (Database) throws -> Result) throws(StoreError) -> Result {
    // SQLite writes on into a file that was removed or moved: into nothing.
    guard place == FilePlace(of: name) else {
      throw .unreachable(path: path, detail: "it was removed, moved or replaced while it was in use")
    }
    do {
      return try pool.write(body)
    } catch {
      throw Self.storeError(error, path: path)
    }
  }

  static func storeError(_ error: any Error, path: FilePath) -> StoreError {
    if let error = error as? StoreError { return error }
    guard let error = error as? DatabaseError else { return .failed(path: path, detail: "\(error)") }
    let detail = error.message ?? "\(error.extendedResultCode)"
    return switch error.resultCode {
    case .SQLITE_BUSY, .SQLITE_LOCKED: .busy(path: path)
    case .SQLITE_CORRUPT: .corrupt(path: path, detail: detail)
    case .SQLITE_NOTADB: .notAStore(path: path, reason: "it is no SQLite database")
    case .SQLITE_READONLY, .SQLITE_PERM: .readOnly(path: path)
    case .SQLITE_FULL: .diskFull(path: path)
    case .SQLITE_IOERR: .unreachable(path: path, detail: detail)
    case .SQLITE_CANTOPEN: .cannotOpen(path: path, reason: detail)
    default: .failed(path: path, detail: detail)
    }
  }

  private static func configuration(readOnly: Bool) -> Configuration {
    var configuration = Configuration()
    configuration.readonly = readOnly
    configuration.busyMode = .timeout(10)
    configuration.maximumReaderCount = 3
    configuration.label = "store"
    configuration.prepareDatabase { db in
      // In WAL mode a power cut may lose the last transactions with NORMAL, but never damages the database.
      try db.execute(sql: "PRAGMA synchronous = NORMAL; PRAGMA cache_size = -16000; PRAGMA temp_store = MEMORY")
    }
    return configuration
  }

  /// 0 for a file that is missing or empty.
  /// - Throws: `notAStore` for anything else that no version of this program has written.
  private static func schemaVersion(ofDatabaseNamed name: String, path: FilePath) throws -> Int {
    guard let size = fileSize(of: name), size > 0 else { return 0 }
    return try schemaVersion(probing: name, path: path)
  }

  private static func schemaVersion(probing name: String, path: FilePath) throws -> Int {
    let probe = try DatabaseQueue(path: name, configuration: configuration(readOnly: true))
    let (application, version, tables) = try probe.read { db in
      (
        try Int.fetchOne(db, sql: "PRAGMA application_id") ?? 0,
        try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0,
        try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master WHERE name NOT LIKE 'grdb_%'") ?? 0
      )
    }
    if application == Schema.applicationID { return version }
    if application == 0 && version == 0 && tables == 0 { return 0 }
    throw StoreError.notAStore(path: path, reason: "it belongs to another program")
  }

  static func fileSize(of name: String) -> Int64? {
    var status = stat()
    return unsafe stat(name, &status) == 0 ? Int64(status.st_size) : nil
  }
}

/// Which file stands behind a name.
private struct FilePlace: Equatable {
  var device: UInt64
  var inode: UInt64

  init?(of name: String) {
    var status = stat()
    guard unsafe stat(name, &status) == 0 else { return nil }
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
  }
}
