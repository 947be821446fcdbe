internal import Platform
public import SystemPackage

/// A failure of a store operation. The transaction was rolled back, so nothing is left half done.
public enum StoreError: Error, Hashable, Sendable {
  /// The database file cannot be opened or created.
  case cannotOpen(path: FilePath, reason: String)
  /// A copy of the database cannot be written.
  case cannotCopy(to: FilePath, reason: String)
  /// The folder for the database does not exist.
  case noFolder(path: FilePath)
  /// The file is a database of another program, or is not a database.
  case notAStore(path: FilePath, reason: String)
  /// Another process kept the database locked for longer than the busy timeout.
  case busy(path: FilePath)
  case lockedByRun(lock: FilePath, owner: RunLock.Owner?)
  case corrupt(path: FilePath, detail: String)
  /// The database was written by a later version of the program.
  case newerSchema(path: FilePath, found: Int, known: Int)
  case readOnly(path: FilePath)
  case diskFull(path: FilePath)
  case outOfMemory(path: FilePath)
  /// Files of this process cannot grow beyond this number of bytes.
  case fileSizeLimit(path: FilePath, bytes: Int)
  /// The disk reports errors, or the file is no longer at its path.
  case unreachable(path: FilePath, detail: String)
  /// Any other error that the database reports.
  case failed(path: FilePath, detail: String)
}

extension StoreError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .cannotOpen(let path, let reason):
      "The database \(name(path)) cannot be opened: \(reason). "
        + "Check the folder and its permissions, or name another file with --database."
    case .cannotCopy(let path, let reason):
      "The copy \(name(path)) cannot be written: \(reason). Check the folder and its permissions, or name another file."
    case .noFolder(let path):
      "The database \(name(path)) cannot be created: its folder does not exist. If it is on another drive, is the drive "
        + "mounted? If not, create the folder first, or name another file with --database."
    case .notAStore(let path, let reason):
      "\(name(path)) is not a Nocturne database: \(reason). It was not changed; name another file with --database."
    case .busy(let path):
      "The database \(name(path)) is locked by another program. "
        + "Close the program that holds the lock, such as a sqlite3 shell in a transaction, and try again."
    case .lockedByRun(let lock, let owner):
      if let owner {
        "Another run is working on this database: process \(owner.processID) on \(owner.host), "
          + "started \(owner.started). Wait for it, or give --wait-lock a longer time."
      } else {
        "Another run is working on this database (lock \(name(lock))). Wait for it, or give --wait-lock a longer time."
      }
    case .corrupt(let path, let detail):
      "The database \(name(path)) is damaged (\(detail)). Restore a backup, or save what can be read with "
        + "`sqlite3 FILE .recover | sqlite3 NEW`; if you move it away, the next run analyzes everything again."
    case .newerSchema(let path, let found, let known):
      "The database \(name(path)) was written by a newer version of this program (schema \(found), this one knows up to "
        + "\(known)). Install the newer version, or name another file with --database."
    case .readOnly(let path):
      "The database \(name(path)) cannot be written: the file, its folder or the file system is read-only for this user."
    case .diskFull(let path):
      "No space is left for the database \(name(path)). Data stored before is safe; free some space and run again."
    case .outOfMemory(let path):
      "There is not enough memory to work with the database \(name(path)). Data stored before is safe. "
        + ResourceLimits.memoryAdvice
    case .fileSizeLimit(let path, let bytes):
      "The database \(name(path)) cannot grow: files of this process may have only \(bytes >> 10) kB (ulimit -f). What was "
        + "stored before is safe; raise the limit and run again."
    case .unreachable(let path, let detail):
      "The database \(name(path)) can no longer be reached: \(detail). Data stored before is safe if its disk is; "
        + "check that the disk is mounted and not full, and run again."
    case .failed(let path, let detail):
      "The database \(name(path)) reports an error: \(detail)."
    }
  }

  private func name(_ path: FilePath) -> String { "“\(DisplayPath.text(of: path))”" }
}
