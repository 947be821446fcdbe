internal import HTTPTypes
internal import Hummingbird
internal import Serving
internal import Text

/// `/v1/me/player`: the responses that Spotify's Web API gives while no device plays. The server itself does not play
/// anything, and does not record what clients play
/// (https://developer.spotify.com/documentation/web-api/reference/get-information-about-the-users-current-playback).
struct PlayerRoutes: RouteSet {
  let spotify: SpotifyRoutes

  var api: API { spotify.api }

  /// Commands for a device.
  static let commands: [(HTTPRequest.Method, String)] = [
    (.put, "me/player"), (.put, "me/player/play"), (.put, "me/player/pause"), (.post, "me/player/next"),
    (.post, "me/player/previous"), (.put, "me/player/seek"), (.put, "me/player/repeat"), (.put, "me/player/volume"),
    (.put, "me/player/shuffle"), (.post, "me/player/queue"),
  ]

  private static let limits = 1...50

  var routes: [Route] {
    for path in ["me/player", "me/player/currently-playing"] {
      spotify.read(path, "Always 204: nothing is playing", answers: [.empty(.noContent)]) { _, _ in
        Response(status: .noContent)
      }
    }
    spotify.read(
      "me/player/devices", "Always empty: there are no devices", answers: .only("devices", .list(.any), as: "Devices")
    ) { _, _ in [] }
    spotify.read("me/player/queue", "Always an empty queue: there is no player", answers: .queue) { _, _ in [] }
    spotify.read(
      "me/player/recently-played", "Always empty: plays are not recorded", [.integer("limit", Self.limits)],
      answers: .recentlyPlayed
    ) { request, _ in (request.base, try request.integer("limit", in: Self.limits, default: 20)) }
    for (method, path) in Self.commands {
      route(method, path, "Always 404: there is no device to play on", answers: [.json(.error, .notFound)]) { _, _ in
        let error = RequestError(.notFound, "Player command failed: No active device found")
        return JSONType.error.response(ErrorDetail(error, reason: "NO_ACTIVE_DEVICE"), status: .notFound)
      }
    }
    // Plays are not counted, so the top lists are empty.
    for type in ["artists", "tracks"] {
      spotify.emptyPage("me/top/\(type)", "Always empty: plays are not counted")
    }
  }
}

extension JSONType<[JSONValue]> {
  fileprivate static var queue: Self {
    .object(
      "Queue",
      .required("currently_playing", .any) { _ in .null }, .required("queue", .list(.any)) { $0 })
  }
}

extension JSONType where Value == (base: String, limit: Int) {
  fileprivate static var recentlyPlayed: Self {
    .object(
      "RecentlyPlayed", .optional("cursors", .cursors) { _ in nil },
      .required("href", .text) { "\($0.base)/v1/me/player/recently-played?limit=\($0.limit)" },
      .required("items", .list(.any)) { _ in [] }, .required("limit", .integer) { $0.limit },
      .optional("next", .text) { _ in nil }, .required("total", .integer) { _ in 0 })
  }
}
