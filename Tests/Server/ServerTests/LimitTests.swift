import Analysis
import AnalysisEngine
import AnalysisTesting
import HTTPTypes
import Hummingbird
import LibraryStore
import NIOCore
import ResultStore
import SystemPackage
import Testing
import Text

@testable import Server
@testable import Serving

/// Both sides of the limits of requests.
@Suite(.bounded) struct LimitTests {
  /// One album with one track more than a response contains of any album or playlist.
  private static let files = (1...101).map { number in
    ServedLibrary.File(
      path: FilePath("/music/\(number).flac"),
      tags: [
        "title": ["Song \(number)"], "artist": ["Band"], "albumartist": ["Band"], "album": ["Album"],
        "track": ["\(number)"], "genre": ["House"],
      ])
  }
  private static let ids = files.map { ContentID(ofPath: $0.path).description }

  /// Checks that a number is accepted up to `limit`, and rejected beyond it.
  private func expect(
    _ limit: Int, in library: ServedLibrary, _ method: String = "GET",
    sourceLocation: SourceLocation = #_sourceLocation,
    _ target: (Int) -> String
  ) async throws {
    let (inside, outside) = (target(limit), target(limit + 1))
    let accepted = try await library.ask(method, inside).status
    #expect(accepted != 400 && accepted < 500, "\(method) \(inside.prefix(60))", sourceLocation: sourceLocation)
    let rejected = try await library.ask(method, outside).status
    #expect(rejected == 400, "\(method) \(outside.prefix(60))", sourceLocation: sourceLocation)
  }

  private func list(_ count: Int) -> String { (0..<count).map { Self.ids[$0 % Self.ids.count] }.joined(separator: ",") }

  @Test func idsPerRequest() async throws {
    let library = try await ServedLibrary(Self.files)
    for (path, limit) in [
      ("tracks?", 50), ("albums?", 20), ("artists?", 50), ("audio-features?", 100), ("shows?", 50), ("episodes?", 50),
      ("audiobooks?", 50), ("chapters?", 50), ("me/tracks/contains?", 50), ("me/albums/contains?", 50),
      ("me/following/contains?type=artist&", 50), ("me/shows/contains?", 50), ("me/episodes/contains?", 50),
      ("me/audiobooks/contains?", 50),
    ] {
      try await expect(limit, in: library) { "/v1/\(path)ids=\(list($0))" }
      #expect(try await library.get("/v1/\(path)ids=").status == 400, "\(path)")
    }
    for (method, path) in [
      ("PUT", "me/tracks?ids"), ("DELETE", "me/tracks?ids"), ("PUT", "me/library?uris"), ("DELETE", "me/albums?ids"),
      ("DELETE", "me/following?type=artist&ids"), ("PUT", "me/shows?ids"), ("DELETE", "me/episodes?ids"),
    ] {
      try await expect(100, in: library, method) { "/v1/\(path)=\(list($0))" }
    }
    try await library.stop()
  }

  @Test func pages() async throws {
    let library = try await ServedLibrary(Self.files)
    let track = try await library.get("/v1/tracks/\(Self.ids[0])").json
    let (album, artist) = (track["album"]["id"].text, track["artists"][0]["id"].text)
    let playlist = try await library.ask(
      "POST", "/v1/users/nocturne/playlists", ["Content-Type": "application/json"], body: Array(#"{"name": "x"}"#.utf8)
    ).json["id"].text
    #expect(!album.isEmpty && !artist.isEmpty && !playlist.isEmpty)
    let offset = 10_000_000
    for (path, limit, maxOffset) in [
      ("search?q=song&type=track&", 50, nil), ("albums/\(album)/tracks?", 50, offset),
      ("artists/\(artist)/albums?", 50, offset), ("browse/new-releases?", 50, offset),
      ("browse/categories?", 50, offset), ("browse/categories/house/playlists?", 50, offset),
      ("browse/featured-playlists?", 50, offset), ("me/playlists?", 50, offset),
      ("users/nocturne/playlists?", 50, offset), ("me/tracks?", 50, offset), ("me/albums?", 50, offset),
      ("me/shows?", 50, offset), ("me/episodes?", 50, offset), ("me/audiobooks?", 50, offset),
      ("me/top/tracks?", 50, offset), ("me/top/artists?", 50, offset), ("playlists/\(playlist)/tracks?", 100, offset),
      ("me/following?type=artist&", 50, nil), ("me/player/recently-played?", 50, nil),
      ("recommendations?seed_tracks=\(Self.ids[0])&", 100, nil),
    ] as [(String, Int, Int?)] {
      try await expect(limit, in: library) { "/v1/\(path)limit=\($0)" }
      #expect(try await library.get("/v1/\(path)limit=1").status == 200, "\(path)")
      #expect(try await library.get("/v1/\(path)limit=0").status == 400, "\(path)")
      guard let maxOffset else { continue }
      try await expect(maxOffset, in: library) { "/v1/\(path)offset=\($0)" }
      #expect(try await library.get("/v1/\(path)offset=-1").status == 400, "\(path)")
    }
    // Counts are exact up to a thousand, so no page of a search ends later.
    try await expect(980, in: library) { "/v1/search?q=song&type=track&limit=20&offset=\($0)" }
    try await expect(20, in: library) { "/v1/search?q=song&type=track&offset=980&limit=\($0)" }
    try await library.stop()
  }

  /// Up to five seeds of all kinds together.
  @Test func seeds() async throws {
    let library = try await ServedLibrary(Self.files)
    try await expect(5, in: library) { "/v1/recommendations?seed_tracks=\(list($0))" }
    try await expect(3, in: library) { "/v1/recommendations?seed_tracks=\(list($0))&seed_genres=house,jazz" }
    #expect(try await library.get("/v1/recommendations?seed_genres=house").status == 200)
    #expect(try await library.get("/v1/recommendations?limit=5").status == 400)
    try await library.stop()
  }

  /// Albums and playlists contain their first tracks, and the number of all.
  @Test func partsOfLongLists() async throws {
    let library = try await ServedLibrary(Self.files)
    let id = try await library.get("/v1/tracks/\(Self.ids[0])").json["album"]["id"].text
    let album = try await library.get("/v1/albums/\(id)").json
    let albums = try await library.get("/v1/albums?ids=\(id)").json["albums"][0]
    for album in [album, albums] {
      #expect(album["tracks"]["items"].list.count == 50 && album["tracks"]["total"] == .integer(101))
      #expect(album["tracks"]["items"][49]["name"].text == "Song 50" && album["tracks"]["limit"] == .integer(50))
    }
    let header = ["Content-Type": "application/json"]
    let playlist = try await library.ask(
      "POST", "/v1/users/nocturne/playlists", header, body: Array(#"{"name": "x"}"#.utf8)
    ).json["id"].text
    for part in [Self.ids.prefix(100), Self.ids.suffix(1)] {
      let body = #"{"uris": [\#(part.map { "\"spotify:track:\($0)\"" }.joined(separator: ","))]}"#
      let added = try await library.ask("POST", "/v1/playlists/\(playlist)/tracks", header, body: Array(body.utf8))
      #expect(added.status == 201)
    }
    let whole = try await library.get("/v1/playlists/\(playlist)").json
    #expect(whole["tracks"]["items"].list.count == 100 && whole["tracks"]["total"] == .integer(101))
    let rest = try await library.get("/v1/playlists/\(playlist)/tracks?offset=100").json
    #expect(rest["items"].list.count == 1 && rest["next"] == .null)
    let artist = try await library.get("/v1/tracks/\(Self.ids[0])").json["artists"][0]["id"].text
    #expect(try await library.get("/v1/artists/\(artist)/top-tracks").json["tracks"].list.count == 10)
    try await library.stop()
  }
}

/// Both sides of the limits of uploads.
@Suite(.bounded) struct UploadLimitTests {
  private let folder: TemporaryDirectory
  private let services: Services

  init() throws {
    folder = try TemporaryDirectory()
    services = try Services(
      store: ResultStore(path: folder.file("library.sqlite"), findings: []),
      options: ServerOptions(
        catalog: folder.file("catalog"), fileAnalysis: SingleFileAnalysis(timeLimit: .standard)))
  }

  /// Uploads parts of these sizes.
  /// - Parameter length: The length that the client announces; `nil` for none.
  private func upload(_ sizes: [Int], length: Int? = nil) async throws {
    var headers = HTTPFields()
    if let length { headers[.contentLength] = "\(length)" }
    let zeros = ByteBuffer(repeating: 0, count: sizes.max() ?? 0)
    let parts = AsyncStream<ByteBuffer> { continuation in
      for size in sizes { continuation.yield(zeros.getSlice(at: 0, length: size) ?? ByteBuffer()) }
      continuation.finish()
    }
    _ = try await UploadedAudio(
      Request(
        head: HTTPRequest(method: .post, scheme: "http", authority: "localhost", path: "/", headerFields: headers),
        body: RequestBody(asyncSequence: parts)), services)
  }

  private func status(_ sizes: [Int], length: Int? = nil) async throws -> HTTPResponse.Status? {
    do {
      try await upload(sizes, length: length)
      return nil
    } catch let error as RequestError {
      return error.status
    }
  }

  @Test func sizes() async throws {
    let limit = 64 << 20
    let whole = [Int](repeating: 1 << 22, count: 16)
    #expect(try await status(whole) == nil)
    #expect(try await status(whole + [1]) == .contentTooLarge)
    // An announced length is rejected before anything is read.
    #expect(try await status([1], length: limit) == nil)
    #expect(try await status([1], length: limit + 1) == .contentTooLarge)
    #expect(try await status([]) == .badRequest)
    #expect(try await status([1]) == nil)
  }

  /// An hour of PCM is matched, in whole frames.
  @Test func durations() {
    let format = PCMFormat(sampleRate: 8_000, channelCount: 2, encoding: .s16le)
    let hour = 3_600 * 8_000 * 4
    for size in [0, 1, hour - 1, hour] { #expect(UploadedAudio.matchedByteCount(of: size, format) == size) }
    for size in [hour + 1, hour + 4, 2 * hour] { #expect(UploadedAudio.matchedByteCount(of: size, format) == hour) }
  }
}
