internal import Analysis
internal import GRDB
internal import Platform
internal import ResultStore

/// A playlist within a transaction, with methods that change its tracks.
struct PlaylistRow {
  let id: Int64
  private(set) var playlist: Playlist

  init?(_ id: String, _ db: Database) throws {
    let select = try Query(db, "SELECT \(Playlist.columns), p.id FROM playlist p WHERE p.playlist_id = ?")
    guard let found = try select.first(.text(id), body: { (select.integer(8), Playlist(select)) }) else { return nil }
    (self.id, playlist) = found
  }

  // MARK: Entries

  /// Returns the ids of the entries, in playlist order.
  private func entries(_ db: Database) throws -> [Int64] {
    let select = try Query(db, "SELECT id FROM playlist_entry WHERE playlist = ? ORDER BY position, id")
    var ids: [Int64] = []
    try select.forEachRow(.integer(id)) { ids.append(select.integer(0)) }
    return ids
  }

  private func entries(ofSnapshot snapshot: Int, _ db: Database) throws -> [Int64] {
    let select = try Query(
      db,
      """
      SELECT entry.value FROM playlist_snapshot s CROSS JOIN json_each(s.entries) entry
      WHERE s.playlist = ? AND s.snapshot = ? ORDER BY entry.key
      """)
    var ids: [Int64] = []
    try select.forEachRow(.integer(id), .integer(snapshot)) { ids.append(select.integer(0)) }
    if ids.isEmpty {
      let known = try Query(db, "SELECT 1 FROM playlist_snapshot WHERE playlist = ? AND snapshot = ?")
      guard try known.first(.integer(id), .integer(snapshot), body: { true }) == true else {
        throw PlaylistEditError.unknownSnapshot
      }
    }
    return ids
  }

  /// Returns the current files of the entries. Entries whose files are gone are left out.
  private func files(_ db: Database) throws -> [Int64: Int64] {
    let select = try Query(
      db, "SELECT e.id, \(PlaylistTables.file(of: "e")) FROM playlist_entry e WHERE e.playlist = ?")
    var files: [Int64: Int64] = [:]
    try select.forEachRow(.integer(id)) { files[select.integer(0)] = select.optionalInteger(1) }
    return files
  }

  /// - Returns: The ids of the new entries, which do not have a position yet.
  private func insert(_ tracks: [TrackReference], _ now: Timestamp, _ db: Database) throws -> [Int64] {
    let insert = try Query(
      db, "INSERT INTO playlist_entry (playlist, position, path, content_id, added_ns) VALUES (?, -1, ?, ?, ?)")
    return try tracks.map { track in
      try insert.run(
        .integer(id), .path(track.path), .text(track.contentID?.description), .integer(now.nanoseconds))
      return db.lastInsertedRowID
    }
  }

  // MARK: Changes

  mutating func apply(_ edit: PlaylistEdit, ofSnapshot snapshot: Int?, _ db: Database) throws {
    let now = Timestamp.now
    let present = try entries(db)
    let seen = try snapshot.map { $0 == playlist.snapshot ? present : try entries(ofSnapshot: $0, db) } ?? present
    let order: [Int64]
    switch edit {
    case .insert(let tracks, let position):
      guard present.count + tracks.count <= Playlist.maximumTrackCount else { throw PlaylistEditError.tooLong }
      guard 0...seen.count ~= position ?? 0 else { throw PlaylistEditError.noSuchPosition(position ?? 0) }
      let place = position.map { Self.place(before: seen[$0...], in: present) } ?? present.count
      order = try present[..<place] + insert(tracks, now, db) + present[place...]
    case .replace(let tracks):
      guard tracks.count <= Playlist.maximumTrackCount else { throw PlaylistEditError.tooLong }
      order = try insert(tracks, now, db)
    case .remove(let positions):
      if let wrong = positions.first(where: { !seen.indices.contains($0) }) {
        throw PlaylistEditError.noSuchPosition(wrong)
      }
      let removed = Set(positions.map { seen[$0] })
      order = present.filter { !removed.contains($0) }
    case .removeTracks(let tracks):
      let removed = try removed(tracks, files: files(db), seen: seen)
      order = present.filter { !removed.contains($0) }
    case .move(let start, let count, let target):
      guard start >= 0, count >= 0, start <= seen.count, count <= seen.count - start else {
        throw PlaylistEditError.noSuchPosition(start)
      }
      guard 0...seen.count ~= target else { throw PlaylistEditError.noSuchPosition(target) }
      let there = Set(present)
      let moved = seen[start..<start + count].filter(there.contains)
      let rest = present.filter { !moved.contains($0) }
      let place = Self.place(before: seen[target...], in: rest)
      order = rest[..<place] + moved + rest[place...]
    }
    try set(order, insteadOf: present, now, db)
  }

  /// Returns the position of the first of these entries that still exists, or the end if none does.
  private static func place(before entries: ArraySlice<Int64>, in order: [Int64]) -> Int {
    let places = Dictionary(uniqueKeysWithValues: zip(order, order.indices))
    return entries.lazy.compactMap { places[$0] }.first ?? order.count
  }

  private func removed(
    _ tracks: [Int64: Set<Int>?], files: [Int64: Int64], seen: [Int64]
  ) throws(PlaylistEditError) -> Set<Int64> {
    var removed: Set<Int64> = []
    for (file, positions) in tracks {
      guard let positions else {
        for (entry, other) in files where other == file { removed.insert(entry) }
        continue
      }
      for position in positions {
        guard seen.indices.contains(position) else { throw .noSuchPosition(position) }
        // An entry that another client has removed in the meantime no longer has a file.
        if let other = files[seen[position]], other != file { throw .otherTrack(position: position) }
        removed.insert(seen[position])
      }
    }
    return removed
  }

  private mutating func set(_ order: [Int64], insteadOf old: [Int64], _ now: Timestamp, _ db: Database) throws {
    let kept = Set(order)
    let delete = try Query(db, "DELETE FROM playlist_entry WHERE id = ?")
    for entry in old where !kept.contains(entry) { try delete.run(.integer(entry)) }
    let place = try Query(db, "UPDATE playlist_entry SET position = ?1 WHERE id = ?2 AND position <> ?1")
    for (position, entry) in order.enumerated() { try place.run(.integer(position), .integer(entry)) }
    // Clients may have seen this state, so it is kept.
    try remember(old, db)
    playlist.snapshot += 1
    playlist.changed = now
    playlist.trackCount = order.count
    try Query(db, "UPDATE playlist SET snapshot = ?, changed_ns = ? WHERE id = ?")
      .run(.integer(playlist.snapshot), .integer(now.nanoseconds), .integer(id))
    try Query(db, "DELETE FROM playlist_snapshot WHERE playlist = ? AND snapshot < ?")
      .run(.integer(id), .integer(playlist.snapshot - PlaylistTables.keptSnapshots))
  }

  private func remember(_ entries: [Int64], _ db: Database) throws {
    let list = "[\(entries.map { String($0) }.joined(separator: ","))]"
    try Query(db, "INSERT OR REPLACE INTO playlist_snapshot (playlist, snapshot, entries) VALUES (?, ?, ?)")
      .run(.integer(id), .integer(playlist.snapshot), .text(list))
  }
}

extension Playlist {
  /// Columns of `playlist p`, in the order `init` expects.
  static let columns = """
    p.playlist_id, p.name, p.description, p.public, p.created_ns, p.changed_ns, p.snapshot, \
    (SELECT count(*) FROM playlist_entry e WHERE e.playlist = p.id)
    """

  init(_ row: Query) {
    self.init(
      id: row.text(0), name: row.text(1), description: row.optionalText(2), isPublic: row.flag(3),
      created: Timestamp(nanoseconds: row.integer(4)), changed: Timestamp(nanoseconds: row.integer(5)),
      snapshot: Int(row.integer(6)), trackCount: Int(row.integer(7)))
  }
}
