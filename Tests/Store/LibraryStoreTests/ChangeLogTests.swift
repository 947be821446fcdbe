import Analysis
import AnalysisTesting
import Filters
import Foundation
import GRDB
import Library
import LibraryStore
import LibraryTesting
import Platform
import Records
import ResultStore
import SystemPackage
import Testing

/// Changes received by a follower.
@Suite(.bounded) struct ChangeLogTests {
  private struct News: Equatable {
    var records: [FilePath] = []
    var removals: [FilePath] = []
  }

  private static let tracks = RecordSelection(statuses: [.ok, .partial])

  private func cursor(_ library: ScannedLibrary) throws -> LibraryCursor {
    try #require(try library.store.extract(RecordSelection()) { $0.cursor })
  }

  private func news(
    of library: ScannedLibrary, since point: ChangePoint?, selection: RecordSelection = tracks, filter: String = ""
  ) throws -> News {
    try library.store.extract(selection, matching: TrackFilter(parsing: filter), since: point) { extract in
      var news = News()
      try extract.forEachRecord { news.records.append($0.path) }
      try extract.forEachRemoval { news.removals.append($0) }
      #expect(extract.count == news.records.count)
      return news
    }
  }

  private func library(_ names: String...) throws -> ScannedLibrary {
    let library = try ScannedLibrary()
    for name in names { library.put(FilePath("/music/\(name).flac")) }
    try library.night()
    return library
  }

  @Test func unchangedLibraryHasNoNews() throws {
    let library = try library("a", "b", "c")
    let first = try cursor(library)
    #expect(first.revision == 3)
    try library.night()
    try library.reopen()
    #expect(try cursor(library) == first)
    #expect(try news(of: library, since: .cursor(first)) == News())
    // A whole library reports no removals.
    library.remove("/music/a.flac")
    try library.night()
    #expect(try news(of: library, since: nil) == News(records: ["/music/b.flac", "/music/c.flac"]))
  }

  @Test func newChangedAndGone() throws {
    let library = try library("a", "b", "c", "d")
    let before = try cursor(library)
    library.remove("/music/a.flac")
    library.put("/music/b.flac", size: 2000)
    library.move("/music/c.flac", to: "/music/z/c.flac")
    library.put("/music/new.flac")
    try library.night()
    let expected = News(
      records: ["/music/b.flac", "/music/new.flac", "/music/z/c.flac"], removals: ["/music/a.flac", "/music/c.flac"])
    #expect(try news(of: library, since: .cursor(before)) == expected)
    let after = try cursor(library)
    #expect(try news(of: library, since: .cursor(after)) == News())
    // Forgetting a file notifies only receivers that do not know of its removal yet.
    _ = try library.store.pruneVanished(in: nil, isDryRun: false)
    #expect(try news(of: library, since: .cursor(after)) == News())
    #expect(try news(of: library, since: .cursor(before)) == expected)
    // It comes back.
    library.put("/music/a.flac")
    try library.night()
    #expect(try news(of: library, since: .cursor(after)) == News(records: ["/music/a.flac"]))
    #expect(
      try news(of: library, since: .cursor(before))
        == News(
          records: ["/music/a.flac"] + expected.records, removals: ["/music/c.flac"]))
  }

  @Test func onlyWhatIsAskedFor() throws {
    let library = try library("a/1", "a/2", "b/1")
    let before = try cursor(library)
    library.remove("/music/a/2.flac")
    library.put("/music/a/1.flac", size: 2000)
    library.put("/music/b/1.flac", size: 2000)
    let skipped = SkippedFile(path: "/music/a/cover.jpg", code: "not_audio", message: "A picture.")
    try library.night(skipping: [skipped]) { file in
      file.path == "/music/b/1.flac" ? ScannedLibrary.broken : ScannedLibrary.analysis(of: file)
    }
    let inFolder = RecordSelection(roots: ["/music/a"], statuses: [.ok, .partial])
    // Not a track, but it may have been one.
    #expect(
      try news(of: library, since: .cursor(before))
        == News(
          records: ["/music/a/1.flac"], removals: ["/music/a/2.flac", "/music/a/cover.jpg", "/music/b/1.flac"]))
    #expect(
      try news(of: library, since: .cursor(before), selection: inFolder)
        == News(
          records: ["/music/a/1.flac"], removals: ["/music/a/2.flac", "/music/a/cover.jpg"]))
    let everything = try library.store.extract(RecordSelection(), since: .cursor(before)) { extract in
      var news = News()
      try extract.forEachRecord { news.records.append($0.path) }
      try extract.forEachRemoval { news.removals.append($0) }
      return news
    }
    #expect(
      everything
        == News(
          records: ["/music/a/1.flac", "/music/a/cover.jpg", "/music/b/1.flac"], removals: ["/music/a/2.flac"]))
  }

  @Test func correctionsAreNews() throws {
    let library = try library("a", "b", "c")
    let before = try cursor(library)
    let copy = ScannedLibrary.contentID("/music/b.flac")
    try library.store.correctTempo([
      copy: TempoCorrection(ScannedLibrary.tempoFinding().multiplied(by: BeatRatio(1, 2)), corrected: .now)
    ])
    #expect(try news(of: library, since: .cursor(before)) == News(records: ["/music/b.flac"]))
    // It is gone for a receiver of fast tracks.
    #expect(
      try news(of: library, since: .cursor(before), filter: "bpm:100..") == News(removals: ["/music/b.flac"]))
    #expect(try news(of: library, since: nil, filter: "bpm:100..").records == ["/music/a.flac", "/music/c.flac"])
    #expect(try news(of: library, since: nil, filter: "-bpm:100..").records == ["/music/b.flac"])
  }

  @Test func sinceATimeOrRun() throws {
    let library = try library("a", "b")
    let second = try library.night().run
    library.put("/music/c.flac")
    Thread.sleep(forTimeInterval: 0.01)
    let time = Timestamp.now
    let third = try library.night().run
    #expect(try news(of: library, since: .run(1)).records.count == 3)
    #expect(try news(of: library, since: .run(second)) == News(records: ["/music/c.flac"]))
    #expect(try news(of: library, since: .run(third)) == News(records: ["/music/c.flac"]))
    #expect(try news(of: library, since: .time(time)) == News(records: ["/music/c.flac"]))
    #expect(try news(of: library, since: .time(Timestamp(nanoseconds: .max))) == News())
    #expect(throws: ChangePointError.unknownRun(9, latest: third)) { try news(of: library, since: .run(9)) }
  }

  @Test func cursorsOfOthersAreRefused() throws {
    let library = try library("a")
    let own = try cursor(library)
    let other = try cursor(try self.library("a"))
    #expect(throws: ChangePointError.otherLibrary) { try news(of: library, since: .cursor(other)) }
    let later = LibraryCursor(library: own.library, revision: 7)
    #expect(throws: ChangePointError.ahead(cursor: 7, database: 1)) { try news(of: library, since: .cursor(later)) }
  }

  /// Rebuilding the song catalog reports no changes of tracks.
  @Test func repairIsNoNews() throws {
    let library = try library("a", "b")
    let before = try cursor(library)
    try library.store.rebuildSearchIndex()
    #expect(try cursor(library) == before)
  }

  @Test(arguments: 1...3) func olderDatabasesTellEverythingOnce(version: Int) throws {
    let library = try ScannedLibrary()
    let path = library.folder.appending("old.sqlite")
    try OlderDatabase.write(version: version, at: path)
    let store = try ResultStore(path: path, findings: ScannedLibrary.findings)
    let count = try store.extract(RecordSelection()) { $0.count }
    let begun = LibraryCursor(library: try #require(try store.extract(Self.tracks) { $0.cursor }).library, revision: 0)
    #expect(try store.extract(RecordSelection(), since: .cursor(begun)) { $0.count } == count)
    #expect(try store.extract(RecordSelection(), since: .run(1)) { $0.count } == count)
  }

  /// A receiver that follows the changes, from any state and with any filter, has what a whole export would give.
  @Test(arguments: ["", "bpm:100..", "title:1 OR title:2"]) func followersHaveWhatIsThere(filter: String) throws {
    var random = SplitMix64.fresh()
    let library = try ScannedLibrary()
    var followers: [(cursor: LibraryCursor?, tracks: [FilePath: FileRecord])] = []
    func path() -> FilePath {
      FilePath("/music/\(Int.random(in: 0..<3, using: &random))/\(Int.random(in: 0..<5, using: &random)).flac")
    }
    for night in 0..<25 {
      followers.append((nil, [:]))
      for _ in 0..<4 {
        let file = path()
        switch Int.random(in: 0..<5, using: &random) {
        case 0: library.remove(file)
        case 1:
          let target = path()
          if library.file(file) != nil, library.file(target) == nil { library.move(file, to: target) }
        default: library.put(file, size: Int64.random(in: 1000..<1005, using: &random))
        }
      }
      if night.isMultiple(of: 7) { _ = try library.store.pruneVanished(in: nil, isDryRun: false) }
      try library.night { file in
        Bool.random(using: &random)
          ? ScannedLibrary.analysis(of: file, title: "Title \(night)")
          : night.isMultiple(of: 3) ? ScannedLibrary.broken : nil
      }
      let track = try library.records(Self.tracks).randomElement(using: &random)
      if night.isMultiple(of: 4), let track, let id = track.contentID {
        let ratio = Bool.random(using: &random) ? BeatRatio(1, 2) : BeatRatio(1)
        try library.store.correctTempo([
          id: TempoCorrection(ScannedLibrary.tempoFinding().multiplied(by: ratio), corrected: .now)
        ])
      }
      let filter = try TrackFilter(parsing: filter)
      var whole: [FilePath: FileRecord] = [:]
      try library.store.extract(Self.tracks, matching: filter) { extract in
        try extract.forEachRecord { whole[$0.path] = $0 }
      }
      // Some follow every night, some now and then.
      for index in followers.indices where followers[index].cursor == nil || Bool.random(using: &random) {
        let point = followers[index].cursor.map { ChangePoint.cursor($0) }
        try library.store.extract(Self.tracks, matching: filter, since: point) { extract in
          try extract.forEachRecord { followers[index].tracks[$0.path] = $0 }
          try extract.forEachRemoval { path in
            #expect(whole[path] == nil)
            followers[index].tracks[path] = nil
          }
          followers[index].cursor = extract.cursor
        }
        let wrong = Set(whole.keys).union(followers[index].tracks.keys).filter {
          followers[index].tracks[$0] != whole[$0]
        }
        #expect(wrong.isEmpty, "in night \(night)")
      }
    }
  }

  private struct Stop: Error {}

  /// A receiver that fails ends the reading, and its error is passed on.
  @Test func receiversThatFailStopTheReading() throws {
    let library = try library("a", "b", "c")
    let before = try cursor(library)
    for name in ["a", "b"] { library.remove(FilePath("/music/\(name).flac")) }
    try library.night()
    var calls = 0
    #expect(throws: Stop.self) {
      try library.store.extract(RecordSelection(includesVanished: true)) { extract in
        try extract.forEachRecord { _ in
          calls += 1
          throw Stop()
        }
      }
    }
    #expect(calls == 1)
    #expect(throws: Stop.self) {
      try library.store.extract(Self.tracks, since: .cursor(before)) { extract in
        try extract.forEachRemoval { _ in
          calls += 1
          throw Stop()
        }
      }
    }
    #expect(calls == 2)
    #expect(try news(of: library, since: .cursor(before)).removals == ["/music/a.flac", "/music/b.flac"])
  }
}
