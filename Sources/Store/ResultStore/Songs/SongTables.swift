internal import GRDB
internal import Library
internal import Text

/// The artists, albums and genres of the songs in `song`. Each of them has one row with counts, so that lists can be
/// shown without reading all songs. They are derived from `song`; `update` applies the changes of a transaction, and
/// triggers keep the counts up to date.
package struct SongTables {
  private let db: Database

  init(_ db: Database) {
    self.db = db
  }

  static let own: Set<String> = [
    "artist", "album", "genre", "artist_song", "genre_song", "artist_album", "genre_album", "artists_fts", "albums_fts",
  ]

  // MARK: Keeping

  /// Returns the albums of the files whose rows in `song` must be rebuilt.
  func albumsOfChanges() throws -> Set<String> {
    let select = try Query(
      db,
      """
      SELECT DISTINCT album_id FROM \(SongCatalog.changes) change CROSS JOIN song ON song.id = change.file
      WHERE album_id IS NOT NULL
      """)
    var ids: Set<String> = []
    try select.forEachRow { ids.insert(select.text(0)) }
    return ids
  }

  func unlinkChanges() throws {
    for table in ["artist_song", "genre_song"] {
      try Query(db, "DELETE FROM \(table) WHERE song IN (SELECT file FROM \(SongCatalog.changes))").run()
    }
  }

  /// - Parameter albums: All albums to which the changed songs belong or belonged.
  func update(albums: Set<String>) throws {
    let changed =
      "\(SongCatalog.changes) change CROSS JOIN song ON song.id = change.file AND \(Self.isListed)"
    try insertArtists(named: "SELECT credit.value FROM \(changed) CROSS JOIN json_each(song.artists) credit")
    try Query(db, "INSERT INTO artist_song (song, artist, position) \(Self.songArtists(changed))").run()
    try Query(
      db,
      """
      INSERT OR IGNORE INTO genre (genre_id, name)
      SELECT genre_id(credit.value), credit.value FROM \(changed) CROSS JOIN json_each(song.genres) credit
      """
    ).run()
    try Query(db, "INSERT INTO genre_song (song, genre) \(Self.songGenres(changed))").run()
    let ids = albums.sorted()
    for start in stride(from: 0, to: ids.count, by: Self.albumsAtOnce) {
      try update(albums: ids[start..<min(ids.count, start + Self.albumsAtOnce)])
    }
    for table in ["artist", "genre"] {
      try Query(db, "DELETE FROM \(table) WHERE track_count = 0 AND album_count = 0").run()
    }
  }

  private static let albumsAtOnce = 500

  private func update(albums: ArraySlice<String>) throws {
    let list = SQLValue.text(NameList.list(Array(albums)))
    let wanted = "album_id IN (SELECT value FROM json_each(?1))"
    for table in ["artist_album", "genre_album"] {
      try Query(db, "DELETE FROM \(table) WHERE album IN (SELECT id FROM album WHERE \(wanted))").run(list)
    }
    let columns = Self.albumColumns
    try Query(
      db,
      """
      INSERT INTO album (\(columns.joined(separator: ", ")))
      \(Self.albums("json_each(?1) wanted CROSS JOIN song ON song.album_id = wanted.value"))
      ON CONFLICT (album_id) DO UPDATE SET \(columns.dropFirst().map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
      """
    ).run(list)
    try Query(db, "DELETE FROM album WHERE \(wanted) AND album_id NOT IN (SELECT album_id FROM song WHERE \(wanted))")
      .run(list)
    let those = "json_each(?1) wanted CROSS JOIN album ON album.album_id = wanted.value"
    try insertArtists(named: "SELECT credit.value FROM \(those) CROSS JOIN json_each(album.artists) credit", list)
    try Query(db, "INSERT INTO artist_album (album, artist, position) \(Self.albumArtists(those))").run(list)
    try Query(
      db,
      "INSERT INTO genre_album (album, genre, track_count) "
        + Self.albumGenres("\(those) CROSS JOIN song ON song.album_id = album.album_id")
    ).run(list)
  }

  private func insertArtists(named select: String, _ values: SQLValue...) throws {
    try Query(
      db,
      """
      INSERT INTO artist (artist_id, name, variants)
      SELECT artist_id(name), name, \(NameVariants.function)(name)
      FROM (SELECT value AS name FROM (\(select)) GROUP BY value) WHERE name IS NOT NULL
      ON CONFLICT (artist_id) DO UPDATE SET variants = \(NameVariants.function)(name)
      WHERE variants IS NOT \(NameVariants.function)(name)
      """
    ).run(values)
  }

  func clear() throws {
    for table in ["artist_song", "genre_song", "artist_album", "genre_album"] {
      try db.execute(sql: "DELETE FROM \(table)")
    }
    for table in ["artist", "album", "genre"] {
      for index in Self.fullTextTables where index == "\(table)s_fts" {
        // Rows can be removed from an index only if their words are in it.
        try db.execute(sql: "INSERT INTO \(index) (\(index)) VALUES ('rebuild')")
      }
      try db.execute(sql: "DELETE FROM \(table)")
    }
  }

  // MARK: Checking

  /// Returns the tables that differ from the rows of `song`, with the number of wrong rows.
  func wrongRows() throws -> [(table: String, count: Int64)] {
    func differences(_ found: String, _ expected: String) -> String {
      "SELECT count(*) FROM (SELECT * FROM (\(found) EXCEPT \(expected)) UNION ALL SELECT * FROM (\(expected) EXCEPT \(found)))"
    }
    let songs = "song CROSS JOIN (SELECT 1) ON \(Self.isListed)"
    let albumColumns = Self.albumColumns.joined(separator: ", ")
    let checks = [
      ("artist_song", differences("SELECT song, artist, position FROM artist_song", Self.songArtists(songs))),
      ("genre_song", differences("SELECT song, genre FROM genre_song", Self.songGenres(songs))),
      ("album", differences("SELECT \(albumColumns) FROM album", Self.albums("song"))),
      ("artist_album", differences("SELECT album, artist, position FROM artist_album", Self.albumArtists("album"))),
      (
        "genre_album",
        differences(
          "SELECT album, genre, track_count FROM genre_album",
          Self.albumGenres("album CROSS JOIN song ON song.album_id = album.album_id"))
      ),
    ]
    let counts = ["artist", "genre"].map { name in
      (
        name,
        """
        SELECT count(*) FROM \(name) WHERE \(name)_id <> \(name)_id(name) OR track_count = 0 AND album_count = 0
          OR track_count <> (SELECT count(*) FROM \(name)_song link WHERE link.\(name) = \(name).id)
          OR album_count <> (SELECT count(*) FROM \(name)_album link WHERE link.\(name) = \(name).id)
        """
      )
    }
    return try (checks + counts).compactMap { table, sql in
      let select = try Query(db, sql)
      let count = try select.first { select.integer(0) } ?? 0
      return count > 0 ? (table, count) : nil
    }
  }

  // MARK: Rows

  /// The condition for songs that are listed. Failed files are not in any list.
  package static let isListed = "song.status <> 'failed'"

  private static func songArtists(_ songs: String) -> String {
    """
    SELECT song.id, artist.id, credit.key FROM \(songs) CROSS JOIN json_each(song.artists) credit
    CROSS JOIN artist ON artist.artist_id = artist_id(credit.value)
    """
  }

  private static func songGenres(_ songs: String) -> String {
    """
    SELECT song.id, genre.id FROM \(songs) CROSS JOIN json_each(song.genres) credit
    CROSS JOIN genre ON genre.genre_id = genre_id(credit.value)
    """
  }

  private static func albumArtists(_ albums: String) -> String {
    """
    SELECT album.id, artist.id, credit.key FROM \(albums) CROSS JOIN json_each(album.artists) credit
    CROSS JOIN artist ON artist.artist_id = artist_id(credit.value)
    """
  }

  private static func albumGenres(_ songs: String) -> String {
    """
    SELECT album.id, genre_song.genre, count(*) FROM \(songs) CROSS JOIN genre_song ON genre_song.song = song.id
    GROUP BY album.id, genre_song.genre
    """
  }

  private static let albumColumns = [
    "album_id", "name", "artists", "artist", "variants", "year", "date", "track_count", "disc_count", "duration_s",
    "added_ns", "compilation",
  ]

  /// Returns the SQL for the rows of albums. The artists of an album are the album artists of a tag; otherwise,
  /// `Various Artists` for a compilation; otherwise, the artists, or at least the first artist, that all tracks share;
  /// otherwise, `Various Artists`.
  private static func albums(_ songs: String) -> String {
    let various = NameList.list([SongCatalogID.variousArtists]) ?? ""
    return """
      SELECT album_id, name, artists, joined_names(artists), \(NameVariants.function)(name, joined_names(artists)), year,
        date, track_count, disc_count, duration_s, added_ns, compilation
      FROM (
        SELECT song.album_id, min(song.album) AS name,
          coalesce(min(song.album_artists), CASE
            WHEN max(song.compilation) THEN '\(various)'
            WHEN min(song.artists) = max(song.artists) THEN min(song.artists)
            WHEN min(song.artists ->> 0) = max(song.artists ->> 0) THEN json_array(min(song.artists ->> 0))
            WHEN count(song.artists) > 0 THEN '\(various)'
          END) AS artists,
          min(song.year) AS year, min(song.date) AS date, count(*) AS track_count,
          count(DISTINCT coalesce(song.disc, 1)) AS disc_count, round(sum(song.duration_s), 3) AS duration_s,
          max(song.added_ns) AS added_ns, max(song.compilation) AS compilation
        FROM \(songs) WHERE song.album_id IS NOT NULL GROUP BY song.album_id
      ) WHERE true
      """
  }
}

// MARK: - Schema

extension SongTables {
  /// Full-text tables of the names of artists and albums.
  static let fullTextTables = ["artists_fts", "albums_fts"]

  /// Tables of schema 4, filled by `update`.
  static let tables4 = """
    -- Performers of songs and of albums.
    CREATE TABLE artist (
      id INTEGER PRIMARY KEY,
      artist_id TEXT NOT NULL UNIQUE,      -- 22 characters; follows from the name
      name TEXT NOT NULL,                  -- as it is spelled first
      variants TEXT,                       -- other spellings
      track_count INTEGER NOT NULL DEFAULT 0,
      album_count INTEGER NOT NULL DEFAULT 0
    );
    CREATE INDEX artist_name ON artist (name COLLATE NOCASE);
    CREATE INDEX artist_unused ON artist (id) WHERE track_count = 0 AND album_count = 0;

    CREATE TABLE album (
      id INTEGER PRIMARY KEY,
      album_id TEXT NOT NULL UNIQUE,       -- 22 characters
      name TEXT NOT NULL,
      artists TEXT,                        -- JSON: list of names
      artist TEXT,                         -- the same as one text
      variants TEXT,                       -- other spellings of both
      year INTEGER,                        -- the earliest
      date TEXT,
      track_count INTEGER NOT NULL,
      disc_count INTEGER NOT NULL,
      duration_s REAL,
      added_ns INTEGER NOT NULL,           -- when the newest of its files was met
      compilation INTEGER NOT NULL
    );
    CREATE INDEX album_name ON album (name COLLATE NOCASE);
    CREATE INDEX album_of_artist ON album (artist COLLATE NOCASE, year, name COLLATE NOCASE);
    CREATE INDEX album_year ON album (year);
    CREATE INDEX album_added ON album (added_ns);

    CREATE TABLE genre (
      id INTEGER PRIMARY KEY,
      genre_id TEXT NOT NULL UNIQUE,       -- such as drum-bass
      name TEXT NOT NULL,
      track_count INTEGER NOT NULL DEFAULT 0,
      album_count INTEGER NOT NULL DEFAULT 0
    );
    CREATE INDEX genre_unused ON genre (id) WHERE track_count = 0 AND album_count = 0;

    CREATE TABLE artist_song (
      song INTEGER NOT NULL,
      position INTEGER NOT NULL,
      artist INTEGER NOT NULL,
      PRIMARY KEY (song, position)
    ) WITHOUT ROWID;
    CREATE INDEX artist_song_artist ON artist_song (artist);

    CREATE TABLE genre_song (
      song INTEGER NOT NULL,
      genre INTEGER NOT NULL,
      PRIMARY KEY (song, genre)
    ) WITHOUT ROWID;
    CREATE INDEX genre_song_genre ON genre_song (genre);

    CREATE TABLE artist_album (
      album INTEGER NOT NULL,
      position INTEGER NOT NULL,
      artist INTEGER NOT NULL,
      PRIMARY KEY (album, position)
    ) WITHOUT ROWID;
    CREATE INDEX artist_album_artist ON artist_album (artist);

    CREATE TABLE genre_album (
      album INTEGER NOT NULL,
      genre INTEGER NOT NULL,
      track_count INTEGER NOT NULL,
      PRIMARY KEY (album, genre)
    ) WITHOUT ROWID;
    CREATE INDEX genre_album_genre ON genre_album (genre);

    CREATE TRIGGER song_old AFTER DELETE ON song BEGIN
      DELETE FROM artist_song WHERE song = OLD.id;
      DELETE FROM genre_song WHERE song = OLD.id;
    END;
    CREATE TRIGGER album_old AFTER DELETE ON album BEGIN
      DELETE FROM artist_album WHERE album = OLD.id;
      DELETE FROM genre_album WHERE album = OLD.id;
    END;

    \(counters("artist_song", count: "track_count", of: "artist"))
    \(counters("artist_album", count: "album_count", of: "artist"))
    \(counters("genre_song", count: "track_count", of: "genre"))
    \(counters("genre_album", count: "album_count", of: "genre"))

    CREATE VIRTUAL TABLE artists_fts USING fts5 (
      name, variants, content="artist", content_rowid="id", prefix='1 2 3', tokenize='unicode61 remove_diacritics 2'
    );
    CREATE VIRTUAL TABLE albums_fts USING fts5 (
      name, artist, variants, content="album", content_rowid="id", prefix='1 2 3',
      tokenize='unicode61 remove_diacritics 2'
    );
    \(SongCatalog.indexTriggers(of: "artists_fts", on: "artist", "name, variants"))
    \(SongCatalog.indexTriggers(of: "albums_fts", on: "album", "name, artist, variants"))
    """

  private static func counters(_ link: String, count: String, of table: String) -> String {
    """
    CREATE TRIGGER \(link)_new AFTER INSERT ON \(link)
    BEGIN UPDATE \(table) SET \(count) = \(count) + 1 WHERE id = NEW.\(table); END;
    CREATE TRIGGER \(link)_old AFTER DELETE ON \(link)
    BEGIN UPDATE \(table) SET \(count) = \(count) - 1 WHERE id = OLD.\(table); END;
    """
  }
}
