internal import GRDB
public import ResultStore

/// Releases as people browse them: the albums, and each track without an album as a separate release. Every track is in
/// one release, and every release has an artist, possibly `SongArtist.unknown`.
extension ResultStore {
  /// - Parameter genre: Id of a genre.
  public func releases(
    order: AlbumOrder, genre: String? = nil, years: ClosedRange<Int>? = nil, limit: Int, offset: Int = 0
  ) throws(StoreError) -> [SongAlbum] {
    try read { db in
      let reader = SongReader(db, tables: songs.tables)
      let (albums, albumValues) = reader.albumConditions(genre: genre, years: years)
      let (singles, singleValues) = reader.singleConditions(genre: genre, years: years)
      return try reader.releases(
        """
        SELECT album.kind, album.id FROM (
          SELECT 0 AS kind, id, name, artist, year, added_ns FROM album WHERE \(albums)
          UNION ALL
          SELECT 1, id, coalesce(title, (SELECT file_name FROM file WHERE file.id = song.id)), artist, year, added_ns
          FROM song WHERE \(singles)
        ) album ORDER BY \(order.sql), album.kind LIMIT ? OFFSET ?
        """, albumValues + singleValues + [.integer(limit), .integer(offset)])
    }
  }

  /// - Parameter genre: Id of a genre.
  public func releaseCount(genre: String? = nil, years: ClosedRange<Int>? = nil) throws(StoreError) -> Int {
    try read { db in
      let reader = SongReader(db, tables: songs.tables)
      let (albums, albumValues) = reader.albumConditions(genre: genre, years: years)
      let (singles, singleValues) = reader.singleConditions(genre: genre, years: years)
      return try reader.count("SELECT count(*) FROM album WHERE \(albums)", albumValues)
        + reader.count("SELECT count(*) FROM song WHERE \(singles)", singleValues)
    }
  }

  /// Returns an album, or a track without an album; `nil` for an unknown id.
  public func release(id: String) throws(StoreError) -> SongAlbum? { try releases(ids: [id])[0] }

  /// Returns releases in the same order as `ids`.
  public func releases(ids: [String]) throws(StoreError) -> [SongAlbum?] {
    try read { db in
      let reader = SongReader(db, tables: songs.tables)
      return zip(try reader.albums(ids: ids), try reader.songs(ids: ids)).map { album, song in
        album ?? song.flatMap { $0.album == nil ? SongAlbum(loose: $0) : nil }
      }
    }
  }

  /// Returns the tracks of an album in album order, or the one track of a single.
  public func songs(ofRelease id: String, limit: Int = .max, offset: Int = 0) throws(StoreError) -> [Song] {
    let songs = try songs(ofAlbum: id, limit: limit, offset: offset)
    guard songs.isEmpty, offset == 0, limit > 0, let song = try song(id: id), song.album == nil else { return songs }
    return [song]
  }

  /// Returns the tracks without an album by an artist, newest first.
  public func singles(ofArtist id: String, limit: Int = .max) throws(StoreError) -> [SongAlbum] {
    try read { db in
      let reader = SongReader(db, tables: songs.tables)
      let ids = try reader.ids(
        """
        SELECT song.id FROM \(SongReader.songs(ofArtist: id)) AND song.album_id IS NULL
        ORDER BY song.year DESC NULLS LAST, song.title COLLATE NOCASE, song.id LIMIT ?2
        """, [.text(id), .integer(limit)])
      return try reader.songs(ids).map { SongAlbum(loose: $0) }
    }
  }

  /// Returns the artists who have their own releases, sorted by name. The unknown artist comes last. Artists who are
  /// only guests on releases of others are left out.
  public func releaseArtists(limit: Int = .max, offset: Int = 0) throws(StoreError) -> [LibraryArtist] {
    try read { db in
      let reader = SongReader(db, tables: songs.tables)
      let condition = """
        album_count > 0 OR EXISTS (SELECT 1 FROM artist_song link CROSS JOIN song ON song.id = link.song
          WHERE link.artist = artist.id AND song.album_id IS NULL)
        """
      var artists = try reader.artists(
        reader.ids(
          "SELECT id FROM artist WHERE \(condition) ORDER BY name COLLATE NOCASE, id LIMIT ? OFFSET ?",
          [.integer(limit), .integer(offset)]))
      if artists.count < limit, let unknown = try reader.artists(ids: [SongArtist.unknown.id])[0] {
        let count = try reader.count("SELECT count(*) FROM artist WHERE \(condition)", [])
        if offset <= count { artists.append(unknown) }
      }
      return artists
    }
  }

  /// Returns the number of releases by or featuring each artist, by the artist's id. `SongArtist.unknown` is left out.
  /// - Parameter ids: The ids of the artists; `nil` for all.
  public func releaseCounts(ofArtists ids: [String]? = nil) throws(StoreError) -> [String: Int] {
    let wanted = "(SELECT id FROM artist WHERE artist_id IN (SELECT value FROM json_each(?1)))"
    func among(_ column: String, _ word: String) -> String { ids == nil ? "" : " \(word) \(column) IN \(wanted)" }
    return try read { db in
      let select = try Query(
        db,
        """
        SELECT artist.artist_id, count(*) FROM (
          SELECT artist, album, 0 AS kind FROM artist_album\(among("artist", "WHERE"))
          UNION SELECT link.artist, album.id, 0 FROM artist_song link CROSS JOIN song ON song.id = link.song
            CROSS JOIN album ON album.album_id = song.album_id\(among("link.artist", "WHERE"))
          UNION SELECT link.artist, song.id, 1 FROM artist_song link CROSS JOIN song ON song.id = link.song
            WHERE song.album_id IS NULL\(among("link.artist", "AND"))
        ) release CROSS JOIN artist ON artist.id = release.artist GROUP BY artist.id
        """)
      var counts: [String: Int] = [:]
      try select.forEachRow(ids.map { [.list($0)] } ?? []) {
        counts[select.text(0)] = Int(select.integer(1))
      }
      return counts
    }
  }
}

extension SongReader {
  /// - Parameter sql: A statement that returns a kind (0: an album, 1: a track without an album) and a row id.
  fileprivate func releases(_ sql: String, _ values: [SQLValue]) throws -> [SongAlbum] {
    var rows: [(isAlbum: Bool, id: Int64)] = []
    try forEach(sql, values) { rows.append(($0.integer(0) == 0, $0.integer(1))) }
    var albums = try self.albums(rows.filter(\.isAlbum).map(\.id))[...]
    var singles = try songs(rows.filter { !$0.isAlbum }.map(\.id))[...]
    return rows.compactMap { row in
      row.isAlbum ? albums.popFirst() : singles.popFirst().map { SongAlbum(loose: $0) }
    }
  }

  /// Returns a condition on tracks without an album, and its values.
  /// - Parameter genre: Id of a genre.
  fileprivate func singleConditions(genre: String?, years: ClosedRange<Int>?) -> (sql: String, values: [SQLValue]) {
    var conditions = ["song.album_id IS NULL", SongTables.isListed]
    var values: [SQLValue] = []
    if let genre {
      conditions.append(
        "song.id IN (SELECT song FROM genre_song WHERE genre = (SELECT id FROM genre WHERE genre_id = ?))")
      values.append(.text(genre))
    }
    if let years {
      conditions.append("song.year BETWEEN ? AND ?")
      values += [.integer(years.lowerBound), .integer(years.upperBound)]
    }
    return (conditions.joined(separator: " AND "), values)
  }
}
