internal import Analysis
internal import Filters
internal import GRDB
internal import System

/// Finds the tracks that a filter matches, each condition by an index of its own.
struct FilterEvaluation {
  private let db: Database
  /// Those that the database has.
  private let tables: Set<String>
  private let now: Timestamp

  init(_ db: Database, tables: Set<String>, now: Timestamp = .now) {
    self.db = db
    self.tables = tables
    self.now = now
  }

  func tracks(matching filter: TrackFilter) throws -> TrackSet { try tracks(filter.expression, among: .all) }

  /// - Parameter candidates: No others are asked for; the answer may hold others all the same.
  private func tracks(_ expression: TrackFilter.Expression, among candidates: TrackSet) throws -> TrackSet {
    switch expression {
    case .all(let parts):
      // What no index answers is asked of those that are left.
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
      return try tracks(ConditionSQL(condition, tables: tables, now: now), among: candidates)
    }
  }

  private func isSlow(_ expression: TrackFilter.Expression) -> Bool {
    switch expression {
    case .all(let parts), .any(let parts): parts.contains(where: isSlow)
    case .not(let part): isSlow(part)
    case .condition(let condition): !ConditionSQL(condition, tables: tables, now: now).isIndexed
    }
  }

  /// As many rows are looked at one by one.
  private static let fewTracks = 5000

  private func tracks(_ condition: ConditionSQL, among candidates: TrackSet) throws -> TrackSet {
    var sql = condition.select
    var values = condition.values
    if !condition.isIndexed, let ids = candidates.ids {
      if ids.count <= Self.fewTracks {
        sql += " AND song.id IN (SELECT value FROM json_each(?))"
        values.append(.text("[\(ids.map { String($0) }.joined(separator: ","))]"))
      } else {
        sql += " AND \(TrackSet.condition(on: "song.id"))"
        values.append(.tracks(TrackSet.Argument(candidates)))
      }
    }
    var found = TrackSet.none
    let select = try Query(db, sql)
    try select.forEach(values) { found.insert(select.integer(0)) }
    return found
  }
}

extension TrackSet {
  fileprivate func intersecting(
    _ parts: [TrackFilter.Expression], _ tracks: (TrackSet, TrackFilter.Expression) throws -> TrackSet
  ) rethrows -> TrackSet {
    try parts.reduce(self) { try $0.intersection(tracks($0, $1)) }
  }
}
