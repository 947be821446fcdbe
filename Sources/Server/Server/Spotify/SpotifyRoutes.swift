internal import HTTPTypes
internal import Hummingbird
internal import LibraryStore
internal import LibraryTasks
internal import NIOCore
internal import ResultStore
internal import Serving
internal import Text

/// `/v1`: the library in the form of Spotify's Web API, for clients of that API
/// (https://developer.spotify.com/documentation/web-api).
struct SpotifyRoutes: RouteSet {
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
      [.text("q").required, .text("type").required] + SpotifyRequest.page, answers: .search
    ) { request, _ in try search(request) }
    read("tracks", "Several tracks", SpotifyRequest.ids, answers: .tracks) { request, _ in
      try linked(store.songs(ids: request.ids(max: 50)), request.links)
    }
    read("tracks/{id}", "A track", answers: .track) { request, id in
      let song = try song(id)
      return LinkedTrack((song, try albums(of: [song])(song)), request.links)
    }
    read(
      "albums", "Several albums", SpotifyRequest.ids, answers: .only("albums", .list(.nullable(.album)), as: "Albums")
    ) { request, _ in
      try store.releases(ids: request.ids(max: 20)).map { album in
        try album.map { LinkedAlbum($0, tracks: try store.songs(ofRelease: $0.id, limit: 50), request.links) }
      }
    }
    read("albums/{id}", "An album with its first 50 tracks", answers: .album) { request, id in
      let (album, tracks) = try album(id, Page(limit: 50, offset: 0))
      return LinkedAlbum(album, tracks: tracks, request.links)
    }
    read(
      "albums/{id}/tracks", "The tracks of an album", SpotifyRequest.page,
      answers: .page("SimpleTrackPage", .simpleTrack)
    ) { request, id in
      let page = try request.page()
      let (album, tracks) = try album(id, page)
      return request.links.page(
        tracks.map { LinkedTrack(($0, nil), request.links) }, page, total: album.trackCount, "albums/\(id)/tracks")
    }
    artists
    sound
    browsing
  }

  /// - Parameters:
  ///   - work: The lane of `Services` in which the response is computed and encoded.
  ///   - answer: Called with the value of `{id}` in the path, or an empty string.
  func read<Value>(
    _ path: String, _ summary: String, _ parameters: [RouteParameter] = [], answers type: JSONType<Value>,
    _ work: Services.Work = .reading, _ answer: @escaping @Sendable (SpotifyRequest, _ id: String) throws -> Value
  ) -> Route {
    read(path, summary, parameters, answers: [.json(type)], work) { type.response(try answer($0, $1)) }
  }

  func read(
    _ path: String, _ summary: String, _ parameters: [RouteParameter] = [], answers: [RouteAnswer] = [],
    type: String = "application/json", _ work: Services.Work = .reading,
    _ answer: @escaping @Sendable (SpotifyRequest, _ id: String) throws -> Response
  ) -> Route {
    route(.get, path, summary, parameters, answers: answers, type: type) { request, context in
      let parsed = SpotifyRequest(request, context, tokens: services.access)
      let id = context.parameters.get("id") ?? ""
      return try await services.run(work) { try answer(parsed, id) }
    }
  }

  /// Returns a route that changes the store, or whose parameters may be in a body.
  /// - Parameters:
  ///   - body: Members of the body.
  ///   - answer: Writes to the store unless the method is GET. It runs in a lane of `Services`.
  func change(
    _ method: HTTPRequest.Method, _ path: String, _ summary: String, _ parameters: [RouteParameter] = [],
    body: [RouteParameter]? = nil, answers: [RouteAnswer] = [.empty(.ok)],
    _ answer: @escaping @Sendable (SpotifyChange) throws -> Response
  ) -> Route {
    route(
      method, path, summary, parameters, body: body.map { .json($0) }, answers: answers
    ) { request, context -> Response in
      var request = request
      let body = try await request.collectBody(upTo: SpotifyChange.bodyLimit)
      let change = try SpotifyChange(
        SpotifyRequest(request, context, tokens: services.access), id: context.parameters.get("id") ?? "",
        body: Array(body.readableBytesView))
      return try await services.run(method == .get ? .reading : .writing) { try answer(change) }
    }
  }

  func emptyPage(_ path: String, _ summary: String) -> Route {
    read(path, summary, SpotifyRequest.page, answers: .emptyPage) { request, _ in
      request.links.page([], try request.page(), total: 0, path)
    }
  }

  // MARK: Tracks and albums

  func song(_ id: String) throws -> Song {
    guard let song = try store.song(id: SpotifyRequest.id(id)) else {
      throw RequestError(.notFound, "There is no track with this id.")
    }
    return song
  }

  /// Returns a function that looks up the album of one of the songs, and returns `nil` for a song without an album. All
  /// albums are read in one query.
  func albums(of songs: [Song]) throws -> (Song) -> SongAlbum? {
    let ids = Set(songs.compactMap(\.album?.id)).sorted()
    let albums = Dictionary(try store.albums(ids: ids).compactMap(\.self).map { ($0.id, $0) }) { first, _ in first }
    return { $0.album.flatMap { albums[$0.id] } }
  }

  func linked(_ songs: [Song?], _ links: SpotifyLinks) throws -> [LinkedTrack?] {
    let albums = try albums(of: songs.compactMap(\.self))
    return songs.map { song in song.map { LinkedTrack(($0, albums($0)), links) } }
  }

  /// Returns an album and a page of its tracks. A track without an album counts as an album of its own.
  private func album(_ id: String, _ page: Page) throws -> (SongAlbum, [Song]) {
    guard let album = try store.release(id: SpotifyRequest.id(id)) else {
      throw RequestError(.notFound, "There is no album with this id.")
    }
    return (album, try store.songs(ofRelease: id, limit: page.limit, offset: page.offset))
  }

  // MARK: Search

  private static let types = ["album", "artist", "playlist", "track", "show", "episode", "audiobook"]

  private func search(_ request: SpotifyRequest) throws -> SpotifySearchResults {
    // In the URLs of result pages, the parameter is named `query`, as in Spotify's URLs.
    let text = try request.fields["query"] ?? request.required("q")
    _ = try request.required("type")
    let types = request.list("type")
    if let unknown = types.first(where: { !Self.types.contains($0) }) {
      throw RequestError(.badRequest, "Bad search type field \(unknown.prefix(40)).")
    }
    let page = try request.page()
    guard page.offset + page.limit <= SongQueryResult.countedMatches else {
      throw RequestError(.badRequest, "offset and limit together go up to \(SongQueryResult.countedMatches).")
    }
    var query = try SpotifySearchText(text).query
    query.limit = page.limit
    query.offset = page.offset
    let sections: [(String, SongQuery.Section)] = [("track", .tracks), ("album", .albums), ("artist", .artists)]
    query.sections = Set(sections.filter { types.contains($0.0) }.map(\.1))
    let answer = try services.search(songs: query)
    let images = try coverTracks(of: answer.artists.hits)
    let links = request.links
    func section<Item>(_ type: String, _ total: Int, _ items: [Item]) -> SpotifyPage<Item>? {
      guard types.contains(type) else { return nil }
      return links.page(items, page, total: total, "search", [("query", text), ("type", type)])
    }
    let playlists = types.contains("playlist") ? try playlists(query) : []
    return SpotifySearchResults(
      tracks: section("track", answer.tracks.count, try linked(answer.tracks.hits, links).compactMap(\.self)),
      albums: section("album", answer.albums.count, answer.albums.hits.map { LinkedAlbum($0, links) }),
      artists: section(
        "artist", answer.artists.count, answer.artists.hits.map { LinkedArtist(($0, images[$0.id]), links) }),
      playlists: section(
        "playlist", playlists.count,
        playlists.dropFirst(page.offset).prefix(page.limit).map { Linked(SpotifyPlaylist($0), links) }),
      shows: section("show", 0, []), episodes: section("episode", 0, []), audiobooks: section("audiobook", 0, []))
  }

  private func playlists(_ query: SongQuery) throws -> [GeneratedPlaylist] {
    let excluded = query.excluded.filter { $0.field == .any }.map { WordMatch($0.words) }
    var found: [GeneratedPlaylist] = []
    for text in [query.text] + query.alternatives {
      for playlist in try generated.search(text) where !found.contains(playlist) { found.append(playlist) }
    }
    return found.filter { playlist in !excluded.contains { $0.matches(playlist.name) } }
  }

  /// Returns the ids of the tracks whose covers represent the artists, by the ids of the artists.
  func coverTracks(of artists: [LibraryArtist]) throws -> [String: String] {
    guard !artists.isEmpty else { return [:] }
    return try store.firstTracks(ofArtists: artists.map(\.id))
  }
}

/// The hits of the requested types.
private struct SpotifySearchResults {
  var tracks: SpotifyPage<LinkedTrack>?
  var albums: SpotifyPage<LinkedAlbum>?
  var artists: SpotifyPage<LinkedArtist>?
  var playlists: SpotifyPage<Linked<SpotifyPlaylist>>?
  var shows, episodes, audiobooks: SpotifyPage<JSONValue>?
}

extension JSONType<SpotifySearchResults> {
  fileprivate static var search: Self {
    .object(
      "Search", .ifAny("tracks", .page("TrackPage", .track)) { $0.tracks },
      .ifAny("albums", .page("AlbumPage", .simpleAlbum)) { $0.albums },
      .ifAny("artists", .page("ArtistPage", .artist)) { $0.artists },
      .ifAny("playlists", .playlistPage) { $0.playlists }, .ifAny("shows", .emptyPage) { $0.shows },
      .ifAny("episodes", .emptyPage) { $0.episodes }, .ifAny("audiobooks", .emptyPage) { $0.audiobooks })
  }
}
