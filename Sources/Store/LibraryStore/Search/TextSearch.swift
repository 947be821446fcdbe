internal import Filters
internal import Foundation
internal import GRDB
internal import Library
internal import Platform
public import ResultStore

extension ResultStore {
  /// Returns hits in the song catalog for words and filters.
  public func search(_ request: SearchRequest) throws(StoreError) -> SearchAnswer {
    try read { db in
      try TextSearch(request, FilterEvaluation(db, tables: songs.tables), db).answer()
    }
  }
}

/// Searches by words. The work is bounded, even for very common words: only the first matches, in the order in which
/// their files were first seen, are ranked and grouped.
private struct TextSearch {
  private let request: SearchRequest
  private let words: String
  private let evaluation: FilterEvaluation
  private let set: TrackSet
  private let setArgument: TrackSet.Argument?
  private let match: WordMatch
  private let wholeMatch: WordMatch
  private let db: Database
  private let selection: TrackSelection

  /// Maximum number of tracks that are grouped by name.
  private static let groupedCount = 1000

  init(_ request: SearchRequest, _ evaluation: FilterEvaluation, _ db: Database) throws {
    self.request = request
    words = request.words.trimmingCharacters(in: .whitespacesAndNewlines)
    self.evaluation = evaluation
    set = try evaluation.tracks(matching: request.filter, among: Self.candidates(words, request, evaluation, db))
    setArgument = set.isAll ? nil : TrackSet.Argument(set)
    match = WordMatch(words)
    wholeMatch = WordMatch(words, lastIsPrefix: false)
    self.db = db
    selection = TrackSelection(db, tables: evaluation.tables)
  }

  /// Returns the tracks that contain the words, if these tracks are few or a condition of the filter reads every row.
  /// Otherwise, returns all tracks, because the restriction would not speed up the filter.
  private static func candidates(
    _ words: String, _ request: SearchRequest, _ evaluation: FilterEvaluation, _ db: Database
  ) throws -> TrackSet {
    guard request.filter != .everything, let pattern = FullTextPattern.words(words, lastIsPrefix: true) else {
      return .all
    }
    let isSlow = evaluation.isSlow(request.filter.expression)
    let few = evaluation.fewTracks
    var candidates = TrackSet.none
    for table in request.sections.contains(.paths) ? SongCatalog.fullTextTables : ["songs_fts"] {
      let found = try TrackSet(
        db, "rowid", from: "\(table) WHERE \(table) MATCH ?", [.text(pattern)], limit: isSlow ? nil : few + 1)
      guard isSlow || found.ids(atMost: few) != nil else { return .all }
      candidates = candidates.union(found)
    }
    return candidates
  }

  func answer() throws -> SearchAnswer {
    var answer = SearchAnswer()
    let isFound = { request.sections.contains($0) }
    if isFound(.tracks) { answer.tracks = try tracks() }
    if isFound(.albums) { answer.albums = try albums() }
    if isFound(.artists) { answer.artists = try names(.artists) }
    if isFound(.genres) { answer.genres = try names(.genres) }
    if isFound(.paths) { answer.paths = try paths() }
    return answer
  }

  private var end: Int { request.offset + request.limit }

  private func page<Hit>(_ hits: [Hit]) -> [Hit] { Array(hits.dropFirst(request.offset).prefix(request.limit)) }

  private func pattern(lastIsPrefix: Bool) -> String? {
    FullTextPattern.words(words, lastIsPrefix: lastIsPrefix)
  }

  /// Returns an additional condition that restricts tracks to the set.
  private func among(_ column: String) -> (sql: String, values: [SQLValue]) {
    guard let setArgument else { return ("", []) }
    return (" AND \(TrackSet.condition(on: column))", [.tracks(setArgument)])
  }

  // MARK: Tracks

  private func tracks() throws -> SearchHits<TrackRow> {
    if words.isEmpty { return try sorted(set, by: request.order ?? .path) }
    var ids = try namesakes()
    guard let prefix = pattern(lastIsPrefix: true) else {
      // Symbols by themselves are not words, but may be a whole name.
      return SearchHits(try selection.tracks(page(ids)), count: ids.count)
    }
    if let order = request.order {
      let found = try TrackSet(db, "rowid", from: "songs_fts WHERE songs_fts MATCH ?", [.text(prefix)])
      return try sorted(found.intersection(set), by: order)
    }
    let limit = max(WordRanking.rankedCount, end)
    let (among, values) = among("rowid")
    let found = try WordRanking(
      db, id: "rowid", score: WordRanking.songScore, from: "songs_fts WHERE songs_fts MATCH ?\(among)", values
    ).rows(limit: limit + 1, pattern: pattern)
    var seen = Set(ids)
    ids += found.ids.filter { seen.insert($0).inserted }
    return SearchHits(
      try selection.tracks(page(ids)), count: max(min(found.count, limit), min(ids.count, limit)),
      isCountExact: found.count <= limit)
  }

  private func sorted(_ set: TrackSet, by order: TrackOrder) throws -> SearchHits<TrackRow> {
    let rows = try selection.tracks(
      in: set, order: order, bounds: evaluation.bounds(of: request.filter, in: order), limit: request.limit,
      offset: request.offset)
    return SearchHits(rows, count: try set.count(ofAll: try selection.allCount()))
  }

  /// Returns the tracks whose title or artist equals the typed words. They are the ones that people most likely want,
  /// but many others may rank higher.
  private func namesakes() throws -> [Int64] {
    var ids: [Int64] = []
    let (among, values) = among("song.id")
    for column in ["title", "artist"] {
      let select = try Query(
        db,
        "SELECT id FROM song WHERE \(column) = ? COLLATE NOCASE\(among) ORDER BY id LIMIT \(WordRanking.rankedCount)")
      try select.forEachRow([.text(words)] + values) { ids.append(select.integer(0)) }
    }
    var seen: Set<Int64> = []
    return ids.filter { seen.insert($0).inserted }
  }

  // MARK: Names

  /// Calls `body` for the rows of at most `groupedCount` tracks that contain the words in one column. Returns `true` if
  /// there are certainly no further ones.
  private func forEachTrack(
    matching column: String, _ columns: String, _ body: (Query) throws -> Void
  ) throws -> Bool {
    guard let pattern = pattern(lastIsPrefix: true) else { return true }
    let scope = NameVariants.hasUnspacedScript(words) ? "{\(column) variants}" : column
    let (among, values) = among("songs_fts.rowid")
    let select = try Query(
      db,
      """
      SELECT \(columns) FROM songs_fts CROSS JOIN song ON song.id = songs_fts.rowid
      WHERE songs_fts MATCH ?\(among) LIMIT ?
      """)
    var count = 0
    try select.forEachRow([.text("\(scope) : (\(pattern))")] + values + [.integer(Self.groupedCount)]) {
      count += 1
      try body(select)
    }
    return count < Self.groupedCount
  }

  /// The rank of a name among those found: first by how well it matches the words, then by the number of its tracks.
  private struct Rank: Comparable {
    let grade: Int
    let count: Int
    let name: String
    let artist: String

    static func < (a: Rank, b: Rank) -> Bool {
      if a.grade != b.grade { return a.grade < b.grade }
      if a.count != b.count { return a.count > b.count }
      return (a.name, a.artist) < (b.name, b.artist)
    }
  }

  private func place(_ name: String, _ count: Int, artist: String = "") -> Rank {
    Rank(grade: WordRanking.grade(name, words, whole: wholeMatch), count: count, name: name, artist: artist)
  }

  /// The kinds of names that a track may have several of. The raw value is the column with the individual names.
  private enum NameKind: String {
    case artists, genres

    /// Column in `song` and in the full-text index.
    var text: String { self == .artists ? "artist" : "genre" }
    func id(_ name: String) -> String { self == .artists ? SongCatalogID.artist(name) : SongCatalogID.genre(name) }
  }

  private func names(_ kind: NameKind) throws -> SearchHits<SearchAnswer.Name> {
    var lists: [String: Int] = [:]
    let isWhole = try forEachTrack(matching: kind.text, "song.\(kind)") { row in
      if let list = row.optionalText(0) { lists[list, default: 0] += 1 }
    }
    // Merges spellings that the song catalog treats as the same name.
    var spellings: [String: [String: Int]] = [:]
    for (list, count) in lists {
      for name in NameList.names(in: list) where match.matches(name) {
        spellings[kind.id(name), default: [:]][name, default: 0] += count
      }
    }
    let found = spellings.values.map { counts in
      let usual = counts.max { $0.value != $1.value ? $0.value < $1.value : $0.key > $1.key }
      return place(usual?.key ?? "", counts.values.reduce(0, +))
    }.sorted()
    let hits = try page(found).map { found in
      let (name, count) = (found.name, found.count)
      return SearchAnswer.Name(name: name, trackCount: isWhole ? count : max(count, try trackCount(kind, name)))
    }
    return SearchHits(hits, count: found.count, isCountExact: isWhole)
  }

  private func trackCount(_ kind: NameKind, _ name: String) throws -> Int {
    let (among, values) = among("song")
    let select = try Query(
      db,
      """
      SELECT count(*) FROM \(kind.text)_song
      WHERE \(kind.text) = (SELECT id FROM \(kind.text) WHERE \(kind.text)_id = ?)\(among)
      """)
    var count = 0
    try select.forEachRow([.text(kind.id(name))] + values) { count = Int(select.integer(0)) }
    return count
  }

  private struct AlbumKey: Hashable {
    var title: String
    var artist: String?
  }

  private func albums() throws -> SearchHits<SearchAnswer.Album> {
    var albums: [AlbumKey: Int] = [:]
    let isWhole = try forEachTrack(matching: "album", "song.album, song.album_artist") { row in
      albums[AlbumKey(title: row.text(0), artist: row.optionalText(1)), default: 0] += 1
    }
    let found = albums.filter { match.matches($0.key.title) }
      .map { (key: $0.key, place: place($0.key.title, $0.value, artist: $0.key.artist ?? "")) }
      .sorted { $0.place < $1.place }
    return SearchHits(try page(found).map { try album($0.key) }, count: found.count, isCountExact: isWhole)
  }

  private func album(_ key: AlbumKey) throws -> SearchAnswer.Album {
    let (among, values) = among("id")
    let select = try Query(
      db,
      """
      SELECT count(*), min(year), min(artist), max(artist) FROM song
      WHERE album = ? COLLATE NOCASE AND album_artist IS ?\(among)
      """)
    var album = SearchAnswer.Album(title: key.title, artist: key.artist, year: nil, trackCount: 0)
    try select.forEachRow([.text(key.title), .text(key.artist)] + values) {
      album.trackCount = Int(select.integer(0))
      album.year = select.optionalInteger(1).map { Int($0) }
      let artists = [select.optionalText(2), select.optionalText(3)]
      album.artist = album.artist ?? (artists[0] == artists[1] ? artists[0] : nil)
    }
    return album
  }

  // MARK: Paths

  /// Returns files found by their paths. Matches in file names come before matches in folder names.
  private func paths() throws -> SearchHits<TrackRow> {
    guard let pattern = pattern(lastIsPrefix: true) else { return SearchHits() }
    let limit = max(WordRanking.rankedCount, end) + 1
    var ids: [Int64] = []
    var seen: Set<Int64> = []
    let (among, values) = among("source_paths_fts.rowid")
    for scope in ["file_name", "full_path"] where ids.count < limit {
      let select = try Query(
        db,
        """
        SELECT song.id FROM source_paths_fts CROSS JOIN song ON song.id = source_paths_fts.rowid
        WHERE source_paths_fts MATCH ?\(among) LIMIT ?
        """)
      try select.forEachRow([.text("\(scope) : (\(pattern))")] + values + [.integer(limit)]) {
        if seen.insert(select.integer(0)).inserted { ids.append(select.integer(0)) }
      }
    }
    return SearchHits(
      try selection.tracks(page(ids)), count: min(ids.count, limit - 1), isCountExact: ids.count < limit)
  }
}
