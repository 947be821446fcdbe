/// The tables that describe the bytes of files and what has happened to files.
enum ChecksumTables {
  static let own: Set<String> = ["checksum", "verification", "file_event"]

  /// Maximum number of events that are kept per file.
  private static let keptEvents = 30

  /// The tables of schema 7. An older database has no checksums; the next verification computes them. Its history shows
  /// which runs found files damaged or failing, but not when.
  static let tables7 = """
    -- The bytes of each file, as they were when it was analyzed or first read by a verification.
    CREATE TABLE checksum (
      file INTEGER PRIMARY KEY REFERENCES file (id) ON DELETE CASCADE,
      xxh3 BLOB,                           -- XXH3-128 of all bytes, 16 bytes, big-endian; NULL: never read whole
      sha256 BLOB,                         -- on request
      md5 BLOB,                            -- on request
      audio_start INTEGER,                 -- the first byte of the encoded audio
      audio_end INTEGER,                   -- behind its last byte
      audio_xxh3 BLOB,                     -- XXH3-128 of the bytes between
      taken_ns INTEGER,                    -- when these were computed
      well_ns INTEGER,                     -- when the file was last known to have these bytes
      verified_ns INTEGER,                 -- when they were last compared and the same; NULL: never since
      verification INTEGER REFERENCES verification (id),  -- which did that; NULL: a run that analyzed the file again
      read_ns INTEGER NOT NULL,            -- when the file was last read whole, or that was tried
      state TEXT CHECK (state IN ('changed_silently', 'unreadable')),  -- NULL: well
      hit TEXT CHECK (hit IN ('audio', 'tags')),  -- where the bytes differ: in the audio, or before or behind it
      found_xxh3 BLOB,                     -- XXH3-128 of the other bytes
      found_ns INTEGER                     -- when this was found
    );
    CREATE INDEX checksum_read ON checksum (read_ns);

    -- Each reading of files again, by itself or at the end of a run.
    CREATE TABLE verification (
      id INTEGER PRIMARY KEY,
      run INTEGER REFERENCES run (id),     -- NULL: `analyze verify`
      started_ns INTEGER NOT NULL,
      finished_ns INTEGER,                 -- NULL: still going on, or died
      bytes INTEGER NOT NULL DEFAULT 0,
      verified INTEGER NOT NULL DEFAULT 0,
      taken INTEGER NOT NULL DEFAULT 0,
      restored INTEGER NOT NULL DEFAULT 0,
      changed_silently INTEGER NOT NULL DEFAULT 0,
      known_changed INTEGER NOT NULL DEFAULT 0,
      unreadable INTEGER NOT NULL DEFAULT 0,
      missing INTEGER NOT NULL DEFAULT 0,
      left_to_scan INTEGER NOT NULL DEFAULT 0
    );

    -- What has happened to files, the last \(keptEvents) events of each.
    CREATE TABLE file_event (
      id INTEGER PRIMARY KEY,
      file INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
      event TEXT NOT NULL,
      at_ns INTEGER,                       -- NULL: not known
      run INTEGER REFERENCES run (id),     -- NULL: outside of runs
      detail TEXT
    );
    CREATE INDEX file_event_file ON file_event (file);
    CREATE TRIGGER file_event_limit AFTER INSERT ON file_event BEGIN
      DELETE FROM file_event WHERE file = NEW.file AND id <= (
        SELECT id FROM file_event WHERE file = NEW.file ORDER BY id DESC LIMIT 1 OFFSET \(keptEvents));
    END;

    INSERT INTO file_event (file, event, run, detail)
      SELECT e.file, iif(f.status = 'failed', 'failed', 'damaged'), e.first_failed_run, e.code
      FROM failure e JOIN file f ON f.id = e.file WHERE f.status IN ('partial', 'failed') ORDER BY e.first_failed_run, f.id;

    -- What is known of the past of each file, of which `at` is UTC and NULL where it is not known.
    CREATE VIEW file_history AS
    SELECT f.id AS file, f.display_path AS path, 'first_seen' AS event, r.started_ns AS at_ns, f.first_seen_run AS run,
      NULL AS detail, datetime(r.started_ns / 1000000000, 'unixepoch') AS at
    FROM file f LEFT JOIN run r ON r.id = f.first_seen_run
    UNION ALL
    SELECT f.id, f.display_path, 'analyzed', f.analyzed_ns, f.analyzed_run, f.status,
      datetime(f.analyzed_ns / 1000000000, 'unixepoch')
    FROM file f WHERE f.analyzed_run IS NOT NULL
    UNION ALL
    SELECT f.id, f.display_path, 'verified', c.verified_ns, v.run, NULL,
      datetime(c.verified_ns / 1000000000, 'unixepoch')
    FROM file f JOIN checksum c ON c.file = f.id LEFT JOIN verification v ON v.id = c.verification
    WHERE c.verified_ns IS NOT NULL
    UNION ALL
    SELECT f.id, f.display_path, 'vanished', r.started_ns, f.vanished_run, NULL,
      datetime(r.started_ns / 1000000000, 'unixepoch')
    FROM file f LEFT JOIN run r ON r.id = f.vanished_run WHERE f.vanished_run IS NOT NULL
    UNION ALL
    SELECT f.id, f.display_path, e.event, e.at_ns, e.run, e.detail,
      datetime(e.at_ns / 1000000000, 'unixepoch')
    FROM file f JOIN file_event e ON e.file = f.id;
    """
}
