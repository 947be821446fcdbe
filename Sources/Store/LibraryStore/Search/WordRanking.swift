internal import GRDB
internal import ResultStore

/// The order in which rows of a full-text index come for some words: those that have all words as whole words before those in
/// which the last word begins one; each by bm25.
///
/// Every search has it: the shell, the app and the APIs of the server. Whatever the words are, the work is bounded: of very
/// common ones only the first matches, in the order in which files were met, are ranked.
struct WordRanking {
  /// Rows in their order, and how many have the words.
  struct Result {
    /// Tracks with whole words.
    var whole: [Int64] = []
    /// All, those with whole words first.
    var ids: [Int64] = []
    /// Up to `limit`.
    var count = 0
  }

  /// As many rows of each kind are ranked, unless more are asked for.
  static let rankedCount = 1000
  /// The score of a track, by what the words of each column of `songs_fts` count: the better, the smaller.
  static let songScore = "bm25(songs_fts, 5, 6, 3, 2, 1, 2)"

  private let db: Database
  private let sql: String
  private let values: [SQLValue]

  /// - Parameters:
  ///   - source: The SQL after FROM; ends with the condition on the index, whose pattern is its first parameter.
  ///   - values: The parameters behind the pattern.
  init(_ db: Database, id: String, score: String, from source: String, _ values: [SQLValue]) {
    self.db = db
    self.values = values
    // Told to sort, SQLite would rank all matches.
    sql = "SELECT \(id), \(score) FROM \(source) LIMIT ?"
  }

  /// - Parameters:
  ///   - pattern: The pattern of whole words, or with the last one as the beginning of one; `nil` if there is none to
  ///     look for.
  ///   - limit: As many rows of each kind.
  func rows(limit: Int, pattern: (_ lastIsPrefix: Bool) throws -> String?) throws -> Result {
    var result = Result()
    guard let whole = try pattern(false), let prefix = try pattern(true) else { return result }
    result.whole = try ranked(whole, limit: limit)
    (result.ids, result.count) = (result.whole, result.whole.count)
    // With this many whole words, no further search is needed.
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
    try select.forEach([.text(pattern)] + values + [.integer(limit)]) {
      scores.append((select.integer(0), select.real(1)))
    }
    return scores.sorted { $0.score != $1.score ? $0.score < $1.score : $0.id < $1.id }.map(\.id)
  }

  /// How well the name of an album, artist or genre answers some words, the best first: the name itself; names with all words
  /// whole, first those that begin so; names that begin so; and others.
  static func grade(_ name: String, _ words: String, whole: WordMatch) -> Int {
    let (lower, typed) = (name.lowercased(), words.lowercased())
    if lower == typed { return 0 }
    let begins = lower.hasPrefix(typed)
    if whole.matches(name) { return begins ? 1 : 2 }
    return begins ? 3 : 4
  }
}
