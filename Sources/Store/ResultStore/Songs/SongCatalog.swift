internal import GRDB
internal import Library
internal import Text

/// The table `song`, which filters, sorting and the full-text index read. It has one row, with all facts, for each
/// existing file that was analyzed or failed.
///
/// Triggers record the id of every file whose row may have to change, for whatever reason: results are written; files
/// vanish, return or are skipped; people set tempi. Each transaction ends with `update`, so the rows always agree with
/// the tables of findings. Triggers on `song` and `file` maintain the full-text index.
package struct SongCatalog: Sendable {
  /// Ids of files whose rows must be rebuilt. The table is empty except during a transaction, and in a database that
  /// was migrated but not yet updated.
  static let changes = "song_change"

  package let tables: Set<String>
  private let upsert: String
  private let leave: String
  private let differences: String

  /// - Parameter tables: The tables in the database. Tables of findings that were never declared in this database are
  ///   missing.
  init(tables: Set<String>) {
    // CROSS JOIN keeps SQLite from reading all files in order to find the few that changed.
    self.tables = tables
    let columns = Self.columns(tables)
    let names = columns.map(\.name).joined(separator: ", ")
    let values = columns.map(\.sql).joined(separator: ",\n  ")
    let join = Self.join(tables)
    upsert = """
      INSERT INTO song (\(names))
      SELECT \(values)
      FROM \(Self.changes) change CROSS JOIN file ON file.id = change.file
      \(join)
      WHERE \(Self.isListed)
      ON CONFLICT (id) DO UPDATE SET \(columns.dropFirst().map { "\($0.name) = excluded.\($0.name)" }.joined(separator: ", "))
      """
    leave = """
      DELETE FROM song WHERE id IN (SELECT file FROM \(Self.changes)) AND id NOT IN (
        SELECT file.id FROM \(Self.changes) change CROSS JOIN file ON file.id = change.file
        LEFT JOIN failure ON failure.file = file.id WHERE \(Self.isListed))
      """
    let expected = "SELECT \(values)\nFROM file\n\(join)\nWHERE \(Self.isListed)"
    let found = "SELECT \(names) FROM song"
    differences = """
      SELECT id FROM (\(expected) EXCEPT \(found)) UNION SELECT id FROM (\(found) EXCEPT \(expected))
      """
  }

  init(_ db: Database) throws {
    self.init(tables: Set(try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'table'")))
  }

  static func hasChanges(_ db: Database) throws -> Bool {
    let select = try Query(db, "SELECT 1 FROM \(changes) LIMIT 1")
    return try select.first { true } ?? false
  }

  /// Rebuilds the rows of all files in the table `changes`.
  /// - Parameter areChanged: `false` if only the way in which rows are created has changed, not the files.
  func update(_ db: Database, areChanged: Bool = true) throws {
    guard try Self.hasChanges(db) else { return }
    if areChanged { try ChangeLog.note(db) }
    let catalog = SongTables(db)
    var albums = try catalog.albumsOfChanges()
    try catalog.unlinkChanges()
    try Query(db, leave).run()
    try Query(db, upsert).run()
    albums.formUnion(try catalog.albumsOfChanges())
    try catalog.update(albums: albums)
    try Query(db, "DELETE FROM \(Self.changes)").run()
  }

  /// Returns the number of files with a wrong row, and one of these files; `nil` if there are none.
  func wrongRows(_ db: Database) throws -> (count: Int64, example: String)? {
    let select = try Query(
      db,
      """
      SELECT count(*), coalesce(min(file.display_path), min('row ' || wrong.id))
      FROM (\(differences)) wrong LEFT JOIN file ON file.id = wrong.id
      """)
    let found = try select.first { (count: select.integer(0), example: select.text(1)) }
    return found.flatMap { $0.count > 0 ? $0 : nil }
  }

  /// Rebuilds all rows and the full-text indexes.
  func rebuild(_ db: Database) throws {
    // Rows can be removed from an index only if their words are in it.
    try Self.rebuildIndex(db)
    try SongTables(db).clear()
    try db.execute(
      sql: """
        INSERT OR IGNORE INTO \(Self.changes) (file) SELECT id FROM file;
        DELETE FROM song WHERE id NOT IN (SELECT id FROM file);
        """)
    try update(db, areChanged: false)
  }

  static func rebuildIndex(_ db: Database) throws {
    for table in fullTextTables { try db.execute(sql: "INSERT INTO \(table) (\(table)) VALUES ('rebuild')") }
  }

  package static let fullTextTables = ["songs_fts", "source_paths_fts"] + SongTables.fullTextTables

  // MARK: Rows

  /// The status of a file. A file that has no results because it could not be read also counts as failed. A skipped
  /// file is not a track.
  private static let status = "iif(file.skip_code IS NULL, file.status, iif(failure.stage = 'scan', 'failed', NULL))"
  private static let isListed = "file.vanished_run IS NULL AND \(status) IS NOT NULL"
  /// A condition that is true for all files that are not listed, and for few others.
  package static let mayBeNoTrack = "(vanished_run IS NOT NULL OR skip_code IS NOT NULL OR status IS NULL)"

  private static func columns(_ tables: Set<String>) -> [(name: String, sql: String)] {
    func value(_ sql: String, of table: String) -> String { tables.contains(table) ? sql : "NULL" }
    /// Returns all values of a tag as one text.
    func tag(_ name: String) -> String {
      value(
        """
        (SELECT group_concat(value, '\(ListText.separator)') FROM (
          SELECT value FROM tag WHERE tag.file = file.id AND name = '\(name)' AND value <> '' ORDER BY position))
        """, of: "tag")
    }
    /// Returns all values of a tag as a JSON list.
    func list(_ name: String) -> String {
      value(
        """
        (SELECT json_group_array(value) FROM (
          SELECT value FROM tag WHERE tag.file = file.id AND name = '\(name)' AND value <> '' ORDER BY position))
        """, of: "tag")
    }
    func first(_ name: String) -> String {
      value("(SELECT value FROM tag WHERE tag.file = file.id AND name = '\(name)' AND position = 0)", of: "tag")
    }
    func number(_ name: String) -> String { "nullif(cast(\(first(name)) AS INTEGER), 0)" }
    let credits = "\(list("artists")), \(list("artist"))"
    let dates = Track.dateFields.map { "'\($0)'" }.joined(separator: ", ")
    // If several of these tags have a date, the one whose name comes first alphabetically is used.
    let date = value(
      """
      (SELECT partial_date(value) FROM tag WHERE tag.file = file.id AND name IN (\(dates))
        AND partial_date(value) IS NOT NULL ORDER BY name, position LIMIT 1)
      """, of: "tag")
    let albumArtists = "artist_list(NULL, \(list("albumartist")))"
    let isCompilation = "coalesce(\(first("compilation")), '0') = '1'"
    let names =
      [("artist", "credit_text(\(credits))")]
      + ["title", "album", "album_artist", "genre"].map {
        ($0, tag($0.replacing("_", with: "")))
      }
    let spelled = ["\(tag("title")) IS NOT NULL"] + names.map(\.1) + ["file.display_path"]
    return [("id", "file.id")] + names
      + [
        ("variants", "\(NameVariants.trackFunction)(\(spelled.joined(separator: ", ")))"),
        ("year", "cast(substr(\(date), 1, 4) AS INTEGER)"),
        ("bpm", "iif(correction.content_id IS NULL, \(value("tempo.bpm", of: "tempo")), correction.bpm)"),
        (
          "confidence",
          "iif(correction.content_id IS NULL, \(value("iif(tempo.bpm IS NULL, NULL, tempo.confidence)", of: "tempo")), 1.0)"
        ),
        ("locked", "correction.content_id IS NOT NULL"),
        ("key", value("musical_key.camelot", of: "musical_key")),
        ("lufs", value("loudness.integrated_lufs", of: "loudness")),
        ("duration_s", "format.duration_s"),
        ("codec", "lower(format.codec)"),
        ("lossless", "format.lossless"),
        ("status", status),
        ("added_ns", "(SELECT started_ns FROM run WHERE run.id = file.first_seen_run)"),
        ("track_id", "track_id(file.path)"),
        (
          "album_id",
          """
          iif(\(status) = 'failed', NULL,
            album_id(\(tag("album")), \(first("musicbrainz_albumid")), \(albumArtists), \(isCompilation), file.path))
          """
        ),
        ("artists", "artist_list(\(credits))"),
        ("album_artists", albumArtists),
        ("genres", "genre_list(\(list("genre")))"),
        ("compilation", isCompilation),
        ("disc", number("disc")),
        ("track", number("track")),
        ("date", date),
        ("isrc", "upper(replace(\(first("isrc")), '-', ''))"),
        ("recording_id", "lower(\(first("musicbrainz_recordingid")))"),
      ]
  }

  private static func join(_ tables: Set<String>) -> String {
    let findings = ["tempo", "musical_key", "loudness"].filter { tables.contains($0) }
    return (["format", "failure"] + findings).map { "LEFT JOIN \($0) ON \($0).file = file.id" }
      .joined(separator: "\n") + "\nLEFT JOIN tempo_correction correction ON correction.content_id = file.content_id"
  }
}

// MARK: - Schema

extension SongCatalog {
  /// The tables of schema 4. `song` is filled when an older database is next opened.
  static let tables4 = """
    -- What is known of each file that is there and was analyzed or failed, for search, filters and sorts. Its rows follow
    -- from the other tables.
    CREATE TABLE song (
      id INTEGER PRIMARY KEY REFERENCES file (id) ON DELETE CASCADE,
      artist TEXT,                         -- several values with “ / ” between, here and below
      title TEXT,
      album TEXT,
      album_artist TEXT,
      genre TEXT,
      variants TEXT,                       -- other spellings of these and the path; the name of the file without a title
      year INTEGER,
      bpm REAL,                            -- as corrected, or else as found
      confidence REAL,
      locked INTEGER NOT NULL,             -- 1: the tempo is corrected
      key TEXT,                            -- Camelot, such as 8A
      lufs REAL,
      duration_s REAL,
      codec TEXT,
      lossless INTEGER,
      status TEXT NOT NULL,
      added_ns INTEGER NOT NULL,
      track_id TEXT,                       -- 22 characters, of the path
      album_id TEXT,                       -- 22 characters, as in album; NULL without an album
      artists TEXT,                        -- JSON: list of performers one by one
      album_artists TEXT,                  -- the same, if the tag is there
      genres TEXT,                         -- JSON: list
      compilation INTEGER,
      disc INTEGER,
      track INTEGER,
      date TEXT,                           -- YYYY, YYYY-MM or YYYY-MM-DD
      isrc TEXT,
      recording_id TEXT,                   -- MusicBrainz
      key_order INTEGER AS (cast(key AS INTEGER) * 2 + (key LIKE '%B')) VIRTUAL  -- around the wheel
    );
    \(indexes4)
    CREATE INDEX file_no_track ON file (id) WHERE \(mayBeNoTrack);

    CREATE TABLE \(changes) (file INTEGER PRIMARY KEY);  -- whose rows in song are to be made again
    INSERT INTO \(changes) (file) SELECT id FROM file;

    ALTER TABLE file ADD COLUMN full_path TEXT AS (display_path) VIRTUAL;
    ALTER TABLE file ADD COLUMN file_name TEXT AS (
      replace(display_path, rtrim(display_path, replace(display_path, '/', '')), '')) VIRTUAL;

    DROP TABLE songs_fts;
    DROP TABLE source_paths_fts;
    CREATE VIRTUAL TABLE songs_fts USING fts5 (
      artist, title, album, album_artist, genre, variants, content="song", content_rowid="id", prefix='1 2 3',
      tokenize='unicode61 remove_diacritics 2'
    );
    CREATE VIRTUAL TABLE source_paths_fts USING fts5 (
      full_path, file_name, content="file", content_rowid="id", prefix='1 2 3',
      tokenize='unicode61 remove_diacritics 2'
    );
    INSERT INTO source_paths_fts (source_paths_fts) VALUES ('rebuild');

    CREATE TRIGGER song_of_results AFTER UPDATE OF analyzed_ns ON file
    BEGIN INSERT OR IGNORE INTO \(changes) (file) VALUES (NEW.id); END;
    CREATE TRIGGER song_of_file AFTER UPDATE OF display_path, skip_code, vanished_run ON file
    WHEN OLD.display_path IS NOT NEW.display_path OR OLD.skip_code IS NOT NEW.skip_code
      OR OLD.vanished_run IS NOT NEW.vanished_run
    BEGIN INSERT OR IGNORE INTO \(changes) (file) VALUES (NEW.id); END;
    CREATE TRIGGER song_of_skipped_file AFTER INSERT ON file WHEN NEW.skip_code IS NOT NULL
    BEGIN INSERT OR IGNORE INTO \(changes) (file) VALUES (NEW.id); END;
    CREATE TRIGGER song_of_new_correction AFTER INSERT ON tempo_correction
    BEGIN INSERT OR IGNORE INTO \(changes) (file) SELECT id FROM file WHERE content_id = NEW.content_id; END;
    CREATE TRIGGER song_of_correction AFTER UPDATE ON tempo_correction
    BEGIN INSERT OR IGNORE INTO \(changes) (file) SELECT id FROM file WHERE content_id = NEW.content_id; END;
    CREATE TRIGGER song_of_old_correction AFTER DELETE ON tempo_correction
    BEGIN INSERT OR IGNORE INTO \(changes) (file) SELECT id FROM file WHERE content_id = OLD.content_id; END;

    \(indexTriggers(of: "songs_fts", on: "song", "artist, title, album, album_artist, genre, variants"))
    \(indexTriggers(of: "source_paths_fts", on: "file", "full_path, file_name", from: "display_path"))

    \(SongTables.tables4)
    """

  /// Indexes on everything by which tracks are filtered or sorted, so that an index alone can answer a query.
  private static let indexes4 =
    ["year", "bpm", "confidence", "key", "key_order", "lufs", "duration_s", "codec", "lossless", "added_ns"].map {
      "CREATE INDEX song_\($0) ON song (\($0));\n"
    }.joined()
    + ["artist", "title", "genre"].map { "CREATE INDEX song_\($0) ON song (\($0) COLLATE NOCASE);\n" }.joined()
      + """
      -- With all that is said of an album.
      CREATE INDEX song_album ON song (album COLLATE NOCASE, album_artist, artist, year);
      CREATE INDEX song_track_id ON song (track_id);
      CREATE INDEX song_album_id ON song (album_id) WHERE album_id IS NOT NULL;
      CREATE INDEX song_isrc ON song (isrc) WHERE isrc IS NOT NULL;
      CREATE INDEX song_recording_id ON song (recording_id) WHERE recording_id IS NOT NULL;
      CREATE INDEX song_status ON song (status) WHERE status <> 'ok';
      CREATE INDEX song_locked ON song (locked) WHERE locked = 1;
      """

  /// Returns the triggers for a full-text table whose texts are stored in another table. The full-text table must be
  /// given the old texts when a row changes.
  /// - Parameter stored: The columns from which `columns` are derived; `nil` if `columns` are stored themselves.
  static func indexTriggers(of index: String, on table: String, _ columns: String, from stored: String? = nil)
    -> String
  {
    func values(_ row: String) -> String {
      "\(row).id, " + columns.split(separator: ", ").map { "\(row).\($0)" }.joined(separator: ", ")
    }
    let stored = stored ?? columns
    let differs = stored.split(separator: ", ").map { "OLD.\($0) IS NOT NEW.\($0)" }.joined(separator: " OR ")
    let add = "INSERT INTO \(index) (rowid, \(columns)) VALUES (\(values("NEW")));"
    let remove = "INSERT INTO \(index) (\(index), rowid, \(columns)) VALUES ('delete', \(values("OLD")));"
    return """
      CREATE TRIGGER \(index)_new AFTER INSERT ON \(table) BEGIN \(add) END;
      CREATE TRIGGER \(index)_old AFTER DELETE ON \(table) BEGIN \(remove) END;
      CREATE TRIGGER \(index)_change AFTER UPDATE OF \(stored) ON \(table) WHEN \(differs)
      BEGIN \(remove) \(add) END;
      """
  }
}
