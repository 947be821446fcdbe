internal import Hummingbird
internal import ResultStore
internal import Serving
internal import Text

/// `/v1/me/following`: artists that people follow are those that they saved. The one user is followed by nobody.
struct FollowingRoutes: RouteSet {
  let catalog: CatalogRoutes

  var api: API { catalog.api }

  private var store: ResultStore { catalog.store }

  private static let limits = 1...50

  var routes: [Route] {
    let type = RouteParameter.choice("type", ["artist", "user"]).required
    catalog.read(
      "me/following", "The followed artists",
      [.choice("type", ["artist"]).required, .text("after"), .integer("limit", Self.limits)],
      answers: "FollowedArtists"
    ) { request, _ in
      guard try request.required("type") == "artist" else {
        throw RequestError(.badRequest, "type must be artist: only artists are listed.")
      }
      return try artists(request)
    }
    catalog.read(
      "me/following/contains", "Which of them are followed", [type] + CatalogRequest.ids, answers: "[flag]"
    ) { request, _ in
      let type = try Self.type(request)
      // Ids of users are names.
      let ids = type == "artist" ? try request.ids(most: 50) : request.list("ids")
      let followed = Set(type == "artist" ? try store.saved(.artist).map(\.id) : [])
      return Response.json(.array(ids.map { .bool(followed.contains($0)) }))
    }
    catalog.change(
      .put, "me/following", "Follow artists", [type, .text("ids")], body: [.texts("ids")], answers: "204"
    ) {
      guard try Self.type($0.request) == "artist" else { throw Self.noUsers }
      let ids = try $0.ids()
      guard try !store.artists(ids: ids).contains(nil) else {
        throw RequestError(.notFound, "There is no artist with one of these ids.")
      }
      try store.save(.artist, ids: ids)
      return Response(status: .noContent)
    }
    catalog.change(
      .delete, "me/following", "Unfollow artists", [type, .text("ids")], body: [.texts("ids")], answers: "204"
    ) {
      if try Self.type($0.request) == "artist" { try store.unsave(.artist, ids: $0.ids()) }
      return Response(status: .noContent)
    }
  }

  private static let noUsers = RequestError(.notFound, "There is no other user to follow.")

  private static func type(_ request: CatalogRequest) throws -> String {
    let type = try request.required("type")
    guard ["artist", "user"].contains(type) else { throw RequestError(.badRequest, "type must be artist or user.") }
    return type
  }

  /// Page by page, from the artist behind the one that `after` names.
  private func artists(_ request: CatalogRequest) throws -> Response {
    let limit = try request.integer("limit", in: Self.limits, default: 20)
    let after = try request.fields["after"].flatMap { $0.isEmpty ? nil : $0 }.map(CatalogRequest.id)
    let all = try store.artists(ids: store.saved(.artist).map(\.id)).compactMap(\.self)
    let start = after.map { after in all.firstIndex { $0.id == after }.map { $0 + 1 } ?? all.count } ?? 0
    let shown = Array(all.dropFirst(start).prefix(limit))
    let last = start + shown.count < all.count ? shown.last?.id : nil
    let images = try catalog.coverTracks(of: shown)
    let path = "\(request.base)/v1/me/following?type=artist&limit=\(limit)"
    return Response.json { json in
      json.object { json in
        json.putObject("artists") { json in
          json.put("href", after.map { "\(path)&after=\($0)" } ?? path)
          json.put("limit", limit)
          json.put("next", last.map { "\(path)&after=\($0)" })
          json.putObject("cursors") { $0.put("after", last) }
          json.put("total", all.count)
          json.key("items")
          json.beginArray()
          for artist in shown { request.json.artist(artist, image: images[artist.id], &json) }
          json.endArray()
        }
      }
    }
  }
}
