internal import Analysis
internal import HTTPTypes
internal import Hummingbird
internal import LibraryStore
internal import NIOCore
internal import Platform
internal import Serving
internal import SystemPackage
internal import Text

/// Playlists, as the app makes and changes them.
struct ListRoutes: RouteSet {
  let api = API.app
  let library: AppLibrary

  var routes: [Route] {
    route(.get, "playlists", "Playlists", answers: "AppPlaylists") { _, _ in
      try await library.services.reading {
        let playlists = try library.store.playlists()
        return Response.json { json in json.object { $0.putList("items", playlists) { $1.write(into: &$0) } } }
      }
    }
    route(
      .post, "playlists", "Make a playlist", body: .json("name?: text, tracks?: [text]"),
      answers: "201 AppPlaylistPage"
    ) { request, _ in try await create(request.jsonObject()) }
    route(.get, "playlists/{id}", "A playlist and its tracks", answers: "AppPlaylistPage") { _, context in
      try await show(context.parameters.require("id"))
    }
    route(.get, "playlists/{id}.m3u8", "A playlist as a file for players", type: "audio/x-mpegurl") { _, context in
      try await PlaylistFile(library: library).answer(context.parameters.require("id"))
    }
    route(
      .put, "playlists/{id}", "Change name and description", body: .json("name?: text, description?: text"),
      answers: "AppPlaylistChange"
    ) { request, context in
      try await describe(context.parameters.require("id"), request.jsonObject())
    }
    route(.delete, "playlists/{id}", "Delete a playlist", answers: "204") { _, context in
      let id = try context.parameters.require("id")
      return try await library.services.writing {
        guard try library.store.deletePlaylist(id: id) else { throw PlaylistEditError.noSuchPlaylist }
        return Response(status: .noContent)
      }
    }
    route(
      .post, "playlists/{id}/entries", "Add tracks",
      body: .json("tracks?: [text], position?: place, snapshot?: text"), answers: "AppPlaylistChange"
    ) { request, context in
      try await edit(context.parameters.require("id"), request.jsonObject()) { body in
        .insert(try references(body), at: try Self.place("position", body))
      }
    }
    route(
      .delete, "playlists/{id}/entries", "Remove the tracks at these places",
      body: .json("positions?: [place], snapshot?: text"), answers: "AppPlaylistChange"
    ) { request, context in
      try await edit(context.parameters.require("id"), request.jsonObject()) { body in
        guard case .array(let values)? = body["positions"] else {
          throw Self.invalid("positions expects a list of whole numbers, from 0.")
        }
        return .remove(
          positions: Set(
            try values.map { value in
              guard case .integer(let place) = value, place >= 0 else {
                throw Self.invalid("positions expects a list of whole numbers, from 0.")
              }
              return Int(place)
            }))
      }
    }
    route(
      .put, "playlists/{id}/order", "Move tracks",
      body: .json("start?: place, length?: place, before?: place, snapshot?: text"), answers: "AppPlaylistChange"
    ) { request, context in
      try await edit(context.parameters.require("id"), request.jsonObject()) { body in
        guard let start = try Self.place("start", body), let target = try Self.place("before", body) else {
          throw Self.invalid("start and before expect whole numbers, from 0.")
        }
        return .move(start: start, count: try Self.place("length", body) ?? 1, target: target)
      }
    }
  }

  // MARK: Reading

  private func show(_ id: String) async throws -> Response {
    try await library.services.reading {
      guard let playlist = try library.store.playlist(id: id) else { throw PlaylistEditError.noSuchPlaylist }
      return try answer(playlist)
    }
  }

  private func answer(_ playlist: Playlist, status: HTTPResponse.Status = .ok) throws -> Response {
    let entries = try library.store.playlistTracks(id: playlist.id)
    let files = entries.compactMap(\.fileID)
    let songs = Dictionary(
      try library.store.songs(ofFiles: files, includesFailed: true).map { ($0.row.fileID, $0) },
      uniquingKeysWith: { first, _ in first })
    return .json(status: status) { json in
      json.object { json in
        json.putObject("playlist") { playlist.write(into: &$0) }
        json.putList("entries", entries.enumerated()) { json, entry in
          json.put("entry", entry.offset)
          if let song = entry.element.fileID.flatMap({ songs[$0] }) {
            json.putObject("track") { song.write(into: &$0) }
          } else {
            json.putNull("track")
          }
          json.put("added_at", entry.element.added.description)
          json.put(
            "text", entry.element.reference.path.lastComponent.map { DisplayPath.text(of: FilePath($0.string)) })
        }
      }
    }
  }

  // MARK: Changing

  private func create(_ body: [String: JSONValue]) async throws -> Response {
    guard case .string(let name)? = body["name"], name.contains(where: { !$0.isWhitespace }) else {
      throw Self.invalid("name expects the name of the playlist.")
    }
    return try await library.services.writing {
      let tracks = body["tracks"] == nil ? [] : try references(body)
      return try answer(try library.store.createPlaylist(named: name, tracks: tracks), status: .created)
    }
  }

  private func describe(_ id: String, _ body: [String: JSONValue]) async throws -> Response {
    func text(_ name: String) throws -> String? {
      switch body[name] {
      case nil, .null?: nil
      case .string(let text)?: text
      default: throw Self.invalid("\(name) expects a text.")
      }
    }
    let (name, description) = (try text("name"), try text("description"))
    if let name, name.allSatisfy(\.isWhitespace) { throw Self.invalid("A playlist needs a name.") }
    return try await library.services.writing {
      let playlist = try library.store.describePlaylist(id: id, name: name, description: description)
      return .json { json in json.object { $0.putObject("playlist") { playlist.write(into: &$0) } } }
    }
  }

  private func edit(
    _ id: String, _ body: [String: JSONValue], _ edit: @Sendable ([String: JSONValue]) throws -> PlaylistEdit
  ) async throws -> Response {
    try await library.services.writing {
      var snapshot: Int?
      switch body["snapshot"] {
      case nil, .null?: break
      case .string(let text)?:
        guard let number = Int(text) else { fallthrough }
        snapshot = number
      default: throw Self.invalid("snapshot expects what an earlier answer has said.")
      }
      let playlist = try library.store.editPlaylist(id: id, snapshot: snapshot, edit(body))
      return .json { json in json.object { $0.putObject("playlist") { playlist.write(into: &$0) } } }
    }
  }

  /// The tracks that a body names.
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

extension Playlist {
  /// Members of an object.
  func write(into json: inout JSONWriter) {
    json.put("id", id)
    json.put("name", name)
    json.put("description", description)
    json.put("tracks", trackCount)
    json.putNull("duration_s")
    json.put("changed_at", changed.description)
    json.put("snapshot", String(snapshot))
  }
}
