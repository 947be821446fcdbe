internal import Foundation
internal import LibraryStore
internal import LibraryTasks
internal import Serving

extension SpotifyRoutes {
  @RouteBuilder var browsing: [Route] {
    read(
      "browse/new-releases", "The albums whose files came last", SpotifyRequest.page,
      answers: .only("albums", .page("AlbumPage", .simpleAlbum), as: "NewReleases")
    ) { request, _ in
      let page = try request.page()
      let albums = try store.releases(order: .newest, limit: page.limit, offset: page.offset)
      return request.links.page(
        albums.map { LinkedAlbum($0, request.links) }, page, total: try store.releaseCount(), "browse/new-releases")
    }
    read(
      "browse/categories", "The genres of the library", SpotifyRequest.page,
      answers: .only("categories", .page("CategoryPage", .category), as: "Categories")
    ) { request, _ in
      let page = try request.page()
      let genres = try store.genres()
      return request.links.page(
        genres.dropFirst(page.offset).prefix(page.limit).map { Linked($0, request.links) }, page, total: genres.count,
        "browse/categories")
    }
    read("browse/categories/{id}", "A genre", answers: .category) { request, id in
      Linked(try genre(id), request.links)
    }
    read(
      "browse/categories/{id}/playlists", "The playlist made of a genre", SpotifyRequest.page,
      answers: .messagedPlaylists
    ) { request, id in
      let path = "browse/categories/\(id.queryEncoded)/playlists"
      return ("Popular playlists", try page(generated.playlists(ofGenre: genre(id).id), path, request))
    }
    read(
      "browse/featured-playlists", "Playlists made from likeness and tempo", SpotifyRequest.page,
      answers: .messagedPlaylists
    ) { request, _ in
      ("Made from your library", try page(generated.featured(), "browse/featured-playlists", request))
    }
    read(
      "recommendations/available-genre-seeds", "The genres of the library",
      answers: .only("genres", .list(.text), as: "Genres")
    ) { _, _ in try store.genres().map(\.id) }
    // The files can be played wherever the server can be reached.
    read("markets", "Empty: files have no markets", answers: .only("markets", .list(.text), as: "Markets")) { _, _ in []
    }
  }

  private func genre(_ id: String) throws -> LibraryGenre {
    // Clients may send the id in the percent-encoded form in which they received it.
    let id = id.removingPercentEncoding ?? id
    guard let genre = try store.genres().first(where: { $0.id == id }) else {
      throw RequestError(.notFound, "There is no category with this id.")
    }
    return genre
  }

  private func page(
    _ playlists: [GeneratedPlaylist], _ path: String, _ request: SpotifyRequest
  ) throws -> SpotifyPage<Linked<SpotifyPlaylist>> {
    let page = try request.page()
    let shown = playlists.dropFirst(page.offset).prefix(page.limit)
    return request.links.page(
      shown.map { Linked(SpotifyPlaylist($0), request.links) }, page, total: playlists.count, path)
  }
}

extension JSONType<Linked<LibraryGenre>> {
  fileprivate static var category: Self {
    .object(
      "Category", .required("href", .text) { "\($0.links.base)/v1/browse/categories/\($0.value.id.queryEncoded)" },
      .required("icons", .list(.image)) { _ in [] }, .required("id", .text) { $0.value.id },
      .required("name", .text) { $0.value.name })
  }
}

extension JSONType where Value == (message: String, playlists: SpotifyPage<Linked<SpotifyPlaylist>>) {
  fileprivate static var messagedPlaylists: Self {
    .object(
      "MessagedPlaylists",
      .required("message", .text) { $0.message }, .required("playlists", .playlistPage) { $0.playlists })
  }
}
