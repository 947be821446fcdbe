internal import HTTPTypes
internal import Hummingbird
internal import LibraryStore
internal import NIOCore
internal import ResultStore
internal import Serving
internal import Text

/// `/v1/me`, `/v1/users` and `/v1/playlists`: playlists and saved tracks in the shape of Spotify's Web API
/// (https://developer.spotify.com/documentation/web-api).
struct PlaylistRoutes: RouteSet {
  let catalog: CatalogRoutes

  var api: API { catalog.api }

  private var store: ResultStore { catalog.store }

  var routes: [Route] {
    people
    saved
    library
    playlists
    for name in ["tracks", "items"] { items(at: "playlists/{id}/\(name)") }
  }

  // MARK: People

  @RouteBuilder private var people: [Route] {
    catalog.read("me", "The one user", answers: "PrivateUser") { request, _ in
      Response.json { request.json.user(isOwn: true, &$0) }
    }
    catalog.read("users/{id}", "The one user", answers: "User") { request, id in
      try Self.requireUser(id)
      return Response.json { request.json.user(&$0) }
    }
    catalog.read(
      "me/playlists", "The playlists that people made", CatalogRequest.page, answers: "PlaylistPage"
    ) { request, _ in try playlists(request, "me") }
    catalog.read("users/{id}/playlists", "The same", CatalogRequest.page, answers: "PlaylistPage") { request, id in
      try Self.requireUser(id)
      return try playlists(request, "users/\(id)")
    }
    catalog.change(
      .post, "me/playlists", "Make a playlist", body: Self.description, answers: "201 Playlist"
    ) { try create($0) }
    catalog.change(
      .post, "users/{id}/playlists", "Make a playlist", body: Self.description, answers: "201 Playlist"
    ) {
      try Self.requireUser($0.id)
      return try create($0)
    }
  }

  private static let description: [RouteParameter] = [.text("name"), .text("description"), .of("public", .flag)]

  private static func requireUser(_ id: String) throws {
    guard id == ServerUser.id else { throw RequestError(.notFound, "The one user here is \(ServerUser.id).") }
  }

  private func playlists(_ request: CatalogRequest, _ owner: String) throws -> Response {
    let page = try request.page()
    let playlists = try store.playlists(limit: page.limit, offset: page.offset)
    let covers = try playlists.map(cover)
    let total = try store.playlistCount()
    return Response.json { json in
      request.json.page(
        Array(zip(playlists, covers)), page, total: total, "\(request.base)/v1/\(owner)/playlists", [], &json
      ) { request.json.playlist($1.0, cover: $1.1, &$0) }
    }
  }

  private func create(_ change: CatalogChange) throws -> Response {
    guard let name = change.text("name"), !name.isEmpty else {
      throw RequestError(.badRequest, "A playlist needs a name.")
    }
    let playlist = try store.createPlaylist(
      named: name, description: change.text("description"), isPublic: change.flag("public") ?? true)
    return Response.json(status: .created) {
      change.request.json.playlist(playlist, cover: nil, [], Page(limit: 100, offset: 0), &$0)
    }
  }

  // MARK: Saved tracks and albums

  @RouteBuilder private var saved: [Route] {
    catalog.read(
      "me/tracks", "The saved tracks, the newest first", CatalogRequest.page, answers: "SavedTrackPage"
    ) { request, _ in
      let page = try request.page()
      let tracks = try store.savedTracks(limit: page.limit, offset: page.offset)
      let (items, total) = try (items(tracks), store.savedTrackCount())
      return Response.json { json in
        request.json.page(items, page, total: total, "\(request.base)/v1/me/tracks", [], &json) { json, item in
          json.object { json in
            json.put("added_at", item.added.map { CatalogJSON.time($0) })
            json.key("track")
            if let song = item.song { request.json.track(song, album: .some(item.album), &json) } else { json.null() }
          }
        }
      }
    }
    catalog.change(.put, "me/tracks", "Save tracks", [.text("ids")], body: [.texts("ids")], answers: "200") {
      try store.save(songs($0.ids()).map { TrackReference($0.row) })
      return Response(status: .ok)
    }
    catalog.change(
      .delete, "me/tracks", "Save tracks no longer", [.text("ids")], body: [.texts("ids")], answers: "200"
    ) {
      try store.unsave(files: songs($0.ids()).map(\.row.fileID))
      return Response(status: .ok)
    }
    catalog.read("me/tracks/contains", "Which tracks are saved", CatalogRequest.ids, answers: "[flag]") { request, _ in
      let songs = try store.songs(ids: request.ids(most: 50))
      let saved = try store.savedDates(ofFiles: songs.compactMap { $0?.row.fileID })
      return Self.flags(songs.map { $0.map { saved[$0.row.fileID] != nil } ?? false })
    }
    catalog.read("me/albums", "The saved albums", CatalogRequest.page, answers: "SavedAlbumPage") { request, _ in
      let page = try request.page()
      let saved = try store.saved(.album)
      let all = zip(try store.releases(ids: saved.map(\.id)), saved).compactMap { album, saved in
        album.map { ($0, saved) }
      }
      let shown = Array(all.dropFirst(page.offset).prefix(page.limit))
      let tracks = try shown.map { try store.songs(ofRelease: $0.0.id, limit: 50) }
      return Response.json { json in
        request.json.page(
          Array(zip(shown, tracks)), page, total: all.count, "\(request.base)/v1/me/albums", [], &json
        ) { json, item in
          json.object { json in
            json.put("added_at", CatalogJSON.time(item.0.1.saved))
            json.key("album")
            request.json.album(item.0.0, tracks: item.1, &json)
          }
        }
      }
    }
    catalog.change(.put, "me/albums", "Save albums", [.text("ids")], body: [.texts("ids")], answers: "200") {
      try store.save(.album, ids: albums($0.ids()))
      return Response(status: .ok)
    }
    catalog.change(
      .delete, "me/albums", "Save albums no longer", [.text("ids")], body: [.texts("ids")], answers: "200"
    ) {
      try store.unsave(.album, ids: $0.ids())
      return Response(status: .ok)
    }
    catalog.read("me/albums/contains", "Which albums are saved", CatalogRequest.ids, answers: "[flag]") { request, _ in
      let saved = Set(try store.saved(.album).map(\.id))
      return Self.flags(try request.ids(most: 50).map(saved.contains))
    }
  }

  /// Tracks, albums, artists and playlists alike, by their URIs, as the API has it since 2026.
  @RouteBuilder private var library: [Route] {
    catalog.change(
      .put, "me/library", "Save tracks, albums and artists", [Self.uris], body: [.texts("uris")], answers: "200"
    ) {
      let items = try items($0.uris("uris"))
      try store.save(items.songs.map { TrackReference($0.row) })
      try store.save(.album, ids: items.albums)
      try store.save(.artist, ids: items.artists)
      return Response(status: .ok)
    }
    catalog.change(
      .delete, "me/library", "Save them no longer; a playlist is deleted", [Self.uris], body: [.texts("uris")],
      answers: "200"
    ) {
      let items = try items($0.uris("uris"))
      try store.unsave(files: items.songs.map(\.row.fileID))
      try store.unsave(.album, ids: items.albums)
      try store.unsave(.artist, ids: items.artists)
      for id in items.playlists { try store.deletePlaylist(id: id) }
      return Response(status: .ok)
    }
    catalog.change(
      .get, "me/library/contains", "Which of them are saved", [Self.uris.required], answers: "[flag]"
    ) {
      let ids = try $0.uris("uris")
      let songs = try store.songs(ids: ids)
      let saved = try store.savedDates(ofFiles: songs.compactMap { $0?.row.fileID })
      let others = Set(try (store.saved(.album) + store.saved(.artist)).map(\.id))
      return try Self.flags(
        zip(ids, songs).map { id, song in
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

  private static func flags(_ flags: [Bool]) -> Response { Response.json(.array(flags.map { .bool($0) })) }

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
    catalog.read(
      "playlists/{id}", "A playlist with its first 100 tracks", [CatalogRequest.fields], answers: "Playlist"
    ) { request, id in
      let page = Page(limit: 100, offset: 0)
      let (playlist, items) = try playlist(id, page)
      let cover = items.lazy.compactMap(\.song?.id).first
      return try request.selected { request.json.playlist(playlist, cover: cover, items, page, &$0) }
    }
    catalog.change(
      .put, "playlists/{id}", "Change name, description and visibility", body: Self.description, answers: "200"
    ) {
      try store.describePlaylist(
        id: $0.id, name: $0.text("name").flatMap { $0.isEmpty ? nil : $0 }, description: $0.text("description"),
        isPublic: $0.flag("public"))
      return Response(status: .ok)
    }
    catalog.read("playlists/{id}/images", "The cover of its first track", answers: "[Image]") { request, id in
      let (_, items) = try playlist(id, Page(limit: 100, offset: 0))
      let cover = items.lazy.compactMap(\.song?.id).first
      return Response.json { request.json.imageList(cover, &$0) }
    }
    catalog.read(
      "playlists/{id}/followers/contains", "Whether users follow a playlist", CatalogRequest.ids, answers: "[flag]"
    ) { request, id in
      _ = try playlist(id, Page(limit: 0, offset: 0))
      // Whoever is here follows all playlists.
      return Self.flags(request.list("ids").map { $0 == ServerUser.id })
    }
    catalog.change(
      .put, "playlists/{id}/followers", "Nothing changes: whoever is here follows all playlists", answers: "200"
    ) {
      _ = try playlist($0.id, Page(limit: 0, offset: 0))
      return Response(status: .ok)
    }
    catalog.change(.delete, "playlists/{id}/followers", "Delete a playlist", answers: "200") {
      guard try store.deletePlaylist(id: $0.id) else { throw PlaylistEditError.noSuchPlaylist }
      return Response(status: .ok)
    }
    catalog.read(
      "playlists/{id}/m3u8", "A playlist as a file for players", type: "application/vnd.apple.mpegurl"
    ) { _, id in
      let (playlist, items) = try playlist(id, Page(limit: .max, offset: 0))
      let disposition =
        "attachment; filename=\"playlist.m3u8\"; filename*=UTF-8''\(HeaderText.percentEncoded(playlist.name)).m3u8"
      return Response(
        status: .ok,
        headers: [
          .contentType: "application/vnd.apple.mpegurl", .contentDisposition: disposition, .cacheControl: "no-store",
        ],
        body: ResponseBody(byteBuffer: ByteBuffer(bytes: items.compactMap(\.song).m3uFile)))
    }
  }

  /// One that a person has made, or one that is made from the library.
  private func playlist(_ id: String, _ page: Page) throws -> (Playlist, [PlaylistItem]) {
    if let playlist = try store.playlist(id: id) {
      return (playlist, try items(store.playlistTracks(id: id, limit: page.limit, offset: page.offset)))
    }
    guard let made = try catalog.generated.playlist(id: id) else { throw PlaylistEditError.noSuchPlaylist }
    let songs = try catalog.generated.songs(ofPlaylist: id, limit: page.limit, offset: page.offset)
    let albums = try catalog.albums(of: songs)
    let playlist = Playlist(
      id: made.id, name: made.name, description: made.description, isPublic: true, trackCount: made.trackCount)
    // Nobody added them; they came with their files.
    return (playlist, songs.map { PlaylistItem(added: $0.row.added, song: $0, album: albums($0)) })
  }

  private func items(_ tracks: [ReferencedTrack]) throws -> [PlaylistItem] {
    let songs = try store.songs(ofFiles: tracks.compactMap(\.fileID))
    let albums = try catalog.albums(of: songs)
    let known = Dictionary(songs.map { ($0.row.fileID, $0) }) { first, _ in first }
    return tracks.map { track in
      let song = track.fileID.flatMap { known[$0] }
      return PlaylistItem(added: track.added, song: song, album: song.flatMap(albums))
    }
  }

  /// Id of the first track that is there.
  private func cover(_ playlist: Playlist) throws -> String? {
    let files = try store.playlistTracks(id: playlist.id, limit: 20).compactMap(\.fileID)
    return try store.songs(ofFiles: Array(files.prefix(1))).first?.id
  }

  // MARK: Tracks of playlists

  @RouteBuilder private func items(at path: String) -> [Route] {
    catalog.read(
      path, "The tracks of a playlist", CatalogRequest.pageParameters(most: 100) + [CatalogRequest.fields],
      answers: "PlaylistItemPage"
    ) { request, id in
      let page = try request.page(standard: 100, most: 100)
      let (playlist, items) = try playlist(id, page)
      return try request.selected { json in
        request.json.page(
          items, page, total: playlist.trackCount, "\(request.base)/v1/playlists/\(id)/tracks", [], &json
        ) { request.json.item($1, &$0) }
      }
    }
    catalog.change(
      .post, path, "Add tracks", [Self.uris, .integer("position", 0...1_000_000)],
      body: [.texts("uris"), .of("position", .place)], answers: "201 Snapshot"
    ) {
      let tracks = try songs($0.uris("uris")).map { TrackReference($0.row) }
      return Self.snapshot(
        try store.editPlaylist(id: $0.id, .insert(tracks, at: $0.integer("position"))), status: .created)
    }
    catalog.change(
      .put, path, "Replace the tracks, or move some of them", [Self.uris],
      body: [
        .texts("uris"), .of("range_start", .place), .of("insert_before", .place), .of("range_length", .place),
        .text("snapshot_id"),
      ], answers: "200 Snapshot | 201 Snapshot"
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
    catalog.change(
      .delete, path, "Remove tracks", body: [.of("tracks", .list(.removedTrack)), .text("snapshot_id")], answers: "Snapshot"
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
    Response.json(status: status, ["snapshot_id": .string(SnapshotID.text(playlist))])
  }
}
