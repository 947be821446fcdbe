import Analysis
import AnalysisTesting
import LibraryStore
import LibraryTesting
import SystemPackage
import Testing
import Text

@testable import Server

/// Playlists, stars, lyrics and covers of `/rest`.
@Suite(.bounded) struct SubsonicChangesTests {
  private static let files: [LibraryFile] = (1...4).map { number in
    LibraryFile(
      path: FilePath("/music/Band/Album/\(number).flac"),
      tags: ["title": ["Song \(number)"], "artist": ["Band"], "album": ["Album"], "track": ["\(number)"]])
  }
  private static let ids = files.map(\.id)
  private static let unknown = "0000000000000000000000"

  /// A library whose third file has vanished.
  private func opened() async throws -> ServedLibrary {
    try await ServedLibrary(filling: { store in
      let library = LibraryFiles(Self.files)
      try library.merge(into: store)
      try library.run(in: store, root: "/music", without: [Self.files[2].path], skipping: [], analyzed: .now)
    })
  }

  private func ask(_ library: ServedLibrary, _ method: String, _ query: String = "") async throws -> JSONValue {
    try await library.get("/rest/\(method)?f=json&\(query)").json["subsonic-response"]
  }

  /// - Returns: The error code; `nil` if the request succeeds.
  private func code(_ library: ServedLibrary, _ method: String, _ query: String = "") async throws -> Int? {
    let answer = try await ask(library, method, query)
    guard answer["status"] == "failed", case .integer(let code) = answer["error"]["code"] else { return nil }
    return Int(code)
  }

  @Test func playlistsAreMadeAndReplaced() async throws {
    let library = try await opened()
    let songIDs = Self.ids[..<2].map { "&songId=\($0)" }.joined()
    let made = try await ask(library, "createPlaylist", "name=One\(songIDs)")["playlist"]
    let id = made["id"].text
    #expect(made["name"] == "One" && made["songCount"] == 2 && made["duration"] == 400)
    func playlist() async throws -> JSONValue { try await ask(library, "getPlaylist", "id=\(id)")["playlist"] }
    func songs() async throws -> [String] { try await playlist()["entry"].list.map { $0["title"].text } }
    // An empty id makes a new playlist, and an empty name keeps the old one.
    #expect(try await ask(library, "createPlaylist", "playlistId=&name=Two")["playlist"]["name"] == "Two")
    for (query, name, titles) in [
      ("songId=\(Self.ids[3])", "One", ["Song 4"]), ("name=&songId=\(Self.ids[1])", "One", ["Song 2"]),
      ("name=Three&songId=\(Self.ids[0])&songId=\(Self.ids[3])", "Three", ["Song 1", "Song 4"]),
    ] {
      #expect(try await ask(library, "createPlaylist", "playlistId=\(id)&\(query)")["playlist"]["name"].text == name)
      #expect(try await songs() == titles, "\(query)")
    }
    for (method, query, expected) in [
      ("createPlaylist", "playlistId=\(Self.unknown)", 70), ("createPlaylist", "name=", 10),
      ("createPlaylist", "name=A&songId=\(Self.unknown)", 70), ("updatePlaylist", "playlistId=\(Self.unknown)", 70),
      ("updatePlaylist", "", 10), ("updatePlaylist", "playlistId=\(id)&songIndexToRemove=x", 0),
      ("updatePlaylist", "playlistId=\(id)&songIndexToRemove=2", 0),
      ("updatePlaylist", "playlistId=\(id)&songIndexToRemove=-1", 0),
      ("updatePlaylist", "playlistId=\(id)&songIdToAdd=\(Self.unknown)", 70),
    ] {
      #expect(try await code(library, method, query) == expected, "\(method)?\(query)")
    }
    #expect(try await songs() == ["Song 1", "Song 4"])
    for (query, titles) in [
      ("songIdToAdd=\(Self.ids[1])&songIdToAdd=\(Self.ids[0])", ["Song 1", "Song 4", "Song 2", "Song 1"]),
      ("songIndexToRemove=0&songIndexToRemove=3", ["Song 4", "Song 2"]),
      ("songIndexToRemove=1&songIdToAdd=\(Self.ids[0])", ["Song 4", "Song 1"]),
    ] {
      #expect(try await code(library, "updatePlaylist", "playlistId=\(id)&\(query)") == nil, "\(query)")
      #expect(try await songs() == titles, "\(query)")
    }
    for (query, name, comment, isPublic) in [
      ("comment=c", "Three", "c", nil), ("name=Four", "Four", "c", nil), ("name=&public=true", "Four", "c", true),
      ("public=false&comment=", "Four", "", false),
    ] as [(String, String, String, Bool?)] {
      #expect(try await code(library, "updatePlaylist", "playlistId=\(id)&\(query)") == nil, "\(query)")
      let shown = try await playlist()
      #expect(shown["name"].text == name && shown["comment"].text == comment, "\(query)")
      if let isPublic { #expect(shown["public"] == .bool(isPublic), "\(query)") }
    }
    #expect(try await code(library, "deletePlaylist", "id=\(id)") == nil)
    #expect(try await code(library, "deletePlaylist", "id=\(id)") == 70)
    try await library.stop()
  }

  /// Clients count only the tracks that they see.
  @Test func vanishedTracksAreNotCounted() async throws {
    let library = try await opened()
    let references = Self.files.map { TrackReference(path: $0.path, contentID: $0.contentID) }
    let made = try library.store.createPlaylist(named: "Mix", tracks: references)
    func titles() async throws -> [String] {
      try await ask(library, "getPlaylist", "id=\(made.id)")["playlist"]["entry"].list.map { $0["title"].text }
    }
    let shown = try await ask(library, "getPlaylist", "id=\(made.id)")["playlist"]
    #expect(shown["songCount"] == 3 && shown["duration"] == 600)
    #expect(try await titles() == ["Song 1", "Song 2", "Song 4"])
    #expect(try await code(library, "updatePlaylist", "playlistId=\(made.id)&songIndexToRemove=3") == 0)
    #expect(try await code(library, "updatePlaylist", "playlistId=\(made.id)&songIndexToRemove=2") == nil)
    #expect(try await titles() == ["Song 1", "Song 2"])
    #expect(try library.store.playlistTracks(id: made.id).map(\.reference.path) == Self.files[..<3].map(\.path))
    try await library.stop()
  }

  /// Albums and artists may be named as such, or as folders.
  @Test func everythingCanBeStarred() async throws {
    let library = try await opened()
    let song = try await ask(library, "getSong", "id=\(Self.ids[0])")["song"]
    let (album, artist) = (song["albumId"].text, song["artistId"].text)
    func starred() async throws -> [Int] {
      let starred = try await ask(library, "getStarred2")["starred2"]
      return ["song", "album", "artist"].map { starred[$0].list.count }
    }
    for (query, counts) in [
      ("id=\(Self.ids[0])", [1, 0, 0]), ("albumId=\(album)", [0, 1, 0]), ("artistId=\(artist)", [0, 0, 1]),
      ("id=\(album)", [0, 1, 0]), ("id=\(artist)", [0, 0, 1]), ("id=\(Self.ids[0])&id=\(Self.ids[1])", [2, 0, 0]),
      ("id=\(album)&id=\(Self.ids[1])&artistId=\(artist)", [1, 1, 1]),
    ] {
      #expect(try await code(library, "star", query) == nil, "\(query)")
      #expect(try await starred() == counts, "\(query)")
      let folders = try await ask(library, "getStarred")["starred"]
      #expect(folders["album"].list.count == counts[1], "\(query)")
      #expect(try await code(library, "unstar", query) == nil, "\(query)")
      #expect(try await starred() == [0, 0, 0], "\(query)")
    }
    for (query, expected) in [
      ("", 10), ("id=", 70), ("id=\(Self.unknown)", 70), ("albumId=\(Self.unknown)", 70), ("albumId=\(artist)", 70),
      ("artistId=\(Self.unknown)", 70), ("id=\(Self.ids[0])&albumId=\(Self.unknown)", 70),
    ] {
      #expect(try await code(library, "star", query) == expected, "\(query)")
    }
    #expect(try await starred() == [0, 0, 0])
    try await library.stop()
  }

  @Test func informationIsForWhatIsThere() async throws {
    let library = try await opened()
    let song = try await ask(library, "getSong", "id=\(Self.ids[0])")["song"]
    let (album, artist, folder) = (song["albumId"].text, song["artistId"].text, song["parent"].text)
    #expect(Set([Self.ids[0], album, artist, folder]).count == 4)
    for method in ["getArtistInfo", "getArtistInfo2"] {
      for id in [Self.ids[0], album, artist, folder] { #expect(try await code(library, method, "id=\(id)") == nil) }
      #expect(try await code(library, method, "id=\(Self.unknown)") == 70)
    }
    for method in ["getAlbumInfo", "getAlbumInfo2"] {
      for id in [Self.ids[0], album] { #expect(try await code(library, method, "id=\(id)") == nil) }
      for id in [artist, folder, Self.unknown] { #expect(try await code(library, method, "id=\(id)") == 70) }
    }
    #expect(try await code(library, "getSimilarSongs", "id=\(Self.unknown)") == 70)
    for method in ["scrobble", "tokenInfo", "getLyricsBySongId", "download", "stream", "getMusicDirectory"] {
      #expect(try await code(library, method) == 10, "\(method)")
    }
    // The number of a music folder is also that of a directory.
    for (id, expected) in [("0", 70), ("1", nil), ("2", 70), ("-1", 70)] as [(String, Int?)] {
      #expect(try await code(library, "getMusicDirectory", "id=\(id)") == expected, "\(id)")
      #expect(try await code(library, "getIndexes", "musicFolderId=\(id)") == expected, "\(id)")
    }
    let root = try await ask(library, "getMusicDirectory", "id=1")["directory"]
    #expect(root["name"] == "music" && root["child"].list.map { $0["title"] } == ["Band"])
    try await library.stop()
  }

  /// Old clients ask by artist and title, and get the first lyrics.
  @Test func lyricsAreFoundByTitle() async throws {
    let lines = [TagFinding.Lyrics.Line(seconds: 1.25, text: "One"), .init(seconds: 2, text: "Two")]
    let library = try await ServedLibrary([
      LibraryFile(path: "/music/1.flac", tags: ["title": ["Silent"], "artist": ["Ada"]]),
      LibraryFile(
        path: "/music/2.flac", tags: ["title": ["Sung"], "artist": ["Ada"]],
        lyrics: [.init(language: "eng", text: "[00:01.25]One", lines: lines)]),
      LibraryFile(
        path: "/music/3.flac", tags: ["title": ["Plain"], "artist": ["Bix"]], lyrics: [.init(text: "La\nla")]),
    ])
    for (query, artist, title, value) in [
      ("title=sung", "Ada", "Sung", "One\nTwo"), ("artist=&title=sung", "Ada", "Sung", "One\nTwo"),
      ("artist=ada&title=sung", "Ada", "Sung", "One\nTwo"), ("title=plain&artist=bix", "Bix", "Plain", "La\nla"),
      ("artist=bix&title=sung", nil, nil, nil), ("title=silent", nil, nil, nil), ("artist=ada", nil, nil, nil),
      ("artist=ada&title=", nil, nil, nil),
    ] as [(String, String?, String?, String?)] {
      let lyrics = try await ask(library, "getLyrics", query)["lyrics"]
      let expected = [artist, title, value].map { $0.map { JSONValue.string($0) } ?? .null }
      #expect([lyrics["artist"], lyrics["title"], lyrics["value"]] == expected, "\(query)")
    }
    let id = LibraryFile(path: "/music/2.flac", tags: [:]).id
    let synced = try await ask(library, "getLyricsBySongId", "id=\(id)")["lyricsList"]["structuredLyrics"][0]
    #expect(synced["synced"] == true && synced["lang"] == "eng" && synced["offset"] == 0)
    #expect(synced["line"].list.map { $0["start"] } == [1_250, 2_000])
    try await library.stop()
  }

  @Test func coversHaveSizes() async throws {
    let file = LibraryFile(path: "/music/1.flac", tags: [:])
    let library = try await ServedLibrary([file]) {
      $0.coverCommand = ["/bin/sh", "-c", "cat > /dev/null; printf 'picture %s' \"$2\"", "sh"]
    }
    for (size, side) in [("", 640), ("&size=", 640), ("&size=64", 64), ("&size=0", 640), ("&size=-1", 640)] {
      let answer = try await library.get("/rest/getCoverArt?id=\(file.id)\(size)")
      #expect(String(decoding: answer.body, as: UTF8.self) == "picture \(side)", "\(size)")
    }
    try await library.stop()
  }

  /// Parameters in a form count like those in the address, but only in a form.
  @Test func onlyFormsAreRead() async throws {
    let library = try await opened()
    let body = Array("f=json&id=\(Self.ids[0])".utf8)
    for (type, isRead) in [
      ("application/x-www-form-urlencoded", true), ("Application/X-WWW-Form-URLencoded; charset=utf-8", true),
      ("text/plain", false), ("application/json", false),
    ] {
      let answer = try await library.ask("POST", "/rest/getSong", ["Content-Type": type], body: body)
      #expect((answer.json["subsonic-response"]["song"]["title"] == "Song 1") == isRead, "\(type)")
    }
    try await library.stop()
  }
}
