internal import GRDB
public import Platform

/// What is looked for in the catalog; everything that is given must be there.
public struct CatalogQuery: Sendable, Hashable {
  public enum Section: Sendable, Hashable, CaseIterable { case tracks, albums, artists }

  /// What is not to be found.
  public struct Exclusion: Sendable, Hashable {
    public enum Field: Sendable, Hashable { case any, artist, album, title, genre }
    public var field: Field
    /// Words that follow each other; of any field, words in any order.
    public var words: String

    public init(_ field: Field, _ words: String) {
      self.field = field
      self.words = words
    }
  }

  /// Any text; the last word may go on.
  public var text = ""
  /// Other texts, of which any will do in place of `text`.
  public var alternatives: [String] = []
  /// A section that has no such field is not asked for it.
  public var excluded: [Exclusion] = []
  /// Words of names, which may go on; a filter that a section has no names for leaves it empty.
  public var artist: String?
  public var album: String?
  public var title: String?
  public var genre: String?
  public var isrc: String?
  public var years: ClosedRange<Int>?
  /// Files met since.
  public var addedSince: Timestamp?
  public var sections: Set<Section>
  /// In each section.
  public var limit: Int
  public var offset: Int

  /// Whether it is one text.
  fileprivate var isPlain: Bool { alternatives.isEmpty && excluded.isEmpty }

  public init(_ text: String = "", sections: Set<Section> = Set(Section.allCases), limit: Int = 20, offset: Int = 0) {
    self.text = text
    self.sections = sections
    self.limit = limit
    self.offset = offset
  }
}

/// Best first. Counts are exact up to `CatalogAnswer.countedMatches`.
public struct CatalogAnswer: Sendable {
  public static let countedMatches = 1000

  public var tracks = SearchHits<Song>()
  public var albums = SearchHits<SongAlbum>()
  public var artists = SearchHits<CatalogArtist>()
}

extension ResultStore {
  /// Looks for tracks, albums and artists by words and filters.
  public func search(catalog query: CatalogQuery) throws(StoreError) -> CatalogAnswer {
    try read { db in
      let search = CatalogSearch(query, CatalogReader(db, tables: songs.tables), db)
      var answer = CatalogAnswer()
      if query.sections.contains(.tracks) { answer.tracks = try search.tracks() }
      if query.sections.contains(.albums) { answer.albums = try search.albums() }
      if query.sections.contains(.artists) { answer.artists = try search.artists() }
      return answer
    }
  }
}

/// Searches the catalog, in the order of `WordRanking`.
private struct CatalogSearch {
  private let query: CatalogQuery
  private let reader: CatalogReader
  private let db: Database

  init(_ query: CatalogQuery, _ reader: CatalogReader, _ db: Database) {
    self.query = query
    self.reader = reader
    self.db = db
  }

  private func hits<Hit>(_ ids: [Int64], count: Int, _ read: ([Int64]) throws -> [Hit]) throws -> SearchHits<Hit> {
    let page = Array(ids.dropFirst(query.offset).prefix(query.limit))
    let limit = CatalogAnswer.countedMatches
    return SearchHits(try read(page), count: min(max(count, ids.count), limit), isCountExact: count <= limit)
  }

  // MARK: Conditions

  /// A pattern of the words and filters; `nil` if there are none. Filters whose words are signs alone match nothing.
  private func pattern(
    _ filters: [(words: String?, columns: [String])], _ columns: [CatalogQuery.Exclusion.Field: [String]] = [:],
    lastIsPrefix: Bool
  ) -> (pattern: String?, isPossible: Bool) {
    var parts: [String] = []
    let texts = [query.text] + query.alternatives
    let words = texts.compactMap { FullTextPattern.words($0, lastIsPrefix: lastIsPrefix) }
    if !words.isEmpty {
      parts.append("(\(words.map { "(\($0))" }.joined(separator: " OR ")))")
    } else if !texts.allSatisfy({ $0.allSatisfy(\.isWhitespace) }) {
      return (nil, false)
    }
    for (words, columns) in filters {
      guard let words else { continue }
      guard let phrase = FullTextPattern.phrase(words, isPrefix: lastIsPrefix, columns: columns) else {
        return (nil, false)
      }
      parts.append("(\(phrase))")
    }
    if parts.isEmpty { return (nil, true) }
    let excluded = query.excluded.compactMap { excluded -> String? in
      let pattern =
        excluded.field == .any
        ? FullTextPattern.words(excluded.words, lastIsPrefix: false)
        : columns[excluded.field].flatMap { FullTextPattern.phrase(excluded.words, isPrefix: false, columns: $0) }
      return pattern.map { " NOT (\($0))" }
    }
    return ("(\(parts.joined(separator: " AND ")))\(excluded.joined())", true)
  }

  private func conditions(_ parts: [(sql: String, values: [SQLValue])?]) -> (sql: String, values: [SQLValue]) {
    let parts = parts.compactMap(\.self)
    return (parts.map { " AND \($0.sql)" }.joined(), parts.flatMap(\.values))
  }

  private func years(_ column: String) -> (sql: String, values: [SQLValue])? {
    query.years.map { ("\(column) BETWEEN ? AND ?", [.integer($0.lowerBound), .integer($0.upperBound)]) }
  }

  private func added(_ column: String) -> (sql: String, values: [SQLValue])? {
    query.addedSince.map { ("\(column) >= ?", [.integer($0.nanoseconds)]) }
  }

  /// The matches of words and filters in an index, best first.
  /// - Parameters:
  ///   - columns: Those of the index, by what exclusions call them.
  ///   - score: The better, the smaller.
  private func ranked(
    _ filters: [(words: String?, columns: [String])], _ columns: [CatalogQuery.Exclusion.Field: [String]],
    in index: String, of table: String, score: String, _ conditions: (sql: String, values: [SQLValue])
  ) throws -> WordRanking.Result {
    // A count over this limit says only that there are more.
    let limit = max(CatalogAnswer.countedMatches, WordRanking.rankedCount, query.offset + query.limit) + 1
    return try WordRanking(
      db, id: "\(table).id", score: score,
      from: "\(index) CROSS JOIN \(table) ON \(table).id = \(index).rowid WHERE \(index) MATCH ?\(conditions.sql)",
      conditions.values
    ).rows(limit: limit) { pattern(filters, columns, lastIsPrefix: $0).pattern }
  }

  /// Rows in the order of an index, without words.
  private func listed(_ table: String, order: String, _ conditions: (sql: String, values: [SQLValue])) throws
    -> (ids: [Int64], count: Int)
  {
    let limit = max(CatalogAnswer.countedMatches, query.offset + query.limit) + 1
    let ids = try reader.ids(
      "SELECT \(table).id FROM \(table) WHERE 1\(conditions.sql) ORDER BY \(order) LIMIT ?",
      conditions.values + [.integer(limit)])
    return (ids, ids.count)
  }

  // MARK: Sections

  func tracks() throws -> SearchHits<Song> {
    let filters: [(String?, [String])] = [
      (query.artist, ["artist", "album_artist"]), (query.album, ["album"]), (query.title, ["title"]),
      (query.genre, ["genre"]),
    ]
    let isrc = query.isrc.map {
      (sql: "song.isrc = ?", values: [SQLValue.text($0.uppercased().replacing("-", with: ""))])
    }
    let conditions = conditions([(CatalogTables.isListed, []), isrc, years("song.year"), added("song.added_ns")])
    if pattern(filters, lastIsPrefix: true) == (nil, true) {
      guard query.isrc != nil || query.years != nil || query.addedSince != nil else { return SearchHits() }
      let order = query.addedSince != nil ? "song.added_ns DESC" : query.isrc != nil ? "song.id" : "song.year"
      let (ids, count) = try listed("song", order: order, conditions)
      return try hits(ids, count: count, reader.songs)
    }
    let found = try ranked(
      filters, [.artist: ["artist", "album_artist"], .album: ["album"], .title: ["title"], .genre: ["genre"]],
      in: "songs_fts", of: "song", score: WordRanking.songScore, conditions)
    var ids = found.ids
    if filters.allSatisfy({ $0.0 == nil }), query.isPlain {
      // Whose title or artist is what was asked for may be behind many others.
      let exact = try ["title", "artist"].flatMap { column in
        try reader.ids(
          "SELECT id FROM song WHERE \(column) = ? COLLATE NOCASE\(conditions.sql) ORDER BY id LIMIT \(WordRanking.rankedCount)",
          [.text(query.text)] + conditions.values)
      }
      ids = Self.distinct(exact + ids)
    }
    return try hits(ids, count: max(found.count, ids.count), reader.songs)
  }

  func albums() throws -> SearchHits<SongAlbum> {
    if query.title != nil || query.isrc != nil { return SearchHits() }
    let filters: [(String?, [String])] = [(query.artist, ["artist"]), (query.album, ["name"])]
    let genre = query.genre.map {
      (
        sql: "album.id IN (SELECT album FROM genre_album WHERE genre = (SELECT id FROM genre WHERE genre_id = ?))",
        values: [SQLValue.text(CatalogNames.genreID($0))]
      )
    }
    let conditions = conditions([genre, years("album.year"), added("album.added_ns")])
    if pattern(filters, lastIsPrefix: true) == (nil, true) {
      guard query.genre != nil || query.years != nil || query.addedSince != nil else { return SearchHits() }
      let (ids, count) = try listed(
        "album", order: query.addedSince == nil && query.years != nil ? "album.year, album.id" : "album.added_ns DESC",
        conditions)
      return try hits(ids, count: count, reader.albums)
    }
    let found = try ranked(
      filters, [.artist: ["artist"], .album: ["name"]], in: "albums_fts", of: "album",
      score: "bm25(albums_fts, 4, 2, 2) - 0.1 * min(album.track_count, 20)",
      conditions)
    return try named(found, "album", conditions, reader.albums)
  }

  func artists() throws -> SearchHits<CatalogArtist> {
    if query.title != nil || query.isrc != nil || query.album != nil || query.addedSince != nil { return SearchHits() }
    let filters: [(String?, [String])] = [(query.artist, ["name"])]
    let songs = "SELECT 1 FROM artist_song link WHERE link.artist = artist.id"
    let genre = query.genre.map {
      (
        sql: """
        EXISTS (\(songs) AND EXISTS (SELECT 1 FROM genre_song WHERE genre_song.song = link.song
          AND genre_song.genre = (SELECT id FROM genre WHERE genre_id = ?)))
        """,
        values: [SQLValue.text(CatalogNames.genreID($0))]
      )
    }
    let years = years("song.year").map { sql, values in
      (sql: "EXISTS (\(songs) AND EXISTS (SELECT 1 FROM song WHERE song.id = link.song AND \(sql)))", values: values)
    }
    let conditions = conditions([genre, years])
    if pattern(filters, lastIsPrefix: true) == (nil, true) {
      guard let genre = query.genre else { return SearchHits() }
      let ids = try reader.ids(
        """
        SELECT artist_song.artist FROM (
          SELECT song FROM genre_song WHERE genre = (SELECT id FROM genre WHERE genre_id = ?) LIMIT 2000) own
        CROSS JOIN artist_song ON artist_song.song = own.song GROUP BY artist_song.artist
        ORDER BY count(*) DESC, artist_song.artist
        """, [.text(CatalogNames.genreID(genre))])
      return try hits(ids, count: ids.count, reader.artists)
    }
    let found = try ranked(
      filters, [.artist: ["name"]], in: "artists_fts", of: "artist",
      score: "bm25(artists_fts) - 0.1 * min(artist.track_count + artist.album_count, 50)", conditions)
    return try named(found, "artist", conditions, reader.artists)
  }

  /// As `WordRanking.grade` has it; names that are called or begin so may be behind those that are ranked.
  private func named<Hit>(
    _ found: WordRanking.Result, _ table: String, _ conditions: (sql: String, values: [SQLValue]),
    _ read: ([Int64]) throws -> [Hit]
  ) throws -> SearchHits<Hit> {
    guard !query.text.isEmpty, query.artist == nil, query.album == nil, query.isPlain else {
      return try hits(found.ids, count: found.count, read)
    }
    func names(_ comparison: String) throws -> [Int64] {
      // Numbered parameters first, so that the others follow them.
      try reader.ids(
        """
        SELECT id FROM \(table) WHERE name COLLATE NOCASE \(comparison)\(conditions.sql)
        ORDER BY name COLLATE NOCASE LIMIT 50
        """, [.text(query.text)] + conditions.values)
    }
    let end = "char(0x10FFFF)"
    let all = Self.distinct(
      try names("= ?1") + names("BETWEEN ?1 || ' ' AND ?1 || ' ' || \(end)") + found.whole
        + names("BETWEEN ?1 AND ?1 || \(end)") + found.ids)
    return try hits(all, count: max(found.count, all.count), read)
  }

  private static func distinct(_ ids: [Int64]) -> [Int64] {
    var seen: Set<Int64> = []
    return ids.filter { seen.insert($0).inserted }
  }
}
