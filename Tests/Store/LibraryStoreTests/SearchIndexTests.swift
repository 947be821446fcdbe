import Analysis
import AnalysisTesting
import Foundation
import GRDB
import LibraryTesting
import ResultStore
import SystemPackage
import Testing

@Suite(.bounded) struct SearchIndexTests {
  private func find(_ table: String, _ query: String, in library: ScannedLibrary) throws -> [String] {
    try DatabaseQueue(path: library.database.string).read { db in
      try String.fetchAll(
        db,
        sql: """
          SELECT f.display_path FROM \(table) JOIN file f ON f.id = \(table).rowid
          WHERE \(table) MATCH ? ORDER BY bm25(\(table)), f.path
          """, arguments: [query])
    }
  }

  @Test func songsAndPathsAreFound() throws {
    let library = try ScannedLibrary()
    library.put("/music/Björk/Jóga.flac")
    library.put("/music/x/other.flac")
    try library.night { file in
      var analysis = ScannedLibrary.analysis(of: file)
      if file.path.stem == "Jóga" {
        let tags = TagFinding(fields: [
          "title": ["Jóga"], "artist": ["Björk"], "artists": ["Björk", "Someone"], "album": ["Homogenic"],
        ])
        analysis.outcomes[0].result = .finding(tags)
      }
      return analysis
    }
    #expect(try find("songs_fts", "bjor*", in: library) == ["/music/Björk/Jóga.flac"])
    #expect(try find("songs_fts", "title : joga AND album : homo*", in: library).count == 1)
    #expect(try find("songs_fts", "artist : someone", in: library).count == 2)
    #expect(try find("source_paths_fts", "file_name : other", in: library) == ["/music/x/other.flac"])
    #expect(try find("source_paths_fts", "music", in: library).count == 2)
  }

  @Test func indexFollowsTagsAndNames() throws {
    let library = try ScannedLibrary()
    library.put("/music/a.flac")
    try library.night { ScannedLibrary.analysis(of: $0, title: "Before") }
    library.put("/music/a.flac", size: 2)
    try library.night { ScannedLibrary.analysis(of: $0, title: "After") }
    library.move("/music/a.flac", to: "/music/renamed.flac")
    try library.night()
    #expect(try find("songs_fts", "before", in: library).isEmpty)
    #expect(try find("songs_fts", "after", in: library) == ["/music/renamed.flac"])
    #expect(try find("source_paths_fts", "file_name : renamed", in: library).count == 1)
    #expect(try find("source_paths_fts", "file_name : a", in: library).isEmpty)
    library.put("/music/renamed.flac", size: 3)
    try library.night { file in
      FileAnalysis(status: .failed, problem: ScannedLibrary.broken.problem)
    }
    #expect(try find("songs_fts", "after", in: library).isEmpty)
    #expect(try find("source_paths_fts", "renamed", in: library).count == 1)
  }

  @Test func viewsServePeople() throws {
    let library = try ScannedLibrary()
    library.put("/music/a.flac")
    library.put("/music/bad.flac")
    try library.night { $0.path.stem == "bad" ? ScannedLibrary.broken : ScannedLibrary.analysis(of: $0) }
    try DatabaseQueue(path: library.database.string).read { db in
      let track = try #require(try Row.fetchOne(db, sql: "SELECT * FROM track WHERE path = '/music/a.flac'"))
      #expect((track["artist"] as String?) == "Someone")
      #expect((track["tempo_bpm"] as Double?) == 126)
      #expect((track["duration_s"] as Double?) == 10)
      #expect((track["modified_at"] as String?) == "1970-01-01 00:00:05")
      #expect(try String.fetchOne(db, sql: "SELECT code FROM failing") == "corrupt")
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM file_analysis") == 4)
      #expect(try Int.fetchOne(db, sql: "SELECT seen FROM run_summary") == 2)
      let beats = try String.fetchOne(
        db, sql: "SELECT group_concat(value) FROM beat_grid b JOIN file f ON f.id = b.file, json_each(b.beats_s)")
      #expect(beats == "0.41,0.8862,1.3624")
    }
  }
}
