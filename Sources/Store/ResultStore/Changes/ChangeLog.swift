package import GRDB

/// The table `change`, which contains the time of each track's last change, in the order of the changes. A client
/// therefore has to read only the changes made since it last asked.
///
/// The table records that something changed, but not what. If a track in it still exists, it is new or updated;
/// otherwise, it is gone. A row contains the file, or the path if there is no longer a file at that path (moved,
/// forgotten). `SongCatalog.update` writes to the log in the transaction that changes the track. A run that changes
/// nothing adds nothing.
package enum ChangeLog {
  package static let table = "change"
  /// A table with a single row: the id by which cursors recognize the database.
  package static let library = "library"

  /// `Timestamp.now` in SQL, with millisecond precision.
  private static let now = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) * 1000000"

  /// Returns the statements that create the tables if they are missing. Files of an older database count as changed
  /// now.
  static func changes(in db: Database) throws -> [String] {
    try isKept(in: db) ? [] : [tables]
  }

  package static func isKept(in db: Database) throws -> Bool {
    let select = try Query(db, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?")
    return try select.first(.text(table)) { true } ?? false
  }

  /// Records changes. It must be called before the rows of `song_change` are removed.
  static func note(_ db: Database) throws {
    try Query(
      db,
      """
      INSERT OR REPLACE INTO \(table) (file, changed_ns)
      SELECT file, \(now) FROM \(SongCatalog.changes) noted WHERE EXISTS (SELECT 1 FROM file WHERE file.id = noted.file)
      ORDER BY file
      """
    ).run()
  }

  /// Returns the number of the last change; 0 if there is none yet.
  package static func revision(in db: Database) throws -> Int64 {
    let select = try Query(db, "SELECT seq FROM sqlite_sequence WHERE name = ?")
    return try select.first(.text(table)) { select.integer(0) } ?? 0
  }

  private static let tables = """
    CREATE TABLE \(table) (
      revision INTEGER PRIMARY KEY AUTOINCREMENT,  -- rises with each change, and no number comes twice
      file INTEGER UNIQUE,
      path BLOB UNIQUE,                    -- the bytes, if no file has it any more; then file is NULL
      changed_ns INTEGER NOT NULL
    );
    CREATE TABLE \(library) (id TEXT NOT NULL);
    INSERT INTO \(library) (id) VALUES (lower(hex(randomblob(16))));
    INSERT INTO \(table) (file, changed_ns)
      SELECT id, \(now) FROM file WHERE id NOT IN (SELECT file FROM \(SongCatalog.changes)) ORDER BY id;

    CREATE TRIGGER change_of_path AFTER UPDATE OF path ON file WHEN OLD.path <> NEW.path BEGIN
      INSERT OR REPLACE INTO \(table) (path, changed_ns) VALUES (OLD.path, \(now));
    END;
    -- Until the file is analyzed again, its record has these, and what was found before.
    CREATE TRIGGER change_of_size AFTER UPDATE OF size_bytes, mtime_ns ON file
    WHEN OLD.size_bytes IS NOT NEW.size_bytes OR OLD.mtime_ns IS NOT NEW.mtime_ns BEGIN
      INSERT OR REPLACE INTO \(table) (file, changed_ns) VALUES (NEW.id, \(now));
    END;
    -- Who was told that it is gone is not told again.
    CREATE TRIGGER change_of_old_file AFTER DELETE ON file BEGIN
      DELETE FROM \(table) WHERE path = OLD.path;
      UPDATE \(table) SET file = NULL, path = OLD.path WHERE file = OLD.id AND OLD.vanished_run IS NOT NULL;
      INSERT INTO \(table) (path, changed_ns)
        SELECT OLD.path, \(now) FROM \(table) WHERE file = OLD.id;
      DELETE FROM \(table) WHERE file = OLD.id;
    END;
    """
}
