internal import GRDB
internal import Glibc
internal import Platform
public import SystemPackage

extension ResultStore {
  /// Writes a copy of the database as it is at one moment, while runs go on. The copy gets its name when it is whole and
  /// sound; it replaces what has this name.
  public func backUp(to copy: FilePath) throws(StoreError) {
    guard copy.withBytes({ unsafe String(validating: $0, as: UTF8.self) }) != nil else {
      throw .cannotOpen(path: copy, reason: "the name of a database must be UTF-8")
    }
    do {
      let file = try FileReplacement(copy)
      let partial = file.temporaryPath.string
      defer { for suffix in ["-wal", "-shm", "-journal"] { _ = unlink(partial + suffix) } }
      var configuration = Configuration()
      configuration.label = "backup"
      let target = try DatabaseQueue(path: partial, configuration: configuration)
      try pool.backup(to: target)
      let complaints = try target.writeWithoutTransaction { db in
        // One file, whatever mode the original is in.
        try db.execute(sql: "PRAGMA journal_mode = DELETE")
        return try String.fetchAll(db, sql: "PRAGMA quick_check(1)").filter { $0 != "ok" }
      }
      try target.close()
      if let complaint = complaints.first { throw StoreError.corrupt(path: path, detail: complaint) }
      try file.commit()
    } catch let error as Errno {
      throw .cannotOpen(path: copy, reason: "\(error)")
    } catch let error as StoreError {
      throw error
    } catch {
      throw Self.storeError(error, path: copy)
    }
  }
}
