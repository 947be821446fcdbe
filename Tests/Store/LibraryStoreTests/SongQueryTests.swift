import Analysis
import AnalysisTesting
import Filters
import LibraryTesting
import Platform
import ResultStore
import SystemPackage
import Testing

@testable import LibraryStore

/// Conditions of song queries, each with something that it finds and something that it leaves out.
@Suite(.bounded) struct SongQueryTests {
  private static func file(_ number: Int, _ tags: [String: String]) -> LibraryFile {
    LibraryFile(path: FilePath("/music/\(number).flac"), tags: tags.mapValues { [$0] })
  }

  private static let files = [
    file(
      1, ["title": "Blue Sky", "artist": "Anna", "album": "Sky", "genre": "Pop", "date": "1990", "isrc": "gb-x-1"]),
    file(
      2, ["title": "Blue Sea", "artist": "Bert", "album": "Sea", "genre": "Rock", "date": "2000", "isrc": "gb-x-2"]),
    file(3, ["title": "Red Sky", "artist": "Anna", "album": "Sky", "genre": "Pop", "date": "1991"]),
    file(4, ["title": "Green", "artist": "Cleo", "genre": "Jazz"]),
  ]

  private func library(_ files: [LibraryFile] = files) throws -> ScannedLibrary {
    let library = try ScannedLibrary()
    try LibraryFiles(files).merge(into: library.store)
    return library
  }

  private struct Case: Sendable {
    var testDescription: String
    var text = ""
    var change: @Sendable (inout SongQuery) -> Void = { _ in }
    var tracks: Set<String> = []
    var albums: Set<String> = []
    var artists: Set<String> = []
  }

  private static let cases: [Case] = [
    Case(testDescription: "nothing asked"),
    Case(testDescription: "text", text: "blue", tracks: ["Blue Sky", "Blue Sea"]),
    Case(testDescription: "text of all", text: "sky", tracks: ["Blue Sky", "Red Sky"], albums: ["Sky"]),
    Case(testDescription: "name", text: "anna", tracks: ["Blue Sky", "Red Sky"], albums: ["Sky"], artists: ["Anna"]),
    Case(testDescription: "symbols", text: "!!!"),
    Case(testDescription: "spaces", text: "  "),
    Case(
      testDescription: "alternatives", text: "red", change: { $0.alternatives = ["green", "!!!"] },
      tracks: ["Red Sky", "Green"]),
    Case(
      testDescription: "without words", text: "blue", change: { $0.excluded = [.init(.any, "sea")] },
      tracks: ["Blue Sky"]),
    Case(
      testDescription: "without whole words only", text: "blue", change: { $0.excluded = [.init(.any, "se")] },
      tracks: ["Blue Sky", "Blue Sea"]),
    Case(
      testDescription: "without two words", text: "blue",
      change: { $0.excluded = [.init(.any, "sea"), .init(.artist, "anna")] }),
    Case(
      testDescription: "without an artist", text: "sky", change: { $0.excluded = [.init(.artist, "anna")] },
      tracks: []),
    Case(
      testDescription: "without part of an artist", text: "blue", change: { $0.excluded = [.init(.artist, "ann")] },
      tracks: ["Blue Sky", "Blue Sea"]),
    Case(
      testDescription: "without an album", text: "blue", change: { $0.excluded = [.init(.album, "sky")] },
      tracks: ["Blue Sea"]),
    Case(
      testDescription: "without a title", text: "sky", change: { $0.excluded = [.init(.title, "red")] },
      tracks: ["Blue Sky"], albums: ["Sky"]),
    Case(
      testDescription: "without a genre", text: "blue", change: { $0.excluded = [.init(.genre, "rock")] },
      tracks: ["Blue Sky"]),
    Case(
      testDescription: "artist", change: { $0.artist = "ann" }, tracks: ["Blue Sky", "Red Sky"], albums: ["Sky"],
      artists: ["Anna"]),
    Case(
      testDescription: "artist and text", text: "red", change: { $0.artist = "anna" }, tracks: ["Red Sky"]),
    Case(testDescription: "artist of symbols", change: { $0.artist = "!!!" }),
    Case(testDescription: "artist of symbols and text", text: "blue", change: { $0.artist = "!!!" }),
    Case(testDescription: "album", change: { $0.album = "sea" }, tracks: ["Blue Sea"], albums: ["Sea"]),
    Case(testDescription: "title", change: { $0.title = "sky" }, tracks: ["Blue Sky", "Red Sky"]),
    Case(testDescription: "title and text", text: "anna", change: { $0.title = "red" }, tracks: ["Red Sky"]),
    Case(
      testDescription: "genre", change: { $0.genre = "pop" }, tracks: ["Blue Sky", "Red Sky"], albums: ["Sky"],
      artists: ["Anna"]),
    Case(
      testDescription: "genre without an album", change: { ($0.genre, $0.excluded) = ("pop", [.init(.album, "sky")]) },
      artists: ["Anna"]),
    Case(
      testDescription: "genre without an artist",
      change: { ($0.genre, $0.excluded) = ("pop", [.init(.artist, "anna")]) }),
    Case(
      testDescription: "genre and years", change: { ($0.genre, $0.years) = ("pop", 1990...1990) }, tracks: ["Blue Sky"],
      albums: ["Sky"], artists: ["Anna"]),
    Case(
      testDescription: "genre without years", change: { ($0.genre, $0.excludedYears) = ("pop", [1990...1991]) }),
    Case(
      testDescription: "genre of other years", change: { ($0.genre, $0.years) = ("pop", 2000...2001) }),
    Case(
      testDescription: "years", change: { $0.years = 1990...1991 }, tracks: ["Blue Sky", "Red Sky"], albums: ["Sky"]),
    Case(testDescription: "years and text", text: "blue", change: { $0.years = 1990...1991 }, tracks: ["Blue Sky"]),
    Case(
      testDescription: "name and years", text: "anna", change: { $0.years = 1991...1999 }, tracks: ["Red Sky"],
      artists: ["Anna"]),
    Case(testDescription: "name of other years", text: "anna", change: { $0.years = 2000...2000 }),
    Case(
      testDescription: "without years", text: "blue", change: { $0.excludedYears = [1980...1989, 1990...1995] },
      tracks: ["Blue Sea"]),
    Case(
      testDescription: "without years, and without a year", text: "green", change: { $0.excludedYears = [1980...2010] },
      tracks: ["Green"]),
    Case(testDescription: "recording", change: { $0.isrc = "GB-X1" }, tracks: ["Blue Sky"]),
    Case(testDescription: "recording and text", text: "sea", change: { $0.isrc = "gbx1" }),
    Case(
      testDescription: "without recordings", text: "blue", change: { $0.excludedISRCs = ["gbx1", "gbx9"] },
      tracks: ["Blue Sea"]),
    Case(
      testDescription: "without recordings, and without a code", text: "green", change: { $0.excludedISRCs = ["gbx1"] },
      tracks: ["Green"]),
    Case(
      testDescription: "recording without an album",
      change: { ($0.isrc, $0.excluded) = ("gbx1", [.init(.album, "sky")]) }),
    Case(
      testDescription: "added since long ago", change: { $0.addedSince = Timestamp(nanoseconds: 0) },
      tracks: ["Blue Sky", "Blue Sea", "Red Sky", "Green"], albums: ["Sky", "Sea"]),
    Case(testDescription: "added in the future", change: { $0.addedSince = Timestamp(nanoseconds: .max) }),
    Case(
      testDescription: "added since, and text", text: "anna", change: { $0.addedSince = Timestamp(nanoseconds: 0) },
      tracks: ["Blue Sky", "Red Sky"], albums: ["Sky"]),
    Case(
      testDescription: "added before, and text", text: "anna",
      change: { $0.addedBefore = Timestamp(nanoseconds: .max) }, tracks: ["Blue Sky", "Red Sky"], albums: ["Sky"],
      artists: ["Anna"]),
    Case(
      testDescription: "added long before, and text", text: "anna",
      change: { $0.addedBefore = Timestamp(nanoseconds: 0) }, artists: ["Anna"]),
  ]

  /// Each section is searched only if it is wanted, and finds the same as beside the others.
  @Test func conditions() throws {
    let library = try library()
    for test in Self.cases {
      var query = SongQuery(test.text)
      test.change(&query)
      let found = try library.store.search(songs: query)
      let name: Comment = "\(test.testDescription)"
      #expect(Set(found.tracks.hits.map(\.title)) == test.tracks && found.tracks.count == test.tracks.count, name)
      #expect(Set(found.albums.hits.map(\.name)) == test.albums && found.albums.count == test.albums.count, name)
      #expect(Set(found.artists.hits.map(\.name)) == test.artists && found.artists.count == test.artists.count, name)
      #expect(found.tracks.isCountExact && found.albums.isCountExact && found.artists.isCountExact, name)
      for section in SongQuery.Section.allCases {
        query.sections = [section]
        let one = try library.store.search(songs: query)
        #expect(one.tracks.count == (section == .tracks ? test.tracks.count : 0), name)
        #expect(one.albums.count == (section == .albums ? test.albums.count : 0), name)
        #expect(one.artists.count == (section == .artists ? test.artists.count : 0), name)
      }
    }
  }

  /// The name itself, names that begin with it as a word, other names with the word, and names that begin with it.
  @Test func namesAreInOrder() throws {
    let names = ["Sunny", "The Sun", "Sun Ra", "Sunday", "Sun", "Moon"]
    let library = try library(
      names.enumerated().map { Self.file($0.offset, ["title": "T", "artist": $0.element, "album": $0.element]) })
    let expected = ["Sun", "Sun Ra", "The Sun", "Sunday", "Sunny"]
    let found = try library.store.search(songs: SongQuery("sun"))
    #expect(found.artists.hits.map(\.name) == expected && found.artists.count == 5)
    #expect(found.albums.hits.map(\.name) == expected && found.albums.count == 5)
    var query = SongQuery("sun", limit: 2, offset: 1)
    #expect(try library.store.search(songs: query).artists.hits.map(\.name) == ["Sun Ra", "The Sun"])
    #expect(try library.store.search(songs: query).artists.count == 5)
    query.offset = 5
    #expect(try library.store.search(songs: query).artists.hits.isEmpty)
  }

  @Test func listsAreInOrder() throws {
    let years = [2003, 1999, 2001, 2000, 2002]
    let library = try library(
      years.enumerated().map {
        Self.file(
          $0.offset, ["title": "T\($0.element)", "artist": "A", "album": "T\($0.element)", "date": "\($0.element)"])
      })
    var query = SongQuery()
    query.years = 1990...2010
    let sorted = years.sorted().map { "T\($0)" }
    #expect(try library.store.search(songs: query).tracks.hits.map(\.title) == sorted)
    #expect(try library.store.search(songs: query).albums.hits.map(\.name) == sorted)
    (query.limit, query.offset) = (2, 3)
    #expect(try library.store.search(songs: query).tracks.hits.map(\.title) == ["T2002", "T2003"])
  }

  /// A page has twenty hits unless another number is asked for.
  @Test func pagesHaveTwentyHits() throws {
    let library = try library((0..<21).map { Self.file($0, ["title": "T\($0)", "artist": "A"]) })
    #expect(try library.store.search(songs: SongQuery("a", sections: [.tracks])).tracks.hits.count == 20)
    let request = SearchRequest("a", sections: [.tracks])
    #expect(try library.store.search(request).tracks.hits.count == 20 && request.offset == 0 && SongQuery().offset == 0)
    #expect(try library.store.search(request).tracks.count == 21)
  }
}
