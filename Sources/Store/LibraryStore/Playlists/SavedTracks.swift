internal import Analysis
internal import GRDB
public import Platform
public import ResultStore

/// The tracks, albums and artists that people have saved (“liked”, “starred”). They are kept under the same conditions
/// as playlists.
extension ResultStore {
  public enum SavedKind: String, Sendable, Hashable {
    case album, artist
  }

  public struct SavedItem: Sendable, Hashable {
    public var id: String
    public var saved: Timestamp
  }

  // MARK: Tracks

  /// Saves tracks. Tracks that are already saved stay unchanged. The first track in the list counts as the newest.
  public func save(_ tracks: [TrackReference]) throws(StoreError) {
    try write { db in
      let now = Timestamp.now.nanoseconds
      let known = try Query(
        db,
        "SELECT 1 FROM saved_track WHERE path = ?1 OR content_id = ?2 AND ?3 = \(PlaylistTables.file(of: "saved_track"))"
      )
      let file = try Query(
        db, "SELECT \(PlaylistTables.file(of: "wanted")) FROM (SELECT ?1 AS path, ?2 AS content_id) wanted")
      let insert = try Query(db, "INSERT INTO saved_track (path, content_id, added_ns) VALUES (?, ?, ?)")
      for (place, track) in tracks.enumerated() {
        let (path, audio) = (SQLValue.path(track.path), SQLValue.text(track.contentID?.description))
        let id = try file.first(path, audio) { file.optionalInteger(0) } ?? nil
        guard try known.first(path, audio, .integer(id), body: { true }) == nil else { continue }
        // Tracks saved in one call keep their order.
        try insert.run(path, audio, .integer(now - Int64(place)))
      }
    }
  }

  /// - Parameter files: Ids of rows of `file`.
  public func unsave(files: [Int64]) throws(StoreError) {
    try write { db in
      let delete = try Query(
        db,
        """
        DELETE FROM saved_track WHERE id IN (
          SELECT s.id FROM file CROSS JOIN saved_track s ON (s.path = file.path OR s.content_id = file.content_id)
          WHERE file.id = ?1 AND \(PlaylistTables.file(of: "s")) = ?1)
        """)
      for file in files { try delete.run(.integer(file)) }
    }
  }

  /// Returns saved tracks whose files exist, the most recently saved first.
  public func savedTracks(limit: Int = .max, offset: Int = 0) throws(StoreError) -> [ReferencedTrack] {
    try read { db in
      let select = try Query(
        db,
        """
        SELECT s.path, s.content_id, s.added_ns, \(PlaylistTables.file(of: "s")) AS file FROM saved_track s
        WHERE file IS NOT NULL ORDER BY s.added_ns DESC, s.id DESC LIMIT ? OFFSET ?
        """)
      var tracks: [ReferencedTrack] = []
      try select.forEachRow(.integer(limit), .integer(offset)) { tracks.append(ReferencedTrack(select)) }
      return tracks
    }
  }

  /// Returns the number of saved tracks whose files exist.
  public func savedTrackCount() throws(StoreError) -> Int {
    try read { db in
      let select = try Query(
        db, "SELECT count(*) FROM saved_track s WHERE \(PlaylistTables.file(of: "s")) IS NOT NULL")
      return try select.first { Int(select.integer(0)) } ?? 0
    }
  }

  /// Returns the times at which these files were saved. Files that are not saved are left out.
  /// - Parameter files: Ids of rows of `file`.
  public func savedDates(ofFiles files: [Int64]) throws(StoreError) -> [Int64: Timestamp] {
    try read { db in
      let select = try Query(
        db,
        """
        SELECT file.id, s.added_ns
        FROM json_each(?) wanted CROSS JOIN file ON file.id = wanted.value
        CROSS JOIN saved_track s ON (s.path = file.path OR s.content_id = file.content_id)
        WHERE \(PlaylistTables.file(of: "s")) = file.id
        """)
      var dates: [Int64: Timestamp] = [:]
      try select.forEachRow(.list(files)) {
        dates[select.integer(0)] = Timestamp(nanoseconds: select.integer(1))
      }
      return dates
    }
  }

  // MARK: Albums and artists

  public func save(_ kind: SavedKind, ids: [String]) throws(StoreError) {
    try write { db in
      let insert = try Query(db, "INSERT OR IGNORE INTO saved_item (kind, item_id, added_ns) VALUES (?, ?, ?)")
      let now = Timestamp.now.nanoseconds
      for (place, id) in ids.enumerated() {
        try insert.run(.text(kind.rawValue), .text(id), .integer(now - Int64(place)))
      }
    }
  }

  public func unsave(_ kind: SavedKind, ids: [String]) throws(StoreError) {
    try write { db in
      let delete = try Query(db, "DELETE FROM saved_item WHERE kind = ? AND item_id = ?")
      for id in ids { try delete.run(.text(kind.rawValue), .text(id)) }
    }
  }

  /// Returns saved items, the most recently saved first, including items that no longer have any tracks.
  public func saved(_ kind: SavedKind) throws(StoreError) -> [SavedItem] {
    try read { db in
      let select = try Query(
        db, "SELECT item_id, added_ns FROM saved_item WHERE kind = ? ORDER BY added_ns DESC, item_id")
      var items: [SavedItem] = []
      try select.forEachRow(.text(kind.rawValue)) {
        items.append(SavedItem(id: select.text(0), saved: Timestamp(nanoseconds: select.integer(1))))
      }
      return items
    }
  }
}
