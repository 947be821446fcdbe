import Foundation
import Landmarks

@testable import Server

/// The requests of `SnapshotTests`, by the folders of their responses. Requests of one folder go to one server in sequence:
/// first those that only read, then those that change something.
enum SnapshotRequests {
  static let all: [String: [SnapshotRequest]] = [
    "catalog": music + sound + browsing + people + playlistChanges + library,
    "subsonic-json": subsonic(format: "json"), "subsonic-xml": subsonic(format: nil),
    "app": app + appChanges, "acoustid": acoustID, "acousticbrainz": acousticBrainz, "recognition": recognition,
    "server": server, "access": access,
  ]

  private static let unknown = "0000000000000000000000"

  // MARK: Spotify

  private static let music: [SnapshotRequest] = [
    .get("search", "/v1/search?q=hunter&type=track,album,artist,playlist&limit=2"),
    .get("search-filters", "/v1/search?q=year:1997-1999%20genre:rock&type=track,artist&limit=2"),
    .get("search-page", "/v1/search?q=bj%C3%B6rk%20OR%20queen&type=track&limit=1&offset=1"),
    .get("search-nothing", "/v1/search?q=zzz&type=track,show,episode"),
    .get("search-no-type", "/v1/search?q=a"),
    .get("search-bad-type", "/v1/search?q=a&type=song"),
    .get("search-bad-limit", "/v1/search?q=a&type=track&limit=51"),
    .get("tracks", "/v1/tracks?ids=@joga,\(unknown),@queen"),
    .get("tracks-no-ids", "/v1/tracks"),
    .get("track", "/v1/tracks/@hunter"),
    .get("track-slash-in-artist", "/v1/tracks/@lungs3"),
    .get("track-date-of-8-digits", "/v1/tracks/@lungs4"),
    .get("track-guests", "/v1/tracks/@guests"),
    .get("track-guest-in-credit", "/v1/tracks/@guest"),
    .get("track-of-sampler", "/v1/tracks/@sampler2"),
    .get("track-of-disc", "/v1/tracks/@ring2"),
    .get("track-without-artist", "/v1/tracks/@noartist"),
    .get("track-without-tags", "/v1/tracks/@notags"),
    .get("track-cut-off", "/v1/tracks/@cut"),
    .get("track-empty-artist", "/v1/tracks/@rain"),
    .get("track-bytes", "/v1/tracks/@bytes"),
    .get("track-quotes", "/v1/tracks/@quotes"),
    .get("track-long", "/v1/tracks/@long"),
    .get("track-tokyo", "/v1/tracks/@tokyo"),
    .get("track-failed", "/v1/tracks/@failed"),
    .get("track-gone", "/v1/tracks/@gone"),
    .get("track-unknown", "/v1/tracks/\(unknown)"),
    .get("track-bad-id", "/v1/tracks/short"),
    .get("albums", "/v1/albums?ids=@abba-hits,@ring,\(unknown)"),
    .get("album", "/v1/albums/@homogenic"),
    .get("album-lungs", "/v1/albums/@lungs"),
    .get("album-queen", "/v1/albums/@queen-hits"),
    .get("album-sampler", "/v1/albums/@sampler"),
    .get("album-without-artist", "/v1/albums/@unnamed"),
    .get("album-of-one-track", "/v1/albums/@guest"),
    .get("album-unknown", "/v1/albums/\(unknown)"),
    .get("album-tracks", "/v1/albums/@ring/tracks?limit=1"),
    .get("artists", "/v1/artists?ids=@bowie,@various,\(unknown)"),
    .get("artist", "/v1/artists/@bjork"),
    .get("artist-nobody", "/v1/artists/@nobody"),
    .get("artist-unknown", "/v1/artists/\(unknown)"),
    .get("artist-albums", "/v1/artists/@bjork/albums?limit=5"),
    .get("artist-appears-on", "/v1/artists/@bowie/albums?include_groups=appears_on"),
    .get("artist-albums-bad-group", "/v1/artists/@bjork/albums?include_groups=ep"),
    .get("artist-top-tracks", "/v1/artists/@florence/top-tracks?market=US"),
    .get("artist-related", "/v1/artists/@bjork/related-artists"),
  ]

  private static let sound: [SnapshotRequest] = [
    .get("features", "/v1/audio-features?ids=@hunter,@rain,\(unknown)"),
    .get("features-one", "/v1/audio-features/@joga"),
    .get("features-nulls", "/v1/audio-features/@rain?nulls=1"),
    .get("features-unknown", "/v1/audio-features/\(unknown)"),
    .get("analysis", "/v1/audio-analysis/@hunter"),
    .get("analysis-corrected", "/v1/audio-analysis/@joga"),
    .get("analysis-nothing", "/v1/audio-analysis/@notags"),
    .get("analysis-nulls", "/v1/audio-analysis/@notags?nulls=1"),
    .get("analysis-unknown", "/v1/audio-analysis/\(unknown)"),
    .get("recommendations", "/v1/recommendations?seed_tracks=@hunter&seed_genres=rock&min_tempo=80&limit=2"),
    .get("recommendations-no-seed", "/v1/recommendations"),
    .get("genre-seeds", "/v1/recommendations/available-genre-seeds"),
  ]

  private static let browsing: [SnapshotRequest] =
    [
      .get("new-releases", "/v1/browse/new-releases?limit=3"),
      .get("categories", "/v1/browse/categories?limit=3"),
      .get("category", "/v1/browse/categories/indie-rock"),
      .get("category-unknown", "/v1/browse/categories/none"),
      .get("category-playlists", "/v1/browse/categories/electronic/playlists"),
      .get("featured-playlists", "/v1/browse/featured-playlists?limit=3"),
      .get("markets", "/v1/markets"),
      .get("player", "/v1/me/player"),
      .get("player-current", "/v1/me/player/currently-playing"),
      .get("player-devices", "/v1/me/player/devices"),
      .get("player-queue", "/v1/me/player/queue"),
      .get("player-recent", "/v1/me/player/recently-played?limit=3"),
      .get("top-artists", "/v1/me/top/artists"),
      .get("top-tracks", "/v1/me/top/tracks"),
      .get("shows-episodes", "/v1/shows/\(unknown)/episodes"),
      .get("audiobooks-chapters", "/v1/audiobooks/\(unknown)/chapters"),
    ]
    + PlayerRoutes.commands.map { method, path in
      SnapshotRequest(
        method.rawValue, "command-\(method.rawValue.lowercased())-\(path.split(separator: "/").last ?? "")",
        "/v1/\(path)")
    }
    + ["show", "episode", "audiobook", "chapter"].flatMap { kind -> [SnapshotRequest] in
      [.get("\(kind)s", "/v1/\(kind)s?ids=\(unknown)"), .get(kind, "/v1/\(kind)s/\(unknown)")]
    }
    + ["show", "episode", "audiobook"].flatMap { kind -> [SnapshotRequest] in
      [
        .get("saved-\(kind)s", "/v1/me/\(kind)s"),
        .get("saved-\(kind)s-contain", "/v1/me/\(kind)s/contains?ids=\(unknown)"),
        SnapshotRequest("PUT", "save-\(kind)s", "/v1/me/\(kind)s?ids=\(unknown)"),
        SnapshotRequest("DELETE", "unsave-\(kind)s", "/v1/me/\(kind)s?ids=\(unknown)"),
      ]
    }

  private static let people: [SnapshotRequest] = [
    .get("me", "/v1/me"),
    .get("user", "/v1/users/nocturne"),
    .get("user-unknown", "/v1/users/somebody"),
    .get("my-playlists", "/v1/me/playlists"),
    .get("user-playlists", "/v1/users/nocturne/playlists?limit=1&offset=1"),
    .get("saved-tracks", "/v1/me/tracks?limit=2"),
    .get("saved-tracks-contain", "/v1/me/tracks/contains?ids=@hunter,@copy,@rain,\(unknown)"),
    .get("saved-albums", "/v1/me/albums"),
    .get("saved-albums-contain", "/v1/me/albums/contains?ids=@queen-hits,@guest,@lungs"),
    .get(
      "library-contains",
      "/v1/me/library/contains?uris=spotify:track:@hunter,spotify:artist:@bjork,spotify:album:@lungs"),
    .get("following", "/v1/me/following?type=artist&limit=1"),
    .get("following-bad-type", "/v1/me/following?type=user"),
    .get("following-contains", "/v1/me/following/contains?type=artist&ids=@bjork,@bowie"),
    .get("playlist", "/v1/playlists/@list-one"),
    .get(
      "playlist-mix", "/v1/playlists/@list-mix?fields=name,description,images,items(total,items(added_at,item(name)))"),
    .get("playlist-old", "/v1/playlists/@list-old?fields=name,tracks.items(added_at,track(name))"),
    .get("playlist-empty", "/v1/playlists/@list-empty"),
    .get("playlist-unknown", "/v1/playlists/\(unknown)"),
    .get("playlist-bad-fields", "/v1/playlists/@list-mix?fields=items("),
    .get("playlist-images", "/v1/playlists/@list-mix/images"),
    .get("playlist-followers", "/v1/playlists/@list-mix/followers/contains?ids=nocturne,somebody"),
    .get("playlist-m3u8", "/v1/playlists/@list-mix/m3u8"),
    .get("playlist-tracks", "/v1/playlists/@list-mix/tracks?limit=1&offset=1"),
    .get("playlist-items", "/v1/playlists/@list-old/items?limit=4&fields=total,next,items(track(name,uri))"),
  ]

  private static let playlistChanges: [SnapshotRequest] = [
    .json("POST", "playlist-make", "/v1/me/playlists", #"{"name": "New", "description": "d", "public": false}"#)
      .keeping("made", at: "id"),
    .json("POST", "playlist-make-nameless", "/v1/users/nocturne/playlists", #"{"description": "d"}"#),
    .json(
      "POST", "playlist-add", "/v1/playlists/@made/tracks",
      #"{"uris": ["spotify:track:@hunter", "spotify:track:@rain"]}"#),
    .json(
      "POST", "playlist-add-at", "/v1/playlists/@made/items", #"{"uris": ["spotify:track:@tokyo"], "position": 0}"#),
    .json("POST", "playlist-add-unknown", "/v1/playlists/@made/items", #"{"uris": ["spotify:track:\#(unknown)"]}"#),
    .json("POST", "playlist-add-no-json", "/v1/playlists/@made/items", "{"),
    .json("PUT", "playlist-move", "/v1/playlists/@made/tracks", #"{"range_start": 0, "insert_before": 3}"#),
    .get("playlist-moved", "/v1/playlists/@made/tracks?fields=items(track(name))"),
    .json(
      "PUT", "playlist-replace", "/v1/playlists/@made/items",
      #"{"uris": ["spotify:track:@queen", "spotify:track:@abba"]}"#),
    .json("DELETE", "playlist-remove", "/v1/playlists/@made/tracks", #"{"tracks": [{"uri": "spotify:track:@queen"}]}"#),
    .json(
      "DELETE", "playlist-remove-place", "/v1/playlists/@made/items",
      #"{"tracks": [{"uri": "spotify:track:@abba", "positions": [7]}]}"#),
    .json("PUT", "playlist-describe", "/v1/playlists/@made", #"{"name": "Newer", "public": true}"#),
    SnapshotRequest("PUT", "playlist-follow", "/v1/playlists/@made/followers"),
    .get("playlist-changed", "/v1/playlists/@made?fields=name,public,snapshot_id,tracks(total)"),
    SnapshotRequest("DELETE", "playlist-unfollow", "/v1/playlists/@made/followers"),
    .get("playlist-deleted", "/v1/playlists/@made"),
  ]

  private static let library: [SnapshotRequest] = [
    .json("PUT", "save-tracks", "/v1/me/tracks", #"{"ids": ["@rain"]}"#),
    .json("PUT", "save-tracks-unknown", "/v1/me/tracks", #"{"ids": ["\#(unknown)"]}"#),
    SnapshotRequest("DELETE", "unsave-tracks", "/v1/me/tracks?ids=@hunter"),
    .json("PUT", "save-albums", "/v1/me/albums", #"{"ids": ["@lungs"]}"#),
    SnapshotRequest("DELETE", "unsave-albums", "/v1/me/albums?ids=@queen-hits"),
    SnapshotRequest("PUT", "save-library", "/v1/me/library?uris=spotify:artist:@wagner"),
    SnapshotRequest("DELETE", "unsave-library", "/v1/me/library?uris=spotify:artist:@bjork"),
    SnapshotRequest("PUT", "follow", "/v1/me/following?type=artist&ids=@bowie"),
    SnapshotRequest("PUT", "follow-unknown", "/v1/me/following?type=artist&ids=\(unknown)"),
    SnapshotRequest("DELETE", "unfollow", "/v1/me/following?type=artist&ids=@florence"),
    .get("following-changed", "/v1/me/following?type=artist"),
    .form("token", "/api/token", "grant_type=client_credentials").hiding("access_token"),
    .form("token-bad-grant", "/api/token", "grant_type=password"),
  ]

  // MARK: Subsonic

  /// Methods with their parameters.
  private static let subsonicCalls: [(name: String, call: String)] = [
    ("ping", "ping"), ("ping-view", "ping.view?v=1.16.1&c=test"), ("old-client", "ping?v=0.9"),
    ("new-client", "ping?v=2.0"),
    ("two-credentials", "ping?apiKey=a&u=b&p=c"), ("unknown-method", "getPodcasts"), ("license", "getLicense"),
    ("extensions", "getOpenSubsonicExtensions"), ("token-info", "tokenInfo?apiKey=x"), ("user", "getUser?username=ann"),
    ("user-missing", "getUser"), ("scan-status", "getScanStatus"), ("music-folders", "getMusicFolders"),
    ("indexes", "getIndexes"), ("indexes-unknown", "getIndexes?musicFolderId=9"),
    ("directory-root", "getMusicDirectory?id=1"),
    ("directory-album", "getMusicDirectory?id=@lungs"), ("directory-artist", "getMusicDirectory?id=@bjork"),
    ("directory-unknown", "getMusicDirectory?id=\(unknown)"), ("artists", "getArtists"),
    ("artist", "getArtist?id=@florence"),
    ("artist-nobody", "getArtist?id=@nobody"), ("artist-unknown", "getArtist?id=\(unknown)"),
    ("album", "getAlbum?id=@homogenic"), ("album-ring", "getAlbum?id=@ring"), ("album-sampler", "getAlbum?id=@sampler"),
    ("album-of-one", "getAlbum?id=@guest"), ("album-unknown", "getAlbum?id=\(unknown)"), ("album-missing", "getAlbum"),
    ("song", "getSong?id=@hunter"), ("song-corrected", "getSong?id=@joga"), ("song-slash", "getSong?id=@lungs3"),
    ("song-two-artists", "getSong?id=@queen"), ("song-guests", "getSong?id=@guests"),
    ("song-guest", "getSong?id=@guest"),
    ("song-without-tags", "getSong?id=@notags"), ("song-without-artist", "getSong?id=@noartist"),
    ("song-cut-off", "getSong?id=@cut"), ("song-rain", "getSong?id=@rain"), ("song-bytes", "getSong?id=@bytes"),
    ("song-quotes", "getSong?id=@quotes"), ("song-long", "getSong?id=@long"), ("song-tokyo", "getSong?id=@tokyo"),
    ("song-unknown", "getSong?id=\(unknown)"), ("song-failed", "getSong?id=@failed"), ("genres", "getGenres"),
    ("album-list", "getAlbumList?type=alphabeticalByArtist&size=3"),
    ("album-list2", "getAlbumList2?type=newest&size=3"),
    ("album-list2-years", "getAlbumList2?type=byYear&fromYear=1999&toYear=1997"),
    ("album-list2-genre", "getAlbumList2?type=byGenre&genre=Indie%20Rock"),
    ("album-list2-starred", "getAlbumList2?type=starred"),
    ("album-list2-recent", "getAlbumList2?type=recent"), ("album-list2-bad", "getAlbumList2?type=best"),
    ("album-list2-bad-size", "getAlbumList2?type=newest&size=many"),
    ("random-songs", "getRandomSongs?genre=House"),
    ("songs-by-genre", "getSongsByGenre?genre=electronic&count=1&offset=1"),
    ("now-playing", "getNowPlaying"), ("top-songs", "getTopSongs?artist=Queen&count=1"),
    ("artist-info", "getArtistInfo?id=@bjork"), ("artist-info2", "getArtistInfo2?id=@bjork"),
    ("album-info", "getAlbumInfo?id=@lungs"), ("album-info2", "getAlbumInfo2?id=@lungs"),
    ("search2", "search2?query=greatest&songCount=2"), ("search3", "search3?query=bj%C3%B6rk&songCount=1"),
    ("search3-all", "search3?query=%22%22&artistCount=3&albumCount=1&songCount=1&songOffset=2"),
    ("playlists", "getPlaylists"), ("playlist", "getPlaylist?id=@list-old"),
    ("playlist-unknown", "getPlaylist?id=\(unknown)"),
    ("starred", "getStarred"), ("starred2", "getStarred2"), ("lyrics", "getLyrics?artist=bj%C3%B6rk&title=hunter"),
    ("lyrics-none", "getLyrics?title=x"), ("lyrics-of-song", "getLyricsBySongId?id=@hunter"),
    ("lyrics-of-song-none", "getLyricsBySongId?id=@joga"), ("scrobble", "scrobble?id=@hunter"),
    ("similar-songs", "getSimilarSongs?id=@homogenic&count=1"),
    ("similar-songs2", "getSimilarSongs2?id=@bjork&count=1"),
    ("sonic-similar", "getSonicSimilarTracks?id=@hunter&count=2"), ("stream-gone", "stream?id=@hunter"),
    ("download-unknown", "download?id=\(unknown)"), ("cover-none", "getCoverArt?id=@hunter&size=64"),
    ("cover-unknown", "getCoverArt?id=\(unknown)"),
    ("create-playlist", "createPlaylist?name=Sub%20%26%20Sonic&songId=@hunter&songId=@tokyo"),
    ("create-playlist-missing", "createPlaylist"),
    ("update-playlist", "updatePlaylist?playlistId=@made&comment=c&songIndexToRemove=0"),
    ("update-playlist-bad", "updatePlaylist?playlistId=@made&songIndexToRemove=9"),
    ("updated-playlist", "getPlaylist?id=@made"),
    ("delete-playlist", "deletePlaylist?id=@made"), ("delete-playlist-again", "deletePlaylist?id=@made"),
    ("star", "star?id=@rain&albumId=@ring&artistId=@wagner"), ("star-unknown", "star?id=\(unknown)"),
    ("star-missing", "star"),
    ("unstar", "unstar?id=@hunter&albumId=@queen-hits&artistId=@bjork"), ("starred2-changed", "getStarred2"),
  ]

  static let subsonicMethods = Set(subsonicCalls.map { String($0.call.prefix { $0 != "?" && $0 != "." }) })

  private static func subsonic(format: String?) -> [SnapshotRequest] {
    var requests = subsonicCalls.map { name, call -> SnapshotRequest in
      let format = format.map { (call.contains("?") ? "&f=" : "?f=") + $0 } ?? ""
      let request = SnapshotRequest.get(name, "/rest/\(call)\(format)")
      return name == "create-playlist" ? request.keeping("made", at: "subsonic-response.playlist.id") : request
    }
    requests.append(.form("form", "/rest/getAlbum" + (format.map { "?f=\($0)" } ?? ""), "id=@unnamed"))
    if format != nil { requests.append(.get("jsonp", "/rest/ping?f=jsonp&callback=a.b")) }
    return requests
  }

  // MARK: Others

  private static let lookup = "/v2/lookup?client=x&duration=120"

  private static let acoustID: [SnapshotRequest] = [
    .get(
      "lookup", lookup + "&fingerprint=@print&meta=recordings+releasegroups+releases+tracks+compress+usermeta+sources"),
    .get("lookup-ids", lookup + "&fingerprint=@print&meta=recordingids"),
    .get("lookup-files", lookup + "&fingerprint=@print&meta=files"),
    .get("lookup-jsonp", lookup + "&fingerprint=@print&format=jsonp&jsoncallback=f"),
    .form(
      "lookup-batch", "/v2/lookup",
      "client=x&batch=1&duration.0=120&fingerprint.0=@print&duration.1=9&fingerprint.1=@other"),
    .get("no-client", "/v2/lookup?duration=120&fingerprint=@print"),
    .get("no-fingerprint", lookup),
    .get("bad-fingerprint", lookup + "&fingerprint=AQ"),
    .get("bad-duration", "/v2/lookup?client=x&duration=long&fingerprint=@print"),
    .get("bad-format", lookup + "&fingerprint=@print&format=xml"),
    .get("bad-track", "/v2/lookup?client=x&trackid=7"),
    .get("unknown-track", "/v2/lookup?client=x&trackid=00000000-0000-0000-0000-000000000001"),
  ]

  private static let recording = "1a1b1c1d-0001-4000-8000-00000000000a"
  private static let corrected = "1a1b1c1d-0006-4000-8000-00000000000a"
  private static let noRecording = "00000000-0000-4000-8000-000000000000"

  private static let acousticBrainz: [SnapshotRequest] = [
    .get("low-level", "/api/v1/\(recording)/low-level"),
    .get("low-level-number", "/api/v1/\(recording)/low-level?n=1"),
    .get("low-level-bad-number", "/api/v1/\(recording)/low-level?n=x"),
    .get("low-level-unknown", "/api/v1/\(noRecording)/low-level"),
    .get("high-level", "/api/v1/\(recording)/high-level"),
    .get("count", "/api/v1/\(recording)/count"),
    .get("count-unknown", "/api/v1/\(noRecording)/count"),
    .get("low-level-several", "/api/v1/low-level?recording_ids=\(corrected);\(noRecording)"),
    .get("low-level-several-none", "/api/v1/low-level"),
    .get("high-level-several", "/api/v1/high-level?recording_ids=\(recording):0;\(corrected)"),
    .get("count-several", "/api/v1/count?recording_ids=\(recording);\(noRecording)"),
    .get("count-several-bad", "/api/v1/count?recording_ids=x"),
  ]

  private static let app: [SnapshotRequest] = [
    .get("status", "/app/api/status").hiding("revision"),
    .get("search", "/app/api/search?q=bj%C3%B6&limit=1"),
    .get("search-sections", "/app/api/search?q=greatest&sections=albums,playlists"),
    .get("search-quotes", "/app/api/search?q=%22quotes%22%20%26&sections=tracks"),
    .get("search-empty", "/app/api/search?q="),
    .get("search-bad-section", "/app/api/search?q=a&sections=songs"),
    .get("tracks", "/app/api/tracks?sort=-added&limit=4"),
    .get("tracks-rest", "/app/api/tracks?sort=title&limit=50&offset=19"),
    .get("tracks-filter", "/app/api/tracks?where=bpm:80..120&sort=bpm"),
    .get("tracks-failed", "/app/api/tracks?where=status:failed"),
    .get("tracks-partial", "/app/api/tracks?where=status:partial"),
    .get("tracks-bad-filter", "/app/api/tracks?where=tempo:fast"),
    .get("tracks-bad-sort", "/app/api/tracks?sort=color"),
    .get("tracks-bad-limit", "/app/api/tracks?limit=501"),
    .get("filters", "/app/api/filters"),
    .get("track", "/app/api/tracks/@hunter"),
    .get("track-corrected", "/app/api/tracks/@joga"),
    .get("track-no-tempo", "/app/api/tracks/@rain"),
    .get("track-without-tags", "/app/api/tracks/@notags"),
    .get("track-cut-off", "/app/api/tracks/@cut"),
    .get("track-failed", "/app/api/tracks/@failed"),
    .get("track-quotes", "/app/api/tracks/@quotes"),
    .get("track-bytes", "/app/api/tracks/@bytes"),
    .get("track-gone", "/app/api/tracks/@gone"),
    .get("track-unknown", "/app/api/tracks/\(unknown)"),
    .get("waveform", "/app/api/tracks/@hunter/waveform"),
    .get("waveform-none", "/app/api/tracks/@joga/waveform"),
    .get("similar", "/app/api/tracks/@hunter/similar?limit=2"),
    .get("similar-silence", "/app/api/tracks/@rain/similar"),
    .get("prints", "/app/api/prints?ids=@hunter,@rain,\(unknown)&points=12"),
    .get("albums", "/app/api/albums?sort=name&limit=3"),
    .get("albums-newest", "/app/api/albums?limit=2&offset=1"),
    .get("albums-genre", "/app/api/albums?sort=year&genre=Indie%20Rock"),
    .get("albums-bad-sort", "/app/api/albums?sort=size"),
    .get("album", "/app/api/albums/@ring"),
    .get("album-sampler", "/app/api/albums/@sampler"),
    .get("album-unknown", "/app/api/albums/\(unknown)"),
    .get("artists", "/app/api/artists?limit=4"),
    .get("artist", "/app/api/artists/@bjork?limit=1"),
    .get("artist-nobody", "/app/api/artists/@nobody?limit=2"),
    .get("artist-unknown", "/app/api/artists/\(unknown)"),
    .get("genres", "/app/api/genres"),
    .get("playlists", "/app/api/playlists"),
    .get("playlist", "/app/api/playlists/@list-old"),
    .get("playlist-unknown", "/app/api/playlists/\(unknown)"),
    .get("playlist-m3u8", "/app/api/playlists/@list-mix.m3u8"),
    .get("report", "/app/api/report"),
    .get("duplicates", "/app/api/duplicates"),
    .get("duplicates-bad-limit", "/app/api/duplicates?limit=0"),
  ]

  private static let appChanges: [SnapshotRequest] = [
    .json("POST", "playlist-make", "/app/api/playlists", #"{"name": "New", "tracks": ["@hunter", "@rain"]}"#)
      .keeping("made", at: "playlist.id"),
    .json("POST", "playlist-make-nameless", "/app/api/playlists", #"{"name": " "}"#),
    .json("PUT", "playlist-describe", "/app/api/playlists/@made", #"{"name": "Newer", "description": "d"}"#),
    .json("POST", "playlist-add", "/app/api/playlists/@made/entries", #"{"tracks": ["@tokyo"], "position": 0}"#),
    .json("POST", "playlist-add-unknown", "/app/api/playlists/@made/entries", #"{"tracks": ["\#(unknown)"]}"#),
    .json("PUT", "playlist-order", "/app/api/playlists/@made/order", #"{"start": 0, "length": 1, "before": 3}"#),
    .json("PUT", "playlist-order-bad", "/app/api/playlists/@made/order", #"{"start": "x"}"#),
    .json("DELETE", "playlist-remove", "/app/api/playlists/@made/entries", #"{"positions": [0]}"#),
    .json("DELETE", "playlist-remove-bad", "/app/api/playlists/@made/entries", #"{"positions": [-1]}"#),
    SnapshotRequest("DELETE", "playlist-delete", "/app/api/playlists/@made"),
    SnapshotRequest("DELETE", "playlist-delete-again", "/app/api/playlists/@made"),
    .json("PUT", "tempo-preview", "/app/api/tracks/@hunter/tempo", #"{"times": 2, "preview": true}"#),
    .json("PUT", "tempo", "/app/api/tracks/@hunter/tempo", #"{"times": 2}"#),
    .json("PUT", "tempo-bad", "/app/api/tracks/@hunter/tempo", #"{"bpm": "fast"}"#),
    .json("PUT", "tempo-failed-file", "/app/api/tracks/@failed/tempo", #"{"bpm": 100}"#),
    .json("POST", "tempo-undo", "/app/api/tracks/@hunter/tempo/undo", "{}"),
    .json("POST", "tempo-undo-unknown", "/app/api/tracks/@hunter/tempo/undo", #"{"to": 999}"#),
    SnapshotRequest("DELETE", "tempo-unset", "/app/api/tracks/@joga/tempo"),
    .json("POST", "duplicates-keep", "/app/api/duplicates/decisions", #"{"decision": "keep", "tracks": ["@copy"]}"#),
    .json(
      "POST", "duplicates-distinct", "/app/api/duplicates/decisions",
      #"{"decision": "distinct", "tracks": ["@copy", "@joga"]}"#),
    .json("POST", "duplicates-bad", "/app/api/duplicates/decisions", #"{"decision": "delete", "tracks": ["@copy"]}"#),
    .json(
      "POST", "duplicates-forget", "/app/api/duplicates/decisions", #"{"decision": "forget", "tracks": ["@copy"]}"#),
    .json("POST", "login-without-tokens", "/app/api/login", #"{"token": "x"}"#),
    SnapshotRequest("POST", "logout", "/app/api/logout"),
  ]

  static let reference = {
    let landmarks = (0..<40).map { Landmark(column: 10 * $0, band: 7 * $0 % 120, strength: $0 % 16) }
    let signature = Signature(landmarks: landmarks, columnCount: 420)
    let base64 = Data(signature.bytes).base64EncodedString()
    let item = #"{"title": "Ä & B", "artist": "C", "isrc": "GBAYE9700101", "genres": ["House"]}"#
    return #"{"reference": "one", "signature": "\#(base64)", "items": [\#(item)]}"#
  }()

  private static let recognition: [SnapshotRequest] = [
    .get("catalog-none", "/v1/catalog"),
    SnapshotRequest("POST", "session-without-catalog", "/v1/sessions"),
    .json("POST", "catalog-add-bad", "/v1/catalog", #"{"signature": "AAAA"}"#),
    .json("POST", "catalog-add-nothing", "/v1/catalog", "{}"),
    .json("POST", "catalog-add", "/v1/catalog", reference),
    .get("catalog", "/v1/catalog?limit=1"),
    .get("catalog-bad-limit", "/v1/catalog?limit=0"),
    .get("recording", "/v1/catalog/one"),
    .get("recording-unknown", "/v1/catalog/two"),
    .get("signature-unknown", "/v1/catalog/two/signature"),
    .json("POST", "part-bad", "/v1/catalog/part", "{}"),
    SnapshotRequest("POST", "match-bad-limit", "/v1/match?min_confidence=7"),
    SnapshotRequest("POST", "session", "/v1/sessions").keeping("session", at: "id"),
    .get("session-status", "/v1/sessions/@session"),
    SnapshotRequest("POST", "session-audio-bad-type", "/v1/sessions/@session/audio").with("Content-Type", "audio/mpeg"),
    SnapshotRequest("DELETE", "session-end", "/v1/sessions/@session"),
    .get("session-events", "/v1/sessions/@session/events"),
    .get("session-unknown", "/v1/sessions/none"),
    SnapshotRequest("DELETE", "recording-remove-unknown", "/v1/catalog/two"),
    SnapshotRequest("DELETE", "recording-remove", "/v1/catalog/one"),
    .get("catalog-empty", "/v1/catalog"),
  ]

  private static let server: [SnapshotRequest] = [
    .get("metrics", "/metrics"),
    .get("healthz", "/healthz"),
    .get("openapi", "/openapi.json").inLines(of: 1200),
    .get("nothing-there", "/nothing"),
    SnapshotRequest("POST", "other-method", "/healthz"),
    .get("foreign-name", "/healthz").with("Host", "evil.example"),
    .get("foreign-page", "/healthz").with("Origin", "http://evil.example"),
    .get("cover-none", "/media/covers/@hunter?size=64"),
    .get("cover-none-empty", "/media/covers/@hunter?missing=empty"),
    .get("cover-bad-size", "/media/covers/@hunter?size=x"),
    .get("file-gone", "/media/tracks/@hunter"),
    .get("file-unknown", "/media/tracks/\(unknown)"),
  ]

  static let secret = "0123456789abcdefghij"

  private static let access: [SnapshotRequest] = [
    .get("no-token", "/v1/me"),
    .get("token", "/v1/me").with("Authorization", "Bearer \(secret)"),
    .get("track-with-signed-cover", "/v1/tracks/@hunter").with("Authorization", "Bearer \(secret)"),
    .get("wrong-token", "/v1/me").with("Authorization", "Bearer wrong"),
    .get("app-no-token", "/app/api/status"),
    .get("subsonic", "/rest/ping?u=phone&p=\(secret)&f=json"),
    .get("subsonic-salted", "/rest/ping?u=phone&t=\(salted)&s=salt&f=json"),
    .get("subsonic-wrong", "/rest/ping?u=phone&p=wrong&f=json"),
    .get("subsonic-wrong-xml", "/rest/ping?u=phone&p=wrong"),
    .get("subsonic-none", "/rest/ping?f=json"),
    .get("subsonic-key", "/rest/tokenInfo?apiKey=\(secret)&f=json"),
    .json("POST", "login", "/app/api/login", #"{"token": "\#(secret)"}"#),
    .json("POST", "login-wrong", "/app/api/login", #"{"token": "wrong"}"#),
    .json("POST", "login-bad", "/app/api/login", "{}"),
    .form("client", "/api/token", "grant_type=client_credentials&client_secret=\(secret)").hiding("access_token"),
    .form("client-wrong", "/api/token", "grant_type=client_credentials&client_secret=wrong"),
  ]

  /// MD5 of the secret and the salt.
  private static let salted = "651423659abab8fd10da252982a40072"
}
