public import Analysis
package import GRDB
internal import Platform
public import SystemPackage

/// The results of all runs: an SQLite database in WAL mode. Any number of processes may read it while one run writes to
/// it.
///
/// Methods block the calling thread. Folders next to this file:
///
/// - `Schema`: the tables, migrations, and statements for the scan's hot loop.
/// - `Scan`: the files that a run has seen, compared with the stored state.
/// - `Queue`: files waiting for analysis, with known facts that may save work.
/// - `Results`: writing and merging the results of analyses.
/// - `Findings`: the storage of findings, corrections and decisions about duplicates.
/// - `Checksums`: checksums, verifications, and the history of each file.
/// - `Songs`: tables that are derived from the findings and updated in every transaction; `LibraryStore` queries them.
/// - `Changes`: a log of which tracks changed or disappeared, and when.
/// - `Reading`: records, runs and figures for reports and commands.
/// - `Upkeep`: checks, backups, pruning, and the run lock.
public final class ResultStore: Sendable {
  public enum Access: Hashable, Sendable {
    /// Creates the database if necessary and migrates an older schema.
    case readWrite
    /// Also migrates an older schema, because only the current one can be read. If writing is impossible, migrates a
    /// copy.
    case readOnly
  }

  public let path: FilePath
  /// The schema version before this object migrated the database; `nil` if the database was current or new, or was
  /// migrated in a copy.
  public let olderSchema: Int?
  private let name: String
  /// Device and inode of the database file.
  private let place: FileKey?
  let pool: any DatabaseWriter
  /// A copy of the database, used if nothing may be written next to the original. It is removed with this object.
  private let copy: TemporaryCopy?
  let analysisSets = AnalysisSets()
  let findings: StoredFindings
  private let keepsAlbums: Bool
  package let songs: SongCatalog
  /// The finding tables that the database had when it was opened; all of them if it is writable.
  package let existing: ExistingColumns

  /// - Parameter findings: Findings that have their own tables. All others are stored as JSON.
  /// - Throws: `cannotOpen`, `notAStore` (the file is left untouched), `newerSchema`, `corrupt`, `readOnly`, `busy` or
  ///   `diskFull`.
  public init(
    path: FilePath, findings types: [any DeclaredFinding.Type], access: Access = .readWrite
  ) throws(StoreError) {
    self.path = path
    findings = StoredFindings(types)
    keepsAlbums = AlbumLoudness.isKept(with: findings.tables)
    guard let name = path.withBytes({ unsafe String(validating: $0, as: UTF8.self) }) else {
      throw .cannotOpen(path: path, reason: "the name of a database must be UTF-8")
    }
    self.name = name
    do {
      let exists = Self.fileSize(of: name) != nil
      guard exists || access == .readWrite else {
        throw StoreError.cannotOpen(path: path, reason: "there is no such file")
      }
      let schema = try FindingSchema(findings.tables, path: path)
      (pool, olderSchema, copy) = try Self.open(name, access, schema, path: path)
      (existing, songs) = try pool.read { [findings] db in
        (try ExistingColumns(of: findings.tables, db), try SongCatalog(db))
      }
      place = Self.key(of: name)
    } catch {
      throw Self.storeError(error, path: path)
    }
  }

  private static func open(
    _ name: String, _ access: Access, _ findings: FindingSchema, path: FilePath
  ) throws -> (any DatabaseWriter, olderSchema: Int?, TemporaryCopy?) {
    do {
      let (pool, olderSchema) = try openInPlace(name, access, findings, path: path)
      return (pool, olderSchema, nil)
    } catch let error as DatabaseError where access == .readOnly && isRefusal(error) {
      // To read a database in WAL mode, SQLite writes files next to it, unless it is told that there are no writers.
      if let frozen = try? openFrozen(name) { return (frozen, nil, nil) }
      guard let copy = TemporaryCopy(of: name) else { throw error }
      return (try openInPlace(copy.name, .readWrite, findings, path: path).0, nil, copy)
    }
  }

  /// Opens a database, and creates or migrates its tables if necessary.
  ///
  /// Other processes may be doing the same. SQLite does not wait for them when it switches to WAL mode, and GRDB's
  /// migrator decides what to do before its transaction begins. If an operation fails for either reason, it has been
  /// rolled back and is tried again.
  private static func openInPlace(
    _ name: String, _ access: Access, _ findings: FindingSchema, path: FilePath
  ) throws -> (any DatabaseWriter, olderSchema: Int?) {
    let end = ContinuousClock.now + .seconds(patience)
    var found = try schemaVersion(ofDatabaseNamed: name, path: path)
    let older = (1..<Schema.version).contains(found) ? found : nil
    while true {
      guard found <= Schema.version else {
        throw StoreError.newerSchema(path: path, found: found, known: Schema.version)
      }
      do {
        if access == .readOnly && found == Schema.version {
          let pool = try DatabasePool(path: name, configuration: configuration(readOnly: true))
          if try !pool.read(SongCatalog.hasChanges) { return (pool, nil) }
        }
        try ResourceLimits.requireMemory(minMemory)
        let pool = try DatabasePool(path: name, configuration: configuration(readOnly: false))
        try Schema.migrator.migrate(pool)
        try findings.update(pool)
        if try pool.read(SongCatalog.hasChanges) { try pool.write { db in try SongCatalog(db).update(db) } }
        return (pool, older)
      } catch let error as DatabaseError {
        let before = found
        found = try schemaVersion(ofDatabaseNamed: name, path: path)
        let isOthersDoing = found > before || error.resultCode == .SQLITE_BUSY
        guard isOthersDoing && ContinuousClock.now < end else { throw error }
        Threads.pause(milliseconds: 10)
      }
    }
  }

  /// Opens a database that has the current schema and an empty write-ahead log. Returns `nil` for any other database.
  private static func openFrozen(_ name: String) throws -> (any DatabaseWriter)? {
    guard fileSize(of: name + "-wal") ?? 0 == 0 else { return nil }
    let uri = frozenURI(name)
    let identity = try Self.identity(ofDatabaseNamed: uri, readOnly: true)
    guard identity.application == Schema.applicationID, identity.version == Schema.version else { return nil }
    return try DatabaseQueue(path: uri, configuration: configuration(readOnly: true))
  }

  private static func isRefusal(_ error: DatabaseError) -> Bool {
    [.SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PERM].contains(error.resultCode)
  }

  /// Runs SQLite's integrity and foreign key checks on the whole file.
  /// - Returns: One line for each problem (the integrity check stops after 20); empty if there is none.
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
  package func read<Result>(_ body: (Database) throws -> Result) throws(StoreError) -> Result {
    do {
      return try pool.read(body)
    } catch {
      throw Self.storeError(error, path: path)
    }
  }

  /// Writes in one transaction that is rolled back if `body` throws.
  package func write<Result>(_ body: (Database) throws -> Result) throws(StoreError) -> Result {
    // SQLite would go on writing to a file that was removed or moved, and the data would be lost.
    guard place == Self.key(of: name) else {
      throw .unreachable(path: path, detail: "it was removed, moved or replaced while it was in use")
    }
    let deadline = Self.writeDeadline
    do {
      return try pool.writeWithoutTransaction { db in
        try waitForOthers(until: deadline, db) {
          var result: Result?
          try db.inTransaction {
            result = try body(db)
            if keepsAlbums { try AlbumLoudness.update(db) }
            try songs.update(db)
            return .commit
          }
          return result!
        }
      }
    } catch {
      throw Self.storeError(error, path: path)
    }
  }

  package static func storeError(_ error: any Error, path: FilePath) -> StoreError {
    if let error = error as? StoreError { return error }
    if error is ResourceError { return .outOfMemory(path: path) }
    guard let error = error as? DatabaseError else { return .failed(path: path, detail: "\(error)") }
    let detail = error.message ?? "\(error.extendedResultCode)"
    return switch error.resultCode {
    case .SQLITE_BUSY, .SQLITE_LOCKED: .busy(path: path)
    case .SQLITE_CORRUPT: .corrupt(path: path, detail: detail)
    case .SQLITE_NOTADB: .notAStore(path: path, reason: "it is not a SQLite database")
    case .SQLITE_READONLY, .SQLITE_PERM: .readOnly(path: path)
    case .SQLITE_FULL: .diskFull(path: path)
    case .SQLITE_NOMEM: .outOfMemory(path: path)
    case .SQLITE_IOERR:
      growthLimit(path).map { .fileSizeLimit(path: path, bytes: $0) } ?? .unreachable(path: path, detail: detail)
    case .SQLITE_CANTOPEN: .cannotOpen(path: path, reason: detail)
    default: .failed(path: path, detail: detail)
    }
  }

  /// Memory needed to open connections and to migrate, in bytes. GRDB crashes if SQLite runs out of memory during
  /// either.
  private static let minMemory = 48 << 20

  /// Maximum time to wait for other processes, in seconds.
  static let patience = 10.0

  /// Returns the maximum file size of this process, in bytes, if the database is about to reach it; otherwise `nil`.
  private static func growthLimit(_ path: FilePath) -> Int? {
    guard let limit = ResourceLimits.fileSize else { return nil }
    // Size of one write: a few pages, or a part of the index of the write-ahead log.
    let step = 128 << 10
    let size = ["", "-wal", "-shm"].compactMap { fileSize(of: path.string + $0) }.max() ?? 0
    return Int(size) + step > limit ? limit : nil
  }

  private static func configuration(readOnly: Bool) -> Configuration {
    var configuration = Configuration()
    configuration.readonly = readOnly
    configuration.busyMode = .timeout(patience)
    // One reading connection for each reading thread of a server. Commands need fewer. Connections are opened only when
    // needed.
    configuration.maximumReaderCount = 6
    configuration.label = "store"
    configuration.prepareDatabase { db in
      // In WAL mode with NORMAL, a power cut may lose the last transactions but never damages the database.
      try db.execute(sql: "PRAGMA synchronous = NORMAL; PRAGMA cache_size = -16000; PRAGMA temp_store = MEMORY")
      for function in NameVariants.sqlFunctions + NameList.sqlFunctions { db.add(function: function) }
      try TrackSet.addFunctions(to: db)
    }
    return configuration
  }

  /// Returns the schema version; 0 for a missing or empty file.
  /// - Throws: `notAStore` for any other file that was not written by a version of this program.
  private static func schemaVersion(ofDatabaseNamed name: String, path: FilePath) throws -> Int {
    guard let header = try DatabaseHeader.ofStore(at: path) else { return 0 }
    let identity: (application: Int, version: Int, tables: Int)
    do {
      // Even if it only reads, SQLite would leave files next to the database of another program.
      let isAllInFile = header.applicationID == 0 && header.usesWAL && fileSize(of: name + "-wal") ?? 0 == 0
      identity = try Self.identity(ofDatabaseNamed: isAllInFile ? frozenURI(name) : name, readOnly: true)
    } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_READONLY_ROLLBACK {
      // The process that was creating the database was killed, and its journal must be rolled back.
      identity = try Self.identity(ofDatabaseNamed: name, readOnly: false)
    }
    if identity.application == Schema.applicationID { return identity.version }
    if identity == (0, 0, 0) { return 0 }
    throw StoreError.notAStore(path: path, reason: "it belongs to another program")
  }

  /// Checks that a path leads to a store, an empty file or nothing. No files are left next to it.
  /// - Throws: `notAStore`; `cannotOpen` if the file cannot be read.
  static func requireStore(at path: FilePath) throws(StoreError) {
    guard let header = try DatabaseHeader.ofStore(at: path), header.applicationID == 0 else { return }
    do {
      _ = try schemaVersion(ofDatabaseNamed: path.string, path: path)
    } catch {
      throw storeError(error, path: path)
    }
  }

  /// Returns the URI of a database to which nobody writes. SQLite then opens it without locks and without looking for
  /// changes.
  private static func frozenURI(_ name: String) -> String { "file:\(FilePath(name).percentEncoded)?immutable=1" }

  /// Returns the application id and version of a database, and the number of its tables and indexes other than GRDB's.
  private static func identity(
    ofDatabaseNamed name: String, readOnly: Bool
  ) throws -> (application: Int, version: Int, tables: Int) {
    try DatabaseQueue(path: name, configuration: configuration(readOnly: readOnly)).read { db in
      (
        try Int.fetchOne(db, sql: "PRAGMA application_id") ?? 0,
        try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0,
        try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master WHERE tbl_name NOT LIKE 'grdb_%'") ?? 0
      )
    }
  }

  static func fileSize(of name: String) -> Int64? {
    (try? FileStatus(at: FilePath(name), followingLinks: true))?.size
  }

  /// Returns the identity of the file with this name; `nil` if there is none.
  private static func key(of name: String) -> FileKey? {
    (try? FileStatus(at: FilePath(name), followingLinks: true))?.key
  }
}
