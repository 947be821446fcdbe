internal import HTTPTypes
internal import Hummingbird
internal import Library
internal import LibraryStore
internal import Platform
internal import Serving
internal import Text

/// Albums, artists and genres of the library.
struct CollectionRoutes: RouteSet {
  let api = API.app
  let library: AppLibrary

  private static let albumOrders: [String: AlbumOrder] = [
    "newest": .newest, "name": .name, "artist": .artist, "year": .year(isDescending: true),
  ]

  var routes: [Route] {
    route(
      .get, "albums", "Albums", [.text("sort"), .text("genre")] + QueryReading.page, answers: "AppAlbums"
    ) { request, _ in try await albums(request) }
    route(.get, "albums/{id}", "An album and its tracks", answers: "AppAlbumPage") { _, context in
      try await album(context.parameters.require("id"))
    }
    route(.get, "artists", "Artists", QueryReading.page, answers: "AppArtists") { request, _ in
      try await artists(request)
    }
    route(
      .get, "artists/{id}", "An artist with albums and tracks", QueryReading.page, answers: "AppArtistPage"
    ) { request, context in
      try await artist(context.parameters.require("id"), QueryReading(request).page(limit: 200))
    }
    route(.get, "genres", "Genres", answers: "AppGenreList") { _, _ in
      try await library.services.reading {
        let genres = try library.store.genres()
        return Response.json { json in
          json.object {
            $0.putList("items", genres) { json, genre in
              json.put("name", genre.name)
              json.put("tracks", genre.trackCount)
              json.put("albums", genre.albumCount)
            }
          }
        }
      }
    }
  }

  private func albums(_ request: Request) async throws -> Response {
    let query = QueryReading(request)
    let page = try query.page()
    let order = Self.albumOrders[try query.choice("sort", of: Self.albumOrders.keys.sorted()) ?? "newest"] ?? .newest
    let genre = try query.text("genre").flatMap { $0.isEmpty ? nil : CatalogGenre.id(ofName: $0) }
    return try await library.services.reading {
      let count = try library.store.albumCount(genre: genre)
      let albums = try library.store.albums(order: order, genre: genre, limit: page.limit, offset: page.offset)
      return .json { json in
        json.object { json in
          json.putPage(count: count, isExact: true, offset: page.offset)
          json.putList("items", albums) { $1.write(into: &$0) }
        }
      }
    }
  }

  private func album(_ id: String) async throws -> Response {
    try await library.services.reading {
      guard let album = try library.store.album(id: id) else {
        throw RequestError(.notFound, "There is no album with this id in the library.")
      }
      let songs = try library.store.songs(ofAlbum: id)
      return .json { json in
        json.object { json in
          json.putObject("album") { album.write(into: &$0) }
          json.putList("tracks", songs) { $1.write(into: &$0) }
        }
      }
    }
  }

  private func artists(_ request: Request) async throws -> Response {
    let page = try QueryReading(request).page()
    return try await library.services.reading {
      let count = try library.store.artistCount()
      let artists = try library.store.artists(limit: page.limit, offset: page.offset)
      return .json { json in
        json.object { json in
          json.putPage(count: count, isExact: true, offset: page.offset)
          json.putList("items", artists) { $1.write(into: &$0) }
        }
      }
    }
  }

  /// - Parameter page: The page of tracks; albums come with the first one.
  private func artist(_ id: String, _ page: (limit: Int, offset: Int)) async throws -> Response {
    try await library.services.reading {
      guard let artist = try library.store.artist(id: id) else {
        throw RequestError(.notFound, "There is no artist with this id in the library.")
      }
      let albums = page.offset == 0 ? try library.store.albums(ofArtist: id, limit: page.limit) : []
      let songs = try library.store.songs(ofArtist: id, limit: page.limit, offset: page.offset)
      return .json { json in
        json.object { json in
          json.putObject("artist") { artist.write(into: &$0) }
          json.putList("albums", albums) { $1.write(into: &$0) }
          json.putObject("tracks") { json in
            json.put("count", artist.trackCount)
            json.putList("items", songs) { $1.write(into: &$0) }
          }
        }
      }
    }
  }
}

extension SongAlbum {
  var artistNames: String { SongArtist.text(artists) }

  /// Members of an object.
  func write(into json: inout JSONWriter) {
    json.put("id", id)
    json.put("name", name)
    json.put("artist", artists.isEmpty ? nil : artistNames)
    json.putArtists("artists", artists)
    json.put("year", year)
    json.put("date", date?.description)
    json.put("tracks", trackCount)
    json.put("duration_s", durationSeconds, decimals: 1)
    json.put("added_at", added.description)
    json.key("genres")
    json.beginArray()
    for genre in genres { json.string(genre) }
    json.endArray()
    json.put("cover", firstTrack)
  }
}

extension CatalogArtist {
  /// Members of an object.
  func write(into json: inout JSONWriter) {
    json.put("id", id)
    json.put("name", name)
    json.put("tracks", trackCount)
    json.put("albums", albumCount)
  }
}
