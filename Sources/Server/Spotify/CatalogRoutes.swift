internal import HTTPTypes
internal import Hummingbird
internal import LibraryStore
internal import LibraryTasks
internal import NIOCore
internal import ResultStore
internal import Serving
internal import Text

/// `/v1`: the library in the shape of Spotify's Web API, for clients of it
/// (https://developer.spotify.com/documentation/web-api).
struct CatalogRoutes: RouteSet {
  let api = API(name: "library", path: "/v1")
  let services: Services
  let recommendations: Recommendations

  init(services: Services) {
    self.services = services
    recommendations = Recommendations(store: services.store, neighbors: SoundNeighbors(services.sounds))
  }

  var store: ResultStore { services.store }
  var generated: GeneratedPlaylists { services.generatedPlaylists }

  var routes: [Route] {
    read(
      "search", "Tracks, albums, artists and playlists by words and by filters such as year:, with OR and NOT",
      [.text("q").required, .text("type").required] + CatalogRequest.page, answers: "Search"
    ) { request, _ in try search(request) }
    read("tracks", "Several tracks", CatalogRequest.ids, answers: "Tracks") { request, _ in
      let songs = try store.songs(ids: request.ids(most: 50))
      return try list("tracks", songs, request)
    }
    read("tracks/{id}", "A track", answers: "Track") { request, id in
      let song = try song(id)
      let albums = try albums(of: [song])
      return Response.json { request.json.track(song, album: .some(albums(song)), &$0) }
    }
    read("albums", "Several albums", CatalogRequest.ids, answers: "Albums") { request, _ in
      let albums = try store.releases(ids: request.ids(most: 20))
      let tracks = try albums.map { album in try album.map { try store.songs(ofRelease: $0.id, limit: 50) } ?? [] }
      return Response.json { json in
        json.object { json in
          json.key("albums")
          json.beginArray()
          for (album, tracks) in zip(albums, tracks) {
            if let album { request.json.album(album, tracks: tracks, &json) } else { json.null() }
          }
          json.endArray()
        }
      }
    }
    read("albums/{id}", "An album with its first 50 tracks", answers: "Album") { request, id in
      let (album, tracks) = try album(id, Page(limit: 50, offset: 0))
      return Response.json { request.json.album(album, tracks: tracks, &$0) }
    }
    read(
      "albums/{id}/tracks", "The tracks of an album", CatalogRequest.page, answers: "SimpleTrackPage"
    ) { request, id in
      let page = try request.page()
      let (album, tracks) = try album(id, page)
      return Response.json { json in
        request.json.page(
          tracks, page, total: album.trackCount, "\(request.base)/v1/albums/\(id)/tracks", [], &json
        ) { request.json.track($1, album: nil, &$0) }
      }
    }
    artists
    sound
    browsing
  }

  typealias Answer = @Sendable (_ request: CatalogRequest, _ id: String) throws -> Response

  /// - Parameters:
  ///   - path, summary, parameters, answers, type: As `route` has them.
  ///   - takesLong: It may compute for seconds.
  ///   - answer: Gets what the path has for `{id}`, or an empty text; runs in a lane of `Services`.
  func read(
    _ path: String, _ summary: String, _ parameters: [RouteParameter] = [], answers: String = "",
    type: String = "application/json", takesLong: Bool = false, _ answer: @escaping Answer
  ) -> Route {
    route(.get, path, summary, parameters, answers: answers, type: type) { request, context in
      let asked = CatalogRequest(request, context, tokens: services.access)
      let id = context.parameters.get("id") ?? ""
      return takesLong
        ? try await services.computing { try answer(asked, id) } : try await services.reading { try answer(asked, id) }
    }
  }

  /// A request that changes something, or whose parameters may be in a body as if it did.
  /// - Parameters:
  ///   - body: Members of the body.
  ///   - answer: Writes to the store unless the method is GET; runs in a lane of `Services`.
  func change(
    _ method: HTTPRequest.Method, _ path: String, _ summary: String, _ parameters: [RouteParameter] = [],
    body: [RouteParameter]? = nil, answers: String, _ answer: @escaping @Sendable (CatalogChange) throws -> Response
  ) -> Route {
    route(
      method, path, summary, parameters, body: body.map { .json($0) }, answers: answers
    ) { request, context -> Response in
      var request = request
      let body = try await request.collectBody(upTo: CatalogChange.bodyLimit)
      let change = try CatalogChange(
        CatalogRequest(request, context, tokens: services.access), id: context.parameters.get("id") ?? "",
        body: Array(body.readableBytesView))
      return method == .get
        ? try await services.reading { try answer(change) } : try await services.writing { try answer(change) }
    }
  }

  /// A paging object of a list that has nothing.
  func emptyPage(_ request: CatalogRequest, _ path: String) throws -> Response {
    let page = try request.page()
    return Response.json { json in
      request.json.page([Int](), page, total: 0, "\(request.base)/v1/\(path)", [], &json) { $0.integer($1) }
    }
  }

  // MARK: Tracks and albums

  func song(_ id: String) throws -> Song {
    guard let song = try store.song(id: CatalogRequest.id(id)) else {
      throw RequestError(.notFound, "There is no track with this id.")
    }
    return song
  }

  /// The albums of tracks, by one look.
  func albums(of songs: [Song]) throws -> (Song) -> SongAlbum? {
    let ids = Set(songs.compactMap(\.album?.id)).sorted()
    let albums = Dictionary(try store.albums(ids: ids).compactMap(\.self).map { ($0.id, $0) }) { first, _ in first }
    return { $0.album.flatMap { albums[$0.id] } }
  }

  /// `{"name": [track, …]}`
  func list(_ name: String, _ songs: [Song?], _ request: CatalogRequest) throws -> Response {
    let albums = try albums(of: songs.compactMap(\.self))
    return Response.json { json in
      json.object { json in
        json.key(name)
        json.beginArray()
        for song in songs {
          if let song { request.json.track(song, album: .some(albums(song)), &json) } else { json.null() }
        }
        json.endArray()
      }
    }
  }

  /// An album and a part of its tracks. A track without an album stands for one.
  private func album(_ id: String, _ page: Page) throws -> (SongAlbum, [Song]) {
    guard let album = try store.release(id: CatalogRequest.id(id)) else {
      throw RequestError(.notFound, "There is no album with this id.")
    }
    return (album, try store.songs(ofRelease: id, limit: page.limit, offset: page.offset))
  }

  // MARK: Search

  private static let types = ["album", "artist", "playlist", "track", "show", "episode", "audiobook"]

  private func search(_ request: CatalogRequest) throws -> Response {
    // Pages name it `query`, as there.
    let text = try request.fields["query"] ?? request.required("q")
    _ = try request.required("type")
    let types = request.list("type")
    if let unknown = types.first(where: { !Self.types.contains($0) }) {
      throw RequestError(.badRequest, "Bad search type field \(unknown.prefix(40)).")
    }
    let page = try request.page()
    guard page.offset + page.limit <= CatalogAnswer.countedMatches else {
      throw RequestError(.badRequest, "offset and limit together go up to \(CatalogAnswer.countedMatches).")
    }
    var query = try CatalogWords(text).query
    query.limit = page.limit
    query.offset = page.offset
    let sections: [(String, CatalogQuery.Section)] = [("track", .tracks), ("album", .albums), ("artist", .artists)]
    query.sections = Set(sections.filter { types.contains($0.0) }.map(\.1))
    let answer = try services.search(catalog: query)
    let albums = try albums(of: answer.tracks.hits)
    let images = try coverTracks(of: answer.artists.hits)
    let playlists = types.contains("playlist") ? try playlists(query) : []
    return Response.json { json in
      json.object { json in
        func section<Element>(
          _ type: String, _ items: [Element], _ total: Int, _ write: (inout JSONWriter, Element) -> Void
        ) {
          json.key(type + "s")
          let fields = [("query", text), ("type", type)]
          request.json.page(items, page, total: total, "\(request.base)/v1/search", fields, &json, write)
        }
        for type in types {
          switch type {
          case "track":
            section(type, answer.tracks.hits, answer.tracks.count) {
              request.json.track($1, album: .some(albums($1)), &$0)
            }
          case "album": section(type, answer.albums.hits, answer.albums.count) { request.json.album($1, &$0) }
          case "artist":
            section(type, answer.artists.hits, answer.artists.count) {
              request.json.artist($1, image: images[$1.id], &$0)
            }
          case "playlist":
            section(type, Array(playlists.dropFirst(page.offset).prefix(page.limit)), playlists.count) {
              request.json.playlist($1, &$0)
            }
          default: section(type, [Int](), 0) { $0.integer($1) }
          }
        }
      }
    }
  }

  private func playlists(_ query: CatalogQuery) throws -> [GeneratedPlaylist] {
    let excluded = query.excluded.filter { $0.field == .any }.map { WordMatch($0.words) }
    var found: [GeneratedPlaylist] = []
    for text in [query.text] + query.alternatives {
      for playlist in try generated.search(text) where !found.contains(playlist) { found.append(playlist) }
    }
    return found.filter { playlist in !excluded.contains { $0.matches(playlist.name) } }
  }

  /// Ids of albums whose covers stand for artists.
  func coverTracks(of artists: [CatalogArtist]) throws -> [String: String] {
    guard !artists.isEmpty else { return [:] }
    return try store.firstTracks(ofArtists: artists.map(\.id))
  }
}
