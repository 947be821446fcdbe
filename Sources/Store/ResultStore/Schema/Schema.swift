internal import GRDB

/// The tables of the database, and migrations from older schemas.
enum Schema {
  /// `PRAGMA application_id`: “NOCT”, which identifies the database to `file` and this program.
  static let applicationID = 0x4E4F_4354

  /// `PRAGMA user_version`: the number of the last migration. A released migration is never edited. Changes go into the
  /// next one, and the test fixtures contain a database of each released version.
  static let version = 8

  /// The names of tables that no finding may use.
  static let ownTables = PlaylistTables.own.union(SongTables.own).union(ChecksumTables.own).union(DuplicateTables.own)
    .union([
      "run", "run_root", "analyzer", "analysis_set", "file", "format", "analysis", "failure", "in_progress", "finding",
      "song", "songs_fts", "source_paths_fts", "tempo_correction", "tempo_skip", "tempo_history", AlbumLoudness.table,
      SongCatalog.changes, ChangeLog.table, ChangeLog.library,
    ])

  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v1") { db in
      try db.execute(sql: "PRAGMA application_id = \(applicationID)")
      try db.execute(sql: tables1)
      try db.execute(sql: searchIndex1)
      try db.execute(sql: views1)
      try db.execute(sql: "PRAGMA user_version = 1")
    }
    migrator.registerMigration("v2") { db in
      try db.execute(sql: tables2)
      try db.execute(sql: views2)
      try db.execute(sql: "PRAGMA user_version = 2")
    }
    migrator.registerMigration("v3") { db in
      try db.execute(sql: tables3Records)
      try db.execute(sql: views3Records)
      try db.execute(sql: tables3Corrections)
      try db.execute(sql: tables3Tags)
      try db.execute(sql: tables3Formats)
      try db.execute(sql: "PRAGMA user_version = 3")
    }
    migrator.registerMigration("v4") { db in
      try db.execute(sql: "DROP VIEW track")
      try db.execute(sql: tables4Corrections)
      try db.execute(sql: PlaylistTables.tables4)
      try db.execute(sql: SongCatalog.tables4)
      try db.execute(sql: trackView())
      try db.execute(sql: "PRAGMA user_version = 4")
    }
    migrator.registerMigration("v5") { db in
      // Credits are now split in a different way, so the rows of all songs are rebuilt.
      try db.execute(sql: "INSERT OR IGNORE INTO \(SongCatalog.changes) (file) SELECT id FROM file")
      try db.execute(sql: "PRAGMA user_version = 5")
    }
    migrator.registerMigration("v6") { db in
      // Dates are now parsed, and lists of names joined, in a different way.
      try db.execute(sql: "INSERT OR IGNORE INTO \(SongCatalog.changes) (file) SELECT id FROM file")
      try db.execute(sql: "PRAGMA user_version = 6")
    }
    migrator.registerMigration("v7") { db in
      try db.execute(sql: ChecksumTables.tables7)
      try db.execute(sql: DuplicateTables.tables7)
      try db.execute(sql: "PRAGMA user_version = 7")
    }
    migrator.registerMigration("v8") { db in
      try db.execute(sql: DuplicateTables.tables8)
      try db.execute(sql: "PRAGMA user_version = 8")
    }
    return migrator
  }

  /// Columns that end in `_ns` are points in time, in nanoseconds since 1970, UTC.
  private static let tables1 = """
    CREATE TABLE run (
      id INTEGER PRIMARY KEY,
      state TEXT NOT NULL CHECK (state IN ('running', 'finished', 'interrupted', 'failed', 'died')),
      started_ns INTEGER NOT NULL,
      finished_ns INTEGER,
      exit_status INTEGER,
      program_version TEXT NOT NULL,
      pipeline TEXT NOT NULL,
      configuration TEXT NOT NULL,         -- JSON
      configuration_digest TEXT NOT NULL,
      analyzers TEXT NOT NULL,             -- JSON: {id: {version, digest}}
      analyzed INTEGER NOT NULL DEFAULT 0,
      cached INTEGER NOT NULL DEFAULT 0,
      failed INTEGER NOT NULL DEFAULT 0,
      skipped INTEGER NOT NULL DEFAULT 0,
      vanished INTEGER NOT NULL DEFAULT 0,
      newly_failed INTEGER NOT NULL DEFAULT 0,
      pending INTEGER NOT NULL DEFAULT 0
    );

    CREATE TABLE run_root (
      run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
      position INTEGER NOT NULL,
      path BLOB NOT NULL,
      display_path TEXT NOT NULL,
      condition TEXT NOT NULL,
      PRIMARY KEY (run, position)
    ) WITHOUT ROWID;

    -- An analyzer in one version and configuration.
    CREATE TABLE analyzer (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL,
      version INTEGER NOT NULL,
      digest TEXT NOT NULL,
      reads_audio INTEGER NOT NULL,        -- 1: the finding follows from the encoded audio alone
      UNIQUE (name, version, digest)
    );

    -- The rows that a file has in `analysis`, as a list of ids: “!” behind one that failed, “~” behind one that did not
    -- apply. Files share these lists, so that one look at `file` tells what is known of it.
    CREATE TABLE analysis_set (
      id INTEGER PRIMARY KEY,
      members TEXT NOT NULL UNIQUE
    );

    CREATE TABLE file (
      id INTEGER PRIMARY KEY,
      path BLOB NOT NULL UNIQUE,           -- the bytes
      display_path TEXT NOT NULL,          -- other bytes than UTF-8 as \\xHH
      size_bytes INTEGER,
      mtime_ns INTEGER,
      device INTEGER,
      inode INTEGER,
      status TEXT CHECK (status IN ('ok', 'partial', 'failed')),  -- of the last analysis; NULL: never analyzed
      content_id TEXT,                     -- of the encoded audio without tags, base62
      analysis_set INTEGER REFERENCES analysis_set (id),
      decoder_version INTEGER,
      remarks TEXT,                        -- JSON
      pending INTEGER NOT NULL DEFAULT 0,  -- 1 new, 2 changed, 3 outdated, 4 retry; + 8 for each run that died over it
      skip_code TEXT,                      -- not NULL: passed over
      skip_message TEXT,
      first_seen_run INTEGER NOT NULL REFERENCES run (id),
      analyzed_run INTEGER REFERENCES run (id),
      analyzed_ns INTEGER,
      vanished_run INTEGER REFERENCES run (id)  -- not NULL: gone
    );
    CREATE INDEX file_inode ON file (inode, device) WHERE inode IS NOT NULL;
    CREATE INDEX file_size ON file (size_bytes) WHERE content_id IS NOT NULL;
    CREATE INDEX file_content ON file (content_id) WHERE content_id IS NOT NULL;
    CREATE INDEX file_pending ON file (pending, path) WHERE pending > 0;

    CREATE TABLE format (
      file INTEGER PRIMARY KEY REFERENCES file (id) ON DELETE CASCADE,
      container TEXT NOT NULL,
      codec TEXT NOT NULL,
      sample_rate_hz INTEGER NOT NULL,
      channels INTEGER NOT NULL,
      bit_depth INTEGER,
      bit_rate_bps INTEGER,
      lossless INTEGER NOT NULL,
      claimed_frames INTEGER,
      frames INTEGER,
      duration_s REAL AS (coalesce(frames, claimed_frames) * 1.0 / nullif(sample_rate_hz, 0)) VIRTUAL
    );

    CREATE TABLE analysis (
      file INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
      analyzer INTEGER NOT NULL REFERENCES analyzer (id),
      outcome TEXT NOT NULL CHECK (outcome IN ('ok', 'not_applicable', 'failed')),
      message TEXT,
      PRIMARY KEY (file, analyzer)
    ) WITHOUT ROWID;

    CREATE TABLE failure (
      file INTEGER PRIMARY KEY REFERENCES file (id) ON DELETE CASCADE,
      stage TEXT NOT NULL,
      code TEXT NOT NULL,
      message TEXT NOT NULL,
      first_failed_run INTEGER NOT NULL REFERENCES run (id),
      last_failed_run INTEGER NOT NULL REFERENCES run (id),
      attempts INTEGER NOT NULL
    );

    -- Files a run has taken and not yet finished.
    CREATE TABLE in_progress (
      file INTEGER PRIMARY KEY REFERENCES file (id) ON DELETE CASCADE,
      run INTEGER NOT NULL REFERENCES run (id),
      attempts INTEGER NOT NULL
    );
    CREATE INDEX in_progress_run ON in_progress (run);

    CREATE TABLE tag (
      file INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
      name TEXT NOT NULL,                  -- canonical; “other:” before what has no canonical name
      position INTEGER NOT NULL,
      value TEXT NOT NULL,
      PRIMARY KEY (file, name, position)
    ) WITHOUT ROWID;

    CREATE TABLE tag_summary (
      file INTEGER PRIMARY KEY REFERENCES file (id) ON DELETE CASCADE,
      formats TEXT,                        -- JSON: list of tag formats
      has_lyrics INTEGER NOT NULL,
      pictures TEXT                        -- JSON: list of {type, mime, size_bytes}
    );

    CREATE TABLE tempo (
      file INTEGER PRIMARY KEY REFERENCES file (id) ON DELETE CASCADE,
      bpm REAL,
      confidence REAL NOT NULL,
      octave_confidence REAL NOT NULL,
      stable INTEGER NOT NULL,
      metre TEXT,
      reason TEXT,
      candidates TEXT NOT NULL,            -- JSON: [[bpm, weight], …]
      map TEXT NOT NULL                    -- JSON: [[start_s, bpm], …]
    );

    CREATE TABLE beat_grid (
      file INTEGER PRIMARY KEY REFERENCES file (id) ON DELETE CASCADE,
      beat_count INTEGER NOT NULL,
      beats_s TEXT NOT NULL,               -- JSON: [seconds, …]
      downbeats_s TEXT                     -- the same; NULL: not sure
    );

    CREATE TABLE onset_summary (
      file INTEGER PRIMARY KEY REFERENCES file (id) ON DELETE CASCADE,
      step_s REAL NOT NULL,
      strengths TEXT NOT NULL              -- JSON: [0 to 1, …], one each step
    );

    CREATE TABLE fingerprint (
      file INTEGER PRIMARY KEY REFERENCES file (id) ON DELETE CASCADE,
      algorithm TEXT NOT NULL,
      duration_s REAL NOT NULL,
      value TEXT NOT NULL
    );

    CREATE TABLE signature (
      file INTEGER PRIMARY KEY REFERENCES file (id) ON DELETE CASCADE,
      version INTEGER NOT NULL,
      landmarks INTEGER NOT NULL,
      data BLOB NOT NULL
    );

    -- What analyzers without tables of their own have found.
    CREATE TABLE finding (
      file INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
      analyzer TEXT NOT NULL,
      version INTEGER NOT NULL,
      configuration_digest TEXT NOT NULL,
      value TEXT NOT NULL,                 -- JSON
      PRIMARY KEY (file, analyzer)
    ) WITHOUT ROWID;
    """

  /// The rowid of both tables is the id of the file.
  private static let searchIndex1 = """
    CREATE VIRTUAL TABLE songs_fts USING fts5 (
      artist, title, album, album_artist, tokenize = 'unicode61 remove_diacritics 2'
    );
    CREATE VIRTUAL TABLE source_paths_fts USING fts5 (
      full_path, file_name, tokenize = 'unicode61 remove_diacritics 2'
    );
    """

  private static let views1 = """
    -- One line for each file that is there, for people.
    CREATE VIEW track AS
    SELECT f.id, f.display_path AS path,
      CASE WHEN f.skip_code IS NOT NULL THEN 'skipped' ELSE f.status END AS status,
      (SELECT value FROM tag t WHERE t.file = f.id AND t.name = 'artist' AND t.position = 0) AS artist,
      (SELECT value FROM tag t WHERE t.file = f.id AND t.name = 'title' AND t.position = 0) AS title,
      (SELECT value FROM tag t WHERE t.file = f.id AND t.name = 'album' AND t.position = 0) AS album,
      round(o.bpm, 2) AS bpm, round(o.confidence, 2) AS confidence, round(m.duration_s, 2) AS duration_s,
      m.codec, m.sample_rate_hz, m.channels, f.size_bytes,
      datetime(f.mtime_ns / 1000000000, 'unixepoch') AS modified_at,
      f.content_id, coalesce(f.skip_code, e.code) AS problem, coalesce(f.skip_message, e.message) AS message
    FROM file f
    LEFT JOIN format m ON m.file = f.id
    LEFT JOIN tempo o ON o.file = f.id
    LEFT JOIN failure e ON e.file = f.id
    WHERE f.vanished_run IS NULL;

    -- Which analyzer said what, in which version.
    CREATE VIEW file_analysis AS
    SELECT f.id AS file, f.display_path AS path, n.name AS analyzer, n.version, n.digest, a.outcome, a.message
    FROM analysis a
    JOIN analyzer n ON n.id = a.analyzer
    JOIN file f ON f.id = a.file;

    CREATE VIEW failing AS
    SELECT f.id AS file, f.display_path AS path, f.status, e.stage, e.code, e.message, e.attempts,
      e.first_failed_run, e.last_failed_run
    FROM failure e
    JOIN file f ON f.id = e.file
    WHERE f.vanished_run IS NULL;

    CREATE VIEW run_summary AS
    SELECT id, state, datetime(started_ns / 1000000000, 'unixepoch') AS started_at,
      (finished_ns - started_ns) / 1e9 AS seconds, exit_status,
      analyzed + cached + failed + skipped + vanished AS seen, analyzed, cached, failed, skipped, vanished,
      newly_failed, pending, pipeline, program_version
    FROM run;
    """

  /// In the rows of an older database, the new columns are NULL, which means unknown, except that `losses` is 0.
  /// `file.pending` has one more value: 5, touched.
  private static let tables2 = """
    ALTER TABLE file ADD COLUMN ctime_ns INTEGER;
    ALTER TABLE file ADD COLUMN looked_ns INTEGER;   -- when a scan first met this size and these times

    ALTER TABLE failure ADD COLUMN failed_ns INTEGER;
    ALTER TABLE failure ADD COLUMN signal INTEGER;   -- that ended the worker process
    -- How many times in a row the file has cost its worker process; more than 0: in quarantine.
    ALTER TABLE failure ADD COLUMN losses INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE failure ADD COLUMN retry_ns INTEGER; -- the end of the quarantine

    -- What a person has set: it counts for every file with this audio, whatever analyzers find.
    CREATE TABLE tempo_correction (
      content_id TEXT PRIMARY KEY,
      bpm REAL NOT NULL,
      corrected_ns INTEGER NOT NULL
    ) WITHOUT ROWID;
    """

  /// Long texts and lists from tags, which few queries need. `tag_summary.has_lyrics` shows whether there are lyrics.
  private static let tables3Tags = """
    CREATE TABLE lyrics (
      file INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
      position INTEGER NOT NULL,
      language TEXT,
      description TEXT,
      text TEXT NOT NULL,
      lines TEXT,                          -- JSON: [[seconds, text], …]; NULL: without times
      PRIMARY KEY (file, position)
    );

    CREATE TABLE chapter (
      file INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
      position INTEGER NOT NULL,
      start_s REAL NOT NULL,
      end_s REAL,
      title TEXT,
      PRIMARY KEY (file, position)
    ) WITHOUT ROWID;
    """

  /// The columns of the view `track` that contain the tempo in effect.
  static let tempoColumns = ["tempo_bpm", "tempo_confidence", "tempo_locked"]

  /// Returns the SQL that creates the view `track`, which has one row per existing file and is meant for people.
  /// Columns of findings have the same names as in the CSV report.
  /// - Parameters:
  ///   - columns: Columns appended at the end for declared findings.
  ///   - tables: The tables of these columns, each with one row per file.
  static func trackView(columns: [String] = [], tables: [String] = []) -> String {
    """
    CREATE VIEW track AS
    SELECT f.id, f.display_path AS path,
      CASE WHEN f.skip_code IS NOT NULL THEN 'skipped' ELSE f.status END AS status,
      (SELECT value FROM tag t WHERE t.file = f.id AND t.name = 'artist' AND t.position = 0) AS artist,
      (SELECT value FROM tag t WHERE t.file = f.id AND t.name = 'title' AND t.position = 0) AS title,
      (SELECT value FROM tag t WHERE t.file = f.id AND t.name = 'album' AND t.position = 0) AS album,
      s.genre, s.year,
      round(iif(c.content_id IS NULL, o.bpm, c.bpm), 2) AS tempo_bpm,
      iif(c.content_id IS NULL, round(o.confidence, 2), 1.0) AS tempo_confidence,
      round(m.duration_s, 2) AS duration_s, m.codec, m.sample_rate_hz, m.channels, f.size_bytes,
      datetime(f.mtime_ns / 1000000000, 'unixepoch') AS modified_at,
      f.content_id, coalesce(f.skip_code, e.code) AS problem, coalesce(f.skip_message, e.message) AS message,
      c.content_id IS NOT NULL AS tempo_locked\(columns.map { ", \($0)" }.joined())
    FROM file f
    LEFT JOIN format m ON m.file = f.id
    LEFT JOIN tempo o ON o.file = f.id
    LEFT JOIN tempo_correction c ON c.content_id = f.content_id
    LEFT JOIN failure e ON e.file = f.id
    LEFT JOIN song s ON s.id = f.id\(tables.map { "\nLEFT JOIN \($0) ON \($0).file = f.id" }.joined())
    WHERE f.vanished_run IS NULL
    """
  }

  private static let views2 = """
    DROP VIEW track;
    -- One line for each file that is there, for people.
    \(trackView());

    DROP VIEW failing;
    CREATE VIEW failing AS
    SELECT f.id AS file, f.display_path AS path, f.status, e.stage, e.code, e.message, e.attempts,
      e.first_failed_run, e.last_failed_run, datetime(e.failed_ns / 1000000000, 'unixepoch') AS failed_at, e.signal,
      datetime(e.retry_ns / 1000000000, 'unixepoch') AS quarantined_until
    FROM failure e
    JOIN file f ON f.id = e.file
    WHERE f.vanished_run IS NULL;
    """

  /// Earlier versions copied the status from any file with the same audio. Therefore, files that share their audio are
  /// checked again (`pending` 5, touched), and nothing is copied from files without a `decoding_id`.
  private static let tables3Records = """
    ALTER TABLE run ADD COLUMN partial INTEGER NOT NULL DEFAULT 0;       -- `analyzed` of older runs has them
    ALTER TABLE run ADD COLUMN newly_damaged INTEGER NOT NULL DEFAULT 0; -- of `partial`

    -- Of all that decoders see: whole files that share it decode to the same. NULL: it was not decoded.
    ALTER TABLE file ADD COLUMN decoding_id TEXT;
    CREATE INDEX file_decoding ON file (decoding_id) WHERE decoding_id IS NOT NULL;

    UPDATE file SET pending = 5
    WHERE pending = 0 AND status IN ('ok', 'partial') AND skip_code IS NULL AND vanished_run IS NULL
      AND content_id IN (SELECT content_id FROM file WHERE content_id IS NOT NULL GROUP BY 1 HAVING count(*) > 1);
    """

  private static let views3Records = """
    DROP VIEW run_summary;
    CREATE VIEW run_summary AS
    SELECT id, state, datetime(started_ns / 1000000000, 'unixepoch') AS started_at,
      (finished_ns - started_ns) / 1e9 AS seconds, exit_status,
      analyzed + partial + cached + failed + skipped + vanished AS seen, analyzed, partial, cached, failed, skipped,
      vanished, newly_failed, newly_damaged, pending, pipeline, program_version
    FROM run;
    """

  /// If `map` is NULL, the map and the beats are derived from those that were found.
  private static let tables3Corrections = """
    ALTER TABLE tempo_correction ADD COLUMN stable INTEGER;
    ALTER TABLE tempo_correction ADD COLUMN map TEXT;          -- JSON: [[start_s, bpm], …]
    ALTER TABLE tempo_correction ADD COLUMN metre TEXT;
    ALTER TABLE tempo_correction ADD COLUMN beats_s TEXT;      -- JSON: [seconds, …]
    ALTER TABLE tempo_correction ADD COLUMN downbeats_s TEXT;  -- the same; NULL: not sure
    """

  /// A NULL tempo means that there is no steady beat. (SQLite cannot drop a NOT NULL, so the table is recreated.)
  private static let tables4Corrections = """
    CREATE TABLE new_tempo_correction (
      content_id TEXT PRIMARY KEY,
      bpm REAL,                            -- NULL: there is no steady beat
      corrected_ns INTEGER NOT NULL,
      stable INTEGER,
      map TEXT,                            -- JSON: [[start_s, bpm], …]; NULL: map and beats follow from those found
      metre TEXT,
      beats_s TEXT,                        -- JSON: [seconds, …]
      downbeats_s TEXT                     -- the same; NULL: not sure
    ) WITHOUT ROWID;
    INSERT INTO new_tempo_correction
      SELECT content_id, bpm, corrected_ns, stable, map, metre, beats_s, downbeats_s FROM tempo_correction;
    DROP TABLE tempo_correction;
    ALTER TABLE new_tempo_correction RENAME TO tempo_correction;

    -- Audio that was passed over in a review of tempi.
    CREATE TABLE tempo_skip (
      content_id TEXT PRIMARY KEY,
      skipped_ns INTEGER NOT NULL
    ) WITHOUT ROWID;

    -- Tempi that counted before a person has set others, or gone back to what was found.
    CREATE TABLE tempo_history (
      id INTEGER PRIMARY KEY,
      content_id TEXT NOT NULL,
      replaced_ns INTEGER NOT NULL,
      corrected_ns INTEGER,                -- NULL: what was found counted, and all that follows is NULL
      bpm REAL,
      stable INTEGER,
      map TEXT,
      metre TEXT,
      beats_s TEXT,
      downbeats_s TEXT
    );
    CREATE INDEX tempo_history_content ON tempo_history (content_id);
    """

  private static let tables3Formats = """
    -- 1: no header says how long the audio is, and `claimed_frames` is an estimate by bit rate and size.
    ALTER TABLE format ADD COLUMN claim_is_estimated INTEGER NOT NULL DEFAULT 0;
    """
}
