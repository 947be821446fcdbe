import Analysis
import AnalysisTesting
import Foundation
import LibraryStore
import ResultStore
import SystemPackage
import Testing
import Text

@testable import Server
@testable import Serving

/// `/v1` for clients that insist on types: numbers where Spotify has numbers, and every field that they require.
@Suite(.bounded) struct TypedClientTests {
  // swift-format-ignore: AlwaysUseLowerCamelCase
  private struct Features: Decodable {
    var acousticness: Double, danceability: Double, duration_ms: Int, energy: Double, instrumentalness: Double
    var key: Int, liveness: Double, loudness: Double, mode: Int, speechiness: Double, tempo: Double
    var time_signature: Int, valence: Double, id: String, uri: String
  }
  // swift-format-ignore: AlwaysUseLowerCamelCase
  private struct Analysis: Decodable {
    struct Track: Decodable {
      var num_samples: Int, duration: Double, end_of_fade_in: Double, start_of_fade_out: Double, loudness: Double
      var tempo: Double, tempo_confidence: Double, time_signature: Int, time_signature_confidence: Double, key: Int
      var key_confidence: Double, mode: Int, mode_confidence: Double, codestring: String, code_version: Double
    }
    var track: Track
  }
  // swift-format-ignore: AlwaysUseLowerCamelCase
  private struct Item: Decodable {
    struct Track: Decodable { var episode: Bool, track: Bool, id: String }
    var added_at: String, track: Track, item: Track
  }
  private struct Page<Element: Decodable>: Decodable { var items: [Element], total: Int }
  private struct Playlist: Decodable { var tracks: Page<Item>, items: Page<Item> }
  private struct Count: Decodable { var href: String, total: Int }
  private struct SmallPlaylist: Decodable { var tracks: Count, items: Count }

  private static let files = (1...4).map { number in
    ServedLibrary.File(
      path: FilePath("/music/\(number).flac"),
      tags: [
        "title": ["Song \(number)"], "artist": [number == 4 ? "Other" : "Band"], "album": ["Album"], "genre": ["House"],
      ])
  }
  private static let ids = files.map { ContentID(ofPath: $0.path).description }

  private func decode<Value: Decodable>(_ type: Value.Type, _ answer: ServedLibrary.Answer) throws -> Value {
    #expect(answer.status == 200)
    return try JSONDecoder().decode(type, from: Data(answer.body))
  }

  @Test func whatIsNotKnownIsWhatSpotifyHasForIt() async throws {
    let library = try await ServedLibrary(Self.files)
    let features = try decode(Features.self, await library.get("/v1/audio-features/\(Self.ids[0])"))
    #expect(features.tempo == 0 && features.key == -1 && features.mode == -1 && features.loudness == -60)
    let track = try decode(Analysis.self, await library.get("/v1/audio-analysis/\(Self.ids[0])")).track
    #expect(track.tempo_confidence == 0 && track.key == -1 && track.mode == -1)
    let nulls = try await library.get("/v1/audio-features/\(Self.ids[0])?nulls=1").json
    for name in ["tempo", "mode", "loudness", "valence", "energy", "time_signature"] {
      #expect(nulls[name] == .null, "\(name)")
    }
    let analysis = try await library.get("/v1/audio-analysis/\(Self.ids[0])?nulls=1").json["track"]
    #expect(analysis["tempo"] == .null && analysis["mode_confidence"] == .null)
    try await library.stop()
  }

  @Test func playlistsHaveOldAndNewNames() async throws {
    let library = try await ServedLibrary(Self.files)
    let made = try await library.ask("POST", "/v1/users/nocturne/playlists", body: Array(#"{"name": "Mix"}"#.utf8)).json
    let id = made["id"].text
    let uris = Self.ids.map { "\"spotify:track:\($0)\"" }.joined(separator: ",")
    _ = try await library.ask("POST", "/v1/playlists/\(id)/items", body: Array("{\"uris\": [\(uris)]}".utf8))
    let playlist = try decode(Playlist.self, await library.get("/v1/playlists/\(id)"))
    #expect(playlist.tracks.items.map(\.track.id) == Self.ids && playlist.items.items.map(\.item.id) == Self.ids)
    #expect(playlist.items.items.allSatisfy { $0.track.track && !$0.track.episode })
    let list = try decode(Page<SmallPlaylist>.self, await library.get("/v1/me/playlists"))
    #expect(list.items[0].items.total == 4 && list.items[0].tracks.total == 4)
    let generated = try await library.get("/v1/browse/categories/house/playlists").json["playlists"]["items"][0]["id"]
    _ = try decode(Playlist.self, await library.get("/v1/playlists/\(generated.text)"))
    let selected = try await library.get("/v1/playlists/\(id)/tracks?fields=total,items(track(name,album(!images)))")
      .json
    #expect(selected["total"] == .integer(4) && selected["href"] == .null && selected["limit"] == .null)
    let first = selected["items"][0]["track"]
    #expect(first["name"] == .string("Song 1") && first["id"] == .null)
    #expect(first["album"]["name"] == .string("Album") && first["album"]["images"] == .null)
    #expect(try await library.get("/v1/playlists/\(id)?fields=items(").status == 400)
    try await library.stop()
  }

  @Test func theUserHasAnAccount() async throws {
    let library = try await ServedLibrary([])
    #expect(try await library.get("/v1/me").json["account_id"] == .string("nocturne"))
    try await library.stop()
  }

  @Test func fieldsAreSelected() throws {
    let value = try JSONValue(parsing: #"{"a": {"b": 1, "c": 2, "d": {"e": 3}}, "l": [{"x": 1, "y": 2}], "z": 0}"#.utf8)
    for (fields, expected) in [
      ("a.b", #"{"a": {"b": 1}}"#), ("a(b,d.e),z", #"{"a": {"b": 1, "d": {"e": 3}}, "z": 0}"#),
      ("l(x)", #"{"l": [{"x": 1}]}"#), ("!a,!l", #"{"z": 0}"#), ("a(!d)", #"{"a": {"b": 1, "c": 2}}"#),
      ("a.b, a.c", #"{"a": {"b": 1, "c": 2}}"#), ("none", "{}"),
    ] {
      #expect(try FieldSelection(fields).applied(to: value) == JSONValue(parsing: expected.utf8), "\(fields)")
    }
    for text in ["", "a(", "a)", "a(b", "(", ",", "a..b", String(repeating: "a(", count: 100)] {
      #expect(throws: RequestError.self) { try FieldSelection(text) }
    }
  }

  @Test func wordsHaveAlternativesAndExclusions() async throws {
    let words = try SpotifySearchText("a b OR c NOT d artist:x NOT album:\"y z\"").query
    #expect(words.text == "a b" && words.alternatives == ["c"] && words.artist == "x")
    #expect(words.excluded == [.init(.any, "d"), .init(.album, "y z")])
    #expect(try SpotifySearchText("OR x NOT").query.text == "OR x NOT")
    #expect(try SpotifySearchText("a \"OR\" b or c").query.alternatives.isEmpty)
    let library = try await ServedLibrary(Self.files)
    for (query, count) in [
      ("song NOT 3", 3), ("1 OR 2", 2), ("1 OR 2 OR 4 NOT song", 0), ("song NOT artist:other", 3),
      ("song NOT album:album", 0), ("genre:house NOT 1", 3), ("artist:band OR other", 0), ("zzz OR 4", 1),
    ] {
      let target = "/v1/search?type=track&q=\(query.queryEncoded)"
      #expect(try await library.get(target).json["tracks"]["total"] == .integer(Int64(count)), "\(query)")
    }
    #expect(try await library.get("/v1/search?type=artist&q=band%20OR%20other").json["artists"]["total"] == .integer(2))
    #expect(try await library.get("/v1/search?type=album&q=album%20NOT%20album").json["albums"]["total"] == .integer(0))
    #expect(try await library.get("/v1/search?type=track&q=a%20NOT%20year:x").status == 400)
    try await library.stop()
  }

  /// A filter and its exclusion together find everything, in each section.
  @Test func filtersAreExcluded() async throws {
    let words = try SpotifySearchText("a NOT year:1990-1999 NOT isrc:GBAAA0000001 NOT year:2001 NOT tag:new b").query
    #expect(words.excludedYears == [1990...1999, 2001...2001] && words.excludedISRCs == ["GBAAA0000001"])
    #expect(words.addedBefore != nil && words.text == "a b" && words.years == nil && words.addedSince == nil)
    let files = (1...4).map { number in
      var tags = [
        "title": ["Song \(number)"], "artist": ["Band \(number)"], "album": ["Album \(number)"], "genre": ["Pop"],
      ]
      // The last has neither.
      if number < 4 {
        tags["date"] = ["\(1990 + number)"]
        tags["isrc"] = ["GB-AAA-00-0000\(number)"]
      }
      return ServedLibrary.File(path: FilePath("/music/\(number).flac"), tags: tags)
    }
    let library = try await ServedLibrary(files)
    func total(_ query: String, _ type: String) async throws -> JSONValue {
      try await library.get("/v1/search?type=\(type)&q=\(query.queryEncoded)").json["\(type)s"]["total"]
    }
    for (query, count) in [
      ("song NOT year:1991", 3), ("song NOT year:1991-1992", 2), ("song NOT year:1991 NOT year:1993", 2),
      ("song NOT isrc:GBAAA0000002", 3), ("song NOT isrc:gb-aaa-00-00002 NOT isrc:GBAAA0000009", 3),
      ("song NOT tag:new", 0), ("song NOT tag:hipster", 4), ("song NOT upc:1", 4),
      ("year:1991-1993 NOT year:1992", 2), ("year:1991-1993 NOT 2", 2), ("genre:pop NOT year:1991", 3),
      ("song 1 NOT year:1991", 0),
    ] {
      #expect(try await total(query, "track") == .integer(Int64(count)), "\(query)")
    }
    for (query, count) in [
      ("album NOT year:1991", 3), ("album NOT tag:new", 0), ("year:1991-1993 NOT year:1992", 2),
      ("genre:pop NOT year:1991-1992", 2), ("genre:pop NOT album:\"album 4\"", 3), ("album NOT isrc:GBAAA0000001", 4),
    ] {
      #expect(try await total(query, "album") == .integer(Int64(count)), "\(query)")
    }
    for (query, count) in [
      ("band NOT year:1991", 3), ("genre:pop NOT year:1991-1992", 2), ("genre:pop year:1991-1992", 2),
      ("genre:pop NOT artist:\"band 4\"", 3), ("band NOT tag:new", 4),
    ] {
      #expect(try await total(query, "artist") == .integer(Int64(count)), "\(query)")
    }
    try await library.stop()
  }

  @Test func artistsAreFollowed() async throws {
    let library = try await ServedLibrary(Self.files)
    let (band, other) = (SongArtist(named: "Band").id, SongArtist(named: "Other").id)
    let answer = try await library.ask("PUT", "/v1/me/following?type=artist&ids=\(band),\(other)")
    #expect(answer.status == 204)
    let page = try await library.get("/v1/me/following?type=artist&limit=1").json["artists"]
    #expect(page["total"] == .integer(2) && page["items"].list.count == 1 && page["next"].text.contains("after="))
    let rest = try await library.get("/v1/me/following?type=artist&after=\(page["cursors"]["after"].text)").json[
      "artists"]
    #expect(rest["items"].list.count == 1 && rest["next"] == .null && rest["cursors"]["after"] == .null)
    #expect(Set((page["items"].list + rest["items"].list).map(\.["id"].text)) == [band, other])
    _ = try await library.ask("DELETE", "/v1/me/following?type=artist&ids=\(band)")
    let contains = try await library.get("/v1/me/following/contains?type=artist&ids=\(band),\(other)").json
    #expect(contains == [false, true])
    #expect(try await library.get("/v1/me/following/contains?type=user&ids=somebody").json == [false])
    #expect(try await library.ask("PUT", "/v1/me/following?type=artist&ids=\(Self.ids[0])").status == 404)
    try await library.stop()
  }

  @Test func nothingPlays() async throws {
    let library = try await ServedLibrary(Self.files)
    for path in ["me/player", "me/player/currently-playing"] {
      let answer = try await library.get("/v1/\(path)")
      #expect(answer.status == 204 && answer.body.isEmpty)
    }
    #expect(try await library.get("/v1/me/player/devices").json == ["devices": []])
    #expect(try await library.get("/v1/me/player/recently-played").json["items"] == [])
    for (method, path) in PlayerRoutes.commands {
      let answer = try await library.ask(method.rawValue, "/v1/\(path)")
      #expect(answer.status == 404 && answer.json["error"]["reason"] == .string("NO_ACTIVE_DEVICE"), "\(path)")
    }
    #expect(try await library.get("/v1/me/shows").json["total"] == .integer(0))
    #expect(try await library.get("/v1/shows/\(Self.ids[0])").status == 404)
    try await library.stop()
  }
}
