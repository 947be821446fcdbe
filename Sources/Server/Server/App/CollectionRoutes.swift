internal import Library
internal import LibraryStore
internal import Serving
internal import Text

/// Routes for the albums, artists and genres of the library.
struct CollectionRoutes: AppRouteSet {
  let library: AppLibrary

  private static let albumOrders: [String: AlbumOrder] = [
    "newest": .newest, "name": .name, "artist": .artist, "year": .year(isDescending: true),
  ]

  var routes: [Route] {
    answer(
      .get, "albums", "Albums", [.text("sort"), .text("genre")] + QueryReading.page,
      answers: .page("AppAlbums", .appAlbum)
    ) { request in
      let page = try request.query.page()
      let order = try request.query.choice("sort", of: Self.albumOrders.keys.sorted()) ?? "newest"
      let genre = try request.query.text("genre").flatMap { $0.isEmpty ? nil : LibraryGenre.id(ofName: $0) }
      let count = try library.store.albumCount(genre: genre)
      let albums = try library.store.albums(
        order: Self.albumOrders[order] ?? .newest, genre: genre, limit: page.limit, offset: page.offset)
      return ListPage(count: count, offset: page.offset, items: albums.map { ListRow($0) })
    }
    answer(.get, "albums/{id}", "An album and its tracks", answers: .albumPage) { request in
      guard let album = try library.store.album(id: request.id) else {
        throw RequestError(.notFound, "There is no album with this id in the library.")
      }
      return (ListRow(album), try library.store.songs(ofAlbum: request.id).map { ListRow($0) })
    }
    answer(
      .get, "artists", "Artists", QueryReading.page, answers: .page("AppArtists", .appArtist)
    ) { request in
      let page = try request.query.page()
      let artists = try library.store.artists(limit: page.limit, offset: page.offset)
      return ListPage(
        count: try library.store.artistCount(), offset: page.offset, items: artists.map { ListRow($0) })
    }
    answer(
      .get, "artists/{id}", "An artist with albums and tracks", QueryReading.page, answers: .artistPage
    ) { request in
      let page = try request.query.page(limit: 200)
      guard let artist = try library.store.artist(id: request.id) else {
        throw RequestError(.notFound, "There is no artist with this id in the library.")
      }
      // Paging applies only to the tracks. The albums are part of the first page.
      let albums = page.offset == 0 ? try library.store.albums(ofArtist: request.id, limit: page.limit) : []
      let songs = try library.store.songs(ofArtist: request.id, limit: page.limit, offset: page.offset)
      return (ListRow(artist), albums.map { ListRow($0) }, songs.map { ListRow($0) })
    }
    answer(
      .get, "genres", "Genres", answers: .only("items", .list(.appGenre), as: "AppGenreList")
    ) { _ in
      try library.store.genres().map { ListRow(($0.name, $0.trackCount, $0.albumCount)) }
    }
  }
}

extension JSONType<ListRow<SongAlbum>> {
  static var appAlbum: Self {
    .object(
      "AppAlbum", .required("id", .text) { $0.value.id }, .required("name", .text) { $0.value.name },
      .optional("artist", .text) { $0.value.artists.isEmpty ? nil : $0.value.artistNames },
      .required("artists", .list(.artistLink)) { $0.value.artists }, .optional("year", .integer) { $0.value.year },
      .optional("date", .text) { $0.value.date?.description }, .required("tracks", .integer) { $0.value.trackCount },
      .required("duration_s", .number(decimals: 1)) { $0.value.durationSeconds },
      .required("added_at", .time) { $0.value.added }, .required("genres", .list(.text)) { $0.value.genres },
      .required("cover", .text) { $0.value.firstTrack }, .marks(["name": { $0.name }, "artist": { $0.artistNames }]))
  }
}

extension SongAlbum {
  fileprivate var artistNames: String { SongArtist.text(artists) }
}

extension JSONType<ListRow<LibraryArtist>> {
  static var appArtist: Self {
    .object(
      "AppArtist", .required("id", .text) { $0.value.id }, .required("name", .text) { $0.value.name },
      .required("tracks", .integer) { $0.value.trackCount }, .required("albums", .integer) { $0.value.albumCount },
      .marks(["name": { $0.name }]))
  }
}

/// A genre. Search results do not include the album count.
typealias GenreRow = ListRow<(name: String, tracks: Int, albums: Int?)>

extension JSONType where Value == GenreRow {
  static var appGenre: Self {
    .object(
      "AppGenre", .required("name", .text) { $0.value.name }, .required("tracks", .integer) { $0.value.tracks },
      .ifAny("albums", .integer) { $0.value.albums }, .marks(["name": { $0.name }]))
  }
}

extension JSONType where Value == (album: ListRow<SongAlbum>, tracks: [ListRow<Song>]) {
  fileprivate static var albumPage: Self {
    .object(
      "AppAlbumPage", .required("album", .appAlbum) { $0.album }, .required("tracks", .list(.appTrack)) { $0.tracks })
  }
}

extension JSONType
where Value == (artist: ListRow<LibraryArtist>, albums: [ListRow<SongAlbum>], tracks: [ListRow<Song>]) {
  fileprivate static var artistPage: Self {
    let tracks = Self.object(
      "AppArtistTracks",
      .required("count", .integer) { $0.artist.value.trackCount }, .required("items", .list(.appTrack)) { $0.tracks })
    return .object(
      "AppArtistPage",
      .required("artist", .appArtist) { $0.artist }, .required("albums", .list(.appAlbum)) { $0.albums },
      .required("tracks", tracks) { $0 })
  }
}
