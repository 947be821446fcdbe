internal import Analysis
internal import GRDB
internal import Platform

/// The tables of people's collections. They do not contain ids of `file`, because files may be forgotten and come back.
package enum PlaylistTables {
  /// Number of earlier states of a playlist to which the edits of clients may still refer.
  package static let keptSnapshots = 20

  static let own: Set<String> = ["playlist", "playlist_entry", "playlist_snapshot", "saved_track", "saved_item"]

  static let tables4 = """
    CREATE TABLE playlist (
      id INTEGER PRIMARY KEY,
      playlist_id TEXT NOT NULL UNIQUE,    -- 22 characters
      name TEXT NOT NULL,
      description TEXT,
      public INTEGER NOT NULL,
      created_ns INTEGER NOT NULL,
      changed_ns INTEGER NOT NULL,
      snapshot INTEGER NOT NULL            -- counts the states of its tracks
    );

    CREATE TABLE playlist_entry (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      playlist INTEGER NOT NULL REFERENCES playlist (id) ON DELETE CASCADE,
      position INTEGER NOT NULL,           -- from 0
      path BLOB NOT NULL,                  -- where the file was when it was added
      content_id TEXT,                     -- its audio
      added_ns INTEGER NOT NULL
    );
    CREATE INDEX playlist_entry_position ON playlist_entry (playlist, position);

    -- The last states of playlists, so that a change counts for the state that a client has seen.
    CREATE TABLE playlist_snapshot (
      playlist INTEGER NOT NULL REFERENCES playlist (id) ON DELETE CASCADE,
      snapshot INTEGER NOT NULL,
      entries TEXT NOT NULL,               -- JSON: ids of entries
      PRIMARY KEY (playlist, snapshot)
    ) WITHOUT ROWID;

    CREATE TABLE saved_track (
      id INTEGER PRIMARY KEY,
      path BLOB NOT NULL,
      content_id TEXT,
      added_ns INTEGER NOT NULL
    );
    CREATE INDEX saved_track_path ON saved_track (path);
    CREATE INDEX saved_track_content ON saved_track (content_id) WHERE content_id IS NOT NULL;

    -- Albums and artists that people have saved.
    CREATE TABLE saved_item (
      kind TEXT NOT NULL CHECK (kind IN ('album', 'artist')),
      item_id TEXT NOT NULL,               -- 22 characters
      added_ns INTEGER NOT NULL,
      PRIMARY KEY (kind, item_id)
    ) WITHOUT ROWID;
    """

  /// Returns the SQL for the id of the row of `file` to which a row of the table `e` refers. It is the file at the
  /// stored path if that has the stored audio; otherwise, another file with that audio (the file was moved); otherwise,
  /// the file at the stored path (it was re-encoded).
  package static func file(of e: String) -> String {
    """
    coalesce(
      (SELECT f.id FROM file f WHERE f.path = \(e).path AND f.vanished_run IS NULL AND f.content_id IS \(e).content_id),
      (SELECT f.id FROM file f WHERE f.content_id = \(e).content_id AND f.vanished_run IS NULL ORDER BY f.path LIMIT 1),
      (SELECT f.id FROM file f WHERE f.path = \(e).path AND f.vanished_run IS NULL))
    """
  }

  /// Keeps references to a file valid if its content id changes although the file does not, for example because content
  /// ids are computed in a different way.
  static func follow(_ old: ContentID, to new: ContentID, file: Int64, in db: Database) throws {
    for table in ["playlist_entry", "saved_track"] {
      try Query(
        db, "UPDATE \(table) SET content_id = ? WHERE content_id = ? AND path = (SELECT path FROM file WHERE id = ?)"
      ).run(.text(new.description), .text(old.description), .integer(file))
    }
  }

  /// Describes, in one line, the playlists whose positions have gaps or repetitions; empty if there are none.
  static func check(_ db: Database) throws -> [String] {
    let select = try Query(
      db,
      """
      SELECT count(*), min(name) FROM playlist p WHERE EXISTS (
        SELECT 1 FROM playlist_entry e WHERE e.playlist = p.id GROUP BY e.playlist
        HAVING count(*) <> count(DISTINCT position) OR min(position) <> 0 OR max(position) <> count(*) - 1)
      """)
    let found = try select.first { (count: select.integer(0), example: select.text(1)) }
    guard let found, found.count > 0 else { return [] }
    let playlists = found.count == 1 ? "1 playlist" : "\(found.count) playlists"
    return [
      "\(playlists) with gaps between tracks, such as \(found.example); any change to a playlist renumbers its tracks"
    ]
  }
}
