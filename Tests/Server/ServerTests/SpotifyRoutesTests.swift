import Analysis
import AnalysisTesting
import Foundation
import SystemPackage
import Testing
import Text

@testable import Server

/// `/v1` as clients of Spotify's Web API use it.
@Suite(.bounded) struct SpotifyRoutesTests {
  /// Fields that typed clients require, for each kind of object.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  private struct Track: Decodable {
    struct Artist: Decodable { var id: String, name: String, uri: String, href: String, type: String }
    struct Image: Decodable { var url: String, height: Int, width: Int }
    struct Album: Decodable {
      var album_type: String, artists: [Artist], available_markets: [String], href: String, id: String, images: [Image]
      var name: String, release_date: String, release_date_precision: String, total_tracks: Int, type: String,
        uri: String
    }
    var album: Album?
    var artists: [Artist], disc_number: Int, duration_ms: Int, explicit: Bool, href: String, id: String, name: String
    var preview_url: String?, track_number: Int, type: String, uri: String, is_local: Bool, available_markets: [String]
    var popularity: Int?, external_ids: [String: String]?, external_urls: [String: String]
  }
  private struct Page<Item: Decodable>: Decodable {
    var href: String, items: [Item], limit: Int, next: String?, offset: Int, previous: String?, total: Int
  }
  private struct Found: Decodable {
    struct Artist: Decodable {
      var id: String, name: String, genres: [String], popularity: Int, followers: Followers, images: [Track.Image]
      struct Followers: Decodable { var total: Int }
    }
    var tracks: Page<Track>, albums: Page<Track.Album>, artists: Page<Artist>
  }
  // swift-format-ignore: AlwaysUseLowerCamelCase
  private struct Features: Decodable {
    var id: String, tempo: Double?, key: Int, mode: Int?, energy: Double?, valence: Double?, duration_ms: Int
    var time_signature: Int?
  }

  private static func files() -> [ServedLibrary.File] {
    (1...12).map { (number: Int) -> ServedLibrary.File in
      let tags: [String: [String]] = [
        "title": ["Song \(number)"], "artist": ["Band \(number % 3)"], "album": ["Album \(number % 3)"],
        "albumartist": ["Band \(number % 3)"], "genre": ["House"], "date": ["200\(number % 3)-05-01"],
        "track": ["\(number)"], "isrc": ["GBAAA00000\(10 + number)"],
      ]
      return ServedLibrary.File(
        path: FilePath("/music/\(number).flac"), tags: tags,
        findings: [
          (
            "tempo",
            TempoFinding(
              bpm: 110 + Double(number), confidence: 0.9, candidates: [], isStable: true, map: [], beats: [1, 1.5, 2],
              metre: "4/4")
          ),
          ("traits", TraitsFinding(energy: Double(number) / 20, danceability: 0.5, speechiness: 0.1)),
        ])
    } + [ServedLibrary.File(path: "/music/untitled.flac", tags: [:])]
  }

  private func decode<Value: Decodable>(_ type: Value.Type, _ answer: ServedLibrary.Answer) throws -> Value {
    #expect(answer.status == 200)
    return try JSONDecoder().decode(type, from: Data(answer.body))
  }

  @Test func objectsAreThoseThatTypedClientsDecode() async throws {
    let library = try await ServedLibrary(Self.files())
    let found = try decode(Found.self, await library.get("/v1/search?q=song%20OR&type=track,album,artist"))
    #expect(found.tracks.total == 0)
    let page = try decode(Found.self, await library.get("/v1/search?q=b&type=track,album,artist&limit=2&offset=1"))
    #expect(page.artists.total == 3 && page.artists.items.count == 2)
    #expect(page.artists.next == nil && page.artists.previous?.contains("offset=0") == true)
    let songs = try decode(Found.self, await library.get("/v1/search?q=song&type=track,album,artist&limit=5"))
    #expect(songs.tracks.total == 12 && songs.albums.total == 0)
    let next = try #require(songs.tracks.next)
    #expect(next.hasPrefix("http://127.0.0.1:\(library.port)/v1/search?query=song"))
    let id = try #require(songs.tracks.items.first?.id)
    let track = try decode(Track.self, await library.get("/v1/tracks/\(id)"))
    #expect(track.uri == "spotify:track:\(id)" && track.duration_ms == 200_000 && track.album?.total_tracks == 4)
    #expect(track.external_ids?["isrc"]?.hasPrefix("GBAAA") == true)
    let album = try #require(track.album?.id)
    let tracks = try decode(Page<Track>.self, await library.get("/v1/albums/\(album)/tracks?limit=3"))
    #expect(tracks.items.map(\.track_number) == tracks.items.map(\.track_number).sorted() && tracks.next != nil)
    let isrc = try await library.get("/v1/search?q=isrc:GBAAA0000011&type=track").json
    #expect(isrc["tracks"]["total"] == .integer(1))
    let years = try await library.get("/v1/search?q=year:2001-2002&type=track").json
    #expect(years["tracks"]["total"] == .integer(8))
    try await library.stop()
  }

  @Test func soundIsToldAsFarAsItIsKnown() async throws {
    let library = try await ServedLibrary(Self.files())
    let id = ContentID(ofPath: "/music/6.flac").description
    let features = try decode(Features.self, await library.get("/v1/audio-features/\(id)?nulls=1"))
    #expect(features.tempo == 116 && features.key == -1 && features.mode == nil && features.valence == nil)
    #expect(features.energy == 0.3 && features.time_signature == 4 && features.duration_ms == 200_000)
    let many = try await library.get("/v1/audio-features?ids=\(id),0000000000000000000000").json
    guard case .array(let list) = many["audio_features"] else { throw CancellationError() }
    #expect(list.count == 2 && list[1] == .null)
    let analysis = try await library.get("/v1/audio-analysis/\(id)").json
    guard case .array(let beats) = analysis["beats"] else { throw CancellationError() }
    #expect(beats.count == 3 && beats[0]["start"] == .number(1))
    let wanted = try await library.get("/v1/recommendations?seed_tracks=\(id)&min_tempo=118&target_energy=0.5&limit=3")
      .json
    guard case .array(let tracks) = wanted["tracks"] else { throw CancellationError() }
    #expect(
      tracks.map { $0["name"] } == [.string("Song 10"), .string("Song 11"), .string("Song 9")] || tracks.count == 3)
    try await library.stop()
  }

  @Test func everythingToBrowseIsThere() async throws {
    let library = try await ServedLibrary(Self.files())
    let artist = try await library.get("/v1/search?q=band&type=artist").json["artists"]["items"]
    guard case .array(let artists) = artist, case .string(let id) = artists[0]["id"] else { throw CancellationError() }
    for path in [
      "artists/\(id)", "artists/\(id)/albums?include_groups=album,single", "artists/\(id)/top-tracks?market=US",
      "artists/\(id)/related-artists", "artists?ids=\(id)", "browse/new-releases", "browse/categories",
      "browse/categories/house", "browse/categories/house/playlists", "browse/featured-playlists", "markets",
      "recommendations/available-genre-seeds",
    ] {
      let answer = try await library.get("/v1/\(path)")
      #expect(answer.status == 200 && answer.json != .null, "\(path)")
    }
    let untitled = ContentID(ofPath: "/music/untitled.flac").description
    let track = try decode(Track.self, await library.get("/v1/tracks/\(untitled)"))
    #expect(track.name == "untitled" && track.artists.map(\.name) == ["Unknown artist"] && track.album?.id == untitled)
    #expect(try await library.get("/v1/albums/\(untitled)").status == 200)
    try await library.stop()
  }

  @Test func mistakesAreToldAsThere() async throws {
    let library = try await ServedLibrary(Self.files())
    for (path, status) in [
      ("tracks/short", 400), ("tracks/0000000000000000000000", 404), ("search?q=a", 400), ("search?type=track", 400),
      ("search?q=a&type=nothing", 400), ("search?q=a&type=track&limit=51", 400), ("search?q=a&type=track&limit=x", 400),
      ("audio-features?ids=", 400), ("recommendations", 400), ("recommendations?seed_genres=house&min_tempo=fast", 400),
      ("browse/categories/none", 404), ("albums/' OR 1", 400), ("search?q=year:x&type=track", 400),
    ] {
      let answer = try await library.get("/v1/" + path.replacing(" ", with: "%20"))
      #expect(answer.status == status, "\(path)")
      #expect(answer.json["error"]["status"] == .integer(Int64(status)), "\(path)")
    }
    try await library.stop()
  }

  @Test func clientsGetATokenThatLetsThemIn() async throws {
    let library = try await ServedLibrary(Self.files()) { _ in }
    let form = ["Content-Type": "application/x-www-form-urlencoded"]
    let answer = try await library.ask("POST", "/api/token", form, body: Array("grant_type=client_credentials".utf8))
    guard case .string(let token) = answer.json["access_token"] else { throw CancellationError() }
    #expect(answer.json["token_type"] == .string("Bearer") && answer.json["expires_in"] == .integer(3600))
    #expect(try await library.get("/v1/browse/new-releases", ["Authorization": "Bearer \(token)"]).status == 200)
    let refused = try await library.ask("POST", "/api/token", form, body: Array("grant_type=password".utf8))
    #expect(refused.status == 400 && refused.json["error"] == .string("unsupported_grant_type"))
    try await library.stop()
  }

  @Test func filtersAreTakenOutOfWords() throws {
    let words = try SpotifySearchText(#"night artist:"Daft Punk" year:1999 album:Home work track:One"#).query
    #expect(words.text == "night" && words.artist == "Daft Punk" && words.years == 1999...1999)
    #expect(words.album == "Home work" && words.title == "One")
    #expect(try SpotifySearchText("4:44 hello: x").query.text == "4:44 hello: x")
    #expect(try SpotifySearchText("tag:new").query.addedSince != nil)
  }
}
