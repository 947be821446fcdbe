internal import Hummingbird
internal import LibraryStore
internal import Serving
internal import Text

extension CatalogRoutes {
  @RouteBuilder var artists: [Route] {
    read("artists", "Several artists", CatalogRequest.ids, answers: "Artists") { request, _ in
      try write(try store.artists(ids: request.ids(most: 50)), request)
    }
    read("artists/{id}", "An artist", answers: "Artist") { request, id in
      let artist = try artist(id)
      let image = try coverTracks(of: [artist])[artist.id]
      return Response.json { request.json.artist(artist, image: image, &$0) }
    }
    read(
      "artists/{id}/albums", "The albums of an artist", [.text("include_groups")] + CatalogRequest.page,
      answers: "AlbumPage"
    ) { request, id in try albums(ofArtist: id, request) }
    read(
      "artists/{id}/top-tracks", "Ten tracks, those of the newest albums first: plays are not counted",
      [.text("market")], answers: "Tracks"
    ) { request, id in
      // Plays are not counted: the artist's own albums first, the newest of them first.
      let artist = try artist(id)
      var songs: [Song] = []
      for album in try store.albums(ofArtist: artist.id, limit: 5) {
        songs += try store.songs(ofAlbum: album.id, limit: 10).filter { song in
          song.artists.contains { $0.id == artist.id }
        }
      }
      if songs.isEmpty { songs = try store.songs(ofArtist: artist.id, limit: 10) }
      return try list("tracks", Array(songs.prefix(10)), request)
    }
    read(
      "artists/{id}/related-artists", "Artists whose tracks sound alike", answers: "Artists", takesLong: true
    ) { request, id in
      let artist = try artist(id)
      return try write(try recommendations.artists(like: artist.id, limit: 20), request)
    }
  }

  private func artist(_ id: String) throws -> CatalogArtist {
    guard let artist = try store.artist(id: CatalogRequest.id(id)) else {
      throw RequestError(.notFound, "There is no artist with this id.")
    }
    return artist
  }

  private func write(_ artists: [CatalogArtist?], _ request: CatalogRequest) throws -> Response {
    let images = try coverTracks(of: artists.compactMap(\.self))
    return Response.json { json in
      json.object { json in
        json.key("artists")
        json.beginArray()
        for artist in artists {
          if let artist { request.json.artist(artist, image: images[artist.id], &json) } else { json.null() }
        }
        json.endArray()
      }
    }
  }

  private static let groups = ["album", "single", "compilation", "appears_on"]

  private func albums(ofArtist id: String, _ request: CatalogRequest) throws -> Response {
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
      found += own.map { ($0, CatalogJSON.type(of: $0)) }
    }
    if groups.contains("appears_on") {
      found += try store.albums(ofArtist: artist.id, .appearsOn).map { ($0, "appears_on") }
    }
    found = found.filter { groups.contains($0.group) }
    let query = wanted.isEmpty ? [] : [("include_groups", wanted.joined(separator: ","))]
    return Response.json { json in
      request.json.page(
        Array(found.dropFirst(page.offset).prefix(page.limit)), page, total: found.count,
        "\(request.base)/v1/artists/\(id)/albums", query, &json
      ) { request.json.album($1.album, group: $1.group, &$0) }
    }
  }
}
