import Analysis
import AnalysisTesting
import Filters
import LibraryTesting
import SystemPackage
import Testing

@testable import LibraryStore
@testable import ResultStore

/// Searches by words.
@Suite(.bounded) struct TextSearchTests {
  private static let songs: [(path: FilePath, fields: [String: [String]])] = [
    (
      "/music/Lumine/one.flac",
      ["artist": ["Lumine"], "title": ["First Light"], "album": ["Dawn"], "genre": ["Trance"]]
    ),
    (
      "/music/Lumine/two.flac",
      ["artist": ["Lumine"], "title": ["Second Light"], "album": ["Dawn"], "genre": ["Trance"]]
    ),
    (
      "/music/x/three.flac",
      ["artist": ["Other"], "title": ["Luminescent"], "album": ["Dusk"], "genre": ["House", "Trance"]]
    ),
    ("/music/x/four.flac", ["artist": ["Other"], "title": ["Nothing"], "album": ["Lumine"]]),
    ("/music/x/lumine live.flac", ["artist": ["Nobody"], "title": ["Untitled"]]),
    ("/music/y/東京の夜.flac", ["artist": ["東京事変"], "title": ["夜明けのうた"], "album": ["教育"]]),
    ("/music/y/six.flac", ["artist": ["MØ"], "title": ["Straße"], "album": ["Größe"]]),
    ("/music/y/seven.flac", ["artist": ["!!!"], "title": ["Me and Giuliani"]]),
    ("/music/y/eight.flac", ["artist": ["Björk"], "title": ["Jóga"], "album": ["Homogenic"]]),
    ("/music/y/no tags.flac", [:]),
  ]

  private static func library() throws -> ScannedLibrary {
    let library = try ScannedLibrary()
    let fields = Dictionary(uniqueKeysWithValues: songs.map { ($0.path, $0.fields) })
    for song in songs { library.put(song.path) }
    try library.night { file in
      var analysis = ScannedLibrary.analysis(of: file)
      analysis.outcomes[0].result = .finding(TagFinding(fields: fields[file.path] ?? [:]))
      return analysis
    }
    return library
  }

  private func titles(_ words: String, in library: ScannedLibrary, where filter: String = "") throws -> [String] {
    let request = SearchRequest(words, filter: try TrackFilter(parsing: filter), sections: [.tracks])
    return try library.store.search(request).tracks.hits.map { $0.title ?? "" }
  }

  @Test func tracksByTheirWords() throws {
    let library = try Self.library()
    #expect(try titles("light", in: library) == ["First Light", "Second Light"])
    #expect(try titles("lumine second", in: library) == ["Second Light"])
    #expect(try titles("LIGHT lum", in: library).count == 2)
    #expect(try titles("bjork joga", in: library) == ["Jóga"])
    #expect(try titles("homo", in: library) == ["Jóga"])
    #expect(try titles("omo", in: library) == [])
    #expect(try titles("lumine house", in: library) == [])
    #expect(try titles("luminescent house", in: library) == ["Luminescent"])
  }

  @Test(arguments: [
    ("mo", ["MØ"], ["Größe"]), ("grosse", [], ["Größe"]), ("事変", ["東京事変"], ["教育"]), ("育", [], ["教育"]),
    ("bjork", ["Björk"], ["Homogenic"]), ("nowhere", [], []),
  ])
  func artistsAndAlbumsByOtherSpellings(words: String, artists: [String], albums: [String]) throws {
    let found = try Self.library().store.search(songs: SongQuery(words))
    #expect(found.artists.hits.map(\.name) == artists && found.albums.hits.map(\.name) == albums)
  }

  /// The artist, whole words of an album, and the beginning of a longer word, in this order.
  @Test func betterOnesComeFirst() throws {
    let library = try Self.library()
    #expect(try titles("lumine", in: library) == ["First Light", "Second Light", "Nothing", "Luminescent"])
  }

  /// The shell, the app and the APIs rank alike: names first, then whole words, then beginnings of words.
  @Test(arguments: ["cave", "deep cave", "cav", "hours"]) func allSearchesRankAlike(words: String) throws {
    let titles = ["Cavernous", "Caveat", "Deep Cave", "Cave", "Hours Apart", "A Cavern"]
    let library = try ScannedLibrary()
    for title in titles { library.put(FilePath("/music/\(title).flac")) }
    try library.night { file in
      var analysis = ScannedLibrary.analysis(of: file)
      let title = file.path.stem ?? ""
      analysis.outcomes[0].result = .finding(
        TagFinding(fields: ["title": [title], "artist": [title], "album": [title], "genre": [title]]))
      return analysis
    }
    let found = try library.store.search(SearchRequest(words))
    let catalog = try library.store.search(songs: SongQuery(words))
    #expect(found.tracks.hits.map(\.title) == catalog.tracks.hits.map(\.title))
    guard words == "cave" else { return }
    var filtered = SongQuery()
    filtered.title = words
    let titled = try library.store.search(songs: filtered).tracks.hits.map(\.title)
    let lists = [
      catalog.tracks.hits.map(\.title), catalog.albums.hits.map(\.name), catalog.artists.hits.map(\.name),
      found.artists.hits.map(\.name), found.genres.hits.map(\.name), found.albums.hits.map(\.title), titled,
    ]
    for list in lists { #expect(list.prefix(2) == ["Cave", "Deep Cave"] && list.count == 5) }
  }

  @Test func spellingsOfOneGenreAreOne() throws {
    let genres = ["Soundtrack", "soundtrack", "Soundtrack", "Pop"]
    let library = try ScannedLibrary()
    for number in genres.indices { library.put(FilePath("/music/\(number).flac")) }
    try library.night { file in
      var analysis = ScannedLibrary.analysis(of: file)
      let number = Int(file.path.stem ?? "") ?? 0
      analysis.outcomes[0].result = .finding(TagFinding(fields: ["title": ["T"], "genre": [genres[number]]]))
      return analysis
    }
    let found = try library.store.search(SearchRequest("sound", sections: [.genres])).genres
    #expect(found.hits == [.init(name: "Soundtrack", trackCount: 3)] && found.count == 1)
    #expect(try library.store.genres().map(\.trackCount).sorted() == [1, 3])
  }

  /// Credits are split once, for both search and the song catalog.
  @Test func performersAreThoseOfTheCatalog() throws {
    let credits: [[String: [String]]] = [
      ["artist": ["Florence / The Machine"]], ["artist": ["Florence feat. Ben"]], ["artist": ["Tyler, The Creator"]],
      ["artist": ["Florence & Ben"], "artists": ["Florence", "Ben"]],
    ]
    let library = try ScannedLibrary()
    for number in credits.indices { library.put(FilePath("/music/\(number).flac")) }
    try library.night { file in
      var analysis = ScannedLibrary.analysis(of: file)
      let number = Int(file.path.stem ?? "") ?? 0
      analysis.outcomes[0].result = .finding(TagFinding(fields: credits[number].merging(["title": ["T"]]) { $1 }))
      return analysis
    }
    for (words, count) in [("florence", 3), ("ben", 2), ("the machine", 1), ("tyler", 1)] {
      let found = try library.store.search(SearchRequest(words, sections: [.artists])).artists.hits
      #expect(found.count == 1 && found.first?.trackCount == count, "\(words): \(found)")
      let id = try SongArtist(named: #require(found.first?.name)).id
      #expect(try library.store.artist(id: id)?.trackCount == count)
    }
  }

  @Test(arguments: [
    ("東京", "夜明けのうた"), ("京事", "夜明けのうた"), ("変", "夜明けのうた"), ("明け", "夜明けのうた"), ("事変 うた", "夜明けのうた"),
    ("の夜", "夜明けのうた"), ("mo", "Straße"), ("MØ", "Straße"), ("strasse", "Straße"), ("straße", "Straße"),
    ("grosse", "Straße"),
    ("!!!", "Me and Giuliani"),
  ]) func otherSpellings(words: String, title: String) throws {
    #expect(try titles(words, in: Self.library()).contains(title))
  }

  @Test func sections() throws {
    let library = try Self.library()
    let answer = try library.store.search(SearchRequest("lumine"))
    #expect(answer.artists.hits == [.init(name: "Lumine", trackCount: 2)])
    #expect(answer.albums.hits == [.init(title: "Lumine", artist: "Other", year: nil, trackCount: 1)])
    #expect(answer.genres.hits.isEmpty)
    #expect(
      answer.paths.hits.map(\.path)
        == ["/music/x/lumine live.flac", "/music/Lumine/one.flac", "/music/Lumine/two.flac"])
    let trance = try library.store.search(SearchRequest("tran", sections: [.genres, .artists]))
    #expect(trance.genres.hits == [.init(name: "Trance", trackCount: 3)])
    #expect(trance.tracks.hits.isEmpty && trance.artists.hits.isEmpty)
    let dawn = try library.store.search(SearchRequest("dawn", sections: [.albums]))
    #expect(dawn.albums.hits == [.init(title: "Dawn", artist: "Lumine", year: nil, trackCount: 2)])
    let education = try library.store.search(SearchRequest("育"))
    #expect(education.albums.hits.map(\.title) == ["教育"])
    #expect(try library.store.search(SearchRequest("no tags")).paths.hits.count == 1)
  }

  @Test func tracksWithoutATitleAreFoundByTheNameOfTheFile() throws {
    let library = try Self.library()
    func paths(_ words: String) throws -> [FilePath] {
      try library.store.search(SearchRequest(words, sections: [.tracks])).tracks.hits.map(\.path)
    }
    #expect(try paths("tags no") == ["/music/y/no tags.flac"])
    for words in ["flac", "seven", "music"] { #expect(try !paths(words).contains("/music/y/no tags.flac")) }
    #expect(try paths("seven") == [])
    // A title replaces it, and so does another name.
    try library.night { _ in nil }
    library.put("/music/y/no tags.flac", size: 2000)
    try library.night { file in
      var analysis = ScannedLibrary.analysis(of: file)
      analysis.outcomes[0].result = .finding(TagFinding(fields: ["title": ["At last"]]))
      return analysis
    }
    #expect(try paths("tags") == [] && paths("last") == ["/music/y/no tags.flac"])
    #expect(try library.store.check() == [])
  }

  @Test func filtersAndPages() throws {
    let library = try Self.library()
    #expect(try titles("lumine", in: library, where: "genre:trance -title:first") == ["Second Light", "Luminescent"])
    let filter = try TrackFilter(parsing: "genre:trance")
    let answer = try library.store.search(SearchRequest("lumine", filter: filter, limit: 2, offset: 1))
    #expect(answer.tracks.hits.map(\.title) == ["Second Light", "Luminescent"])
    #expect(answer.tracks.count == 3 && answer.tracks.isCountExact)
    #expect(answer.albums.hits.isEmpty)
    let sorted = try library.store.search(SearchRequest("lumine", order: TrackOrder(.title, isDescending: true)))
    #expect(sorted.tracks.hits.map(\.title) == ["Second Light", "Nothing", "Luminescent", "First Light"])
    let all = try library.store.search(SearchRequest("", filter: filter))
    #expect(all.tracks.count == 3 && all.artists.hits.isEmpty && all.paths.hits.isEmpty)
  }

  /// With more matches than are ranked, the count says so, and nothing is found twice.
  @Test func veryCommonWords() throws {
    let library = try ScannedLibrary()
    for index in 0..<1500 { library.put(FilePath("/music/\(index).flac")) }
    try library.night { file in
      var analysis = ScannedLibrary.analysis(of: file)
      let title = file.path.stem == "1499" ? "love" : "love \(file.path.stem ?? "")"
      analysis.outcomes[0].result = .finding(TagFinding(fields: ["title": [title]]))
      return analysis
    }
    let answer = try library.store.search(SearchRequest("love", sections: [.tracks], limit: 1200))
    #expect(answer.tracks.count == 1200 && !answer.tracks.isCountExact)
    #expect(Set(answer.tracks.hits.map(\.fileID)).count == 1200)
    // A track of this name is found however late it was first met.
    #expect(answer.tracks.hits.first?.title == "love")
    let sorted = try library.store.search(SearchRequest("love", order: TrackOrder(.title), sections: [.tracks]))
    #expect(sorted.tracks.count == 1500 && sorted.tracks.isCountExact)
  }

  @Test(arguments: [
    ("Björk Guðmundsdóttir", "bjork gud", ["Björk", "Guð"]), ("Straße", "strasse", ["Straße"]),
    ("東京事変", "京事", ["京事"]), ("One two", "three", []), ("AC/DC", "dc", ["DC"]), ("e\u{301}a", "e", ["e\u{301}"]),
    ("Love is Lovely", "lov", ["Lov", "Lov"]), ("🎵 Music", "music", ["Music"]), ("", "x", []),
  ]) func wordsInNames(name: String, words: String, expected: [String]) {
    #expect(WordMatch(words).ranges(in: name).map { String(name[$0]) } == expected)
  }

  /// Any input finds something or nothing.
  @Test func noTextIsAnError() throws {
    let library = try Self.library()
    let pieces = [
      "\"", "'", "*", "AND", "OR", "NOT", "NEAR(", "(", ")", ":", "-", "+", "^", "{", "}", "\0", "%", "_", ";", "🎵",
      "東", "京",
      "и", "l", " ", "\\", "ß", "e\u{301}", "\u{FEFF}", "\u{202E}", "' OR 1=1; DROP TABLE song; --", "title :", "ไ",
      "\n", "\u{FFFD}",
    ]
    var random = SplitMix64.fresh()
    for _ in 0..<1000 {
      let text = (0..<Int.random(in: 1...7, using: &random)).map { _ in pieces.randomElement(using: &random)! }.joined()
      do {
        _ = try library.store.search(SearchRequest(text, order: Bool.random(using: &random) ? .path : nil))
      } catch {
        Issue.record("\(text.debugDescription): \(error)")
      }
    }
    for long in [
      String(repeating: "a", count: 1 << 20), String(repeating: "a ", count: 10_000),
      String(repeating: "東", count: 5000),
    ] {
      _ = try library.store.search(SearchRequest(long))
    }
    #expect(try library.store.check() == [])
  }

  private func library(_ tags: [[String: [String]]]) throws -> ScannedLibrary {
    let library = try ScannedLibrary()
    let files = tags.enumerated().map { LibraryFile(path: FilePath("/music/\($0.offset)"), tags: $0.element) }
    try LibraryFiles(files).merge(into: library.store)
    return library
  }

  /// Equally good names are in the order of their numbers of tracks, then of the alphabet.
  @Test func namesWithMoreTracksComeFirst() throws {
    let library = try library(
      ["Sun A", "Sun C", "Sun Z", "Sun B", "Sun Z"].map {
        ["title": ["T"], "artist": [$0], "album": [$0], "genre": [$0], "date": ["2001"]]
      })
    let found = try library.store.search(SearchRequest("sun"))
    let expected = ["Sun Z", "Sun A", "Sun B", "Sun C"]
    #expect(found.artists.hits.map(\.name) == expected && found.artists.hits.map(\.trackCount) == [2, 1, 1, 1])
    #expect(found.genres.hits.map(\.name) == expected && found.albums.hits.map(\.title) == expected)
    #expect(found.albums.hits.map(\.trackCount) == [2, 1, 1, 1] && found.albums.hits.allSatisfy { $0.year == 2001 })
    #expect(found.albums.hits.map(\.artist) == expected)
  }

  /// An album whose tracks have several artists, and no album artist, has none.
  @Test func albumsOfSeveralArtists() throws {
    let library = try library(
      ["A", "B"].map { ["title": ["T"], "artist": [$0], "album": ["Mix"]] } + [
        ["title": ["T"], "artist": ["A"], "album": ["Mixture"], "albumartist": ["B"]]
      ])
    let found = try library.store.search(SearchRequest("mix", sections: [.albums])).albums.hits
    #expect(found.map(\.title) == ["Mix", "Mixture"] && found.map(\.artist) == [nil, "B"])
    #expect(found.map(\.trackCount) == [2, 1])
  }

  /// The usual spelling stands for all; of equally usual ones, the first by the alphabet.
  @Test(arguments: [
    (["pop", "pop", "Pop"], "pop"), (["pop", "Pop", "Pop"], "Pop"), (["pop", "Pop"], "Pop"),
  ])
  func usualSpelling(genres: [String], expected: String) throws {
    let library = try library(genres.map { ["title": ["T"], "genre": [$0]] })
    let found = try library.store.search(SearchRequest("pop", sections: [.genres])).genres
    #expect(found.hits == [.init(name: expected, trackCount: genres.count)] && found.count == 1)
  }

  /// With a filter, words are looked for in paths only if paths are wanted.
  @Test func pathsBesideAFilter() throws {
    let library = try Self.library()
    let filter = try TrackFilter(parsing: "-genre:trance")
    let answer = try library.store.search(SearchRequest("live", filter: filter))
    #expect(answer.paths.hits.map(\.path) == ["/music/x/lumine live.flac"] && answer.tracks.hits.isEmpty)
    let named = try library.store.search(SearchRequest("lumin", filter: filter))
    #expect(named.paths.hits.map(\.path) == ["/music/x/lumine live.flac"])
    #expect(named.tracks.hits.map(\.title) == ["Nothing"])
  }

  /// The last word may be the beginning of a word in a path, too. Symbols find no names, which is exact.
  @Test func beginningsOfWordsInPaths() throws {
    let library = try Self.library()
    let found = try library.store.search(SearchRequest("lumin", sections: [.paths])).paths
    #expect(found.count == 3 && found.isCountExact)
    let symbols = try library.store.search(SearchRequest("!!!"))
    #expect(symbols.albums.count == 0 && symbols.albums.isCountExact && symbols.artists.isCountExact)
    #expect(symbols.tracks.count == 1 && symbols.tracks.isCountExact && symbols.paths.count == 0)
  }
}
