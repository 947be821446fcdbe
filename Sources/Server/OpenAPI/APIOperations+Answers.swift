internal import Text

extension APIOperation {
  /// What an operation answers if all is well.
  struct Answer: Sendable {
    var status: Int
    /// `nil` without a body.
    var schema: JSONValue?
  }

  /// Those in JSON or without a body: a type as `AnswerSchema` has it, after a status that is not 200.
  var answers: [Answer] {
    guard let text = Self.answerTexts["\(method.rawValue) \(path)"] else { return [] }
    return text.split(separator: "|").map { part in
      let words = part.split(separator: " ")
      let status = words.first.flatMap { Int($0) }
      let type = status == nil ? words.first : words.dropFirst().first
      return Answer(status: status ?? 200, schema: type.map { AnswerSchema.type(String($0)) })
    }
  }

  private static let answerTexts: [String: String] = {
    var texts = catalogAnswers.merging(appAnswers) { $1 }.merging(otherAnswers) { $1 }
    for (method, path) in PlayerRoutes.commands { texts["\(method.rawValue) /v1/\(path)"] = "404 Error" }
    for kind in ["show", "episode", "audiobook", "chapter"] {
      texts["GET /v1/\(kind)s"] = "\(kind.capitalizedFirst)s"
      texts["GET /v1/\(kind)s/{id}"] = "404 Error"
    }
    for (kind, part) in [("show", "episodes"), ("audiobook", "chapters")] {
      texts["GET /v1/\(kind)s/{id}/\(part)"] = "404 Error"
    }
    for kind in ["show", "episode", "audiobook"] {
      texts["GET /v1/me/\(kind)s"] = "EmptyPage"
      texts["GET /v1/me/\(kind)s/contains"] = "[flag]"
      texts["PUT /v1/me/\(kind)s"] = "404 Error"
      texts["DELETE /v1/me/\(kind)s"] = "200"
    }
    for name in ["tracks", "items"] {
      texts["GET /v1/playlists/{id}/\(name)"] = "PlaylistItemPage"
      texts["POST /v1/playlists/{id}/\(name)"] = "201 Snapshot"
      texts["PUT /v1/playlists/{id}/\(name)"] = "200 Snapshot | 201 Snapshot"
      texts["DELETE /v1/playlists/{id}/\(name)"] = "Snapshot"
    }
    return texts
  }()

  private static let catalogAnswers = [
    "POST /api/token": "Token",
    "GET /v1/search": "Search",
    "GET /v1/tracks": "Tracks", "GET /v1/tracks/{id}": "Track",
    "GET /v1/albums": "Albums", "GET /v1/albums/{id}": "Album", "GET /v1/albums/{id}/tracks": "SimpleTrackPage",
    "GET /v1/artists": "Artists", "GET /v1/artists/{id}": "Artist", "GET /v1/artists/{id}/albums": "AlbumPage",
    "GET /v1/artists/{id}/top-tracks": "Tracks", "GET /v1/artists/{id}/related-artists": "Artists",
    "GET /v1/audio-features": "AudioFeaturesList", "GET /v1/audio-features/{id}": "AudioFeatures",
    "GET /v1/audio-analysis/{id}": "AudioAnalysis",
    "GET /v1/recommendations": "Recommendations", "GET /v1/recommendations/available-genre-seeds": "Genres",
    "GET /v1/browse/new-releases": "NewReleases", "GET /v1/browse/categories": "Categories",
    "GET /v1/browse/categories/{id}": "Category", "GET /v1/browse/categories/{id}/playlists": "MessagedPlaylists",
    "GET /v1/browse/featured-playlists": "MessagedPlaylists",
    "GET /v1/markets": "Markets",
    "GET /v1/me": "PrivateUser", "GET /v1/users/{id}": "User",
    "GET /v1/me/playlists": "PlaylistPage", "GET /v1/users/{id}/playlists": "PlaylistPage",
    "POST /v1/me/playlists": "201 Playlist", "POST /v1/users/{id}/playlists": "201 Playlist",
    "GET /v1/me/tracks": "SavedTrackPage", "PUT /v1/me/tracks": "200", "DELETE /v1/me/tracks": "200",
    "GET /v1/me/tracks/contains": "[flag]",
    "GET /v1/me/albums": "SavedAlbumPage", "PUT /v1/me/albums": "200", "DELETE /v1/me/albums": "200",
    "GET /v1/me/albums/contains": "[flag]",
    "PUT /v1/me/library": "200", "DELETE /v1/me/library": "200", "GET /v1/me/library/contains": "[flag]",
    "GET /v1/playlists/{id}": "Playlist", "PUT /v1/playlists/{id}": "200", "GET /v1/playlists/{id}/images": "[Image]",
    "GET /v1/playlists/{id}/followers/contains": "[flag]", "PUT /v1/playlists/{id}/followers": "200",
    "DELETE /v1/playlists/{id}/followers": "200",
    "GET /v1/me/following": "FollowedArtists", "PUT /v1/me/following": "204", "DELETE /v1/me/following": "204",
    "GET /v1/me/following/contains": "[flag]",
    "GET /v1/me/player": "204", "GET /v1/me/player/currently-playing": "204", "GET /v1/me/player/devices": "Devices",
    "GET /v1/me/player/queue": "Queue", "GET /v1/me/player/recently-played": "RecentlyPlayed",
    "GET /v1/me/top/artists": "EmptyPage", "GET /v1/me/top/tracks": "EmptyPage",
  ]

  private static let appAnswers = [
    "POST /app/api/login": "204", "POST /app/api/logout": "204",
    "GET /app/api/status": "AppStatus", "GET /app/api/search": "AppSearch", "GET /app/api/tracks": "AppTracks",
    "GET /app/api/filters": "AppFilters", "GET /app/api/tracks/{id}": "AppTrackPage",
    "GET /app/api/tracks/{id}/waveform": "AppWaveform", "GET /app/api/tracks/{id}/similar": "AppSimilarTracks",
    "GET /app/api/prints": "AppPrints",
    "PUT /app/api/tracks/{id}/tempo": "AppTempoChange", "DELETE /app/api/tracks/{id}/tempo": "AppTempoChange",
    "POST /app/api/tracks/{id}/tempo/undo": "AppTempoChange",
    "GET /app/api/albums": "AppAlbums", "GET /app/api/albums/{id}": "AppAlbumPage",
    "GET /app/api/artists": "AppArtists", "GET /app/api/artists/{id}": "AppArtistPage",
    "GET /app/api/genres": "AppGenreList",
    "GET /app/api/playlists": "AppPlaylists", "POST /app/api/playlists": "201 AppPlaylistPage",
    "GET /app/api/playlists/{id}": "AppPlaylistPage", "PUT /app/api/playlists/{id}": "AppPlaylistChange",
    "DELETE /app/api/playlists/{id}": "204", "POST /app/api/playlists/{id}/entries": "AppPlaylistChange",
    "DELETE /app/api/playlists/{id}/entries": "AppPlaylistChange",
    "PUT /app/api/playlists/{id}/order": "AppPlaylistChange",
    "GET /app/api/report": "AppReport",
  ]

  private static let otherAnswers = [
    "GET /healthz": "Health", "GET /openapi.json": "any",
    "POST /v1/match": "Match",
    "POST /v1/sessions": "201 Session", "GET /v1/sessions/{id}": "Session",
    "POST /v1/sessions/{id}/audio": "202 Receipt", "DELETE /v1/sessions/{id}": "204",
    "GET /v1/catalog": "Recordings", "POST /v1/catalog": "201 AddedRecordings", "GET /v1/catalog/{id}": "Recording",
    "DELETE /v1/catalog/{id}": "204",
    "GET /v2/lookup": "AcoustIDLookup", "POST /v2/lookup": "AcoustIDLookup",
    "GET /api/v1/{mbid}/low-level": "{any}", "GET /api/v1/{mbid}/high-level": "{any}",
    "GET /api/v1/{mbid}/count": "{any}", "GET /api/v1/low-level": "{any}", "GET /api/v1/high-level": "{any}",
    "GET /api/v1/count": "{any}",
    "GET /rest/{method}": "Subsonic", "POST /rest/{method}": "Subsonic",
    // The picture, or with `missing` that there is none.
    "GET /media/covers/{id}": "204",
  ]
}
