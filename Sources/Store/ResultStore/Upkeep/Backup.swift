internal import GRDB
public import Platform
public import SystemPackage

extension ResultStore {
  /// Proves that a file is a copy made by `backUp`. Once a copy has been opened as a database, its mode is different,
  /// and it no longer counts as a copy.
  public static let backupProof = OriginProof.head(orElse: "is not a copy made by `analyze backup`") { head in
    // SQLite, "Database File Format": write and read versions, 1 for a file without WAL, and the application id.
    guard head.starts(with: "SQLite format 3\0".utf8), head.count >= 100 else { return false }
    let id = head[68..<72].reduce(0) { $0 << 8 | Int($1) }
    return head[18] == 1 && head[19] == 1 && id == Schema.applicationID
  }

  /// Writes a copy of the database as it is at one moment, while runs continue. The copy appears at its path only when
  /// it is complete and intact. It replaces any existing file there.
  public func backUp(to copy: FilePath) throws(StoreError) {
    guard copy.withBytes({ unsafe String(validating: $0, as: UTF8.self) }) != nil else {
      throw .cannotCopy(to: copy, reason: "the name of a database must be UTF-8")
    }
    do {
      let file = try FileReplacement(copy)
      let partial = file.temporaryPath.string
      defer { for suffix in ["-wal", "-shm", "-journal"] { try? FilePath(partial + suffix).unlink() } }
      var configuration = Configuration()
      configuration.label = "backup"
      let target = try DatabaseQueue(path: partial, configuration: configuration)
      try pool.backup(to: target)
      let complaints = try target.writeWithoutTransaction { db in
        // The copy is a single file, whatever the mode of the original.
        try db.execute(sql: "PRAGMA journal_mode = DELETE")
        return try String.fetchAll(db, sql: "PRAGMA quick_check(1)").filter { $0 != "ok" }
      }
      try target.close()
      if let complaint = complaints.first { throw StoreError.corrupt(path: path, detail: complaint) }
      try file.commit()
    } catch let error as Errno {
      throw .cannotCopy(to: copy, reason: "\(error)")
    } catch let error as OutputObstacle {
      throw .cannotCopy(to: copy, reason: "\(error)")
    } catch let error as StoreError {
      throw error
    } catch {
      throw Self.storeError(error, path: copy)
    }
  }
}
