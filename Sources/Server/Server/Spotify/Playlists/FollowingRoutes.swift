internal import Hummingbird
internal import ResultStore
internal import Serving

/// `/v1/me/following`: followed artists, which are the saved artists. The server has only one user, so no other users
/// can be followed.
struct FollowingRoutes: RouteSet {
  let spotify: SpotifyRoutes

  var api: API { spotify.api }

  private var store: ResultStore { spotify.store }

  private static let limits = 1...50

  var routes: [Route] {
    let type = RouteParameter.choice("type", ["artist", "user"]).required
    spotify.read(
      "me/following", "The followed artists",
      [.choice("type", ["artist"]).required, .text("after"), .integer("limit", Self.limits)],
      answers: .followedArtists
    ) { request, _ in
      guard try request.required("type") == "artist" else {
        throw RequestError(.badRequest, "type must be artist: only artists are listed.")
      }
      return try artists(request)
    }
    spotify.read(
      "me/following/contains", "Which of the given artists or users are followed", [type] + SpotifyRequest.ids,
      answers: .list(.flag)
    ) { request, _ in
      let type = try Self.type(request)
      // The ids of users are names, which `ids(max:)` would reject.
      let ids = type == "artist" ? try request.ids(max: 50) : request.list("ids")
      let followed = Set(type == "artist" ? try store.saved(.artist).map(\.id) : [])
      return ids.map(followed.contains)
    }
    spotify.change(
      .put, "me/following", "Follow artists", [type, .text("ids")], body: [.texts("ids")], answers: [.empty(.noContent)]
    ) {
      guard try Self.type($0.request) == "artist" else { throw Self.noUsers }
      let ids = try $0.ids()
      guard try !store.artists(ids: ids).contains(nil) else {
        throw RequestError(.notFound, "There is no artist with one of these ids.")
      }
      try store.save(.artist, ids: ids)
      return Response(status: .noContent)
    }
    spotify.change(
      .delete, "me/following", "Unfollow artists", [type, .text("ids")], body: [.texts("ids")],
      answers: [.empty(.noContent)]
    ) {
      if try Self.type($0.request) == "artist" { try store.unsave(.artist, ids: $0.ids()) }
      return Response(status: .noContent)
    }
  }

  private static let noUsers = RequestError(.notFound, "There is no other user to follow.")

  private static func type(_ request: SpotifyRequest) throws -> String {
    let type = try request.required("type")
    guard ["artist", "user"].contains(type) else { throw RequestError(.badRequest, "type must be artist or user.") }
    return type
  }

  /// Returns a page of artists, starting after the artist that the parameter `after` names.
  private func artists(_ request: SpotifyRequest) throws -> FollowedArtists {
    let limit = try request.integer("limit", in: Self.limits, default: 20)
    let after = try request.fields["after"].flatMap { $0.isEmpty ? nil : $0 }.map(SpotifyRequest.id)
    let all = try store.artists(ids: store.saved(.artist).map(\.id)).compactMap(\.self)
    let start = after.map { after in all.firstIndex { $0.id == after }.map { $0 + 1 } ?? all.count } ?? 0
    let shown = Array(all.dropFirst(start).prefix(limit))
    let last = start + shown.count < all.count ? shown.last?.id : nil
    let images = try spotify.coverTracks(of: shown)
    return FollowedArtists(
      address: "\(request.base)/v1/me/following?type=artist&limit=\(limit)", limit: limit, after: after, last: last,
      total: all.count, artists: shown.map { LinkedArtist(($0, images[$0.id]), request.links) })
  }
}

private struct FollowedArtists {
  var address: String
  var limit: Int
  var after: String?
  /// The id of the last artist on the page; `nil` on the last page.
  var last: String?
  var total: Int
  var artists: [LinkedArtist]

  func url(after id: String?) -> String { id.map { "\(address)&after=\($0)" } ?? address }
}

extension JSONType<FollowedArtists> {
  fileprivate static var followedArtists: Self {
    .only(
      "artists",
      .object(
        "FollowedArtistPage",
        .required("href", .text) { $0.url(after: $0.after) }, .required("limit", .integer) { $0.limit },
        .optional("next", .text) { page in page.last.map { page.url(after: $0) } },
        .required("cursors", .cursors) { $0.last }, .required("total", .integer) { $0.total },
        .required("items", .list(.artist)) { $0.artists }), as: "FollowedArtists")
  }
}

extension JSONType<String?> {
  static var cursors: Self { .object("Cursors", .optional("after", .text) { $0 }) }
}
