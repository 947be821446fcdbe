internal import Analysis
internal import LibraryStore
internal import Platform
internal import Records
internal import Serving

extension SubsonicLibrary {
  // MARK: Playlists

  func playlists(_ request: SubsonicRequest) throws -> SubsonicObject {
    let playlists = try store.playlists().map { try object($0, store.playlistTracks(id: $0.id)) }
    return .make { $0.put("playlists") { $0.put("playlist", playlists) } }
  }

  func playlist(_ request: SubsonicRequest) throws -> SubsonicObject {
    let id = try request.required("id")
    guard let playlist = try store.playlist(id: id) else { throw Self.notFound("playlist") }
    return try answer(playlist)
  }

  private func answer(_ playlist: Playlist) throws -> SubsonicObject {
    let tracks = try store.playlistTracks(id: playlist.id)
    var object = try object(playlist, tracks)
    object.put("entry", try children(ofFiles: tracks.map(\.fileID)))
    return .make { $0.put("playlist", .object(object)) }
  }

  /// Returns the object for a playlist. Tracks whose files are gone keep their position in the playlist, but are
  /// neither counted nor shown.
  private func object(_ playlist: Playlist, _ tracks: [ReferencedTrack]) throws -> SubsonicObject {
    let songs = try store.songs(ofFiles: tracks.compactMap(\.fileID))
    return .make {
      $0.put("id", playlist.id)
      $0.put("name", playlist.name)
      $0.put("comment", playlist.description ?? "")
      $0.put("owner", Self.userName)
      $0.put("public", playlist.isPublic)
      $0.put("songCount", songs.count)
      $0.put("duration", Int(songs.reduce(0) { $0 + ($1.row.durationSeconds ?? 0) }.rounded()))
      $0.put("created", playlist.created.description)
      $0.put("changed", playlist.changed.description)
      $0.put("coverArt", songs.first?.id)
    }
  }

  /// Creates a playlist, or replaces all tracks of an existing one and, if requested, its name.
  func createPlaylist(_ request: SubsonicRequest) throws -> SubsonicObject {
    let tracks = try references(request.values("songId"))
    if let id = request["playlistId"], !id.isEmpty {
      guard try store.playlist(id: id) != nil else { throw Self.notFound("playlist") }
      if let name = request["name"], !name.isEmpty { try store.describePlaylist(id: id, name: name) }
      return try answer(store.editPlaylist(id: id, .replace(tracks)))
    }
    return try answer(store.createPlaylist(named: request.required("name"), tracks: tracks))
  }

  func updatePlaylist(_ request: SubsonicRequest) throws -> SubsonicObject {
    let id = try request.required("playlistId")
    guard let playlist = try store.playlist(id: id) else { throw Self.notFound("playlist") }
    let added = try references(request.values("songIdToAdd"))
    let shown = try request.values("songIndexToRemove").map { text in
      guard let index = Int(text) else {
        throw RequestError(.badRequest, "songIndexToRemove is a number, not \(text).")
      }
      return index
    }
    if !shown.isEmpty {
      let positions = try positions(shown, in: playlist)
      try store.editPlaylist(id: id, snapshot: playlist.snapshot, .remove(positions: positions))
    }
    if !added.isEmpty { try store.editPlaylist(id: id, .insert(added)) }
    if request["name"] != nil || request["comment"] != nil || request["public"] != nil {
      try store.describePlaylist(
        id: id, name: request["name"].flatMap { $0.isEmpty ? nil : $0 }, description: request["comment"],
        isPublic: request.flag("public"))
    }
    return SubsonicObject()
  }

  /// Converts positions among the shown tracks, which are the only ones that clients count, to positions in the
  /// playlist.
  private func positions(_ shown: [Int], in playlist: Playlist) throws -> Set<Int> {
    let tracks = try store.playlistTracks(id: playlist.id)
    let songs = Set(try store.songs(ofFiles: tracks.compactMap(\.fileID)).map(\.row.fileID))
    let present = tracks.indices.filter { tracks[$0].fileID.map(songs.contains) ?? false }
    return try Set(
      shown.map { index in
        guard present.indices.contains(index) else { throw PlaylistEditError.noSuchPosition(index) }
        return present[index]
      })
  }

  func deletePlaylist(_ request: SubsonicRequest) throws -> SubsonicObject {
    guard try store.deletePlaylist(id: request.required("id")) else { throw Self.notFound("playlist") }
    return SubsonicObject()
  }

  private func references(_ ids: [String]) throws -> [TrackReference] {
    try store.songs(ids: ids).map { song in
      guard let song else { throw Self.notFound("song") }
      return TrackReference(song.row)
    }
  }

  // MARK: Stars

  func star(_ request: SubsonicRequest) throws -> SubsonicObject {
    let items = try items(request)
    try store.save(items.songs.map { TrackReference($0.row) })
    try store.save(.album, ids: items.albums)
    try store.save(.artist, ids: items.artists)
    return SubsonicObject()
  }

  func unstar(_ request: SubsonicRequest) throws -> SubsonicObject {
    let items = try items(request)
    try store.unsave(files: items.songs.map(\.row.fileID))
    try store.unsave(.album, ids: items.albums)
    try store.unsave(.artist, ids: items.artists)
    return SubsonicObject()
  }

  /// Returns the items that a request names. Clients that browse by folder star albums and artists as folders, using
  /// the parameter `id`.
  private func items(_ request: SubsonicRequest) throws -> (songs: [Song], albums: [String], artists: [String]) {
    var (songs, albums, artists): ([Song], [String], [String]) = ([], [], [])
    for id in request.values("albumId") {
      guard try store.release(id: id) != nil else { throw Self.notFound("album") }
      albums.append(id)
    }
    for id in request.values("id") + request.values("artistId") {
      if let song = try store.song(id: id) {
        songs.append(song)
      } else if try store.album(id: id) != nil {
        albums.append(id)
      } else if try store.artist(id: id) != nil {
        artists.append(id)
      } else {
        throw Self.notFound("song, album or artist")
      }
    }
    if songs.isEmpty && albums.isEmpty && artists.isEmpty { _ = try request.required("id") }
    return (songs, albums, artists)
  }

  func starred(_ request: SubsonicRequest) throws -> SubsonicObject {
    try starred(as: "starred") { try folders($0) }
  }

  func starred2(_ request: SubsonicRequest) throws -> SubsonicObject {
    try starred(as: "starred2") { try objects($0) }
  }

  private func starred(as name: String, albums: ([SongAlbum]) throws -> [SubsonicObject]) throws -> SubsonicObject {
    let artists = try objects(store.artists(ids: store.saved(.artist).map(\.id)).compactMap(\.self))
    let albums = try albums(store.releases(ids: store.saved(.album).map(\.id)).compactMap(\.self))
    let songs = try children(ofFiles: store.savedTracks().map(\.fileID))
    return .make {
      $0.put(name) {
        $0.put("artist", artists)
        $0.put("album", albums)
        $0.put("song", songs)
      }
    }
  }

  // MARK: Lyrics

  private func lyrics(of song: Song) throws -> [TagFinding.Lyrics] {
    try store.record(at: song.row.path, long: ["lyrics"])?.tags?.lyrics ?? []
  }

  /// Returns the lyrics in the tags (extension `songLyrics`).
  func lyricsBySong(_ request: SubsonicRequest) throws -> SubsonicObject {
    let song = try song(id: request.required("id")).song
    let lyrics = try lyrics(of: song)
    return .make {
      $0.put("lyricsList") {
        $0.put("structuredLyrics", lyrics.map { structured($0, song) })
      }
    }
  }

  private func structured(_ lyrics: TagFinding.Lyrics, _ song: Song) -> SubsonicObject {
    let lines =
      lyrics.lines.isEmpty
      ? lyrics.text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { line in
        SubsonicObject.make { $0.put("value", String(line)) }
      }
      : lyrics.lines.map { line in
        .make {
          $0.put("start", Int((line.seconds * 1000).rounded()))
          $0.put("value", line.text)
        }
      }
    return .make {
      $0.put("displayArtist", song.row.artist)
      $0.put("displayTitle", song.title)
      $0.put("lang", lyrics.language ?? "und")
      $0.put("offset", 0)
      $0.put("synced", !lyrics.lines.isEmpty)
      $0.put("line", lines)
    }
  }

  /// Returns the first lyrics found for an artist and title, for old clients; empty if there are none.
  func lyrics(_ request: SubsonicRequest) throws -> SubsonicObject {
    let (artist, title) = (request["artist"] ?? "", request["title"] ?? "")
    var query = SongQuery(sections: [.tracks], limit: 20)
    query.artist = artist.isEmpty ? nil : artist
    query.title = title.isEmpty ? nil : title
    let songs = title.isEmpty ? [] : try services.search(songs: query).tracks.hits
    for song in songs {
      guard let lyrics = try lyrics(of: song).first else { continue }
      let text = lyrics.lines.isEmpty ? lyrics.text : lyrics.lines.map(\.text).joined(separator: "\n")
      return .make {
        $0.put("lyrics") {
          $0.put("artist", song.row.artist)
          $0.put("title", song.title)
          $0.put("value", text)
        }
      }
    }
    return .make { $0.put("lyrics") { _ in } }
  }
}
