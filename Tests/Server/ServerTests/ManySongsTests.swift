import Analysis
import AnalysisTesting
import LibraryTesting
import SystemPackage
import Testing
import Text

@testable import Server

/// Standard lengths of lists and their limits, over a library that is longer than most of them.
@Suite(.bounded) struct ManySongsTests {
  /// 501 songs of one artist, on 21 albums, from the years 1990 to 1999. The first 60 can be compared by sound.
  private static let files = (1...501).map { number in
    LibraryFile(
      path: FilePath("/music/\(number).flac"),
      tags: [
        "title": ["Song \(number)"], "artist": ["Band"], "albumartist": ["Band"], "album": ["Album \(number % 21)"],
        "track": ["\(number)"], "genre": ["House"], "date": ["\(1990 + number % 10)"],
      ],
      findings: number > 60
        ? []
        : [
          ("likeness", LikenessFinding(version: 1, descriptor: (0..<128).map { UInt8(80 + $0 * number % 97) })),
          (
            "tempo",
            TempoFinding(
              bpm: 120, confidence: 0.5, candidates: [], isStable: true, map: [], beats: [],
              onsets: .init(stepSeconds: 1, values: (0..<200).map { Double($0 % 7) }))
          ),
        ])
  }
  private static let ids = files.map(\.id)

  @Test func subsonicsListsHaveStandardLengths() async throws {
    let library = try await ServedLibrary(Self.files)
    func list(_ method: String, _ query: String, _ names: String...) async throws -> [JSONValue] {
      let answer = try await library.get("/rest/\(method)?f=json&\(query)").json["subsonic-response"]
      #expect(answer["status"] == "ok", "\(method)?\(query)")
      return names.reduce(answer) { $0[$1] }.list
    }
    for (method, query, names, count) in [
      ("getAlbumList", "type=newest", ["albumList", "album"], 10),
      ("getAlbumList2", "type=newest", ["albumList2", "album"], 10),
      ("getAlbumList2", "type=newest&size=500", ["albumList2", "album"], 21),
      ("getAlbumList2", "type=random&size=11", ["albumList2", "album"], 11),
      ("getAlbumList2", "type=alphabeticalByName&size=0", ["albumList2", "album"], 0),
      ("getRandomSongs", "", ["randomSongs", "song"], 10),
      ("getRandomSongs", "size=600", ["randomSongs", "song"], 500),
      ("getSongsByGenre", "genre=house", ["songsByGenre", "song"], 10),
      ("getSongsByGenre", "genre=house&count=20&offset=490", ["songsByGenre", "song"], 11),
      ("getTopSongs", "artist=Band", ["topSongs", "song"], 50),
      ("getSimilarSongs", "id=\(Self.ids[0])", ["similarSongs", "song"], 50),
      ("getSimilarSongs", "id=\(Self.ids[0])&count=1", ["similarSongs", "song"], 1),
      ("getSimilarSongs", "id=\(Self.ids[0])&count=0", ["similarSongs", "song"], 0),
      ("getSonicSimilarTracks", "id=\(Self.ids[0])", ["sonicMatch"], 10),
    ] {
      let answer = try await library.get("/rest/\(method)?f=json&\(query)").json["subsonic-response"]
      #expect(answer["status"] == "ok" && names.reduce(answer) { $0[$1] }.list.count == count, "\(method)?\(query)")
    }
    // Pages of searches, with and without words.
    for words in ["song", ""] {
      for (query, count) in [
        ("", 20), ("&songCount=30", 30), ("&songCount=1", 1), ("&songCount=0", 0), ("&songCount=-1", 0),
        ("&songCount=600", words.isEmpty ? 501 : 500), ("&songCount=30&songOffset=490", 11),
      ] {
        let songs = try await list("search3", "query=\(words)\(query)", "searchResult3", "song")
        #expect(songs.count == count, "\(words) \(query)")
      }
    }
    for (words, kind, count) in [("band", "artist", 1), ("", "artist", 1), ("album", "album", 20), ("", "album", 20)] {
      for (limit, limited) in [("", count), ("=1", 1), ("=0", 0)] {
        let query = "query=\(words)" + (limit.isEmpty ? "" : "&\(kind)Count\(limit)")
        for (method, name) in [("search2", "searchResult2"), ("search3", "searchResult3")] {
          #expect(try await list(method, query, name, kind).count == limited, "\(method) \(query)")
        }
      }
    }
    try await library.stop()
  }

  /// Years may be given in either order, and one of them may be missing.
  @Test func randomSongsAreFromTheYears() async throws {
    let library = try await ServedLibrary(Array(Self.files.prefix(60)))
    for (query, years) in [
      ("", 1990...1999), ("&fromYear=1995", 1995...1999), ("&toYear=1993", 1990...1993),
      ("&fromYear=1992&toYear=1994", 1992...1994), ("&fromYear=1994&toYear=1992", 1992...1994),
      ("&fromYear=1997&toYear=1997", 1997...1997),
    ] {
      let songs = try await library.get("/rest/getRandomSongs?f=json&size=500\(query)").json["subsonic-response"]
      let found = Set(songs["randomSongs"]["song"].list.map { $0["year"] })
      #expect(found == Set(years.map { .integer(Int64($0)) }), "\(query)")
    }
    // Files without a year have none of the years.
    let none = try await library.get("/rest/getRandomSongs?f=json&fromYear=2000").json["subsonic-response"]
    #expect(none["randomSongs"]["song"].list.isEmpty)
    try await library.stop()
  }

  @Test func pagesOfTheAppHaveStandardLengths() async throws {
    let library = try await ServedLibrary(Self.files)
    let artists = try await library.get("/app/api/artists").json["items"].list
    let artist = try #require(artists.first?["id"].text)
    for (target, members, count) in [
      ("artists/\(artist)", ["tracks", "items"], 200), ("artists/\(artist)?limit=201", ["tracks", "items"], 201),
      ("artists/\(artist)?limit=500&offset=1", ["tracks", "items"], 500),
      ("artists/\(artist)?limit=1", ["albums"], 1), ("artists/\(artist)", ["albums"], 21),
      ("artists/\(artist)?offset=1", ["albums"], 0), ("search?q=song", ["tracks", "items"], 8),
      ("search?q=album&limit=9", ["albums", "items"], 9), ("tracks/\(Self.ids[0])/similar", ["items"], 12),
      ("tracks/\(Self.ids[0])/similar?limit=1", ["items"], 1), ("tracks", ["items"], 50),
      ("prints?ids=\(Self.ids[0])", ["prints", Self.ids[0]], 48),
      ("prints?points=12&ids=\(Self.ids[0])", ["prints", Self.ids[0]], 12),
      ("prints?points=120&ids=\(Self.ids[0])", ["prints", Self.ids[0]], 120),
    ] {
      let answer = try await library.get("/app/api/\(target)")
      #expect(answer.status == 200 && members.reduce(answer.json) { $0[$1] }.list.count == count, "\(target)")
    }
    let many = Self.ids.prefix(100).joined(separator: ",")
    for (target, status) in [
      ("tracks/\(Self.ids[0])/similar?limit=0", 400), ("tracks/\(Self.ids[0])/similar?limit=100", 200),
      ("tracks/\(Self.ids[0])/similar?limit=101", 400), ("prints?ids=\(many)", 200), ("prints?ids=\(many),a", 400),
      ("prints?points=11&ids=a", 400), ("prints?points=121&ids=a", 400),
      ("prints?ids=\(String(repeating: ",", count: 2_400))", 200),
      ("prints?ids=\(String(repeating: ",", count: 2_401))", 400), ("artists/\(artist)?limit=501", 400),
    ] {
      #expect(try await library.get("/app/api/\(target)").status == status, "\(target.prefix(60))")
    }
    let prints = try await library.get("/app/api/prints?ids=\(Self.ids[0]),\(Self.ids[100]),unknown").json["prints"]
    #expect(prints[Self.ids[100]] == .null && prints["unknown"] == .null && prints[Self.ids[0]].list.count == 48)
    try await library.stop()
  }

  /// The next page begins after this one, and the previous one ends before it, but not before the first item.
  @Test func pagesOfSpotifyFollowEachOther() async throws {
    let library = try await ServedLibrary(Array(Self.files.prefix(60)))
    for (offset, limit, previous, next) in [
      (0, 2, nil, 2), (3, 2, 1, 5), (1, 2, 0, 3), (2, 2, 0, 4), (19, 2, 17, nil), (18, 2, 16, 20), (20, 5, 15, nil),
      (40, 5, 35, nil),
    ] as [(Int, Int, Int?, Int?)] {
      let page = try await library.get("/v1/browse/new-releases?offset=\(offset)&limit=\(limit)").json["albums"]
      let urls = [previous, next].map { place in
        place.map { "http://127.0.0.1:\(library.port)/v1/browse/new-releases?offset=\($0)&limit=\(limit)" }
      }
      #expect([page["previous"], page["next"]] == urls.map { $0.map { .string($0) } ?? .null }, "\(offset), \(limit)")
      #expect(page["total"] == 21 && page["items"].list.count == max(0, min(limit, 21 - offset)))
    }
    // Words exclude playlists by their names, and other filters do not.
    for (words, count) in [
      ("house", 1), ("house NOT house", 0), ("house NOT artist:house", 1), ("zzz OR house", 1), ("house OR house", 1),
      ("zzz", 0),
    ] {
      let found = try await library.get("/v1/search?type=playlist&q=\(words.queryEncoded)").json["playlists"]
      #expect(found["total"] == .integer(Int64(count)) && found["items"].list.count == count, "\(words)")
    }
    let artist = try await library.get("/v1/tracks/\(Self.ids[0])").json["artists"][0]["id"].text
    #expect(try await library.get("/v1/artists/\(artist)/top-tracks").json["tracks"].list.count == 10)
    // Spaces after commas do not matter.
    let spaced = try await library.get("/v1/tracks?ids=\(Self.ids[0]),%20\(Self.ids[1]),%20%20\(Self.ids[2])").json
    #expect(spaced["tracks"].list.map { $0["id"].text } == Array(Self.ids[..<3]))
    try await library.stop()
  }
}
