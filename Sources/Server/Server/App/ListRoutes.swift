internal import Analysis
internal import HTTPTypes
internal import Hummingbird
internal import LibraryStore
internal import Platform
internal import Serving
internal import SystemPackage
internal import Text

/// Routes for the playlists of the app.
struct ListRoutes: AppRouteSet {
  let library: AppLibrary

  var routes: [Route] {
    answer(
      .get, "playlists", "Playlists",
      answers: .only("items", .list(.appPlaylist), as: "AppPlaylists")
    ) { _ in try library.store.playlists().map { ListRow($0) } }
    answer(
      .post, "playlists", "Make a playlist", body: [.text("name"), .texts("tracks")], answers: .playlistPage,
      status: .created, .writing
    ) { request in try create(request.body) }
    answer(.get, "playlists/{id}", "A playlist and its tracks", answers: .playlistPage) { request in
      guard let playlist = try library.store.playlist(id: request.id) else { throw PlaylistEditError.noSuchPlaylist }
      return try page(playlist)
    }
    route(.get, "playlists/{id}.m3u8", "A playlist as a file for players", type: "audio/x-mpegurl") { _, context in
      try await PlaylistFile(library: library).answer(context.parameters.require("id"))
    }
    answer(
      .put, "playlists/{id}", "Change the name and description of a playlist",
      body: [.text("name"), .text("description")],
      answers: .change, .writing
    ) { request in try describe(request.id, request.body) }
    answer(.delete, "playlists/{id}", "Delete a playlist", answers: [.empty(.noContent)], .writing) { request in
      guard try library.store.deletePlaylist(id: request.id) else { throw PlaylistEditError.noSuchPlaylist }
      return Response(status: .noContent)
    }
    answer(
      .post, "playlists/{id}/entries", "Add tracks to a playlist",
      body: [.texts("tracks"), .of("position", .place), .text("snapshot")], answers: .change, .writing
    ) { request in
      try edit(request, .insert(try references(request.body), at: try Self.place("position", request.body)))
    }
    answer(
      .delete, "playlists/{id}/entries", "Remove the tracks at given positions from a playlist",
      body: [.of("positions", .list(.place)), .text("snapshot")], answers: .change, .writing
    ) { request in
      guard case .array(let values)? = request.body["positions"] else {
        throw Self.invalid("positions expects a list of whole numbers, from 0.")
      }
      let positions = try values.map { value in
        guard case .integer(let place) = value, place >= 0 else {
          throw Self.invalid("positions expects a list of whole numbers, from 0.")
        }
        return Int(place)
      }
      return try edit(request, .remove(positions: Set(positions)))
    }
    answer(
      .put, "playlists/{id}/order", "Move tracks within a playlist",
      body: [.of("start", .place), .of("length", .place), .of("before", .place), .text("snapshot")], answers: .change,
      .writing
    ) { request in
      guard let start = try Self.place("start", request.body), let target = try Self.place("before", request.body)
      else { throw Self.invalid("start and before expect whole numbers, from 0.") }
      return try edit(
        request, .move(start: start, count: try Self.place("length", request.body) ?? 1, target: target))
    }
  }

  private func page(_ playlist: Playlist) throws -> PlaylistPage {
    let entries = try library.store.playlistTracks(id: playlist.id)
    let files = entries.compactMap(\.fileID)
    let songs = Dictionary(
      try library.store.songs(ofFiles: files, includesFailed: true).map { ($0.row.fileID, $0) },
      uniquingKeysWith: { first, _ in first })
    return PlaylistPage(
      playlist: ListRow(playlist),
      entries: entries.enumerated().map { index, entry in
        (index, entry.fileID.flatMap { songs[$0] }.map { ListRow($0) }, entry)
      })
  }

  // MARK: Changing

  private func create(_ body: [String: JSONValue]) throws -> PlaylistPage {
    guard case .string(let name)? = body["name"], name.contains(where: { !$0.isWhitespace }) else {
      throw Self.invalid("name expects the name of the playlist.")
    }
    let tracks = body["tracks"] == nil ? [] : try references(body)
    return try page(try library.store.createPlaylist(named: name, tracks: tracks))
  }

  private func describe(_ id: String, _ body: [String: JSONValue]) throws -> ListRow<Playlist> {
    func text(_ name: String) throws -> String? {
      switch body[name] {
      case nil, .null?: nil
      case .string(let text)?: text
      default: throw Self.invalid("\(name) expects a string.")
      }
    }
    let (name, description) = (try text("name"), try text("description"))
    if let name, name.allSatisfy(\.isWhitespace) { throw Self.invalid("A playlist needs a name.") }
    return ListRow(try library.store.describePlaylist(id: id, name: name, description: description))
  }

  private func edit(_ request: AppRequest, _ edit: PlaylistEdit) throws -> ListRow<Playlist> {
    var snapshot: Int?
    switch request.body["snapshot"] {
    case nil, .null?: break
    case .string(let text)?:
      guard let number = Int(text) else { fallthrough }
      snapshot = number
    default: throw Self.invalid("snapshot expects the value from an earlier answer.")
    }
    return ListRow(try library.store.editPlaylist(id: request.id, snapshot: snapshot, edit))
  }

  /// Returns the tracks that a request body names.
  private func references(_ body: [String: JSONValue]) throws -> [TrackReference] {
    guard case .array(let values)? = body["tracks"], values.count <= 1000 else {
      throw Self.invalid("tracks expects a list of at most 1000 ids.")
    }
    let ids = values.compactMap { if case .string(let id) = $0 { id } else { nil } }
    guard ids.count == values.count else { throw Self.invalid("tracks expects a list of ids.") }
    return try library.store.songs(ids: ids).map { song in
      guard let song else { throw RequestError(.notFound, "One of the tracks is not in the library.") }
      return TrackReference(song.row)
    }
  }

  private static func place(_ name: String, _ body: [String: JSONValue]) throws -> Int? {
    switch body[name] {
    case nil, .null?: return nil
    case .integer(let place)?:
      guard place >= 0, place <= 1_000_000 else { fallthrough }
      return Int(place)
    default: throw invalid("\(name) expects a whole number, from 0.")
    }
  }

  private static func invalid(_ sentence: String) -> RequestError { RequestError(.unprocessableContent, sentence) }
}

extension JSONType<ListRow<Playlist>> {
  static var appPlaylist: Self {
    .object(
      "AppPlaylist", .required("id", .text) { $0.value.id }, .required("name", .text) { $0.value.name },
      .optional("description", .text) { $0.value.description }, .required("tracks", .integer) { $0.value.trackCount },
      .optional("duration_s", .number) { _ in nil }, .required("changed_at", .time) { $0.value.changed },
      .required("snapshot", .text) { String($0.value.snapshot) }, .marks(["name": { $0.name }]))
  }

  fileprivate static var change: Self { .only("playlist", .appPlaylist, as: "AppPlaylistChange") }
}

private struct PlaylistPage {
  var playlist: ListRow<Playlist>
  var entries: [(entry: Int, track: ListRow<Song>?, reference: ReferencedTrack)]
}

extension JSONType<PlaylistPage> {
  fileprivate static var playlistPage: Self {
    let entry = JSONType<(entry: Int, track: ListRow<Song>?, reference: ReferencedTrack)>.object(
      "AppPlaylistEntry", .required("entry", .integer) { $0.entry }, .optional("track", .appTrack) { $0.track },
      .required("added_at", .time) { $0.reference.added },
      .optional("text", .text) {
        $0.reference.reference.path.lastComponent.map { DisplayPath.text(of: FilePath($0.string)) }
      })
    return .object(
      "AppPlaylistPage",
      .required("playlist", .appPlaylist) { $0.playlist }, .required("entries", .list(entry)) { $0.entries })
  }
}
