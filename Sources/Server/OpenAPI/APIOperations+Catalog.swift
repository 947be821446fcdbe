internal import Text

/// The routes in the shape of Spotify's Web API.
extension APIOperation {
  static let catalog = token + music + sound + browsing + person + saved + playlists + following + player + spokenWord

  private static let nulls = Parameter.choice("nulls", ["0", "1"])

  private static let page: [Parameter] = [.integer("limit", 1...50), .integer("offset", 0...10_000_000)]
  private static let ids = [Parameter.text("ids").required]
  private static let uris = Parameter.text("uris")

  private static let token = [
    Self(
      .post, "/api/token", "A bearer token for an hour, for the secret of a client",
      body: .form(["grant_type", "client_id", "client_secret"]))
  ]

  private static let music = [
    Self(
      .get, "/v1/search",
      "Tracks, albums, artists and playlists by words and by filters such as year:, with OR and NOT",
      [.text("q").required, .text("type").required] + page),
    Self(.get, "/v1/tracks", "Several tracks", ids),
    Self(.get, "/v1/tracks/{id}", "A track"),
    Self(.get, "/v1/albums", "Several albums", ids),
    Self(.get, "/v1/albums/{id}", "An album with its first 50 tracks"),
    Self(.get, "/v1/albums/{id}/tracks", "The tracks of an album", page),
    Self(.get, "/v1/artists", "Several artists", ids),
    Self(.get, "/v1/artists/{id}", "An artist"),
    Self(.get, "/v1/artists/{id}/albums", "The albums of an artist", [.text("include_groups")] + page),
    Self(
      .get, "/v1/artists/{id}/top-tracks", "Ten tracks, those of the newest albums first: plays are not counted",
      [.text("market")]),
    Self(.get, "/v1/artists/{id}/related-artists", "Artists whose tracks sound alike"),
  ]

  private static let sound = [
    Self(.get, "/v1/audio-features", "Tempo, key, loudness and traits of several tracks", ids + [nulls]),
    Self(.get, "/v1/audio-features/{id}", "Tempo, key, loudness and traits of a track", [nulls]),
    Self(.get, "/v1/audio-analysis/{id}", "Bars, beats, tatums and sections of a track", [nulls]),
    Self(
      .get, "/v1/recommendations", "Tracks that sound like the seeds",
      [
        .text("seed_tracks"), .text("seed_artists"), .text("seed_genres"), .integer("limit", 1...100),
      ]
        + CatalogRoutes.attributes.keys.sorted().flatMap { name in
          ["min", "max", "target"].map { .number("\($0)_\(name)") }
        }),
    Self(.get, "/v1/recommendations/available-genre-seeds", "The genres of the library"),
  ]

  private static let browsing = [
    Self(.get, "/v1/browse/new-releases", "The albums whose files came last", page),
    Self(.get, "/v1/browse/categories", "The genres of the library", page),
    Self(.get, "/v1/browse/categories/{id}", "A genre"),
    Self(.get, "/v1/browse/categories/{id}/playlists", "The playlist made of a genre", page),
    Self(.get, "/v1/browse/featured-playlists", "Playlists made from likeness and tempo", page),
    Self(.get, "/v1/markets", "Empty: files have no markets"),
  ]

  private static let person = [
    Self(.get, "/v1/me", "The one user"),
    Self(.get, "/v1/users/{id}", "The one user"),
    Self(.get, "/v1/me/playlists", "The playlists that people made", page),
    Self(.get, "/v1/users/{id}/playlists", "The same", page),
    Self(.post, "/v1/me/playlists", "Make a playlist", body: .json(description)),
    Self(.post, "/v1/users/{id}/playlists", "Make a playlist", body: .json(description)),
  ]

  private static let saved = [
    Self(.get, "/v1/me/tracks", "The saved tracks, the newest first", page),
    Self(.put, "/v1/me/tracks", "Save tracks", [.text("ids")], body: .json(object(["ids": texts]))),
    Self(.delete, "/v1/me/tracks", "Save tracks no longer", [.text("ids")], body: .json(object(["ids": texts]))),
    Self(.get, "/v1/me/tracks/contains", "Which tracks are saved", ids),
    Self(.get, "/v1/me/albums", "The saved albums", page),
    Self(.put, "/v1/me/albums", "Save albums", [.text("ids")], body: .json(object(["ids": texts]))),
    Self(.delete, "/v1/me/albums", "Save albums no longer", [.text("ids")], body: .json(object(["ids": texts]))),
    Self(.get, "/v1/me/albums/contains", "Which albums are saved", ids),
    Self(.put, "/v1/me/library", "Save tracks, albums and artists", [uris], body: .json(object(["uris": texts]))),
    Self(
      .delete, "/v1/me/library", "Save them no longer; a playlist is deleted", [uris],
      body: .json(object(["uris": texts]))),
    Self(.get, "/v1/me/library/contains", "Which of them are saved", [uris.required]),
  ]

  /// Which members of the answer are wanted, such as `items(track(name))`.
  private static let fields = Parameter.text("fields")

  private static let playlists =
    [
      Self(.get, "/v1/playlists/{id}", "A playlist with its first 100 tracks", [fields]),
      Self(.put, "/v1/playlists/{id}", "Change name, description and visibility", body: .json(description)),
      Self(.get, "/v1/playlists/{id}/images", "The cover of its first track"),
      Self(.get, "/v1/playlists/{id}/followers/contains", "Whether users follow a playlist", ids),
      Self(.put, "/v1/playlists/{id}/followers", "Nothing changes: whoever is here follows all playlists"),
      Self(.delete, "/v1/playlists/{id}/followers", "Delete a playlist"),
      Self(
        .get, "/v1/playlists/{id}/m3u8", "A playlist as a file for players", answer: "application/vnd.apple.mpegurl"),
    ] + ["tracks", "items"].flatMap { items(of: "/v1/playlists/{id}/\($0)") }

  private static func items(of path: String) -> [Self] {
    let removed = object([
      "uri": text, "positions": ["type": "array", "items": ["type": "integer", "minimum": 0]],
    ])
    return [
      Self(
        .get, path, "The tracks of a playlist",
        [.integer("limit", 1...100), .integer("offset", 0...10_000_000), fields]),
      Self(
        .post, path, "Add tracks", [uris, .integer("position", 0...1_000_000)],
        body: .json(object(["uris": texts, "position": place]))),
      Self(
        .put, path, "Replace the tracks, or move some of them", [uris],
        body: .json(
          object([
            "uris": texts, "range_start": place, "insert_before": place, "range_length": place, "snapshot_id": text,
          ]))),
      Self(
        .delete, path, "Remove tracks",
        body: .json(object(["tracks": ["type": "array", "items": removed], "snapshot_id": text]))),
    ]
  }

  private static let followed = Parameter.choice("type", ["artist", "user"]).required

  private static let following = [
    Self(
      .get, "/v1/me/following", "The followed artists",
      [.choice("type", ["artist"]).required, .text("after"), .integer("limit", 1...50)]),
    Self(.put, "/v1/me/following", "Follow artists", [followed, .text("ids")], body: .json(object(["ids": texts]))),
    Self(
      .delete, "/v1/me/following", "Unfollow artists", [followed, .text("ids")], body: .json(object(["ids": texts]))),
    Self(.get, "/v1/me/following/contains", "Which of them are followed", [followed] + ids),
  ]

  private static let player =
    [
      Self(.get, "/v1/me/player", "Nothing plays: 204"),
      Self(.get, "/v1/me/player/currently-playing", "Nothing plays: 204"),
      Self(.get, "/v1/me/player/devices", "Empty: there are no devices"),
      Self(.get, "/v1/me/player/queue", "An empty queue"),
      Self(.get, "/v1/me/player/recently-played", "Empty: plays are not noted", [.integer("limit", 1...50)]),
      Self(.get, "/v1/me/top/artists", "Empty: plays are not counted", page),
      Self(.get, "/v1/me/top/tracks", "Empty: plays are not counted", page),
    ]
    + PlayerRoutes.commands.map { Self($0.0, "/v1/\($0.1)", "There is no device to play on: 404") }

  private static let spokenWord =
    ["show", "episode", "audiobook", "chapter"].flatMap { kind in
      [
        Self(.get, "/v1/\(kind)s", "Null for each id: the library has music only", ids),
        Self(.get, "/v1/\(kind)s/{id}", "The library has music only: 404"),
      ]
    }
    + [("show", "episodes"), ("audiobook", "chapters")].map { kind, part in
      Self(.get, "/v1/\(kind)s/{id}/\(part)", "The library has music only: 404")
    }
    + ["show", "episode", "audiobook"].flatMap { kind in
      [
        Self(.get, "/v1/me/\(kind)s", "Empty: the library has music only", page),
        Self(.get, "/v1/me/\(kind)s/contains", "False for each id", ids),
        Self(.put, "/v1/me/\(kind)s", "There are none to save: 404", [.text("ids")]),
        Self(.delete, "/v1/me/\(kind)s", "None is saved, before or after", [.text("ids")]),
      ]
    }

  private static let description = object([
    "name": text, "description": text, "public": ["type": "boolean"],
  ])
}
