import Analysis
import AnalysisTesting
import Filters
import Foundation
import GRDB
import Library
import LibraryStore
import LibraryTesting
import Platform
import ResultStore
import SystemPackage
import Testing

/// The song catalog follows every change of files: `check` compares all of its rows with those of the findings, and the
/// full-text index with both.
@Suite(.bounded) struct SongCatalogTests {
  private func paths(_ filter: String, in library: ScannedLibrary) throws -> [FilePath] {
    try library.store.tracks(matching: TrackFilter(parsing: filter)).map(\.path)
  }

  private func expectSound(_ library: ScannedLibrary, _ sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(try library.store.check() == [], sourceLocation: sourceLocation)
  }

  /// Failed files are no tracks; they are returned, with the reason, only on request.
  @Test func failedFilesAreCountedApart() throws {
    let library = try ScannedLibrary()
    for name in ["a", "b", "bad"] { library.put(FilePath("/music/\(name).flac")) }
    try library.night { $0.path.stem == "bad" ? ScannedLibrary.broken : ScannedLibrary.analysis(of: $0) }
    let totals = try library.store.trackTotals()
    #expect(totals.count == 2 && totals.failed == 1)
    let rows = try library.store.tracks(matching: .everything)
    #expect(try library.store.songs(ofFiles: rows.map(\.fileID)).map(\.title) == ["Title of a", "Title of b"])
    let all = try library.store.songs(ofFiles: rows.map(\.fileID), includesFailed: true)
    #expect(all.map(\.problem?.code) == [nil, nil, "corrupt"])
    let id = try #require(all.last).id
    #expect(try library.store.song(id: id) == nil)
    #expect(try library.store.song(id: id, includesFailed: true)?.row.status == .failed)
  }

  @Test func rowsFollowTheFiles() throws {
    let library = try ScannedLibrary()
    for name in ["a", "b", "bad"] { library.put(FilePath("/music/\(name).flac")) }
    func night() throws {
      try library.night { $0.path.stem == "bad" ? ScannedLibrary.broken : ScannedLibrary.analysis(of: $0) }
    }
    try night()
    #expect(try paths("", in: library) == ["/music/a.flac", "/music/b.flac", "/music/bad.flac"])
    #expect(try paths("status:failed", in: library) == ["/music/bad.flac"])
    // Gone.
    library.remove("/music/a.flac")
    try night()
    #expect(try paths("", in: library) == ["/music/b.flac", "/music/bad.flac"])
    #expect(try library.store.search(SearchRequest("title")).tracks.count == 1)
    try expectSound(library)
    // Back again.
    library.put("/music/a.flac")
    try night()
    #expect(try paths("title:a", in: library) == ["/music/a.flac"])
    // Moved.
    library.move("/music/a.flac", to: "/music/東京.flac")
    try night()
    #expect(try paths("path:京", in: library) == ["/music/東京.flac"])
    #expect(try paths("path:a", in: library) == [])
    try expectSound(library)
    // Retagged.
    library.put("/music/b.flac", size: 2)
    try library.night { ScannedLibrary.analysis(of: $0, title: "Otherwise") }
    #expect(try paths("title:otherwise", in: library) == ["/music/b.flac"])
    try expectSound(library)
    // Skipped, and then no longer.
    let skipped = SkippedFile(path: "/music/b.flac", code: "hidden", message: "Hidden.")
    try library.night(skipping: [skipped])
    #expect(try paths("title:otherwise", in: library) == [])
    try expectSound(library)
    try night()
    #expect(try paths("title:otherwise", in: library) == ["/music/b.flac"])
    // Could not be read at all.
    let unreadable = SkippedFile(path: "/music/locked", code: "unreadable", message: "No.", isFailure: true)
    try library.night(skipping: [unreadable])
    #expect(try paths("status:failed", in: library) == ["/music/bad.flac", "/music/locked"])
    try expectSound(library)
    // Forgotten.
    for name in ["b", "東京", "bad"] { library.remove(FilePath("/music/\(name).flac")) }
    try library.night(skipping: [unreadable])
    #expect(try library.store.pruneVanished(in: nil, isDryRun: false) == 3)
    #expect(try paths("", in: library) == ["/music/locked"])
    try expectSound(library)
  }

  @Test func rowsFollowCorrections() throws {
    let library = try ScannedLibrary()
    for name in ["a", "copy", "other"] { library.put(FilePath("/music/\(name).flac")) }
    try library.night { ScannedLibrary.analysis(of: $0, audio: $0.path.stem == "other" ? nil : "same") }
    let audio = ScannedLibrary.contentID("same")
    try library.store.correctTempo([audio: TempoCorrection(ScannedLibrary.tempoFinding(90), corrected: .now)])
    #expect(try paths("bpm:90 locked:yes confidence:1", in: library) == ["/music/a.flac", "/music/copy.flac"])
    #expect(try paths("locked:no", in: library) == ["/music/other.flac"])
    try expectSound(library)
    // A later copy has it too, and a later analysis does not change it.
    library.put("/music/later.flac")
    library.put("/music/a.flac", size: 2)
    try library.night { ScannedLibrary.analysis(of: $0, audio: "same") }
    #expect(try paths("bpm:90", in: library).count == 3)
    try library.store.correctTempo([audio: nil])
    #expect(try paths("locked:yes", in: library) == [])
    #expect(try paths("bpm:126", in: library).count == 4)
    try expectSound(library)
  }

  @Test func mergedResultsAreFound() throws {
    let library = try ScannedLibrary()
    let merger = ResultMerger(store: library.store, programVersion: "1")
    let stamp = library.put("/music/far.flac")
    let tags = TagFinding(fields: ["title": ["From afar"]])
    let analysis = FileAnalysis(
      status: .ok, contentID: ScannedLibrary.contentID("far"), format: ScannedLibrary.format,
      outcomes: [AnalyzerOutcome(analyzer: ScannedLibrary.tags, result: .finding(tags))])
    let origin = ResultOrigin(pipeline: "p", digest: "d", wanted: library.wanted)
    try merger.merge([WorkerResult(.analysis(analysis, of: stamp), analyzed: .now)], from: origin)
    #expect(try paths("title:afar", in: library) == ["/music/far.flac"])
    try expectSound(library)
  }

  /// Additions to the schema exist, filled, after a migration.
  @Test(arguments: [1, 2, 3, 4]) func olderDatabasesAreFilled(version: Int) throws {
    let library = try ScannedLibrary()
    for access in [ResultStore.Access.readWrite, .readOnly] {
      let path = library.folder.appending("v\(version) \(access).sqlite")
      try OlderDatabase.write(version: version, at: path)
      let store = try ResultStore(path: path, findings: ScannedLibrary.findings, access: access)
      #expect(try store.trackCount(matching: TrackFilter(parsing: "title:cafe codec:flac")) == 2)
      #expect(try store.search(SearchRequest("cafe someone")).tracks.count == 2)
      #expect(try store.search(SearchRequest("part")).paths.hits.map(\.path) == ["/music/part.ogg"])
      let locked = try store.tracks(matching: TrackFilter(parsing: "locked:yes"))
      #expect(locked.map(\.bpm) == (version < 2 ? [] : [63]))
      #expect(try store.check() == [])
    }
  }

  /// Datasette recognizes the full-text table of a table by this pattern.
  @Test(arguments: [("song", "songs_fts"), ("file", "source_paths_fts")])
  func fullTextTablesNameTheirTables(table: String, index: String) throws {
    let library = try ScannedLibrary()
    try DatabaseQueue(path: library.database.string).read { db in
      let found = try String.fetchAll(
        db,
        sql: """
          SELECT name FROM sqlite_master WHERE rootpage = 0
            AND sql LIKE '%VIRTUAL TABLE%USING FTS%content="\(table)"%'
          """)
      #expect(found == [index])
      let columns = try String.fetchAll(db, sql: "SELECT name FROM pragma_table_info('track')")
      #expect(Set(columns).isSuperset(of: ["genre", "year"]))
    }
  }

  /// Years in various spellings of tags.
  @Test(arguments: [("19990301", 1999), ("03/1999", 1999), ("© 1999", 1999), ("circa", nil), ("0000", nil)])
  func years(date: String, year: Int?) throws {
    let library = try ScannedLibrary()
    library.put("/music/a.flac")
    try library.night { file in
      var analysis = ScannedLibrary.analysis(of: file)
      analysis.outcomes[0].result = .finding(TagFinding(fields: ["date": [date]]))
      return analysis
    }
    #expect(try library.store.tracks(matching: .everything).map(\.year) == [year])
    #expect(try library.store.record(at: "/music/a.flac")?.track.year == year)
  }

  @Test func viewsHaveGenreAndYear() throws {
    let library = try ScannedLibrary()
    library.put("/music/a.flac")
    try library.night { file in
      var analysis = ScannedLibrary.analysis(of: file)
      let fields = ["genre": ["House", "Techno"], "originaldate": ["1994-05"], "date": ["circa"]]
      analysis.outcomes[0].result = .finding(TagFinding(fields: fields))
      return analysis
    }
    try DatabaseQueue(path: library.database.string).read { db in
      let row = try #require(try Row.fetchOne(db, sql: "SELECT genre, year FROM track"))
      #expect((row["genre"] as String?) == "House / Techno" && (row["year"] as Int?) == 1994)
    }
  }
}
