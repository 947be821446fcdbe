import Analysis
import AnalysisTesting
import BuiltInAnalyzers
import Filters
import LibraryStore
import LibraryTasks
import LibraryTesting
import Platform
import ResultStore
import SystemPackage
import Testing

/// Pages of tracks that were searched for by name, path or filter.
@Suite(.bounded) struct FoundTracksTests {
  private let folder: TemporaryDirectory
  private let store: ResultStore

  init() throws {
    folder = try TemporaryDirectory()
    store = try ResultStore(path: folder.file("library.sqlite"), findings: BuiltInAnalyzers.findings)
    let titles: [(FilePath, String)] = [
      ("/music/a/1.flac", "Blue Moon"), ("/music/blue/2.flac", "Blue Sky"), ("/music/blue/3.flac", "Red"),
      ("/music/blue/4.flac", "Green"), ("/music/blue/5.flac", "White"), ("/music/b/6.flac", "Night One"),
      ("/music/b/7.flac", "Night Two"), ("/music/b/8.flac", "Night Three"), ("/music/night/9.flac", "Day"),
    ]
    // They are added one after another.
    let clock = try DatabaseClock(store)
    for (number, (path, title)) in titles.enumerated() {
      let files = LibraryFiles([LibraryFile(path: path, tags: ["title": [title], "genre": ["any"]])])
      try clock.at(Timestamp(nanoseconds: Int64(1_700_000_000 + number) * 1_000_000_000)) {
        try files.merge(into: store)
      }
    }
  }

  private func find(
    _ words: String, _ filter: TrackFilter = .everything, order: TrackOrder? = nil, limit: Int = 20, offset: Int = 0
  ) throws -> (names: [String], count: Int, isExact: Bool) {
    let found = try FoundTracks(words, filter: filter, order: order, page: (limit, offset), in: store)
    return (found.rows.map { $0.path.stem ?? "" }, found.count, found.isCountExact)
  }

  @Test func withoutWordsTheNewestComeFirst() throws {
    let newest = (1...9).reversed().map { "\($0)" }
    for words in ["", " \t"] {
      let found = try find(words)
      #expect(found.names == newest && found.count == 9 && found.isExact)
      #expect(try find(words, limit: 2, offset: 3).names == ["6", "5"])
    }
    // A filter has the usual order.
    let filter = try TrackFilter(parsing: "genre:any")
    let usual = try store.search(SearchRequest("", filter: filter, sections: [.tracks])).tracks.hits
    #expect(try find("", filter).names == usual.map { $0.path.stem ?? "" } && find("", filter).names != newest)
    #expect(try find("", order: TrackOrder(.title)).names.first == "1")
  }

  @Test func namesComeBeforePaths() throws {
    let all = try find("blue")
    #expect(Set(all.names.prefix(2)) == ["1", "2"] && Set(all.names.dropFirst(2)) == ["3", "4", "5"])
    #expect(all.count == 5 && all.isExact)
    for offset in 0..<5 {
      for limit in 1...3 {
        let page = try find("blue", limit: limit, offset: offset)
        #expect(page.names == Array(all.names.dropFirst(offset).prefix(limit)), "\(offset), \(limit)")
      }
    }
    #expect(try find("blue", limit: 2, offset: 4).names.count == 1)
  }

  @Test func aCountIsALowerBoundUntilAllAreRead() throws {
    // Two by name, all of which fit, and four by path, which do not; then the other way around.
    let paths = try find("blue", limit: 2)
    #expect(paths.count == 4 && !paths.isExact)
    let names = try find("night", limit: 2)
    #expect(names.count == 3 && !names.isExact)
    let both = try find("night", limit: 3)
    #expect(both.count == 4 && both.isExact)
  }

  @Test func withAnOrderNamesAndPathsAreMixed() throws {
    let found = try find("blue", order: TrackOrder(.title))
    #expect(found.names == ["1", "2", "4", "3", "5"] && found.count == 5 && found.isExact)
    let night = try find("night", order: TrackOrder(.path), limit: 2, offset: 2)
    #expect(night.names == ["8", "9"] && night.count == 4)
  }

  @Test func failedFilesAreCounted() throws {
    func count(_ words: String, _ filter: TrackFilter = .everything) throws -> Int {
      try FoundTracks.failedCount(words, filter: filter, in: store)
    }
    #expect(try count("") == 0 && count("blue") == 0)
    let problem = Problem(stage: .open, code: "empty", message: "It is empty.")
    try LibraryFiles([LibraryFile(path: "/music/blue/skyline.mp3", tags: [:], failure: problem)]).merge(into: store)
    #expect(try count("") == 1 && count(" ") == 1)
    // Every word must occur, the last one as the beginning of a word.
    for words in ["blue", "sky", "blue sky", "skyline blu", " sky "] { #expect(try count(words) == 1, "\(words)") }
    for words in ["red", "sky blue", "blu skyline", "line"] { #expect(try count(words) == 0, "\(words)") }
    #expect(try count("", TrackFilter(parsing: "genre:any")) == 0)
    try LibraryFiles([LibraryFile(path: "/music/other.mp3", tags: [:], failure: problem)]).merge(into: store)
    #expect(try count("") == 2 && count("sky") == 1)
  }
}
