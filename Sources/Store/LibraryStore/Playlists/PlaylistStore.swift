internal import Analysis
internal import GRDB
internal import Platform
public import ResultStore

/// Playlists. They are kept when files vanish, are forgotten, return, move or are retagged.
extension ResultStore {
  /// Returns playlists, the most recently changed first.
  /// - Parameter text: Text that a playlist name must contain, ignoring the case of ASCII letters; `nil` for any.
  public func playlists(
    matching text: String? = nil, limit: Int = .max, offset: Int = 0
  ) throws(StoreError) -> [Playlist] {
    try read { db in
      let select = try Query(
        db,
        """
        SELECT \(Playlist.columns) FROM playlist p WHERE ?1 IS NULL OR instr(lower(p.name), lower(?1)) > 0
        ORDER BY p.changed_ns DESC, p.id DESC LIMIT ?2 OFFSET ?3
        """)
      var playlists: [Playlist] = []
      try select.forEachRow(.text(text), .integer(limit), .integer(offset)) { playlists.append(Playlist(select)) }
      return playlists
    }
  }

  public func playlistCount(matching text: String? = nil) throws(StoreError) -> Int {
    try read { db in
      let select = try Query(
        db, "SELECT count(*) FROM playlist p WHERE ?1 IS NULL OR instr(lower(p.name), lower(?1)) > 0")
      return try select.first(.text(text)) { Int(select.integer(0)) } ?? 0
    }
  }

  public func playlist(id: String) throws(StoreError) -> Playlist? {
    try read { db in try PlaylistRow(id, db)?.playlist }
  }

  /// Returns the tracks of a playlist in its order; empty if there is no playlist with this id.
  public func playlistTracks(
    id: String, limit: Int = .max, offset: Int = 0
  ) throws(StoreError) -> [ReferencedTrack] {
    try read { db in
      let select = try Query(
        db,
        """
        SELECT e.path, e.content_id, e.added_ns, \(PlaylistTables.file(of: "e"))
        FROM playlist p CROSS JOIN playlist_entry e ON e.playlist = p.id
        WHERE p.playlist_id = ? ORDER BY e.position LIMIT ? OFFSET ?
        """)
      var tracks: [ReferencedTrack] = []
      try select.forEachRow(.text(id), .integer(limit), .integer(offset)) {
        tracks.append(ReferencedTrack(select))
      }
      return tracks
    }
  }

  /// - Parameter name: The name, truncated to `Playlist.maximumNameLength`. The description is truncated to
  ///   `Playlist.maximumDescriptionLength`.
  public func createPlaylist(
    named name: String, description: String? = nil, isPublic: Bool = false, tracks: [TrackReference] = []
  ) throws -> Playlist {
    guard tracks.count <= Playlist.maximumTrackCount else { throw PlaylistEditError.tooLong }
    return try write { db in
      let now = Timestamp.now
      var random = SystemRandomNumberGenerator()
      let id = ContentID(high: random.next(), low: random.next()).description
      try Query(
        db,
        """
        INSERT INTO playlist (playlist_id, name, description, public, created_ns, changed_ns, snapshot)
        VALUES (?, ?, ?, ?, ?, ?, 1)
        """
      ).run(
        .text(id), .text(String(name.prefix(Playlist.maximumNameLength))),
        .text(description.map { String($0.prefix(Playlist.maximumDescriptionLength)) }), .flag(isPublic),
        .integer(now.nanoseconds), .integer(now.nanoseconds))
      guard var row = try PlaylistRow(id, db) else { throw StoreError.failed(path: path, detail: "no row was added") }
      if !tracks.isEmpty { try row.apply(.replace(tracks), ofSnapshot: nil, db) }
      return row.playlist
    }
  }

  /// Changes the name, description or visibility of a playlist; `nil` leaves a value unchanged.
  /// - Parameter description: An empty string removes the description.
  /// - Throws: `PlaylistEditError.noSuchPlaylist`.
  @discardableResult
  public func describePlaylist(
    id: String, name: String? = nil, description: String? = nil, isPublic: Bool? = nil
  ) throws -> Playlist {
    let playlist: Playlist? = try write { db in
      try Query(
        db,
        """
        UPDATE playlist SET name = coalesce(?, name), description = nullif(coalesce(?, description), ''),
          public = coalesce(?, public), changed_ns = ? WHERE playlist_id = ?
        """
      ).run(
        .text(name.map { String($0.prefix(Playlist.maximumNameLength)) }),
        .text(description.map { String($0.prefix(Playlist.maximumDescriptionLength)) }),
        isPublic.map { .flag($0) } ?? .null, .integer(Timestamp.now.nanoseconds), .text(id))
      return try PlaylistRow(id, db)?.playlist
    }
    guard let playlist else { throw PlaylistEditError.noSuchPlaylist }
    return playlist
  }

  /// Changes the tracks of a playlist.
  /// - Parameter snapshot: The state to which the positions refer, or `nil` for the current state. Later changes are
  ///   kept.
  /// - Returns: The playlist after the change.
  /// - Throws: `StoreError` or `PlaylistEditError`.
  @discardableResult
  public func editPlaylist(id: String, snapshot: Int? = nil, _ edit: PlaylistEdit) throws -> Playlist {
    // An error thrown in the transaction rolls it back, but `write` converts it to a `StoreError`, so the original
    // error is kept here.
    var refusal: PlaylistEditError?
    do {
      return try write { db in
        do {
          guard var row = try PlaylistRow(id, db) else { throw PlaylistEditError.noSuchPlaylist }
          try row.apply(edit, ofSnapshot: snapshot, db)
          return row.playlist
        } catch let error as PlaylistEditError {
          refusal = error
          throw error
        }
      }
    } catch {
      throw refusal ?? error
    }
  }

  /// - Returns: `true` if the playlist existed.
  @discardableResult
  public func deletePlaylist(id: String) throws(StoreError) -> Bool {
    try write { db in
      guard let row = try PlaylistRow(id, db) else { return false }
      try Query(db, "DELETE FROM playlist WHERE id = ?").run(.integer(row.id))
      return true
    }
  }
}
