public import Filters
internal import GRDB
internal import Platform
public import ResultStore
public import SystemPackage

extension ResultStore {
  /// Returns existing tracks that match a filter.
  /// - Parameter limit: Maximum number of tracks; `nil` for all.
  public func tracks(
    matching filter: TrackFilter, order: TrackOrder = .path, limit: Int? = nil, offset: Int = 0
  ) throws(StoreError) -> [TrackRow] {
    try read { db in
      let evaluation = FilterEvaluation(db, tables: songs.tables)
      return try TrackSelection(db, tables: songs.tables).tracks(
        in: evaluation.tracks(matching: filter), order: order, bounds: evaluation.bounds(of: filter, in: order),
        limit: limit, offset: offset)
    }
  }

  /// Returns the paths of all existing tracks that match a filter, in path order.
  public func paths(matching filter: TrackFilter) throws(StoreError) -> [FilePath] {
    let pageSize = 10_000
    var paths: [FilePath] = []
    while true {
      let page = try tracks(matching: filter, limit: pageSize, offset: paths.count)
      paths += page.map(\.path)
      if page.count < pageSize { return paths }
    }
  }

  public func trackCount(matching filter: TrackFilter) throws(StoreError) -> Int {
    try read { db in
      try FilterEvaluation(db, tables: songs.tables).tracks(matching: filter).count(
        ofAll: TrackSelection(db, tables: songs.tables).allCount())
    }
  }
}

struct TrackSelection {
  private let db: Database
  private let tables: Set<String>

  /// - Parameter tables: Tables in the database.
  init(_ db: Database, tables: Set<String>) {
    self.db = db
    self.tables = tables
  }

  func allCount() throws -> Int {
    let select = try Query(db, "SELECT count(*) FROM song")
    return try select.first { Int(select.integer(0)) } ?? 0
  }

  /// Maximum number of tracks that are read and then sorted. If more match, the index for the sort order is read until
  /// enough tracks have been found.
  private static let fewTracks = 500

  /// - Parameter bounds: Conditions that all tracks in the set satisfy and that the index for the sort order covers.
  func tracks(
    in set: TrackSet, order: TrackOrder, bounds: [ConditionSQL], limit: Int?, offset: Int
  ) throws -> [TrackRow] {
    let page: [SQLValue] = [.integer(limit ?? -1), .integer(offset)]
    if let ids = set.ids(atMost: Self.fewTracks) {
      return try rows("ORDER BY \(order.sql(tables)) LIMIT ? OFFSET ?", [.list(ids)] + page)
    }
    // Only ids are selected, so that only an index has to be read.
    let conditions = bounds.compactMap(\.condition) + (set.isAll ? [] : [TrackSet.condition(on: order.id)])
    let values = bounds.flatMap(\.values) + (set.isAll ? [] : [.tracks(TrackSet.Argument(set))])
    let select = try Query(
      db,
      """
      SELECT \(order.id) FROM \(order.source)
      \(conditions.isEmpty ? "" : "WHERE \(conditions.joined(separator: " AND "))")
      ORDER BY \(order.sql(tables)) LIMIT ? OFFSET ?
      """)
    var ids: [Int64] = []
    try select.forEachRow(values + page) { ids.append(select.integer(0)) }
    return try tracks(ids)
  }

  /// Returns tracks in the same order as `ids`.
  func tracks(_ ids: [Int64]) throws -> [TrackRow] {
    try rows("ORDER BY json_each.key", [.list(ids)])
  }

  private func rows(_ order: String, _ values: [SQLValue]) throws -> [TrackRow] {
    let select = try Query(
      db,
      """
      SELECT \(TrackRow.columns)
      FROM json_each(?) CROSS JOIN song ON song.id = json_each.value CROSS JOIN file ON file.id = song.id
      \(order)
      """)
    var rows: [TrackRow] = []
    try select.forEachRow(values) { rows.append(TrackRow(select)) }
    return rows
  }
}
