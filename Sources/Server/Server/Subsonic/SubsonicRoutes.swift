internal import HTTPTypes
internal import Hummingbird
internal import LibraryStore
internal import LibraryTasks
internal import Serving

/// `/rest`: the API of Subsonic 1.16.1 with extensions of OpenSubsonic (opensubsonic.netlify.app).
struct SubsonicRoutes: RouteSet {
  let api = API(
    name: "subsonic", path: "/rest", access: .tokenAmongParameters(.subsonic), hasStandardErrors: false)
  let services: Services

  var routes: [Route] {
    route(
      .get, "{method}", "The methods of OpenSubsonic", Self.parameters, answers: [.json(SubsonicAnswer.type)],
      type: "application/xml", answer)
    route(
      .post, "{method}", "The methods of OpenSubsonic", Self.parameters, body: .form(Self.parameters.map(\.name)),
      answers: [.json(SubsonicAnswer.type)], type: "application/xml", answer)
  }

  /// Parameters of all methods. The parameters from `u` to `callback` identify the client and the response format.
  private static let parameters: [RouteParameter] = [
    .text("u"), .text("p"), .text("t"), .text("s"), .text("apiKey"), .text("v"), .text("c"),
    .choice("f", ["xml", "json", "jsonp"]), .text("callback"),
    .text("id"), .text("albumId"), .text("artistId"), .text("query"), .text("type"), .text("genre"), .text("artist"),
    .text("title"), .text("username"), .integer("musicFolderId", 0...1_000_000), .integer("size", 0...2000),
    .integer("count", 0...500), .integer("offset", 0...1_000_000), .integer("fromYear", 0...9999),
    .integer("toYear", 0...9999), .integer("artistCount", 0...5000), .integer("artistOffset", 0...1_000_000),
    .integer("albumCount", 0...5000), .integer("albumOffset", 0...1_000_000), .integer("songCount", 0...5000),
    .integer("songOffset", 0...1_000_000), .text("name"), .text("comment"), .text("public"), .text("playlistId"),
    .text("songId"), .text("songIdToAdd"), .integer("songIndexToRemove", 0...1_000_000),
  ]

  @Sendable private func answer(_ request: Request, _ context: ServerContext) async throws -> Response {
    var request = request
    let call = try await SubsonicRequest(&request, method: context.parameters.require("method"))
    do {
      try call.check()
      switch call.method {
      case "stream": return try await stream(call, request)
      case "download": return try await services.track(call.required("id"), for: request, isAttachment: true)
      case "getCoverArt":
        return try await services.cover(
          call.required("id"), size: CoverSize(for: call.integer("size").flatMap { $0 > 0 ? $0 : nil }), for: request)
      default:
        return SubsonicAnswer.response(try await body(call), call.format)
      }
    } catch let error as RequestError {
      return SubsonicAnswer.response(error, call.format)
    } catch let error as PlaylistEditError {
      return SubsonicAnswer.response(RequestError(error), call.format)
    }
  }

  private func body(_ call: SubsonicRequest) async throws -> SubsonicObject {
    let library = SubsonicLibrary(services: services)
    if let endpoint = Self.endpoints[call.method] {
      return try await services.reading { try endpoint(library)(call) }
    }
    if let endpoint = Self.changes[call.method] {
      return try await services.writing { try endpoint(library)(call) }
    }
    if let endpoint = Self.comparisons[call.method] {
      return try await services.computing { try endpoint(library)(call) }
    }
    throw RequestError.subsonic(.notFound, .notFound, "This server does not offer \(call.method.prefix(50)).")
  }

  /// Sends the unchanged file, even if the client requests another format, because the server does not encode audio.
  /// The media type is that of the file.
  private func stream(_ call: SubsonicRequest, _ request: Request) async throws -> Response {
    try await services.track(call.required("id"), for: request)
  }

  /// All supported methods.
  static var methods: Set<String> {
    Set(endpoints.keys).union(changes.keys).union(comparisons.keys).union(["stream", "download", "getCoverArt"])
  }

  private typealias Endpoint = @Sendable (SubsonicLibrary) -> (SubsonicRequest) throws -> SubsonicObject

  /// Methods that only read and take milliseconds.
  private static let endpoints: [String: Endpoint] = [
    "ping": { $0.ping }, "getLicense": { $0.license }, "getOpenSubsonicExtensions": { $0.extensions },
    "tokenInfo": { $0.tokenInfo }, "getUser": { $0.user }, "getScanStatus": { $0.scanStatus },
    "getMusicFolders": { $0.musicFolders }, "getIndexes": { $0.indexes }, "getMusicDirectory": { $0.musicDirectory },
    "getArtists": { $0.artists }, "getArtist": { $0.artist }, "getAlbum": { $0.album }, "getSong": { $0.song },
    "getGenres": { $0.genres }, "getAlbumList": { $0.albumList }, "getAlbumList2": { $0.albumList2 },
    "getRandomSongs": { $0.randomSongs }, "getSongsByGenre": { $0.songsByGenre }, "getNowPlaying": { $0.nowPlaying },
    "getTopSongs": { $0.topSongs }, "getArtistInfo": { $0.artistInfo }, "getArtistInfo2": { $0.artistInfo2 },
    "getAlbumInfo": { $0.albumInfo }, "getAlbumInfo2": { $0.albumInfo },
    "search2": { $0.search2 }, "search3": { $0.search3 },
    "getPlaylists": { $0.playlists }, "getPlaylist": { $0.playlist },
    "getStarred": { $0.starred }, "getStarred2": { $0.starred2 },
    "getLyrics": { $0.lyrics }, "getLyricsBySongId": { $0.lyricsBySong }, "scrobble": { $0.scrobble },
  ]

  /// Methods that write to the store, regardless of the HTTP method of the request.
  private static let changes: [String: Endpoint] = [
    "createPlaylist": { $0.createPlaylist }, "updatePlaylist": { $0.updatePlaylist },
    "deletePlaylist": { $0.deletePlaylist }, "star": { $0.star }, "unstar": { $0.unstar },
  ]

  /// Methods that compare tracks, and may decode one first.
  private static let comparisons: [String: Endpoint] = [
    "getSimilarSongs": { $0.similarSongs }, "getSimilarSongs2": { $0.similarSongs2 },
    "getSonicSimilarTracks": { $0.sonicSimilarTracks },
  ]
}
