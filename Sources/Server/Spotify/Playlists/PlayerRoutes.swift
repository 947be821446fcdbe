internal import HTTPTypes
internal import Hummingbird
internal import Serving
internal import Text

/// `/v1/me/player`: as Spotify's Web API answers while no device plays. The server plays nothing itself and does not note what
/// others play (https://developer.spotify.com/documentation/web-api/reference/get-information-about-the-users-current-playback).
struct PlayerRoutes: RouteSet {
  let catalog: CatalogRoutes

  var api: API { catalog.api }

  /// Commands for a device.
  static let commands: [(HTTPRequest.Method, String)] = [
    (.put, "me/player"), (.put, "me/player/play"), (.put, "me/player/pause"), (.post, "me/player/next"),
    (.post, "me/player/previous"), (.put, "me/player/seek"), (.put, "me/player/repeat"), (.put, "me/player/volume"),
    (.put, "me/player/shuffle"), (.post, "me/player/queue"),
  ]

  private static let limits = 1...50

  var routes: [Route] {
    for path in ["me/player", "me/player/currently-playing"] {
      catalog.read(path, "Nothing plays: 204", answers: "204") { _, _ in Response(status: .noContent) }
    }
    catalog.read("me/player/devices", "Empty: there are no devices", answers: "Devices") { _, _ in
      Response.json(["devices": []])
    }
    catalog.read("me/player/queue", "An empty queue", answers: "Queue") { _, _ in
      Response.json(["currently_playing": .null, "queue": []])
    }
    catalog.read(
      "me/player/recently-played", "Empty: plays are not noted", [.integer("limit", Self.limits)],
      answers: "RecentlyPlayed"
    ) { request, _ in
      let limit = try request.integer("limit", in: Self.limits, default: 20)
      return Response.json([
        "href": .string("\(request.base)/v1/me/player/recently-played?limit=\(limit)"), "limit": .integer(Int64(limit)),
        "next": .null, "cursors": .null, "total": 0, "items": [],
      ])
    }
    for (method, path) in Self.commands {
      route(method, path, "There is no device to play on: 404", answers: "404 Error") { _, _ in
        Response.json(
          status: .notFound,
          [
            "error": [
              "status": 404, "message": "Player command failed: No active device found", "reason": "NO_ACTIVE_DEVICE",
            ]
          ])
      }
    }
    // Plays are not counted, so nothing is on top.
    for type in ["artists", "tracks"] {
      catalog.read(
        "me/top/\(type)", "Empty: plays are not counted", CatalogRequest.page, answers: "EmptyPage"
      ) { request, _ in try catalog.emptyPage(request, "me/top/\(type)") }
    }
  }
}
