internal import Analysis
public import Filters
internal import GRDB
internal import Platform
public import ResultStore

/// Reads tracks, albums, artists and genres by their ids. For unknown or malformed ids, the result is `nil` or empty.
extension ResultStore {
  // MARK: Tracks

  /// Returns the number of tracks, their total duration in seconds, and the number of failed files, which do not count
  /// as tracks.
  public func trackTotals() throws(StoreError) -> (count: Int, seconds: Double, failed: Int) {
    try read { db in
      let tracks = try Query(db, "SELECT count(*), total(duration_s) FROM song WHERE \(SongTables.isListed)")
      // SQLite uses the index on rows that are not `ok` only if the statement repeats this condition.
      let failed = try Query(db, "SELECT count(*) FROM song WHERE status = 'failed' AND status <> 'ok'")
      let (count, seconds) = try tracks.first { (Int(tracks.integer(0)), tracks.real(1)) } ?? (0, 0)
      return (count, seconds, try failed.first { Int(failed.integer(0)) } ?? 0)
    }
  }

  /// Returns songs in the same order as `ids`.
  public func songs(ids: [String]) throws(StoreError) -> [Song?] {
    try read { try SongReader($0, tables: songs.tables).songs(ids: ids) }
  }

  /// - Parameter includesFailed: `true` to find failed files as well.
  public func song(id: String, includesFailed: Bool = false) throws(StoreError) -> Song? {
    try read { try SongReader($0, tables: songs.tables, includesFailed: includesFailed).songs(ids: [id])[0] }
  }

  /// Returns songs by ids of rows of `file`, in the same order. Files that are not tracks of the song catalog are left
  /// out.
  /// - Parameter includesFailed: `true` to find failed files as well.
  public func songs(ofFiles files: [Int64], includesFailed: Bool = false) throws(StoreError) -> [Song] {
    try read { try SongReader($0, tables: songs.tables, includesFailed: includesFailed).songs(files) }
  }

  public func songs(
    matching filter: TrackFilter, order: TrackOrder = .path, limit: Int, offset: Int = 0
  ) throws(StoreError) -> [Song] {
    try read { db in
      let evaluation = FilterEvaluation(db, tables: songs.tables)
      let failed = try evaluation.tracks(matching: TrackFilter(.condition(.status(.failed))))
      let rows = try TrackSelection(db, tables: songs.tables).tracks(
        in: evaluation.tracks(matching: filter).intersection(failed.complement), order: order,
        bounds: evaluation.bounds(of: filter, in: order), limit: limit, offset: offset)
      return try SongReader(db, tables: songs.tables).songs(rows.map(\.fileID))
    }
  }

  /// Returns tracks with this International Standard Recording Code, in any notation.
  public func songs(isrc: String) throws(StoreError) -> [Song] {
    try songs(where: "song.isrc = ?", .text(isrc.uppercased().replacing("-", with: "")))
  }

  /// Returns tracks whose tags name this MusicBrainz recording.
  public func songs(recordingID: String) throws(StoreError) -> [Song] {
    try songs(where: "song.recording_id = ?", .text(recordingID.lowercased()))
  }

  private func songs(where condition: String, _ value: SQLValue) throws(StoreError) -> [Song] {
    try read { db in
      let reader = SongReader(db, tables: songs.tables)
      return try reader.songs(
        reader.ids(
          "SELECT song.id FROM song WHERE \(condition) AND \(SongTables.isListed) ORDER BY song.id", [value]))
    }
  }

  /// Returns random tracks of a genre and a range of years; `nil` stands for any. The same seed returns the same
  /// tracks.
  /// - Parameter genre: Id of a genre.
  public func randomSongs(
    seed: Int, genre: String? = nil, years: ClosedRange<Int>? = nil, limit: Int
  ) throws(StoreError) -> [Song] {
    try read { db in
      let reader = SongReader(db, tables: songs.tables)
      var sql = "SELECT song.id FROM song WHERE \(SongTables.isListed)"
      var values: [SQLValue] = []
      if let genre {
        sql += " AND song.id IN (SELECT song FROM genre_song WHERE genre = (SELECT id FROM genre WHERE genre_id = ?))"
        values.append(.text(genre))
      }
      if let years {
        sql += " AND song.year BETWEEN ? AND ?"
        values += [.integer(years.lowerBound), .integer(years.upperBound)]
      }
      let order = SongReader.shuffled("song.id", seed: seed)
      return try reader.songs(reader.ids("\(sql) ORDER BY \(order) LIMIT ?", values + [.integer(limit)]))
    }
  }

  // MARK: Albums

  public func album(id: String) throws(StoreError) -> SongAlbum? { try albums(ids: [id])[0] }

  /// Returns albums in the same order as `ids`.
  public func albums(ids: [String]) throws(StoreError) -> [SongAlbum?] {
    try read { try SongReader($0, tables: songs.tables).albums(ids: ids) }
  }

  /// Returns songs sorted by disc, track number and path.
  public func songs(ofAlbum id: String, limit: Int = .max, offset: Int = 0) throws(StoreError) -> [Song] {
    try read { db in
      let reader = SongReader(db, tables: songs.tables)
      let ids = try reader.ids(
        """
        SELECT song.id FROM song CROSS JOIN file ON file.id = song.id WHERE song.album_id = ?
        ORDER BY coalesce(song.disc, 1), song.track IS NULL, song.track, file.path LIMIT ? OFFSET ?
        """, [.text(id), .integer(limit), .integer(offset)])
      return try reader.songs(ids)
    }
  }

  /// - Parameter genre: Id of a genre.
  public func albums(
    order: AlbumOrder, genre: String? = nil, years: ClosedRange<Int>? = nil, limit: Int, offset: Int = 0
  ) throws(StoreError) -> [SongAlbum] {
    try read { db in
      let reader = SongReader(db, tables: songs.tables)
      let (conditions, values) = reader.albumConditions(genre: genre, years: years)
      let ids = try reader.ids(
        """
        SELECT album.id FROM album WHERE \(conditions)
        ORDER BY \(order.sql) LIMIT ? OFFSET ?
        """, values + [.integer(limit), .integer(offset)])
      return try reader.albums(ids)
    }
  }

  /// - Parameter genre: Id of a genre.
  public func albumCount(genre: String? = nil, years: ClosedRange<Int>? = nil) throws(StoreError) -> Int {
    try read { db in
      let reader = SongReader(db, tables: songs.tables)
      let (conditions, values) = reader.albumConditions(genre: genre, years: years)
      return try reader.count("SELECT count(*) FROM album WHERE \(conditions)", values)
    }
  }

  // MARK: Artists

  public func artist(id: String) throws(StoreError) -> LibraryArtist? { try artists(ids: [id])[0] }

  /// Returns artists in the same order as `ids`.
  public func artists(ids: [String]) throws(StoreError) -> [LibraryArtist?] {
    try read { try SongReader($0, tables: songs.tables).artists(ids: ids) }
  }

  /// Returns artists sorted by name.
  public func artists(limit: Int, offset: Int = 0) throws(StoreError) -> [LibraryArtist] {
    try read { db in
      let reader = SongReader(db, tables: songs.tables)
      return try reader.artists(
        reader.ids(
          """
          SELECT id FROM artist ORDER BY name COLLATE NOCASE, id LIMIT ? OFFSET ?
          """, [.integer(limit), .integer(offset)]))
    }
  }

  public func artistCount() throws(StoreError) -> Int {
    try read { db in try SongReader(db, tables: songs.tables).count("SELECT count(*) FROM artist", []) }
  }

  /// Returns the artist's own albums, or the albums of others that have tracks by the artist, newest first.
  public func albums(
    ofArtist id: String, _ relation: ArtistAlbums = .own, limit: Int = .max, offset: Int = 0
  ) throws(StoreError) -> [SongAlbum] {
    try read { db in
      let reader = SongReader(db, tables: songs.tables)
      return try reader.albums(
        reader.ids(
          """
          SELECT album.id FROM album WHERE id IN (\(relation.sql(ofArtist: id)))
          ORDER BY year DESC NULLS LAST, name COLLATE NOCASE, id LIMIT ? OFFSET ?
          """, [.text(id), .integer(limit), .integer(offset)]))
    }
  }

  public func albumCount(ofArtist id: String, _ relation: ArtistAlbums = .own) throws(StoreError) -> Int {
    try read { db in
      try SongReader(db, tables: songs.tables).count(
        "SELECT count(*) FROM (\(relation.sql(ofArtist: id)))", [.text(id)])
    }
  }

  /// Returns the tracks that name the artist as a performer, sorted by year and album.
  public func songs(ofArtist id: String, limit: Int = .max, offset: Int = 0) throws(StoreError) -> [Song] {
    try read { db in
      let reader = SongReader(db, tables: songs.tables)
      return try reader.songs(
        reader.ids(
          """
          SELECT song.id FROM \(SongReader.songs(ofArtist: id))
          ORDER BY song.year, song.album COLLATE NOCASE, song.album_id, coalesce(song.disc, 1), song.track, song.id
          LIMIT ?2 OFFSET ?3
          """, [.text(id), .integer(limit), .integer(offset)]))
    }
  }

  /// Returns, for each artist, the id of a track whose cover may represent the artist.
  public func firstTracks(ofArtists ids: [String]) throws(StoreError) -> [String: String] {
    try read { db in
      let select = try Query(
        db,
        """
        SELECT artist.artist_id, coalesce(
          (SELECT song.track_id FROM artist_album link CROSS JOIN album ON album.id = link.album
            CROSS JOIN song ON song.album_id = album.album_id WHERE link.artist = artist.id LIMIT 1),
          (SELECT song.track_id FROM artist_song link CROSS JOIN song ON song.id = link.song
            WHERE link.artist = artist.id LIMIT 1))
        FROM json_each(?) wanted CROSS JOIN artist ON artist.artist_id = wanted.value
        """)
      var tracks: [String: String] = [:]
      try select.forEachRow(.list(ids)) { tracks[select.text(0)] = select.optionalText(1) }
      if ids.contains(SongArtist.unknown.id) {
        let first = try Query(
          db, "SELECT track_id FROM song WHERE artists IS NULL AND \(SongTables.isListed) ORDER BY id LIMIT 1")
        tracks[SongArtist.unknown.id] = try first.first { first.text(0) }
      }
      return tracks
    }
  }

  // MARK: Genres

  /// Returns genres, starting with those that have the most tracks.
  public func genres() throws(StoreError) -> [LibraryGenre] {
    try read { db in
      let select = try Query(
        db, "SELECT genre_id, name, track_count, album_count FROM genre ORDER BY track_count DESC, genre_id")
      var genres: [LibraryGenre] = []
      try select.forEachRow {
        genres.append(
          LibraryGenre(
            id: select.text(0), name: select.text(1), trackCount: Int(select.integer(2)),
            albumCount: Int(select.integer(3))))
      }
      return genres
    }
  }

  /// Returns songs sorted by row id.
  /// - Parameter id: Id of the genre.
  public func songs(ofGenre id: String, limit: Int, offset: Int = 0) throws(StoreError) -> [Song] {
    try read { db in
      let reader = SongReader(db, tables: songs.tables)
      return try reader.songs(
        reader.ids(
          """
          SELECT song FROM genre_song WHERE genre = (SELECT id FROM genre WHERE genre_id = ?) ORDER BY song LIMIT ? OFFSET ?
          """, [.text(id), .integer(limit), .integer(offset)]))
    }
  }
}

public enum AlbumOrder: Sendable, Hashable {
  /// The albums with the newest files come first.
  case newest
  case name
  /// Sorts by the names of the artists, then by year.
  case artist
  case year(isDescending: Bool)
  /// A random order. The same seed results in the same order.
  case random(seed: Int)

  var sql: String {
    switch self {
    case .newest: "album.added_ns DESC, album.id DESC"
    case .name: "album.name COLLATE NOCASE, album.id"
    case .artist: "album.artist COLLATE NOCASE, album.year, album.name COLLATE NOCASE, album.id"
    case .year(let isDescending): "album.year \(isDescending ? "DESC, album.id DESC" : "ASC, album.id")"
    case .random(let seed): SongReader.shuffled("album.id", seed: seed)
    }
  }
}

/// The relation of albums to an artist.
public enum ArtistAlbums: Sendable, Hashable {
  case own
  /// Albums of others that contain tracks by the artist.
  case appearsOn

  /// Returns the SQL that selects the ids of the rows of albums. Its first parameter is the id of the artist.
  fileprivate func sql(ofArtist id: String) -> String {
    let own =
      id == SongArtist.unknown.id
      // The comparison with NULL exists only so that both statements use the parameter.
      ? "SELECT id FROM album WHERE artists IS NULL AND ?1 IS NOT NULL"
      : "SELECT album FROM artist_album WHERE artist = (SELECT id FROM artist WHERE artist_id = ?1)"
    return switch self {
    case .own: own
    case .appearsOn:
      """
      SELECT DISTINCT album.id FROM (SELECT song.album_id FROM \(SongReader.songs(ofArtist: id))) heard
      CROSS JOIN album ON album.album_id = heard.album_id WHERE album.id NOT IN (\(own))
      """
    }
  }
}

struct SongReader {
  private let db: Database
  private let tables: Set<String>
  private let includesFailed: Bool

  /// - Parameters:
  ///   - tables: Tables in the database.
  ///   - includesFailed: `true` to find failed files as well.
  init(_ db: Database, tables: Set<String>, includesFailed: Bool = false) {
    self.db = db
    self.tables = tables
    self.includesFailed = includesFailed
  }

  func ids(_ sql: String, _ values: [SQLValue]) throws -> [Int64] {
    let select = try Query(db, sql)
    var ids: [Int64] = []
    try select.forEachRow(values) { ids.append(select.integer(0)) }
    return ids
  }

  func forEach(_ sql: String, _ values: [SQLValue], _ body: (Query) throws -> Void) throws {
    let select = try Query(db, sql)
    try select.forEachRow(values) { try body(select) }
  }

  /// Returns the SQL after FROM for the tracks of an artist, which ends with a condition. Its first parameter is the id
  /// of the artist.
  static func songs(ofArtist id: String) -> String {
    id == SongArtist.unknown.id
      // The comparison with NULL exists only so that both statements use the parameter.
      ? "song WHERE song.artists IS NULL AND ?1 IS NOT NULL AND \(SongTables.isListed)"
      : """
      artist_song CROSS JOIN song ON song.id = artist_song.song
      WHERE artist_song.artist = (SELECT id FROM artist WHERE artist_id = ?1)
      """
  }

  func count(_ sql: String, _ values: [SQLValue]) throws -> Int {
    let select = try Query(db, sql)
    var count = 0
    try select.forEachRow(values) { count = Int(select.integer(0)) }
    return count
  }

  /// Returns the SQL for a pseudorandom order based on ids.
  static func shuffled(_ id: String, seed: Int) -> String {
    let multiplier = 1 + (abs(seed % 1_000_003) * 7_919 + 500_009) % 999_982
    return "(\(id) * \(multiplier) + \(abs(seed % 999_979))) % 999983, \(id)"
  }

  /// Returns a condition on albums, and its values.
  /// - Parameter genre: Id of a genre.
  func albumConditions(genre: String?, years: ClosedRange<Int>?) -> (sql: String, values: [SQLValue]) {
    var conditions = ["1"]
    var values: [SQLValue] = []
    if let genre {
      conditions.append(
        "album.id IN (SELECT album FROM genre_album WHERE genre = (SELECT id FROM genre WHERE genre_id = ?))")
      values.append(.text(genre))
    }
    if let years {
      conditions.append("album.year BETWEEN ? AND ?")
      values += [.integer(years.lowerBound), .integer(years.upperBound)]
    }
    return (conditions.joined(separator: " AND "), values)
  }

  // MARK: By row, in the order of the ids

  func songs(_ ids: [Int64]) throws -> [Song] { try songs(.list(ids), "song.id") }

  func albums(_ ids: [Int64]) throws -> [SongAlbum] { try albums(.list(ids), "album.id") }

  func artists(_ ids: [Int64]) throws -> [LibraryArtist] { try artists(.list(ids), "artist.id") }

  // MARK: By public id

  func songs(ids: [String]) throws -> [Song?] {
    let found = try songs(.list(ids), "song.track_id").map { ($0.id, $0) }
    let songs = Dictionary(found) { first, _ in first }
    return ids.map { songs[$0] }
  }

  func albums(ids: [String]) throws -> [SongAlbum?] {
    let found = try albums(.list(ids), "album.album_id").map { ($0.id, $0) }
    let albums = Dictionary(found) { first, _ in first }
    return ids.map { albums[$0] }
  }

  func artists(ids: [String]) throws -> [LibraryArtist?] {
    let found = try artists(.list(ids), "artist.artist_id").map { ($0.id, $0) }
    var artists = Dictionary(found) { first, _ in first }
    if ids.contains(SongArtist.unknown.id) { artists[SongArtist.unknown.id] = try unknownArtist() }
    return ids.map { artists[$0] }
  }

  /// Returns the unknown artist, with the numbers of tracks and albums that name no artist; `nil` if all name one.
  private func unknownArtist() throws -> LibraryArtist? {
    let tracks = try count("SELECT count(*) FROM song WHERE artists IS NULL AND \(SongTables.isListed)", [])
    let albums = try count("SELECT count(*) FROM album WHERE artists IS NULL", [])
    if tracks == 0 && albums == 0 { return nil }
    return LibraryArtist(
      id: SongArtist.unknown.id, name: SongArtist.unknown.name, trackCount: tracks, albumCount: albums, genres: [])
  }

  private func songs(_ list: SQLValue, _ column: String) throws -> [Song] {
    let select = try Query(
      db,
      """
      SELECT \(Song.columns) FROM json_each(?) wanted
      CROSS JOIN song ON \(column) = wanted.value\(includesFailed ? "" : " AND \(SongTables.isListed)")
      CROSS JOIN file ON file.id = song.id LEFT JOIN format ON format.file = song.id
      LEFT JOIN failure ON failure.file = song.id ORDER BY wanted.key
      """)
    var songs: [Song] = []
    try select.forEachRow(list) { songs.append(Song(select)) }
    return songs
  }

  private func albums(_ list: SQLValue, _ column: String) throws -> [SongAlbum] {
    let select = try Query(
      db,
      """
      SELECT \(SongAlbum.columns(tables)) FROM json_each(?) wanted CROSS JOIN album ON \(column) = wanted.value
      ORDER BY wanted.key
      """)
    var albums: [SongAlbum] = []
    try select.forEachRow(list) { albums.append(SongAlbum(select)) }
    return albums
  }

  private func artists(_ list: SQLValue, _ column: String) throws -> [LibraryArtist] {
    let select = try Query(
      db,
      """
      SELECT \(LibraryArtist.columns) FROM json_each(?) wanted CROSS JOIN artist ON \(column) = wanted.value
      ORDER BY wanted.key
      """)
    var artists: [LibraryArtist] = []
    try select.forEachRow(list) { artists.append(LibraryArtist(select)) }
    return artists
  }
}
