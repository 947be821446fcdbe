internal import HTTPTypes
internal import Hummingbird
internal import Text

/// `/v1/me/player`: as Spotify's Web API answers while no device plays. The server plays nothing itself and does not note what
/// others play (https://developer.spotify.com/documentation/web-api/reference/get-information-about-the-users-current-playback).
struct PlayerRoutes: RouteSet {
  let catalog: CatalogRoutes

  /// What a client asks a device to do.
  static let commands: [(HTTPRequest.Method, String)] = [
    (.put, "me/player"), (.put, "me/player/play"), (.put, "me/player/pause"), (.post, "me/player/next"),
    (.post, "me/player/previous"), (.put, "me/player/seek"), (.put, "me/player/repeat"), (.put, "me/player/volume"),
    (.put, "me/player/shuffle"), (.post, "me/player/queue"),
  ]

  func add(to router: Router<ServerContext>) {
    let group = router.group("v1")
    for path in ["me/player", "me/player/currently-playing"] {
      catalog.get(group, RouterPath(path)) { _, _ in Response(status: .noContent) }
    }
    catalog.get(group, "me/player/devices") { _, _ in Response.json(["devices": []]) }
    catalog.get(group, "me/player/queue") { _, _ in Response.json(["currently_playing": .null, "queue": []]) }
    catalog.get(group, "me/player/recently-played") { request, _ in
      let limit = try request.integer("limit", in: 1...50, default: 20)
      return Response.json([
        "href": .string("\(request.base)/v1/me/player/recently-played?limit=\(limit)"), "limit": .integer(Int64(limit)),
        "next": .null, "cursors": .null, "total": 0, "items": [],
      ])
    }
    for (method, path) in Self.commands {
      group.on(RouterPath(path), method: method) { _, _ in
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
      catalog.get(group, RouterPath("me/top/\(type)")) { request, _ in
        try catalog.emptyPage(request, "me/top/\(type)")
      }
    }
  }
}
