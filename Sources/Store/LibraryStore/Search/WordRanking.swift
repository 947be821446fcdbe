internal import GRDB
internal import ResultStore

/// Orders the rows of a full-text index for the words of a search. Rows that contain all of them as whole words come
/// before rows in which the last word is only the beginning of a word. Each group is sorted by bm25.
///
/// Every search uses this order, in the shell, the app and the server's APIs. The work is bounded, even for very
/// common words: only the first matches, in the order in which their files were first seen, are ranked.
struct WordRanking {
  /// The ranked rows, and the number of rows that contain the words.
  struct Result {
    /// Rows that contain all the words as whole words.
    var whole: [Int64] = []
    /// All rows, starting with those in `whole`.
    var ids: [Int64] = []
    /// Number of matching rows, at most the `limit` of the search.
    var count = 0
  }

  /// Maximum number of rows that are ranked per pattern, unless more are requested.
  static let rankedCount = 1000
  /// The score of a track, with weights for the columns of `songs_fts`. Smaller is better.
  static let songScore = "bm25(songs_fts, 5, 6, 3, 2, 1, 2)"

  private let db: Database
  private let sql: String
  private let values: [SQLValue]

  /// - Parameters:
  ///   - source: The SQL after FROM. It ends with the condition on the index, whose first parameter is the pattern.
  ///   - values: The parameters after the pattern.
  init(_ db: Database, id: String, score: String, from source: String, _ values: [SQLValue]) {
    self.db = db
    self.values = values
    // With ORDER BY, SQLite would rank all matches.
    sql = "SELECT \(id), \(score) FROM \(source) LIMIT ?"
  }

  /// - Parameters:
  ///   - limit: Maximum number of rows per pattern.
  ///   - pattern: Returns the pattern for whole words, or the one that treats the last word as the beginning of a
  ///     word; `nil` if there are no words to search for.
  func rows(limit: Int, pattern: (_ lastIsPrefix: Bool) throws -> String?) throws -> Result {
    var result = Result()
    guard let whole = try pattern(false), let prefix = try pattern(true) else { return result }
    result.whole = try ranked(whole, limit: limit)
    (result.ids, result.count) = (result.whole, result.whole.count)
    // With this many matches of whole words, no further search is needed.
    if result.count >= limit || whole == prefix { return result }
    let all = try ranked(prefix, limit: limit)
    let known = Set(result.whole)
    result.ids += all.filter { !known.contains($0) }
    result.count = all.count
    return result
  }

  private func ranked(_ pattern: String, limit: Int) throws -> [Int64] {
    let select = try Query(db, sql)
    var scores: [(id: Int64, score: Double)] = []
    try select.forEachRow([.text(pattern)] + values + [.integer(limit)]) {
      scores.append((select.integer(0), select.real(1)))
    }
    return scores.sorted { $0.score != $1.score ? $0.score < $1.score : $0.id < $1.id }.map(\.id)
  }

  /// Returns how well the name of an album, artist or genre matches some words. The grades, best first: the name equals
  /// the words; it begins with all of them as whole words; it contains all of them as whole words; it only begins with
  /// their text; anything else.
  static func grade(_ name: String, _ words: String, whole: WordMatch) -> Int {
    let (lower, typed) = (name.lowercased(), words.lowercased())
    if lower == typed { return 0 }
    let begins = lower.hasPrefix(typed)
    if whole.matches(name) { return begins ? 1 : 2 }
    return begins ? 3 : 4
  }
}
