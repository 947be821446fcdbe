internal import LibraryStore
internal import Serving

extension SpotifyRoutes {
  @RouteBuilder var artists: [Route] {
    read("artists", "Several artists", SpotifyRequest.ids, answers: .artists) { request, _ in
      try linked(store.artists(ids: request.ids(max: 50)), request.links)
    }
    read("artists/{id}", "An artist", answers: .artist) { request, id in
      let artist = try artist(id)
      return LinkedArtist((artist, try coverTracks(of: [artist])[artist.id]), request.links)
    }
    read(
      "artists/{id}/albums", "The albums of an artist", [.text("include_groups")] + SpotifyRequest.page,
      answers: .page("AlbumPage", .simpleAlbum)
    ) { request, id in try albums(ofArtist: id, request) }
    read(
      "artists/{id}/top-tracks", "Ten tracks of an artist, from the newest albums first (plays are not counted)",
      [.text("market")], answers: .tracks
    ) { request, id in
      // Plays are not counted, so the tracks come from the artist's own albums, starting with the newest.
      let artist = try artist(id)
      var songs: [Song] = []
      for album in try store.albums(ofArtist: artist.id, limit: 5) {
        songs += try store.songs(ofAlbum: album.id, limit: 10).filter { song in
          song.artists.contains { $0.id == artist.id }
        }
      }
      if songs.isEmpty { songs = try store.songs(ofArtist: artist.id, limit: 10) }
      return try linked(Array(songs.prefix(10)), request.links)
    }
    read(
      "artists/{id}/related-artists", "Artists whose tracks sound alike", answers: .artists, .computing
    ) { request, id in
      try linked(recommendations.artists(like: artist(id).id, limit: 20), request.links)
    }
  }

  private func artist(_ id: String) throws -> LibraryArtist {
    guard let artist = try store.artist(id: SpotifyRequest.id(id)) else {
      throw RequestError(.notFound, "There is no artist with this id.")
    }
    return artist
  }

  private func linked(_ artists: [LibraryArtist?], _ links: SpotifyLinks) throws -> [LinkedArtist?] {
    let images = try coverTracks(of: artists.compactMap(\.self))
    return artists.map { artist in artist.map { LinkedArtist(($0, images[$0.id]), links) } }
  }

  private static let groups = ["album", "single", "compilation", "appears_on"]

  private func albums(ofArtist id: String, _ request: SpotifyRequest) throws -> SpotifyPage<LinkedAlbum> {
    let artist = try artist(id)
    let page = try request.page()
    let wanted = request.list("include_groups")
    if let unknown = wanted.first(where: { !Self.groups.contains($0) }) {
      throw RequestError(.badRequest, "Invalid include_groups value \(unknown.prefix(40)).")
    }
    let groups = wanted.isEmpty ? Self.groups : wanted
    var found: [(album: SongAlbum, group: String)] = []
    if groups != ["appears_on"] {
      let own = try store.albums(ofArtist: artist.id) + store.singles(ofArtist: artist.id)
      found += own.map { ($0, $0.spotifyType) }
    }
    if groups.contains("appears_on") {
      found += try store.albums(ofArtist: artist.id, .appearsOn).map { ($0, "appears_on") }
    }
    found = found.filter { groups.contains($0.group) }
    let query = wanted.isEmpty ? [] : [("include_groups", wanted.joined(separator: ","))]
    return request.links.page(
      found.dropFirst(page.offset).prefix(page.limit).map { LinkedAlbum($0.album, group: $0.group, request.links) },
      page, total: found.count, "artists/\(id)/albums", query)
  }
}
