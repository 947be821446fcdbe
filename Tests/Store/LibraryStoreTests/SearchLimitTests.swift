import Analysis
import AnalysisTesting
import LibraryTesting
import ResultStore
import SystemPackage
import Testing

@testable import LibraryStore

/// Searches in a library that is just small enough, or just too large, for exact counts.
@Suite(.bounded) struct SearchLimitTests {
  private let library: ScannedLibrary
  private var store: ResultStore { library.store }

  /// Makes 1,001 tracks by a band, of which 999 are "young" and of the "morning", 1,000 "early" and of the "dawn". All
  /// of them are called "!!!", and so is the artist of one more track.
  init() throws {
    library = try ScannedLibrary()
    let files = (0...1_001).map { number -> LibraryFile in
      var tags = ["title": ["!!!"], "artist": ["!!!"]]
      if number < 1_001 {
        let (isEarly, isYoung) = (number < 1_000, number < 999)
        tags["artist"] = ["\(isEarly ? "Early" : "Late") \(isYoung ? "Young" : "Old") Band \(number)"]
        tags["album"] = ["\(isEarly ? "Dawn" : "Dusk") \(isYoung ? "Morning" : "Evening") Album \(number)"]
        tags["date"] = [isEarly ? "2001" : "1990"]
        tags["genre"] = ["Noise"]
      }
      return LibraryFile(path: FilePath("/music/\(number < 1_000 ? "first" : "second")/\(number).flac"), tags: tags)
    }
    try LibraryFiles(files).merge(into: library.store)
  }

  private struct Count: Equatable {
    var count: Int
    var isExact: Bool

    init<Hit>(_ hits: SearchHits<Hit>) { (count, isExact) = (hits.count, hits.isCountExact) }

    init(_ count: Int, isExact: Bool) { (self.count, self.isExact) = (count, isExact) }
  }

  // MARK: - Songs

  private func songs(
    _ section: SongQuery.Section, _ text: String = "", change: (inout SongQuery) -> Void = { _ in }
  ) throws -> Count {
    var query = SongQuery(text, sections: [section])
    change(&query)
    let result = try store.search(songs: query)
    switch section {
    case .tracks: return Count(result.tracks)
    case .albums: return Count(result.albums)
    case .artists: return Count(result.artists)
    }
  }

  /// Both searches in one test, because it takes a second to make the library.
  @Test func countsAreExactUpToAThousand() throws {
    try countSongs()
    try countInTheApp()
  }

  /// A thousand hits are counted exactly, one more is not.
  private func countSongs() throws {
    let (exact, more) = (Count(1_000, isExact: true), Count(1_000, isExact: false))
    #expect(try songs(.tracks, "young") == Count(999, isExact: true))
    #expect(try songs(.tracks, "early") == exact && songs(.tracks, "band") == more)
    #expect(try songs(.albums, "dawn") == exact && songs(.albums, "album") == more)
    #expect(try songs(.artists, "early") == exact && songs(.artists, "band") == more)
    #expect(try songs(.tracks) { $0.artist = "early" } == exact && songs(.tracks) { $0.artist = "band" } == more)
    for section in [SongQuery.Section.tracks, .albums] {
      #expect(try songs(section) { $0.years = 2001...2001 } == exact, "\(section)")
      #expect(try songs(section) { $0.years = 1990...2001 } == more, "\(section)")
    }
    // Symbols are not words, so that only equal names count: a thousand titles, and an artist.
    #expect(try songs(.tracks, "!!!") == more)

    // Pages.
    func hits(_ text: String, limit: Int, offset: Int = 0) throws -> Int {
      try store.search(songs: SongQuery(text, sections: [.tracks], limit: limit, offset: offset)).tracks.hits.count
    }
    #expect(try hits("band", limit: 0) == 0 && hits("band", limit: 1) == 1 && hits("band", limit: 51) == 51)
    // Hits beyond those that are counted can be reached.
    #expect(try hits("band", limit: 3, offset: 999) == 2 && hits("band", limit: 3, offset: 1_000) == 1)
    #expect(try hits("band", limit: 3, offset: 1_001) == 0)
    #expect(try hits("early", limit: 3, offset: 999) == 1 && hits("early", limit: 3, offset: 1_000) == 0)
  }

  // MARK: - The shell and the app

  private func answer(_ words: String, _ section: SearchSection, limit: Int = 20, offset: Int = 0) throws
    -> SearchAnswer
  {
    try store.search(SearchRequest(words, sections: [section], limit: limit, offset: offset))
  }

  private func countInTheApp() throws {
    let (exact, more) = (Count(1_000, isExact: true), Count(1_000, isExact: false))
    #expect(try Count(answer("young", .tracks).tracks) == Count(999, isExact: true))
    #expect(try Count(answer("early", .tracks).tracks) == exact && Count(answer("band", .tracks).tracks) == more)
    #expect(try Count(answer("first", .paths).paths) == exact && Count(answer("music", .paths).paths) == more)

    // Names are collected from a thousand tracks, so a thousand may not be all.
    let few = Count(999, isExact: true)
    #expect(try Count(answer("morning", .albums).albums) == few && Count(answer("dawn", .albums).albums) == more)
    #expect(try Count(answer("young", .artists).artists) == few && Count(answer("early", .artists).artists) == more)

    // The tracks of one name are counted beyond the first thousand.
    #expect(try answer("noise", .genres).genres.hits == [.init(name: "Noise", trackCount: 1_001)])

    // Pages.
    func hits(_ words: String, limit: Int, offset: Int = 0) throws -> Int {
      try answer(words, .tracks, limit: limit, offset: offset).tracks.hits.count
    }
    #expect(try hits("band", limit: 1) == 1 && hits("band", limit: 21) == 21)
    #expect(try hits("early", limit: 3, offset: 999) == 1 && hits("early", limit: 3, offset: 1_000) == 0)
    #expect(try hits("band", limit: 3, offset: 999) == 2)
  }
}
