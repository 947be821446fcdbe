import Analysis
import AnalysisTesting
import LibraryStore
import Platform
import ResultStore
import SystemPackage
import Testing
import Text

@testable import Server

/// Subsonic players find every track, whatever its tags lack.
@Suite(.bounded) struct SubsonicBrowsingTests {
  private static let files: [ServedLibrary.File] = [
    file("Band/First/1.flac", ["title": ["One"], "artist": ["Band"], "album": ["First"], "track": ["1"]]),
    file("Band/First/2.flac", ["artist": ["Band feat. Guest"], "album": ["First"], "track": ["2"]]),
    file("Band/loose.flac", ["title": ["Loose"], "artist": ["Band"], "genre": ["House"], "date": ["1999"]]),
    file("Single by Nobody Else/x.flac", ["title": ["Alone"], "artist": ["Soloist"]]),
    file("Unnamed/1.flac", ["title": ["By Nobody"], "album": ["Unnamed"]]),
    file("Sampler/1.flac", ["title": ["S"], "artist": ["Band"], "album": ["Sampler"], "compilation": ["1"]]),
    file("Sampler/2.flac", ["title": ["T"], "album": ["Sampler"], "compilation": ["1"]]),
    file("deep/er/and/deeper/nothing.flac", [:]),
    file("root.flac", ["title": ["In the root"]]),
    file("Album Artist/1.flac", ["title": ["Whose?"], "albumartist": ["Leader"]]),
  ]

  private static func file(_ path: String, _ tags: [String: [String]]) -> ServedLibrary.File {
    ServedLibrary.File(path: FilePath("/music/\(path)"), tags: tags)
  }

  private static let all = Set(files.map { ContentID(ofPath: $0.path).description })

  private func ask(_ library: ServedLibrary, _ method: String, _ query: String = "") async throws -> JSONValue {
    let answer = try await library.get("/rest/\(method)?f=json&\(query)")
    let body = answer.json["subsonic-response"]
    #expect(body["status"] == .string("ok"), "\(method)?\(query)")
    return body
  }

  @Test func everyTrackIsReachedByArtistByFolderAndByAlbumList() async throws {
    let library = try await ServedLibrary(Self.files)
    var byArtist: Set<String> = []
    for index in try await ask(library, "getArtists")["artists"]["index"].list {
      for artist in index["artist"].list {
        let albums = try await ask(library, "getArtist", "id=\(artist["id"].text)")["artist"]["album"].list
        #expect(artist["albumCount"] == .integer(Int64(albums.count)) || artist["name"].text == "Unknown artist")
        for album in albums {
          let songs = try await ask(library, "getAlbum", "id=\(album["id"].text)")["album"]["song"].list
          #expect(album["songCount"] == .integer(Int64(songs.count)))
          byArtist.formUnion(songs.map(\.["id"].text))
        }
      }
    }
    #expect(byArtist == Self.all)

    var byFolder: Set<String> = []
    let indexes = try await ask(library, "getIndexes")["indexes"]
    byFolder.formUnion(indexes["child"].list.map(\.["id"].text))
    var folders = indexes["index"].list.flatMap { $0["artist"].list.map(\.["id"].text) }
    while let folder = folders.popLast() {
      for child in try await ask(library, "getMusicDirectory", "id=\(folder)")["directory"]["child"].list {
        #expect(child["parent"].text == folder)
        if child["isDir"] == .bool(true) {
          folders.append(child["id"].text)
        } else {
          byFolder.insert(child["id"].text)
        }
      }
    }
    #expect(byFolder == Self.all)

    for type in ["newest", "alphabeticalByName", "alphabeticalByArtist", "random"] {
      var byList: Set<String> = []
      for list in ["getAlbumList2", "getAlbumList"] {
        var offset = 0
        while true {
          let name = list == "getAlbumList" ? "albumList" : "albumList2"
          let page = try await ask(library, list, "type=\(type)&size=3&offset=\(offset)")[name]["album"].list
          if page.isEmpty { break }
          // A random order differs on each page.
          if type == "random" { break }
          for album in page {
            let songs =
              list == "getAlbumList"
              ? try await ask(library, "getMusicDirectory", "id=\(album["id"].text)")["directory"]["child"].list
              : try await ask(library, "getAlbum", "id=\(album["id"].text)")["album"]["song"].list
            byList.formUnion(songs.map(\.["id"].text))
          }
          offset += 3
        }
      }
      #expect(byList == Self.all || type == "random", "\(type)")
    }
    try await library.stop()
  }

  @Test func foldersAreThoseOfTheDisk() async throws {
    let library = try await ServedLibrary(Self.files)
    let roots = try await ask(library, "getMusicFolders")["musicFolders"]["musicFolder"].list
    #expect(roots.map(\.["name"].text) == ["music"])
    let indexes = try await ask(library, "getIndexes", "musicFolderId=1")["indexes"]
    let names = indexes["index"].list.flatMap { $0["artist"].list.map(\.["name"].text) }
    #expect(names == ["Album Artist", "Band", "deep", "Sampler", "Single by Nobody Else", "Unnamed"])
    #expect(indexes["child"].list.map(\.["title"].text) == ["In the root"])
    let band = try #require(indexes["index"].list.first { $0["name"].text == "B" })["artist"].list[0]["id"].text
    let children = try await ask(library, "getMusicDirectory", "id=\(band)")["directory"]["child"].list
    #expect(children.map(\.["title"].text) == ["First", "Loose"])
    try await library.stop()
  }

  @Test func singlesAreListedSavedAndFoundLikeAlbums() async throws {
    let library = try await ServedLibrary(Self.files)
    let id = ContentID(ofPath: "/music/Band/loose.flac").description
    let list = try await ask(library, "getAlbumList2", "type=byGenre&genre=House")["albumList2"]["album"].list
    #expect(list.map(\.["id"].text) == [id] && list[0]["name"].text == "Loose")
    let years = try await ask(library, "getAlbumList2", "type=byYear&fromYear=1998&toYear=2000")["albumList2"]["album"]
    #expect(years.list.map(\.["id"].text) == [id])
    _ = try await ask(library, "star", "albumId=\(id)")
    let starred = try await ask(library, "getStarred2")["starred2"]
    #expect(starred["album"].list.map(\.["id"].text) == [id] && starred["song"].list.isEmpty)
    let band = SongArtist(named: "Band").id
    let albums = try await library.get("/v1/artists/\(band)/albums?include_groups=single").json["items"].list
    #expect(albums.map(\.["id"].text) == [id])
    let unknown = SongArtist.unknown.id
    let artist = try await library.get("/v1/artists/\(unknown)").json
    #expect(artist["name"].text == "Unknown artist")
    let theirs = try await library.get("/v1/artists/\(unknown)/albums?include_groups=album,single").json["items"].list
    #expect(Set(theirs.map(\.["name"].text)) == ["Unnamed", "nothing", "In the root", "Whose?"])
    #expect(try await library.get("/v1/me/albums").json["items"].list.count == 1)
    try await library.stop()
  }

  /// Lines of a tag may end with any kind of newline.
  @Test func plainLyricsComeLineByLine() async throws {
    let file = ServedLibrary.File(path: "/music/1.flac", tags: [:], lyrics: [.init(text: "One\r\nTwo\n\nFour")])
    let library = try await ServedLibrary([file])
    let lyrics = try await ask(library, "getLyricsBySongId", "id=\(file.id)")["lyricsList"]["structuredLyrics"][0]
    #expect(lyrics["line"].list.map(\.["value"].text) == ["One", "Two", "", "Four"])
    try await library.stop()
  }

  @Test func filesThatFailedAreNoSongs() async throws {
    var files = Array(Self.files.prefix(2))
    let failure = Problem(stage: .open, code: "empty", message: "The file is empty.")
    files.append(ServedLibrary.File(path: "/music/empty.mp3", tags: [:], failure: failure))
    let library = try await ServedLibrary(files)
    #expect(try await ask(library, "getScanStatus")["scanStatus"]["count"] == 2)
    try await library.stop()
  }
}
