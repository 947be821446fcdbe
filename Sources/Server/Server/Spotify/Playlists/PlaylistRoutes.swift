internal import HTTPTypes
internal import Hummingbird
internal import LibraryStore
internal import NIOCore
internal import Platform
internal import ResultStore
internal import Serving

/// `/v1/me`, `/v1/users` and `/v1/playlists`: playlists and saved tracks, albums and artists in the form of Spotify's
/// Web API (https://developer.spotify.com/documentation/web-api).
struct PlaylistRoutes: RouteSet {
  let spotify: SpotifyRoutes

  var api: API { spotify.api }

  private var store: ResultStore { spotify.store }

  var routes: [Route] {
    people
    saved
    library
    playlists
    for name in ["tracks", "items"] { items(at: "playlists/{id}/\(name)") }
  }

  // MARK: People

  @RouteBuilder private var people: [Route] {
    spotify.read("me", "The server's user", answers: .privateUser) { request, _ in Linked(ServerUser.id, request.links)
    }
    spotify.read("users/{id}", "The server's user", answers: .user) { request, id in
      try Self.requireUser(id)
      return Linked(ServerUser.id, request.links)
    }
    spotify.read(
      "me/playlists", "The playlists that the user made", SpotifyRequest.page, answers: .playlistPage
    ) { request, _ in try playlists(request, "me") }
    spotify.read(
      "users/{id}/playlists", "The playlists that the user made", SpotifyRequest.page, answers: .playlistPage
    ) { request, id in
      try Self.requireUser(id)
      return try playlists(request, "users/\(id)")
    }
    let made = RouteAnswer.json(.playlist, .created)
    spotify.change(
      .post, "me/playlists", "Make a playlist", body: Self.description, answers: [made]
    ) { try create($0) }
    spotify.change(.post, "users/{id}/playlists", "Make a playlist", body: Self.description, answers: [made]) {
      try Self.requireUser($0.id)
      return try create($0)
    }
  }

  private static let description: [RouteParameter] = [.text("name"), .text("description"), .of("public", .flag)]

  private static func requireUser(_ id: String) throws {
    guard id == ServerUser.id else { throw RequestError(.notFound, "The only user here is \(ServerUser.id).") }
  }

  private func playlists(
    _ request: SpotifyRequest, _ owner: String
  ) throws -> SpotifyPage<Linked<SpotifyPlaylist>> {
    let page = try request.page()
    let playlists = try store.playlists(limit: page.limit, offset: page.offset)
    return request.links.page(
      try playlists.map { Linked(SpotifyPlaylist($0, cover: try cover($0)), request.links) }, page,
      total: try store.playlistCount(), "\(owner)/playlists")
  }

  private func create(_ change: SpotifyChange) throws -> Response {
    guard let name = change.text("name"), !name.isEmpty else {
      throw RequestError(.badRequest, "A playlist needs a name.")
    }
    let playlist = try store.createPlaylist(
      named: name, description: change.text("description"), isPublic: change.flag("public") ?? true)
    return JSONType.playlist.response(
      Linked(SpotifyPlaylist(playlist, cover: nil), change.request.links), status: .created)
  }

  // MARK: Saved tracks and albums

  @RouteBuilder private var saved: [Route] {
    spotify.read(
      "me/tracks", "The saved tracks, the newest first", SpotifyRequest.page,
      answers: .page("SavedTrackPage", .savedTrack)
    ) { request, _ in
      let page = try request.page()
      let items = try items(store.savedTracks(limit: page.limit, offset: page.offset))
      return request.links.page(
        items.map { Linked($0, request.links) }, page, total: try store.savedTrackCount(), "me/tracks")
    }
    spotify.change(.put, "me/tracks", "Save tracks", [.text("ids")], body: [.texts("ids")]) {
      try store.save(songs($0.ids()).map { TrackReference($0.row) })
      return Response(status: .ok)
    }
    spotify.change(
      .delete, "me/tracks", "Remove saved tracks", [.text("ids")], body: [.texts("ids")]
    ) {
      try store.unsave(files: songs($0.ids()).map(\.row.fileID))
      return Response(status: .ok)
    }
    spotify.read("me/tracks/contains", "Which of the given tracks are saved", SpotifyRequest.ids, answers: .list(.flag))
    {
      request, _ in
      let songs = try store.songs(ids: request.ids(max: 50))
      let saved = try store.savedDates(ofFiles: songs.compactMap { $0?.row.fileID })
      return songs.map { $0.map { saved[$0.row.fileID] != nil } ?? false }
    }
    spotify.read(
      "me/albums", "The saved albums", SpotifyRequest.page, answers: .page("SavedAlbumPage", .savedAlbum)
    ) { request, _ in
      let page = try request.page()
      let saved = try store.saved(.album)
      let all = zip(try store.releases(ids: saved.map(\.id)), saved).compactMap { album, saved in
        album.map { (album: $0, saved: saved.saved) }
      }
      let shown = try all.dropFirst(page.offset).prefix(page.limit).map { item in
        (
          saved: item.saved,
          album: LinkedAlbum(item.album, tracks: try store.songs(ofRelease: item.album.id, limit: 50), request.links)
        )
      }
      return request.links.page(shown, page, total: all.count, "me/albums")
    }
    spotify.change(.put, "me/albums", "Save albums", [.text("ids")], body: [.texts("ids")]) {
      try store.save(.album, ids: albums($0.ids()))
      return Response(status: .ok)
    }
    spotify.change(
      .delete, "me/albums", "Remove saved albums", [.text("ids")], body: [.texts("ids")]
    ) {
      try store.unsave(.album, ids: $0.ids())
      return Response(status: .ok)
    }
    spotify.read("me/albums/contains", "Which of the given albums are saved", SpotifyRequest.ids, answers: .list(.flag))
    {
      request, _ in
      let saved = Set(try store.saved(.album).map(\.id))
      return try request.ids(max: 50).map(saved.contains)
    }
  }

  /// Saves and removes tracks, albums and artists by URI, and deletes playlists. Spotify's API has had these routes
  /// since 2026.
  @RouteBuilder private var library: [Route] {
    spotify.change(
      .put, "me/library", "Save tracks, albums and artists", [Self.uris], body: [.texts("uris")]
    ) {
      let items = try items($0.uris("uris"))
      try store.save(items.songs.map { TrackReference($0.row) })
      try store.save(.album, ids: items.albums)
      try store.save(.artist, ids: items.artists)
      return Response(status: .ok)
    }
    spotify.change(
      .delete, "me/library", "Remove saved tracks, albums and artists; delete playlists", [Self.uris],
      body: [.texts("uris")]
    ) {
      let items = try items($0.uris("uris"))
      try store.unsave(files: items.songs.map(\.row.fileID))
      try store.unsave(.album, ids: items.albums)
      try store.unsave(.artist, ids: items.artists)
      for id in items.playlists { try store.deletePlaylist(id: id) }
      return Response(status: .ok)
    }
    spotify.change(
      .get, "me/library/contains", "Which of the given items are saved", [Self.uris.required],
      answers: [.json(.list(.flag))]
    ) {
      let ids = try $0.uris("uris")
      let songs = try store.songs(ids: ids)
      let saved = try store.savedDates(ofFiles: songs.compactMap { $0?.row.fileID })
      let others = Set(try (store.saved(.album) + store.saved(.artist)).map(\.id))
      return JSONType.list(.flag).response(
        try zip(ids, songs).map { id, song in
          if let song { return saved[song.row.fileID] != nil }
          return try others.contains(id) || store.playlist(id: id) != nil
        })
    }
  }

  private static let uris = RouteParameter.text("uris")

  private struct Items {
    var songs: [Song] = []
    var albums: [String] = []
    var artists: [String] = []
    var playlists: [String] = []
  }

  private func items(_ ids: [String]) throws -> Items {
    var items = Items()
    for id in ids {
      if let song = try store.song(id: id) {
        items.songs.append(song)
      } else if try store.album(id: id) != nil {
        items.albums.append(id)
      } else if try store.artist(id: id) != nil {
        items.artists.append(id)
      } else if try store.playlist(id: id) != nil {
        items.playlists.append(id)
      } else {
        throw RequestError(.notFound, "Nothing in the library has the id \(id).")
      }
    }
    return items
  }

  private func songs(_ ids: [String]) throws -> [Song] {
    try store.songs(ids: ids).map { song in
      guard let song else { throw RequestError(.notFound, "There is no track with one of these ids.") }
      return song
    }
  }

  private func albums(_ ids: [String]) throws -> [String] {
    try store.releases(ids: ids).map { album in
      guard let album else { throw RequestError(.notFound, "There is no album with one of these ids.") }
      return album.id
    }
  }

  // MARK: Playlists

  @RouteBuilder private var playlists: [Route] {
    let type = JSONType<Linked<SpotifyPlaylist>>.playlist
    spotify.read(
      "playlists/{id}", "A playlist with its first 100 tracks", [SpotifyRequest.fields],
      answers: [.json(type)]
    ) { request, id in
      let (playlist, items) = try playlist(id, Page(limit: 100, offset: 0))
      let shown = SpotifyPlaylist(playlist, cover: items.lazy.compactMap(\.song?.id).first, items)
      return try request.selected(type, Linked(shown, request.links))
    }
    spotify.change(
      .put, "playlists/{id}", "Change the name, description and visibility of a playlist", body: Self.description
    ) {
      try store.describePlaylist(
        id: $0.id, name: $0.text("name").flatMap { $0.isEmpty ? nil : $0 }, description: $0.text("description"),
        isPublic: $0.flag("public"))
      return Response(status: .ok)
    }
    spotify.read("playlists/{id}/images", "The cover of a playlist's first track", answers: .list(.image)) {
      request, id in
      let (_, items) = try playlist(id, Page(limit: 100, offset: 0))
      return request.links.images(items.lazy.compactMap(\.song?.id).first)
    }
    spotify.read(
      "playlists/{id}/followers/contains", "Whether users follow a playlist", SpotifyRequest.ids, answers: .list(.flag)
    ) { request, id in
      _ = try playlist(id, Page(limit: 0, offset: 0))
      // The user follows all playlists.
      return request.list("ids").map { $0 == ServerUser.id }
    }
    spotify.change(
      .put, "playlists/{id}/followers", "No effect: the user follows all playlists"
    ) {
      _ = try playlist($0.id, Page(limit: 0, offset: 0))
      return Response(status: .ok)
    }
    spotify.change(.delete, "playlists/{id}/followers", "Delete a playlist") {
      guard try store.deletePlaylist(id: $0.id) else { throw PlaylistEditError.noSuchPlaylist }
      return Response(status: .ok)
    }
    spotify.read(
      "playlists/{id}/m3u8", "A playlist as a file for players", type: "application/vnd.apple.mpegurl"
    ) { _, id in
      let (playlist, items) = try playlist(id, Page(limit: .max, offset: 0))
      let disposition =
        "attachment; filename=\"playlist.m3u8\"; filename*=UTF-8''\(PercentEncoding.encoded(playlist.name.utf8)).m3u8"
      return Response(
        status: .ok,
        headers: [
          .contentType: "application/vnd.apple.mpegurl", .contentDisposition: disposition, .cacheControl: "no-store",
        ],
        body: ResponseBody(byteBuffer: ByteBuffer(bytes: items.compactMap(\.song).m3uFile)))
    }
  }

  /// Returns a playlist that a person has created, or one that is generated from the library, with a page of its
  /// tracks.
  private func playlist(_ id: String, _ page: Page) throws -> (Playlist, [PlaylistItem]) {
    if let playlist = try store.playlist(id: id) {
      return (playlist, try items(store.playlistTracks(id: id, limit: page.limit, offset: page.offset)))
    }
    guard let made = try spotify.generated.playlist(id: id) else { throw PlaylistEditError.noSuchPlaylist }
    let songs = try spotify.generated.songs(ofPlaylist: id, limit: page.limit, offset: page.offset)
    let albums = try spotify.albums(of: songs)
    // A track in a generated playlist counts as added when its file was added.
    return (made.asPlaylist, songs.map { PlaylistItem(added: $0.row.added, song: $0, album: albums($0)) })
  }

  private func items(_ tracks: [ReferencedTrack]) throws -> [PlaylistItem] {
    let songs = try store.songs(ofFiles: tracks.compactMap(\.fileID))
    let albums = try spotify.albums(of: songs)
    let known = Dictionary(songs.map { ($0.row.fileID, $0) }) { first, _ in first }
    return tracks.map { track in
      let song = track.fileID.flatMap { known[$0] }
      return PlaylistItem(added: track.added, song: song, album: song.flatMap(albums))
    }
  }

  /// Returns the id of the first track that still exists among the first 20 of a playlist; `nil` if there is none.
  private func cover(_ playlist: Playlist) throws -> String? {
    let files = try store.playlistTracks(id: playlist.id, limit: 20).compactMap(\.fileID)
    return try store.songs(ofFiles: Array(files.prefix(1))).first?.id
  }

  // MARK: Tracks of playlists

  @RouteBuilder private func items(at path: String) -> [Route] {
    let type = JSONType<SpotifyPage<Linked<PlaylistItem>>>.playlistItems
    spotify.read(
      path, "The tracks of a playlist", SpotifyRequest.pageParameters(max: 100) + [SpotifyRequest.fields],
      answers: [.json(type)]
    ) { request, id in
      let page = try request.page(standard: 100, max: 100)
      let (playlist, items) = try playlist(id, page)
      return try request.selected(
        type,
        request.links.page(
          items.map { Linked($0, request.links) }, page, total: playlist.trackCount, "playlists/\(id)/tracks"))
    }
    spotify.change(
      .post, path, "Add tracks to a playlist", [Self.uris, .integer("position", 0...1_000_000)],
      body: [.texts("uris"), .of("position", .place)], answers: [.json(.snapshot, .created)]
    ) {
      let tracks = try songs($0.uris("uris")).map { TrackReference($0.row) }
      return Self.snapshot(
        try store.editPlaylist(id: $0.id, .insert(tracks, at: $0.integer("position"))), status: .created)
    }
    spotify.change(
      .put, path, "Replace the tracks of a playlist, or move some of them", [Self.uris],
      body: [
        .texts("uris"), .of("range_start", .place), .of("insert_before", .place), .of("range_length", .place),
        .text("snapshot_id"),
      ], answers: [.json(.snapshot), .json(.snapshot, .created)]
    ) {
      if let start = try $0.integer("range_start") {
        let target = try $0.integer("insert_before") ?? start
        let snapshot = try SnapshotID.number($0.text("snapshot_id"), of: $0.id)
        let move = PlaylistEdit.move(start: start, count: try $0.integer("range_length") ?? 1, target: target)
        return Self.snapshot(try store.editPlaylist(id: $0.id, snapshot: snapshot, move))
      }
      let tracks = try songs($0.uris("uris")).map { TrackReference($0.row) }
      return Self.snapshot(try store.editPlaylist(id: $0.id, .replace(tracks)), status: .created)
    }
    spotify.change(
      .delete, path, "Remove tracks from a playlist",
      body: [.of("tracks", .list(.removedTrack)), .text("snapshot_id")],
      answers: [.json(.snapshot)]
    ) { change in
      let snapshot = try SnapshotID.number(change.text("snapshot_id"), of: change.id)
      let wanted = try change.removedTracks()
      let songs = try songs(wanted.map(\.id))
      var removed: [Int64: Set<Int>?] = [:]
      for (song, track) in zip(songs, wanted) {
        if let positions = track.positions {
          removed.updateValue((removed[song.row.fileID] ?? []).map { $0.union(positions) }, forKey: song.row.fileID)
        } else {
          removed.updateValue(nil, forKey: song.row.fileID)
        }
      }
      return Self.snapshot(try store.editPlaylist(id: change.id, snapshot: snapshot, .removeTracks(removed)))
    }
  }

  private static func snapshot(_ playlist: Playlist, status: HTTPResponse.Status = .ok) -> Response {
    JSONType.snapshot.response(SnapshotID.text(playlist), status: status)
  }
}

extension JSONType<String> {
  fileprivate static var snapshot: Self { .only("snapshot_id", .text, as: "Snapshot") }
}

extension JSONType where Value == (saved: Timestamp, album: LinkedAlbum) {
  fileprivate static var savedAlbum: Self {
    .object(
      "SavedAlbum",
      .required("added_at", .text) { $0.saved.inSeconds }, .required("album", .album) { $0.album })
  }
}
