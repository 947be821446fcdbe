internal import Text

extension APIOperation {
  /// All routes, by their APIs.
  static let described =
    server + app + collections + catalog + media + recognition + acoustID + acousticBrainz + subsonic

  private static let server = [
    Self(.get, "/healthz", "Whether the server works and reads its database"),
    Self(.get, "/metrics", "Figures for Prometheus; without a token on this machine only", answer: "text/plain"),
    Self(.get, "/openapi.json", "This document"),
    Self(.get, "/", "The app", answer: "text/html"),
    Self(.get, "/app/{file}", "What the app's page is made of", answer: "*/*"),
    Self(
      .post, "/app/api/login", "A cookie for a token",
      body: .json(object(["token": ["type": "string"]], required: ["token"]))),
    Self(.post, "/app/api/logout", "Takes the cookie back"),
  ]

  private static let list = [Parameter.integer("limit", 1...500), .integer("offset", 0...1_000_000)]

  private static let app = [
    Self(.get, "/app/api/status", "What the header of the app shows"),
    Self(
      .get, "/app/api/search", "Search in sections as one types",
      [.text("q"), .text("sections")] + list),
    Self(.get, "/app/api/tracks", "Tracks by words and filters", [.text("q"), .text("where"), .text("sort")] + list),
    Self(.get, "/app/api/filters", "The fields of filters"),
    Self(.get, "/app/api/tracks/{id}", "All that is known of a track"),
    Self(.get, "/app/api/tracks/{id}/waveform", "The waveform"),
    Self(.get, "/app/api/tracks/{id}/similar", "Tracks that sound alike", [.integer("limit", 1...100)]),
    Self(
      .get, "/app/api/prints", "Small waveforms of several tracks",
      [.text("ids").required, .integer("points", 12...120)]),
    Self(
      .put, "/app/api/tracks/{id}/tempo", "Correct the tempo",
      body: .json(
        object([
          "bpm": ["type": "number"], "times": text, "no_tempo": ["type": "boolean"],
          "confirm": ["type": "boolean"], "shift_beats": ["type": "number"], "shift_ms": ["type": "number"],
          "first_beat_s": ["type": "number"], "move_bar": ["type": "integer"], "bar_beats": ["type": "integer"],
          "taps": ["type": "array", "items": ["type": "number"]], "preview": ["type": "boolean"],
        ]))),
    Self(.delete, "/app/api/tracks/{id}/tempo", "Take the correction back"),
    Self(
      .post, "/app/api/tracks/{id}/tempo/undo", "Take the last change back, or all since an earlier state",
      body: .json(object(["to": ["type": "integer"]]))),
    Self(.get, "/app/api/events", "What changes, as it happens", answer: "text/event-stream"),
  ]

  private static let collections = [
    Self(
      .get, "/app/api/albums", "Albums",
      [.text("sort"), .text("genre")] + list),
    Self(.get, "/app/api/albums/{id}", "An album and its tracks"),
    Self(.get, "/app/api/artists", "Artists", list),
    Self(.get, "/app/api/artists/{id}", "An artist with albums and tracks", list),
    Self(.get, "/app/api/genres", "Genres"),
    Self(.get, "/app/api/playlists", "Playlists"),
    Self(.post, "/app/api/playlists", "Make a playlist", body: .json(object(["name": text, "tracks": texts]))),
    Self(.get, "/app/api/playlists/{id}", "A playlist and its tracks"),
    Self(
      .put, "/app/api/playlists/{id}", "Change name and description",
      body: .json(object(["name": text, "description": text]))),
    Self(.delete, "/app/api/playlists/{id}", "Delete a playlist"),
    Self(
      .get, "/app/api/playlists/{id}.m3u8", "A playlist as a file for players",
      answer: "audio/x-mpegurl"),
    Self(
      .post, "/app/api/playlists/{id}/entries", "Add tracks",
      body: .json(object(["tracks": texts, "position": place, "snapshot": text]))),
    Self(
      .delete, "/app/api/playlists/{id}/entries", "Remove the tracks at these places",
      body: .json(object(["positions": ["type": "array", "items": place], "snapshot": text]))),
    Self(
      .put, "/app/api/playlists/{id}/order", "Move tracks",
      body: .json(object(["start": place, "length": place, "before": place, "snapshot": text]))),
    Self(.get, "/app/api/report", "What the last run did"),
    Self(.get, "/app/api/report.html", "The report as a page to keep", answer: "text/html"),
  ]

  private static let media = [
    Self(
      .get, "/media/covers/{id}", "The cover of a track or an album",
      [.choice("size", ["64", "160", "300", "640"]), .choice("missing", ["empty"])],
      answer: "image/jpeg"),
    Self(.get, "/media/tracks/{id}", "The file of a track", answer: "audio/*"),
  ]

  private static let recognition = [
    Self(
      .post, "/v1/match", "Which recordings an audio file has", [.number("min_confidence")],
      body: .bytes(["application/octet-stream"])),
    Self(.post, "/v1/sessions", "Begin to listen", [.number("min_confidence")]),
    Self(.get, "/v1/sessions/{id}", "How far a session is"),
    Self(
      .post, "/v1/sessions/{id}/audio", "The next chunk of audio", [.integer("sequence", 0...1_000_000)],
      body: .bytes(["audio/pcm"])),
    Self(
      .get, "/v1/sessions/{id}/events", "What is heard, as it happens", [.integer("last_event_id", 0...1_000_000)],
      answer: "text/event-stream"),
    Self(.delete, "/v1/sessions/{id}", "Stop listening"),
    Self(.get, "/v1/catalog", "The recordings that can be recognized", list),
    Self(.post, "/v1/catalog", "Add a signature", body: .bytes(["application/octet-stream"])),
    Self(.get, "/v1/catalog/{id}", "One recording"),
    Self(.get, "/v1/catalog/{id}/signature", "Its signature", answer: "application/octet-stream"),
    Self(.delete, "/v1/catalog/{id}", "Take a recording out"),
  ]

  private static let acoustID = [
    Self(
      .get, "/v2/lookup", "Recordings with this fingerprint, as AcoustID has it", lookup),
    Self(
      .post, "/v2/lookup", "Recordings with this fingerprint, as AcoustID has it", body: .form(lookup.map(\.name))),
  ]

  private static let lookup = [
    Parameter.text("client"), .text("fingerprint"), .integer("duration", 1...32_767), .text("trackid"), .text("meta"),
    .choice("format", ["json", "jsonp"]), .text("jsoncallback"),
  ]

  private static let acousticBrainz = [
    Self(.get, "/api/v1/{mbid}/low-level", "What is measured of a recording", [.integer("n", 0...1000)]),
    Self(.get, "/api/v1/{mbid}/high-level", "What follows of it", [.integer("n", 0...1000)]),
    Self(.get, "/api/v1/{mbid}/count", "In how many files it is"),
    Self(.get, "/api/v1/low-level", "The same of several", [.text("recording_ids").required]),
    Self(.get, "/api/v1/high-level", "The same of several", [.text("recording_ids").required]),
    Self(.get, "/api/v1/count", "The same of several", [.text("recording_ids").required]),
  ]

  /// Of every method.
  private static let subsonicClient = [
    Parameter.text("u"), .text("p"), .text("t"), .text("s"), .text("apiKey"), .text("v"), .text("c"),
    .choice("f", ["xml", "json", "jsonp"]), .text("callback"),
  ]

  private static let subsonicParameters =
    subsonicClient + [
      .text("id"), .text("albumId"), .text("artistId"), .text("query"), .text("type"), .text("genre"), .text("artist"),
      .text("title"), .text("username"), .integer("musicFolderId", 0...1_000_000), .integer("size", 0...2000),
      .integer("count", 0...500), .integer("offset", 0...1_000_000), .integer("fromYear", 0...9999),
      .integer("toYear", 0...9999), .integer("artistCount", 0...5000), .integer("artistOffset", 0...1_000_000),
      .integer("albumCount", 0...5000), .integer("albumOffset", 0...1_000_000), .integer("songCount", 0...5000),
      .integer("songOffset", 0...1_000_000), .text("name"), .text("comment"), .text("public"), .text("playlistId"),
      .text("songId"), .text("songIdToAdd"), .integer("songIndexToRemove", 0...1_000_000),
    ]

  private static let subsonic = [
    Self(.get, "/rest/{method}", "The methods of OpenSubsonic", subsonicParameters, answer: "application/xml"),
    Self(
      .post, "/rest/{method}", "The methods of OpenSubsonic", subsonicParameters,
      body: .form(subsonicParameters.map(\.name)), answer: "application/xml"),
  ]

  static let text: JSONValue = ["type": "string"]
  static let texts: JSONValue = ["type": "array", "items": text]
  /// Of an entry, from 0.
  static let place: JSONValue = ["type": "integer", "minimum": 0]

  static func object(_ properties: [String: JSONValue], required: [String] = []) -> JSONValue {
    ["type": "object", "properties": .object(properties), "required": .array(required.map { .string($0) })]
  }
}
