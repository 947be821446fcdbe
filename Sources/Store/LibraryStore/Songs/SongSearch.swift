internal import GRDB
internal import Library
public import Platform
public import ResultStore

/// A query for songs, albums and artists. All conditions that are set must match.
public struct SongQuery: Sendable, Hashable {
  public enum Section: Sendable, Hashable, CaseIterable { case tracks, albums, artists }

  /// A condition that excludes matches.
  public struct Exclusion: Sendable, Hashable {
    public enum Field: Sendable, Hashable { case any, artist, album, title, genre }
    public var field: Field
    /// Adjacent words. For the field `any`, the words may be in any order.
    public var words: String

    public init(_ field: Field, _ words: String) {
      self.field = field
      self.words = words
    }
  }

  /// Any text, of which the last word may be incomplete.
  public var text = ""
  /// Alternatives to `text`. Any of them may match.
  public var alternatives: [String] = []
  /// Exclusions. A section that lacks the field of an exclusion ignores the exclusion.
  public var excluded: [Exclusion] = []
  /// Words of the artist's name, of which the last may be incomplete. If a filter is set for a name that a section
  /// lacks, that section is empty.
  public var artist: String?
  public var album: String?
  public var title: String?
  public var genre: String?
  public var isrc: String?
  public var years: ClosedRange<Int>?
  /// Includes only files first seen at this time or later.
  public var addedSince: Timestamp?
  /// Excludes tracks that have one of these ISRCs. Tracks whose ISRC is unknown are not excluded.
  public var excludedISRCs: [String] = []
  public var excludedYears: [ClosedRange<Int>] = []
  /// Includes only files first seen before this time.
  public var addedBefore: Timestamp?
  public var sections: Set<Section>
  /// Maximum number of hits per section.
  public var limit: Int
  public var offset: Int

  /// `true` if the words are a single text without alternatives or exclusions.
  fileprivate var isPlain: Bool { alternatives.isEmpty && excluded.isEmpty }

  public init(_ text: String = "", sections: Set<Section> = Set(Section.allCases), limit: Int = 20, offset: Int = 0) {
    self.text = text
    self.sections = sections
    self.limit = limit
    self.offset = offset
  }
}

/// The hits, best first. Counts up to `countedMatches` are exact.
public struct SongQueryResult: Sendable {
  public static let countedMatches = 1000

  public var tracks = SearchHits<Song>()
  public var albums = SearchHits<SongAlbum>()
  public var artists = SearchHits<LibraryArtist>()
}

extension ResultStore {
  /// Searches tracks, albums and artists by words and filters.
  public func search(songs query: SongQuery) throws(StoreError) -> SongQueryResult {
    try read { db in
      let search = SongSearch(query, SongReader(db, tables: songs.tables), db)
      var answer = SongQueryResult()
      if query.sections.contains(.tracks) { answer.tracks = try search.tracks() }
      if query.sections.contains(.albums) { answer.albums = try search.albums() }
      if query.sections.contains(.artists) { answer.artists = try search.artists() }
      return answer
    }
  }
}

/// Additional conditions on rows, in SQL.
private struct Conditions {
  /// The conditions, each of which begins with AND.
  private(set) var sql = ""
  private(set) var values: [SQLValue] = []

  init() {}

  init(_ sql: String, _ values: SQLValue...) {
    self.sql = " AND \(sql)"
    self.values = values
  }

  init<Element>(_ elements: [Element], _ condition: (Element) -> Conditions) {
    self = elements.reduce(Conditions()) { $0 + condition($1) }
  }

  static func + (first: Conditions, second: Conditions) -> Conditions {
    var both = first
    both.sql += second.sql
    both.values += second.values
    return both
  }
}

/// Searches the song catalog, in the order of `WordRanking`.
private struct SongSearch {
  private let query: SongQuery
  private let reader: SongReader
  private let db: Database

  init(_ query: SongQuery, _ reader: SongReader, _ db: Database) {
    self.query = query
    self.reader = reader
    self.db = db
  }

  private func hits<Hit>(_ ids: [Int64], count: Int, _ read: ([Int64]) throws -> [Hit]) throws -> SearchHits<Hit> {
    let page = Array(ids.dropFirst(query.offset).prefix(query.limit))
    let limit = SongQueryResult.countedMatches
    return SearchHits(try read(page), count: min(max(count, ids.count), limit), isCountExact: count <= limit)
  }

  // MARK: Conditions

  /// Returns the pattern for the words and filters; `nil` if there are none. `isPossible` is `false` if the words or a
  /// filter consist only of symbols, which match nothing.
  private func pattern(
    _ filters: [(words: String?, columns: [String])], _ columns: Columns = [:],
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
    let excluded = excluded(columns).map { " NOT (\($0))" }
    return ("(\(parts.joined(separator: " AND ")))\(excluded.joined())", true)
  }

  /// Returns the patterns of the excluded words.
  private func excluded(_ columns: Columns) -> [String] {
    query.excluded.compactMap { excluded in
      excluded.field == .any
        ? FullTextPattern.words(excluded.words, lastIsPrefix: false)
        : columns[excluded.field].flatMap { FullTextPattern.phrase(excluded.words, isPrefix: false, columns: $0) }
    }
  }

  /// Returns conditions that apply the exclusions if there are no words to search for, because a pattern cannot begin
  /// with NOT.
  private func without(_ columns: Columns, in index: String, of table: String) -> Conditions {
    Conditions(excluded(columns)) {
      Conditions("\(table).id NOT IN (SELECT rowid FROM \(index) WHERE \(index) MATCH ?)", .text($0))
    }
  }

  /// Columns of an index by exclusion field.
  private typealias Columns = [SongQuery.Exclusion.Field: [String]]
  private static let songColumns: Columns = [
    .artist: ["artist", "album_artist"], .album: ["album"], .title: ["title"], .genre: ["genre"],
  ]
  private static let albumColumns: Columns = [.artist: ["artist"], .album: ["name"]]
  private static let artistColumns: Columns = [.artist: ["name"]]

  /// - Parameter having: Turns a condition on a year into a condition on the row.
  private func years(_ column: String, having: (String) -> String = { $0 }) -> Conditions {
    let isWithin = having("\(column) BETWEEN ? AND ?")
    func condition(_ sql: String, _ years: ClosedRange<Int>) -> Conditions {
      Conditions(sql, .integer(years.lowerBound), .integer(years.upperBound))
    }
    return (query.years.map { condition(isWithin, $0) } ?? Conditions())
      // If there is no year, the comparison is NULL.
      + Conditions(query.excludedYears) { condition("(\(isWithin)) IS NOT 1", $0) }
  }

  private func added(_ column: String) -> Conditions {
    (query.addedSince.map { Conditions("\(column) >= ?", .integer($0.nanoseconds)) } ?? Conditions())
      + (query.addedBefore.map { Conditions("\(column) < ?", .integer($0.nanoseconds)) } ?? Conditions())
  }

  private var isrcs: Conditions {
    func value(_ isrc: String) -> SQLValue { .text(isrc.uppercased().replacing("-", with: "")) }
    return (query.isrc.map { Conditions("song.isrc = ?", value($0)) } ?? Conditions())
      + Conditions(query.excludedISRCs) { Conditions("song.isrc IS NOT ?", value($0)) }
  }

  /// Returns the matches of words and filters in an index, best first.
  /// - Parameter score: SQL of the score; smaller is better.
  private func ranked(
    _ filters: [(words: String?, columns: [String])], _ columns: Columns, in index: String, of table: String,
    score: String, _ conditions: Conditions
  ) throws -> WordRanking.Result {
    // A count above this limit only shows that there are more matches.
    let limit = max(SongQueryResult.countedMatches, WordRanking.rankedCount, query.offset + query.limit) + 1
    return try WordRanking(
      db, id: "\(table).id", score: score,
      from: "\(index) CROSS JOIN \(table) ON \(table).id = \(index).rowid WHERE \(index) MATCH ?\(conditions.sql)",
      conditions.values
    ).rows(limit: limit) { pattern(filters, columns, lastIsPrefix: $0).pattern }
  }

  /// Returns rows in the order of an index, for a query without words.
  private func listed(
    _ table: String, order: String, _ conditions: Conditions
  ) throws -> (ids: [Int64], count: Int) {
    let limit = max(SongQueryResult.countedMatches, query.offset + query.limit) + 1
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
    let conditions = Conditions(SongTables.isListed) + isrcs + years("song.year") + added("song.added_ns")
    if pattern(filters, lastIsPrefix: true) == (nil, true) {
      guard query.isrc != nil || query.years != nil || query.addedSince != nil else { return SearchHits() }
      let order = query.addedSince != nil ? "song.added_ns DESC" : query.isrc != nil ? "song.id" : "song.year"
      let (ids, count) = try listed(
        "song", order: order, conditions + without(Self.songColumns, in: "songs_fts", of: "song"))
      return try hits(ids, count: count, reader.songs)
    }
    let found = try ranked(
      filters, Self.songColumns, in: "songs_fts", of: "song", score: WordRanking.songScore, conditions)
    var ids = found.ids
    if filters.allSatisfy({ $0.0 == nil }), query.isPlain {
      // Many other tracks may rank above those whose title or artist equals the query.
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
    let genre =
      query.genre.map {
        Conditions(
          "album.id IN (SELECT album FROM genre_album WHERE genre = (SELECT id FROM genre WHERE genre_id = ?))",
          .text(SongCatalogID.genre($0)))
      } ?? Conditions()
    let conditions = genre + years("album.year") + added("album.added_ns")
    if pattern(filters, lastIsPrefix: true) == (nil, true) {
      guard query.genre != nil || query.years != nil || query.addedSince != nil else { return SearchHits() }
      let (ids, count) = try listed(
        "album", order: query.addedSince == nil && query.years != nil ? "album.year, album.id" : "album.added_ns DESC",
        conditions + without(Self.albumColumns, in: "albums_fts", of: "album"))
      return try hits(ids, count: count, reader.albums)
    }
    let found = try ranked(
      filters, Self.albumColumns, in: "albums_fts", of: "album",
      score: "bm25(albums_fts, 4, 2, 2) - 0.1 * min(album.track_count, 20)",
      conditions)
    return try named(found, "album", conditions, reader.albums)
  }

  func artists() throws -> SearchHits<LibraryArtist> {
    if query.title != nil || query.isrc != nil || query.album != nil || query.addedSince != nil { return SearchHits() }
    let filters: [(String?, [String])] = [(query.artist, ["name"])]
    let songs = "SELECT 1 FROM artist_song link WHERE link.artist = artist.id"
    let genre =
      query.genre.map {
        Conditions(
          """
          EXISTS (\(songs) AND EXISTS (SELECT 1 FROM genre_song WHERE genre_song.song = link.song
            AND genre_song.genre = (SELECT id FROM genre WHERE genre_id = ?)))
          """, .text(SongCatalogID.genre($0)))
      } ?? Conditions()
    let years = years("song.year") {
      "EXISTS (\(songs) AND EXISTS (SELECT 1 FROM song WHERE song.id = link.song AND \($0)))"
    }
    let conditions = genre + years
    if pattern(filters, lastIsPrefix: true) == (nil, true) {
      guard let genre = query.genre else { return SearchHits() }
      let others = years + without(Self.artistColumns, in: "artists_fts", of: "artist")
      let ids = try reader.ids(
        """
        SELECT artist_song.artist FROM (
          SELECT song FROM genre_song WHERE genre = (SELECT id FROM genre WHERE genre_id = ?) LIMIT 2000) own
        CROSS JOIN artist_song ON artist_song.song = own.song
        CROSS JOIN artist ON artist.id = artist_song.artist\(others.sql)
        GROUP BY artist_song.artist ORDER BY count(*) DESC, artist_song.artist
        """, [.text(SongCatalogID.genre(genre))] + others.values)
      return try hits(ids, count: ids.count, reader.artists)
    }
    let found = try ranked(
      filters, Self.artistColumns, in: "artists_fts", of: "artist",
      score: "bm25(artists_fts) - 0.1 * min(artist.track_count + artist.album_count, 50)", conditions)
    return try named(found, "artist", conditions, reader.artists)
  }

  /// Returns names in the order of `WordRanking.grade`. Names that equal the query or begin with it may not be among
  /// the ranked matches, so they are looked up separately.
  private func named<Hit>(
    _ found: WordRanking.Result, _ table: String, _ conditions: Conditions,
    _ read: ([Int64]) throws -> [Hit]
  ) throws -> SearchHits<Hit> {
    guard !query.text.isEmpty, query.artist == nil, query.album == nil, query.isPlain else {
      return try hits(found.ids, count: found.count, read)
    }
    func names(_ comparison: String) throws -> [Int64] {
      // SQLite numbers each plain `?` after the highest number so far, so `?1` must come first.
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
