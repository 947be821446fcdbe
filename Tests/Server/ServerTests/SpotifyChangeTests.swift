import Analysis
import AnalysisTesting
import LibraryStore
import LibraryTesting
import SystemPackage
import Testing
import Text

@testable import Server

/// Requests of `/v1` that change something.
@Suite(.bounded) struct SpotifyChangeTests {
  private static let files: [LibraryFile] = (1...3).map { number in
    LibraryFile(
      path: FilePath("/music/\(number).flac"),
      tags: ["title": ["Song \(number)"], "artist": ["Band"], "album": ["Album"], "track": ["\(number)"]])
  }
  private static let ids = files.map(\.id)
  private static let unknown = "0000000000000000000000"

  private func ask(
    _ library: ServedLibrary, _ method: String, _ target: String, _ body: String = ""
  ) async throws -> ServedLibrary.Answer {
    try await library.ask(method, "/v1/\(target)", ["Content-Type": "application/json"], body: Array(body.utf8))
  }

  /// A body of white space is none; others must be JSON.
  @Test func bodiesMayBeEmpty() async throws {
    let library = try await ServedLibrary(Self.files)
    for (bytes, isTaken) in [
      ([], true), ([0x20], true), ([0x09], true), ([0x0A], true), ([0x0D], true), ([0x20, 0x0D, 0x0A, 0x09], true),
      ([0x21], false), ([0x08], false), ([0x0B], false), ([0x0C], false), ([0x20, 0x0C], false),
    ] as [([UInt8], Bool)] {
      let answer = try await library.ask("PUT", "/v1/me/tracks?ids=\(Self.ids[0])", body: bytes)
      #expect(answer.status == (isTaken ? 200 : 400), "\(bytes)")
    }
    // Some clients send only a list.
    #expect(try await ask(library, "PUT", "me/tracks", "[\"\(Self.ids[1])\"]").status == 200)
    #expect(try library.store.savedTracks().count == 2)
    try await library.stop()
  }

  /// Ids, URIs and URLs name the same things.
  @Test func thingsHaveSeveralNames() async throws {
    let library = try await ServedLibrary(Self.files)
    let id = Self.ids[0]
    for (name, isTaken) in [
      (id, true), ("spotify:track:\(id)", true), ("https://open.spotify.com/track/\(id)", true),
      ("https://open.spotify.com/track/\(id)?si=0123456789abcdef012345", true), ("track/\(id)", true),
      ("spotify:track:short", false), ("\(id)x", false), ("", false), ("?\(id)", false), ("\(id)?", true),
    ] {
      #expect(try await ask(library, "PUT", "me/tracks", "{\"ids\": [\"\(name)\"]}").status == (isTaken ? 200 : 400))
      #expect(try library.store.savedTracks().count == (isTaken ? 1 : 0), "\(name)")
      #expect(try await ask(library, "DELETE", "me/tracks?ids=\(id)").status == 200)
      #expect(try library.store.savedTracks().isEmpty)
    }
    #expect(try await ask(library, "PUT", "me/tracks", "{\"ids\": [7]}").status == 400)
    try await library.stop()
  }

  @Test func theLibraryTakesEverything() async throws {
    let library = try await ServedLibrary(Self.files)
    let track = try await library.get("/v1/tracks/\(Self.ids[0])").json
    let (album, artist) = (track["album"]["id"].text, track["artists"][0]["id"].text)
    let playlist = try await ask(library, "POST", "me/playlists", #"{"name": "Mix"}"#).json["id"].text
    let names = [
      "spotify:track:\(Self.ids[0])", "spotify:album:\(album)", "spotify:artist:\(artist)",
      "spotify:playlist:\(playlist)",
    ]
    let uris = names.joined(separator: ",")
    func contained() async throws -> JSONValue { try await library.get("/v1/me/library/contains?uris=\(uris)").json }
    #expect(try await contained() == [false, false, false, true])
    for (count, saved) in [(1, [true, false, false]), (2, [true, true, false]), (3, [true, true, true])] {
      let some = names[count - 1]
      #expect(try await ask(library, "PUT", "me/library?uris=\(some)").status == 200)
      #expect(try await contained() == .array((saved + [true]).map { .bool($0) }), "\(some)")
    }
    #expect(try library.store.saved(.album).map(\.id) == [album] && library.store.saved(.artist).map(\.id) == [artist])
    #expect(try await ask(library, "PUT", "me/library?uris=\(Self.unknown)").status == 404)
    #expect(try await ask(library, "DELETE", "me/library?uris=\(uris)").status == 200)
    #expect(try await contained() == [false, false, false, false])
    #expect(try await library.get("/v1/playlists/\(playlist)").status == 404)
    #expect(try await ask(library, "DELETE", "me/library?uris=\(playlist)").status == 404)
    for (method, target, status) in [
      ("PUT", "me/albums?ids=\(album)", 200), ("PUT", "me/albums?ids=\(Self.unknown)", 404),
      ("PUT", "me/tracks?ids=\(Self.unknown)", 404), ("DELETE", "me/tracks?ids=\(Self.unknown)", 404),
      ("PUT", "me/following?type=user&ids=\(artist)", 404), ("DELETE", "me/following?type=user&ids=\(artist)", 204),
      ("PUT", "me/following?type=band&ids=\(artist)", 400), ("DELETE", "me/following?type=band", 400),
      ("PUT", "me/following?type=artist&ids=\(artist)", 204),
    ] {
      #expect(try await ask(library, method, target).status == status, "\(method) \(target)")
    }
    #expect(try library.store.saved(.artist).count == 1 && library.store.saved(.album).count == 1)
    #expect(try await library.get("/v1/me/tracks/contains?ids=\(Self.ids[0]),\(Self.unknown)").json == [false, false])
    try await library.stop()
  }

  @Test func playlistsAreDescribed() async throws {
    let library = try await ServedLibrary(Self.files)
    for (target, body, isPublic) in [
      ("me/playlists", #"{"name": "A"}"#, true), ("me/playlists", #"{"name": "A", "public": false}"#, false),
      ("me/playlists?name=A&public=false", "", false), ("me/playlists?name=A&public=true", "", true),
      ("users/nocturne/playlists", #"{"name": "A"}"#, true),
    ] {
      let made = try await ask(library, "POST", target, body)
      #expect(made.status == 201 && made.json["public"] == .bool(isPublic) && made.json["name"] == "A", "\(target)")
    }
    #expect(try await ask(library, "POST", "me/playlists", #"{"name": ""}"#).status == 400)
    #expect(try await ask(library, "POST", "users/somebody/playlists", #"{"name": "A"}"#).status == 404)
    let id = try await ask(library, "POST", "me/playlists", #"{"name": "A", "description": "d"}"#).json["id"].text
    for (body, name, description) in [
      (#"{"name": "B"}"#, "B", "d"), (#"{"name": "", "description": "e"}"#, "B", "e"),
      (#"{"description": ""}"#, "B", ""),
    ] {
      #expect(try await ask(library, "PUT", "playlists/\(id)", body).status == 200)
      let shown = try await library.get("/v1/playlists/\(id)?fields=").json
      #expect(shown["name"].text == name && shown["description"].text == description && shown["type"] == "playlist")
    }
    #expect(try await ask(library, "PUT", "playlists/\(id)/followers").status == 200)
    for (method, target) in [
      ("PUT", "followers"), ("DELETE", "followers"), ("GET", "followers/contains?ids=nocturne"), ("GET", "images"),
      ("GET", "tracks"), ("GET", "m3u8"),
    ] {
      #expect(try await ask(library, method, "playlists/\(Self.unknown)/\(target)").status == 404, "\(target)")
    }
    try await library.stop()
  }

  @Test func tracksAreMovedAndRemoved() async throws {
    let library = try await ServedLibrary(Self.files)
    let id = try await ask(library, "POST", "me/playlists", #"{"name": "A"}"#).json["id"].text
    let all = Self.ids.joined(separator: ",")
    func titles() async throws -> [String] {
      try await library.get("/v1/playlists/\(id)/tracks").json["items"].list.map { $0["track"]["name"].text }
    }
    func change(_ method: String, _ query: String, _ body: String = "") async throws -> ServedLibrary.Answer {
      try await ask(library, method, "playlists/\(id)/tracks\(query)", body)
    }
    #expect(try await change("POST", "?uris=\(all)").status == 201)
    #expect(try await change("POST", "?uris=\(Self.ids[2])&position=0").status == 201)
    #expect(try await titles() == ["Song 3", "Song 1", "Song 2", "Song 3"])
    for (query, body) in [
      ("?uris=\(all)&position=x", ""), ("?uris=\(all)", #"{"position": "0"}"#),
    ] {
      #expect(try await change("POST", query, body).status == 400, "\(query) \(body)")
    }
    #expect(try await change("PUT", "", #"{"range_start": 0, "insert_before": 3}"#).status == 200)
    #expect(try await titles() == ["Song 1", "Song 2", "Song 3", "Song 3"])
    #expect(try await change("PUT", "", #"{"range_start": 0, "insert_before": 4, "range_length": 2}"#).status == 200)
    #expect(try await titles() == ["Song 3", "Song 3", "Song 1", "Song 2"])
    let old = try await library.get("/v1/playlists/\(id)").json["snapshot_id"].text
    for (snapshot, status) in [(old, 200), ("", 200), ("7", 400), ("x,\(id)", 400), ("0,\(Self.unknown)", 400)] {
      let body = #"{"range_start": 0, "insert_before": 0, "snapshot_id": "\#(snapshot)"}"#
      #expect(try await change("PUT", "", body).status == status, "\(snapshot)")
    }
    let uri = "spotify:track:\(Self.ids[2])"
    for (body, status) in [
      ("{}", 400), (#"{"tracks": 7}"#, 400), (#"{"tracks": [{}]}"#, 400), (#"{"tracks": ["\#(uri)"]}"#, 400),
      (#"{"tracks": [{"uri": "\#(uri)", "positions": ["0"]}]}"#, 400),
      (#"{"tracks": [\#(repeated(101, uri))]}"#, 400),
      (#"{"items": [{"uri": "\#(uri)", "positions": [1]}]}"#, 200),
    ] {
      #expect(try await change("DELETE", "", body).status == status, "\(body.prefix(80))")
    }
    #expect(try await titles() == ["Song 3", "Song 1", "Song 2"])
    #expect(try await change("DELETE", "", #"{"tracks": [\#(repeated(100, uri))]}"#).status == 200)
    #expect(try await titles() == ["Song 1", "Song 2"])
    try await library.stop()
  }

  private func repeated(_ count: Int, _ uri: String) -> String {
    [String](repeating: #"{"uri": "\#(uri)"}"#, count: count).joined(separator: ", ")
  }

  @Test func snapshotsBelongToAPlaylist() throws {
    #expect(try SnapshotID.number(nil, of: "a") == nil && SnapshotID.number("", of: "a") == nil)
    #expect(try SnapshotID.number("3,a", of: "a") == 3 && SnapshotID.number("3,a,b", of: "a,b") == 3)
    for text in ["3", "3,b", "x,a", ",a", "3,a,b", "a", "3,"] {
      #expect(throws: PlaylistEditError.unknownSnapshot) { try SnapshotID.number(text, of: "a") }
    }
  }

  /// Kinds of albums.
  @Test func albumsHaveTypes() async throws {
    let types: [(name: String, tags: [String: [String]], type: String)] = [
      ("A", [:], "album"), ("B", ["releasetype": ["album"]], "album"), ("C", ["releasetype": ["single"]], "single"),
      ("D", ["releasetype": ["ep"]], "single"), ("E", ["releasetype": ["compilation"]], "compilation"),
      ("F", ["compilation": ["1"], "albumartist": ["Band"]], "compilation"),
      ("G", ["releasetype": ["album", "compilation"]], "compilation"), ("H", ["releasetype": ["live"]], "album"),
    ]
    let files = types.map { name, tags, _ in
      LibraryFile(
        path: FilePath("/music/\(name)/1.flac"),
        tags: tags.merging(["title": ["T"], "artist": ["Band"], "album": [name]]) { $1 })
    }
    let library = try await ServedLibrary(files)
    for (file, kind) in zip(files, types) {
      let album = try await library.get("/v1/tracks/\(file.id)").json["album"]
      #expect(album["album_type"].text == kind.type, "\(kind.name)")
    }
    try await library.stop()
  }

  /// The tracks of an artist come from the five newest albums, without those of others.
  @Test func theNewestAlbumsComeFirst() async throws {
    let files = (2_001...2_006).flatMap { year in
      ["Band", "Guest"].map { artist in
        LibraryFile(
          path: FilePath("/music/\(year)/\(artist).flac"),
          tags: [
            "title": ["\(artist) \(year)"], "artist": [artist], "albumartist": ["Band"], "album": ["Album \(year)"],
            "date": ["\(year)"], "genre": [year == 2_003 ? "House" : "Pop"],
          ])
      }
    }
    let library = try await ServedLibrary(files)
    let (band, guest) = (SongArtist(named: "Band").id, SongArtist(named: "Guest").id)
    func titles(_ artist: String) async throws -> [String] {
      try await library.get("/v1/artists/\(artist)/top-tracks").json["tracks"].list.map { $0["name"].text }
    }
    #expect(try await titles(band).sorted() == (2_002...2_006).map { "Band \($0)" })
    #expect(try await titles(guest).sorted() == (2_001...2_006).map { "Guest \($0)" })
    for (query, years) in [
      ("sort=year", [2_006, 2_005, 2_004, 2_003, 2_002, 2_001]), ("sort=year&genre=house", [2_003]),
      ("sort=year&genre=&limit=2", [2_006, 2_005]), ("sort=name&offset=4", [2_005, 2_006]),
    ] {
      let albums = try await library.get("/app/api/albums?\(query)").json
      #expect(albums["items"].list.map { $0["year"] } == years.map { .integer(Int64($0)) }, "\(query)")
      #expect(albums["count"] == (query.contains("house") ? 1 : 6), "\(query)")
    }
    // Followed artists begin at the first unless another one is named.
    #expect(try await ask(library, "PUT", "me/following?type=artist&ids=\(band),\(guest)").status == 204)
    for (after, count) in [("", 2), ("&after=", 2), ("&after=\(Self.unknown)", 0)] {
      let page = try await library.get("/v1/me/following?type=artist\(after)")
      #expect(page.status == 200 && page.json["artists"]["items"].list.count == count, "\(after)")
    }
    try await library.stop()
  }

  @Test func textsAreEncodedForQueries() {
    for (text, encoded) in [
      ("aZ09-._~", "aZ09-._~"), ("a b&c=d", "a%20b%26c%3Dd"), ("\n\t", "%0A%09"), ("ä/", "%C3%A4%2F"),
      ("\u{F}\u{10}", "%0F%10"), ("@[`{/:", "%40%5B%60%7B%2F%3A"),
    ] {
      #expect(text.queryEncoded == encoded)
    }
  }
}
