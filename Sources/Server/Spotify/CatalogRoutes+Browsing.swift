internal import Foundation
internal import Hummingbird
internal import LibraryStore
internal import LibraryTasks
internal import Serving
internal import Text

extension CatalogRoutes {
  @RouteBuilder var browsing: [Route] {
    read(
      "browse/new-releases", "The albums whose files came last", CatalogRequest.page, answers: "NewReleases"
    ) { request, _ in
      let page = try request.page()
      let albums = try store.releases(order: .newest, limit: page.limit, offset: page.offset)
      let total = try store.releaseCount()
      return Response.json { json in
        json.object { json in
          json.key("albums")
          request.json.page(albums, page, total: total, "\(request.base)/v1/browse/new-releases", [], &json) {
            request.json.album($1, &$0)
          }
        }
      }
    }
    read("browse/categories", "The genres of the library", CatalogRequest.page, answers: "Categories") { request, _ in
      let page = try request.page()
      let genres = try store.genres()
      return Response.json { json in
        json.object { json in
          json.key("categories")
          request.json.page(
            Array(genres.dropFirst(page.offset).prefix(page.limit)), page, total: genres.count,
            "\(request.base)/v1/browse/categories", [], &json
          ) { Self.category($1, request, &$0) }
        }
      }
    }
    read("browse/categories/{id}", "A genre", answers: "Category") { request, id in
      let genre = try genre(id)
      return Response.json { Self.category(genre, request, &$0) }
    }
    read(
      "browse/categories/{id}/playlists", "The playlist made of a genre", CatalogRequest.page,
      answers: "MessagedPlaylists"
    ) { request, id in
      let genre = try genre(id)
      return try list(
        generated.playlists(ofGenre: genre.id), of: "browse/categories/\(id.queryEncoded)/playlists",
        "Popular playlists",
        request)
    }
    read(
      "browse/featured-playlists", "Playlists made from likeness and tempo", CatalogRequest.page,
      answers: "MessagedPlaylists"
    ) { request, _ in
      try list(generated.featured(), of: "browse/featured-playlists", "Made from your library", request)
    }
    read("recommendations/available-genre-seeds", "The genres of the library", answers: "Genres") { request, _ in
      let genres = try store.genres().map(\.id)
      return Response.json { json in
        json.object {
          $0.key("genres")
          request.json.strings(genres, &$0)
        }
      }
    }
    // The files can be played wherever the server is reached.
    read("markets", "Empty: files have no markets", answers: "Markets") { request, _ in
      Response.json { json in
        json.object {
          $0.key("markets")
          request.json.strings([], &$0)
        }
      }
    }
  }

  private func genre(_ id: String) throws -> CatalogGenre {
    // Clients may send it as they got it, percent-encoded.
    let id = id.removingPercentEncoding ?? id
    guard let genre = try store.genres().first(where: { $0.id == id }) else {
      throw RequestError(.notFound, "There is no category with this id.")
    }
    return genre
  }

  private static func category(_ genre: CatalogGenre, _ request: CatalogRequest, _ json: inout JSONWriter) {
    json.object { json in
      json.put("href", "\(request.base)/v1/browse/categories/\(genre.id.queryEncoded)")
      json.putList("icons", [Int]()) { $0.put("height", $1) }
      json.put("id", genre.id)
      json.put("name", genre.name)
    }
  }

  private func list(
    _ playlists: [GeneratedPlaylist], of path: String, _ message: String, _ request: CatalogRequest
  ) throws -> Response {
    let page = try request.page()
    return Response.json { json in
      json.object { json in
        json.put("message", message)
        json.key("playlists")
        request.json.page(
          Array(playlists.dropFirst(page.offset).prefix(page.limit)), page, total: playlists.count,
          "\(request.base)/v1/\(path)", [], &json
        ) { request.json.playlist($1, &$0) }
      }
    }
  }
}
