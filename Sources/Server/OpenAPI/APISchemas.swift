internal import Foundation
internal import RecognitionTasks
internal import Records
internal import Serving
internal import Text

/// The objects of answers, by the names that clients made from the OpenAPI document give them.
enum APISchemas {
  static let all: [String: JSONValue] = {
    var schemas = (catalog + app + recognition + others).mapValues { ShortSchema.object($0) }
    // What tasks declare for JSON lines and reports.
    schemas["MatchTrack"] = RecognitionSchema.track.json
    for field in TrackRoutes.plainFindings.fields { schemas["App\(field.name.capitalized)"] = field.schema.json }
    for (name, element) in pages { schemas[name] = ShortSchema.object("\(page), items: [\(element)]") }
    return schemas
  }()

  // MARK: Spotify's Web API

  private static let link = "external_urls: {text}, href: text, id: text, type: text, uri: text"
  private static let page = "href: text, limit: integer, next: text?, offset: integer, previous: text?, total: integer"

  /// Paging objects, and what is in them.
  private static let pages = [
    "TrackPage": "Track", "SimpleTrackPage": "SimpleTrack", "AlbumPage": "SimpleAlbum", "ArtistPage": "Artist",
    "PlaylistPage": "SimplePlaylist", "PlaylistItemPage": "PlaylistItem", "CategoryPage": "Category",
    "SavedTrackPage": "SavedTrack", "SavedAlbumPage": "SavedAlbum", "EmptyPage": "any",
  ]

  private static let album = """
    album_type: text, total_tracks: integer, available_markets: [text], images: [Image], name: text, release_date: text,
    release_date_precision: text, artists: [SimpleArtist], album_group?: text, is_playable: flag, \(link)
    """
  private static let track = """
    artists: [SimpleArtist], available_markets: [text], disc_number: integer, duration_ms: integer, explicit: flag,
    is_local: flag, is_playable: flag, name: text, preview_url: text?, track_number: integer, \(link)
    """
  private static let fullTrack = "album: SimpleAlbum, external_ids: {text}, popularity: integer, \(track)"
  private static let playlist = """
    collaborative: flag, description: text, images: [Image], name: text, owner: Owner, primary_color: text?, public: flag,
    snapshot_id: text, \(link)
    """
  private static let user = "\(link), display_name: text, followers: Followers, images: [Image]"
  private static let key = "key: integer, key_confidence: number?, mode: integer?, mode_confidence: number?"
  private static let meter = "time_signature: integer?, time_signature_confidence: number?"

  private static let catalog = [
    "Token": "access_token: text, token_type: text, expires_in: integer, scope: text",
    "Image": "url: text, height: integer, width: integer",
    "Followers": "href: text?, total: integer",
    "SimpleArtist": "\(link), name: text",
    "Artist": "\(link), name: text, followers: Followers, genres: [text], images: [Image], popularity: integer",
    "Artists": "artists: [Artist?]",
    "SimpleAlbum": album,
    "Album": """
    \(album), tracks: SimpleTrackPage, copyrights: [any], external_ids: {text}, genres: [text], label: text,
    popularity: integer
    """,
    "Albums": "albums: [Album?]",
    "SimpleTrack": track,
    "Track": fullTrack,
    "Tracks": "tracks: [Track?]",
    "PlaylistTrack": "\(fullTrack), episode: flag, track: flag",
    "Search": """
    tracks?: TrackPage, albums?: AlbumPage, artists?: ArtistPage, playlists?: PlaylistPage, shows?: EmptyPage,
    episodes?: EmptyPage, audiobooks?: EmptyPage
    """,
    "AudioFeatures": """
    acousticness: number?, analysis_url: text, danceability: number?, duration_ms: integer?, energy: number?, id: text,
    instrumentalness: number?, key: integer, liveness: number?, loudness: number?, mode: integer?, speechiness: number?,
    tempo: number?, time_signature: integer?, track_href: text, type: text, uri: text, valence: number?
    """,
    "AudioFeaturesList": "audio_features: [AudioFeatures?]",
    "Interval": "start: number, duration: number, confidence: number?",
    "AnalysisSection": """
    start: number, duration: number, confidence: number?, loudness: number, tempo: number?, tempo_confidence: number?, \
    \(key), \(meter)
    """,
    "AnalysisTrack": """
    num_samples: integer?, duration: number, sample_md5: text, offset_seconds: number, window_seconds: number,
    analysis_sample_rate: integer?, analysis_channels: integer?, end_of_fade_in: number?, start_of_fade_out: number?,
    loudness: number?, tempo: number?, tempo_confidence: number?, \(key), \(meter), codestring: text?,
    code_version: number?, echoprintstring: text?, echoprint_version: number?, synchstring: text?, synch_version: number?,
    rhythmstring: text?, rhythm_version: number?
    """,
    "AnalysisMeta": """
    analyzer_version: text, platform: text, detailed_status: text, status_code: integer, timestamp: integer,
    analysis_time: number?, input_process: text?
    """,
    "AudioAnalysis": """
    meta: AnalysisMeta, track: AnalysisTrack, bars: [Interval], beats: [Interval], tatums: [Interval],
    sections: [AnalysisSection], segments: [any]
    """,
    "Seed": """
    initialPoolSize: integer, afterFilteringSize: integer, afterRelinkingSize: integer, id: text, type: text, href: text?
    """,
    "Recommendations": "seeds: [Seed], tracks: [Track]",
    "Genres": "genres: [text]",
    "Markets": "markets: [text]",
    "Category": "href: text, icons: [Image], id: text, name: text",
    "Categories": "categories: CategoryPage",
    "NewReleases": "albums: AlbumPage",
    "MessagedPlaylists": "message: text, playlists: PlaylistPage",
    "User": user,
    "PrivateUser": "\(user), account_id: text",
    "Owner": "\(link), display_name: text",
    "UserLink": link,
    "ItemCount": "href: text, total: integer",
    "SimplePlaylist": "\(playlist), tracks: ItemCount, items: ItemCount",
    "Playlist": "\(playlist), followers: Followers, tracks: PlaylistItemPage, items: PlaylistItemPage",
    "VideoThumbnail": "url: text?",
    "PlaylistItem": """
    added_at: text?, added_by: UserLink, is_local: flag, primary_color: text?, track: PlaylistTrack?, item: PlaylistTrack?,
    video_thumbnail: VideoThumbnail
    """,
    "Snapshot": "snapshot_id: text",
    "SavedTrack": "added_at: text?, track: Track?",
    "SavedAlbum": "added_at: text, album: Album",
    "Cursors": "after: text?",
    "FollowedArtistPage": """
    href: text, limit: integer, next: text?, cursors: Cursors, total: integer, items: [Artist]
    """,
    "FollowedArtists": "artists: FollowedArtistPage",
    "Devices": "devices: [any]",
    "Queue": "currently_playing: any, queue: [any]",
    "RecentlyPlayed": "href: text, limit: integer, next: text?, cursors: Cursors?, total: integer, items: [any]",
    "Shows": "shows: [any]", "Episodes": "episodes: [any]", "Audiobooks": "audiobooks: [any]",
    "Chapters": "chapters: [any]",
    "ErrorDetail": "status: integer, message: text, reason?: text, position?: integer?, word?: text?",
    "Error": "error: ErrorDetail",
  ]

  // MARK: The app

  private static let appTrack = """
    id: text, title: text, is_untitled: flag, file: text, folder: text?, artist: text?, artists: [NamedLink],
    album: NamedLink?, album_artist: text?, genre: text?, year: integer?, disc: integer?, track: integer?, tempo_bpm: number?,
    tempo_confidence: number?, tempo_locked: flag, key_camelot: text?, loudness_integrated_lufs: number?,
    duration_s: number?, codec: text?, lossless: flag?, status: text, added_at: text, problem: AppNamedProblem?, marks?: {[[integer]]}
    """
  private static let problem = "code: text, name: text, what: text, do: text"
  private static let found = "count: integer, count_is_exact: flag, offset?: integer"

  private static let app = [
    "NamedLink": "id: text, name: text",
    "AppTrack": appTrack,
    "AppSimilarTrack": "\(appTrack), likeness: number",
    "AppAlbum": """
    id: text, name: text, artist: text?, artists: [NamedLink], year: integer?, date: text?, tracks: integer,
    duration_s: number, added_at: text, genres: [text], cover: text, marks?: {[[integer]]}
    """,
    "AppArtist": "id: text, name: text, tracks: integer, albums: integer, marks?: {[[integer]]}",
    "AppGenre": "name: text, tracks: integer, albums?: integer, marks?: {[[integer]]}",
    "AppPlaylist": """
    id: text, name: text, description: text?, tracks: integer, duration_s: number?, changed_at: text, snapshot: text,
    marks?: {[[integer]]}
    """,
    "AppTracks": "\(found), failed?: integer?, items: [AppTrack]",
    "AppAlbums": "\(found), items: [AppAlbum]",
    "AppArtists": "\(found), items: [AppArtist]",
    "AppGenres": "\(found), items: [AppGenre]",
    "AppFoundPlaylists": "\(found), items: [AppPlaylist]",
    "AppSearch": """
    query: text, tracks?: AppTracks, albums?: AppAlbums, artists?: AppArtists, genres?: AppGenres,
    playlists?: AppFoundPlaylists
    """,
    "AppGenreList": "items: [AppGenre]",
    "AppAlbumPage": "album: AppAlbum, tracks: [AppTrack]",
    "AppArtistTracks": "count: integer, items: [AppTrack]",
    "AppArtistPage": "artist: AppArtist, albums: [AppAlbum], tracks: AppArtistTracks",
    "AppPlaylists": "items: [AppPlaylist]",
    "AppPlaylistEntry": "entry: integer, track: AppTrack?, added_at: text, text: text?",
    "AppPlaylistPage": "playlist: AppPlaylist, entries: [AppPlaylistEntry]",
    "AppPlaylistChange": "playlist: AppPlaylist",
    "AppSimilarTracks": "compared: integer, left_out: integer, items: [AppSimilarTrack]",
    "AppPrints": "prints: {[integer]?}",
    "AppFilterField": "name: text, example: text, text: text",
    "AppFilters": "fields: [AppFilterField], sorts: [text]",
    "AppWatch": "state: text, folders: [text], absent: [text], limitation: text?, text: text",
    "AppRun": """
    phase: text, done: integer, total: integer?, seen: integer, current: text?, eta_s: number?, started_at: text,
    is_own: flag, text: text
    """,
    "AppLastRun": """
    id: integer, state: text, started_at: text, finished_at: text?, pipeline: text, seen: integer, new_problems: integer
    """,
    "AppCatalogStatus": "is_there: flag, recordings: integer?, problem: text?",
    "AppStatus": """
    program: text, version: text, schema: integer, tracks: integer, duration_s: number, waiting: integer, failed: integer,
    damaged: integer, last_run: AppLastRun?, run: AppRun?, catalog: AppCatalogStatus, features: {flag}, may: {flag},
    watch: AppWatch?, revision: integer, text: text
    """,
    "AppFormat": """
    container: text, codec: text, sample_rate_hz: integer, channels: integer, bit_depth: integer?, bit_rate_bps: integer?,
    lossless: flag
    """,
    "AppTag": "label: text, value: text",
    "AppChapter": "start_s: number, end_s: number?, title: text?",
    "AppTempoCandidate": "bpm: number, weight: number, ratio: number?",
    "AppTempoSection": "start_s: number, bpm: number",
    "AppOnsets": "step_s: number, values: [number]",
    "AppFoundTempo": "bpm: number?, confidence: number?",
    "AppTempoState": "id: integer, at: text, bpm: number?, is_set: flag, text: text",
    "AppTempo": """
    bpm: number?, confidence: number?, octave_confidence: number?, is_stable: flag?, metre: text?, reason: text?,
    candidates: [AppTempoCandidate], text: text, why: [text], beats_s: [number], downbeats_s: [number]?,
    map: [AppTempoSection], onsets: AppOnsets?, locked: flag, corrected_at: text?, found: AppFoundTempo?,
    states: [AppTempoState]
    """,
    "AppKeyCandidate": "key: text, probability: number",
    "AppKeySection": "start_s: number, key: text?",
    "AppKey": """
    camelot: text?, tonic: text?, mode: text?, open_key: text?, confidence: number?, candidates: [AppKeyCandidate],
    map: [AppKeySection], tuning_hz: number?, text: text, reason: text?
    """,
    "AppSection": "start_s: number, end_s: number, label: text, level_db: number?",
    "AppSections": "form: text?, map: [AppSection], reason: text?",
    "AppFindingLine": "label: text, text: text",
    "AppNamedProblem": problem,
    "AppProblem": "\(problem), detail: text, is_failure: flag",
    "AppLyricsLine": "start_s: number, text: text",
    "AppLyrics": "language: text?, description: text?, text: text, lines: [AppLyricsLine]",
    "AppTrackPage": """
    track: AppTrack, path: text, content_id: text?, size_bytes: integer?, modified_at: text?, analyzed_at: text?,
    is_vanished: flag, copies: integer, format: AppFormat?, tags: [AppTag], has_lyrics: flag, lyrics: [AppLyrics], chapters: [AppChapter],
    tempo: AppTempo?, key: AppKey?, sections: AppSections?, loudness: AppLoudness?, cues: AppCues?, traits: AppTraits?,
    other_findings: [AppFindingLine], has_waveform: flag, has_descriptor: flag, problems: [AppProblem], remarks: [text]
    """,
    "AppTempoChange": "saved: flag, text: text, note: text?, copies: integer, tempo: AppTempo?",
    "AppWaveform": """
    points: integer, point_s: number, peak_dbfs: number?, low_peak_dbfs: number?, mid_peak_dbfs: number?,
    high_peak_dbfs: number?, minima: text, maxima: text, rms: text, low_peaks: text, low_rms: text, mid_peaks: text,
    mid_rms: text, high_peaks: text, high_rms: text, onset_step_s: number?, onsets: text, reason: text?
    """,
    "AppDuplicateFile": """
    track: text, title: text, path: text, advice: text, relation: text?, text: text
    """,
    "AppDuplicateGroup": "id: text, name: text, spare_bytes: integer, spare_text: text, files: [AppDuplicateFile]",
    "AppLongerFilePart": "track: text, title: text, path: text, start_s: number, end_s: number",
    "AppLongerFile": "track: text, title: text, path: text, parts: [AppLongerFilePart]",
    "AppDuplicates": """
    spare_files: integer, spare_bytes: integer, spare_text: text, waiting: integer, count: integer, count_is_exact: flag,
    offset: integer, items: [AppDuplicateGroup], longer_files: [AppLongerFile]
    """,
    "AppDuplicateDecisions": "count: integer",
    "AppReportPart": "text: text, is_bad: flag, link: text?",
    "AppReportFile": "id: text?, path: text, text: text",
    "AppReportCause": """
    shape: text, what: text, do: text?, count: integer, files: [AppReportFile], where: text?
    """,
    "AppReportFolder": "folder: text, path: text, text: text, about: text?, tracks: [text], where: text?",
    "AppReport": """
    title: text, when: text, sentence: [AppReportPart], subtitle: text, causes: [AppReportCause],
    can_have_new: flag, new: [AppReportFolder], new_count: integer, made_at: text, is_running: flag, run: AppRun?
    """,
  ]

  // MARK: Recognition

  private static let recognition = [
    "Match": "result: text, duration_s: number?, tracks: [MatchTrack]?",
    "Session": """
    id: text, audio: text, events: text, next_sequence: integer, received_s: number, last_event_id: integer,
    maximum_chunk_bytes: integer, idle_timeout_s: integer
    """,
    "Receipt": "sequence: integer, duplicate: flag, received_s: number",
    "Recording": "reference: text, duration_s: number, landmarks: integer, items: [any]",
    "Recordings": """
    total: integer, limit: integer, offset: integer, next: text?, duration_s: number, problem: text?, items: [Recording]
    """,
    "AddedRecordings": "items: [Recording]",
  ]

  // MARK: Others

  private static let others = [
    "RemovedTrack": "uri?: text, positions?: [place]",
    "Health": "status: text, version: text, tracks: integer",
    "AcoustIDLookup": "status: text, results?: [any], fingerprints?: [any], error?: any",
    "SubsonicError": "code: integer, message: text",
    "SubsonicAnswer": """
    status: text, version: text, type: text, serverVersion: text, openSubsonic: flag, error?: SubsonicError, *: any
    """,
    "Subsonic": "subsonic-response: SubsonicAnswer",
  ]
}

private func + (one: [String: String], other: [String: String]) -> [String: String] {
  one.merging(other) { first, _ in preconditionFailure("Two schemas have one name: \(first)") }
}
