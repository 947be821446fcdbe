internal import Analysis
internal import Filters
internal import GRDB
internal import Platform
internal import ResultStore

/// Finds the tracks that match a filter. Each condition is evaluated with its own index if there is one.
struct FilterEvaluation {
  private let db: Database
  let tables: Set<String>
  private let now: Timestamp
  /// Maximum number of rows that are read one by one rather than through an index.
  let fewTracks: Int

  static let fewTracks = 5000

  init(_ db: Database, tables: Set<String>, now: Timestamp = .now, fewTracks: Int = Self.fewTracks) {
    self.db = db
    self.tables = tables
    self.now = now
    self.fewTracks = fewTracks
  }

  /// - Parameter candidates: The tracks of interest. The result is correct for them, but may also contain other tracks.
  func tracks(matching filter: TrackFilter, among candidates: TrackSet = .all) throws -> TrackSet {
    try tracks(filter.expression, among: candidates)
  }

  private func tracks(_ expression: TrackFilter.Expression, among candidates: TrackSet) throws -> TrackSet {
    switch expression {
    case .all(let parts):
      // Conditions without an index are checked only for the remaining tracks.
      return try parts.filter { !isSlow($0) }.reduce(candidates) { try $0.intersection(tracks($1, among: $0)) }
        .intersecting(parts.filter(isSlow)) { try tracks($1, among: $0) }
    case .any(let parts):
      return try parts.reduce(.none) { try $0.union(tracks($1, among: candidates)) }
    case .not(let part):
      return try tracks(part, among: candidates).complement
    case .condition(.status(.ok)):
      return try [TrackCondition.Status.partial, .failed].reduce(TrackSet.none) {
        try $0.union(tracks(.condition(.status($1)), among: candidates))
      }.complement
    case .condition(.isLocked(false)):
      return try tracks(.condition(.isLocked(true)), among: candidates).complement
    case .condition(let condition):
      let sql = ConditionSQL(condition, tables: tables, now: now)
      if let few = try tracks(sql, amongFew: candidates) { return few }
      // If most tracks match, it is faster to find those that do not.
      if let others = ConditionSQL.complement(of: condition), try matchesMost(sql) {
        return try others.reduce(TrackSet.none) { try $0.union(tracks($1, among: candidates)) }.complement
      }
      return try tracks(sql, among: candidates)
    }
  }

  /// Estimates, from a sample of the tracks, whether most of them match.
  private func matchesMost(_ condition: ConditionSQL) throws -> Bool {
    let select = try Query(db, "SELECT max(id) FROM song")
    let last = try select.first { select.integer(0) } ?? 0
    let ids = Array(stride(from: 1, through: last, by: max(1, Int(last) / Self.sampleSize)))
    let sample =
      "WITH sample AS (SELECT value AS id FROM json_each(?)) SELECT count(*) FROM sample CROSS JOIN song USING (id)"
    let list = SQLValue.list(ids)
    let all = try Query(db, sample)
    let some = try Query(db, "\(sample) WHERE \(condition.condition ?? "1")")
    var counts: [Int64] = []
    try all.forEachRow(list) { counts.append(all.integer(0)) }
    try some.forEachRow([list] + condition.values) { counts.append(some.integer(0)) }
    return 2 * counts[1] > counts[0]
  }

  private static let sampleSize = 100

  /// Returns conditions that all matches satisfy and that use the index for a sort order, so that only a part of the
  /// index has to be read.
  func bounds(of filter: TrackFilter, in order: TrackOrder) -> [ConditionSQL] {
    filter.conjuncts.compactMap { part in
      guard case .condition(let condition) = part, let key = condition.orderKey, order.field == .key(key)
      else { return nil }
      return ConditionSQL(condition, tables: tables, now: now)
    }
  }

  /// Returns `true` if a condition in the expression reads every row.
  func isSlow(_ expression: TrackFilter.Expression) -> Bool {
    switch expression {
    case .all(let parts), .any(let parts): parts.contains(where: isSlow)
    case .not(let part): isSlow(part)
    case .condition(let condition): !ConditionSQL(condition, tables: tables, now: now).isIndexed
    }
  }

  /// Finds the matches by reading only the rows of the candidates. Returns `nil` if using an index is better.
  private func tracks(_ condition: ConditionSQL, amongFew candidates: TrackSet) throws -> TrackSet? {
    guard let test = condition.condition, let ids = candidates.ids(atMost: fewTracks) else { return nil }
    return try TrackSet(
      db, "song.id", from: "json_each(?) CROSS JOIN song ON song.id = json_each.value WHERE \(test)",
      [.list(ids)] + condition.values)
  }

  private func tracks(_ condition: ConditionSQL, among candidates: TrackSet) throws -> TrackSet {
    var source = condition.source
    var values = condition.values
    if !condition.isIndexed, !candidates.isAll {
      // SQLite evaluates conditions with subqueries last.
      source += " AND \(TrackSet.condition(on: "song.id"))"
      values.append(.tracks(TrackSet.Argument(candidates)))
    }
    let found = try TrackSet(db, condition.id, from: source, values)
    return condition.findsFiles ? try withoutFiles(found) : found
  }

  /// Removes files that are not tracks, because the index of paths also contains vanished and skipped files.
  private func withoutFiles(_ found: TrackSet) throws -> TrackSet {
    if let ids = found.ids(atMost: fewTracks) {
      return try TrackSet(
        db, "song.id", from: "json_each(?) CROSS JOIN song ON song.id = json_each.value", [.list(ids)])
    }
    let others = try TrackSet(
      db, "id",
      from: "file WHERE \(SongCatalog.mayBeNoTrack) AND NOT EXISTS (SELECT 1 FROM song WHERE song.id = file.id)",
      [])
    return found.intersection(others.complement)
  }
}

extension TrackCondition {
  /// The sort order whose index covers the ranges of this condition; `nil` if there is none.
  fileprivate var orderKey: TrackOrder.Key? {
    switch self {
    case .number(.bpm, _): .bpm
    case .number(.confidence, _): .confidence
    case .number(.year, _): .year
    case .number(.integratedLoudness, _): .lufs
    case .number(.duration, _): .duration
    case .added: .added
    default: nil
    }
  }
}

extension TrackSet {
  fileprivate func intersecting(
    _ parts: [TrackFilter.Expression], _ tracks: (TrackSet, TrackFilter.Expression) throws -> TrackSet
  ) rethrows -> TrackSet {
    try parts.reduce(self) { try $0.intersection(tracks($0, $1)) }
  }
}
