public import Filters
internal import GRDB
internal import System

/// Tracks by filters.
extension ResultStore {
  /// Tracks that are there and match a filter.
  /// - Parameter limit: `nil` for all.
  public func tracks(
    matching filter: TrackFilter, order: TrackOrder = .path, limit: Int? = nil, offset: Int = 0
  ) throws(StoreError) -> [TrackRow] {
    let filter = FilterSQL(filter, tables: songs.tables)
    return try read { db in
      let select = try Query(
        db,
        """
        SELECT \(TrackRow.columns) FROM song JOIN file ON file.id = song.id
        WHERE \(filter.condition) ORDER BY \(order.sql) LIMIT ? OFFSET ?
        """)
      var rows: [TrackRow] = []
      try select.forEach(filter.values + [.integer(limit ?? -1), .integer(offset)]) { rows.append(TrackRow(select)) }
      return rows
    }
  }

  public func trackCount(matching filter: TrackFilter) throws(StoreError) -> Int {
    let filter = FilterSQL(filter, tables: songs.tables)
    return try read { db in
      let select = try Query(db, "SELECT count(*) FROM song WHERE \(filter.condition)")
      var count = 0
      try select.forEach(filter.values) { count = Int(select.integer(0)) }
      return count
    }
  }
}
