import Analysis
import AnalysisTesting
import Foundation
import GRDB
import LibraryTesting
import Records
import SystemPackage
import Testing

@testable import ResultStore

@Suite(.bounded) struct StoreCheckTests {
  private func library() throws -> ScannedLibrary {
    let library = try ScannedLibrary()
    for name in ["a", "b", "bad"] { library.put(FilePath("/music/\(name).flac")) }
    try library.night { $0.path.stem == "bad" ? ScannedLibrary.broken : ScannedLibrary.analysis(of: $0) }
    return library
  }

  @Test func soundDatabaseHasNoComplaints() throws {
    let library = try library()
    #expect(try library.store.check() == [])
    #expect(try ResultStore(path: library.database, findings: ScannedLibrary.findings, access: .readOnly).check() == [])
  }

  /// Changes that a person with a shell, or a bug, may make to a database, and the resulting complaints.
  @Test(arguments: [
    ("DELETE FROM format WHERE file = 1", "1 file analyzed without a format, such as /music/a.flac"),
    ("DELETE FROM failure", "failed or partial without a reason"),
    (
      "INSERT INTO failure SELECT 1, stage, code, message, 1, 1, 1, 0, NULL, 0, NULL FROM failure",
      "intact, but recorded as failed"
    ),
    ("DELETE FROM analysis WHERE file = 2", "differ from analysis_set"),
    ("DELETE FROM tempo", "2 files with an analyzer whose finding is missing"),
    ("DELETE FROM beat_grid WHERE file = 1", "1 file with an analyzer whose finding is missing"),
    ("DELETE FROM analysis WHERE file = 2", "with findings without an analysis on record"),
    ("INSERT INTO finding VALUES (1, 'nobody', 1, '', '{}')", "with findings without an analysis on record"),
    ("UPDATE songs_fts SET title = 'Something else' WHERE rowid = 1", "words of songs_fts differ from the rows"),
    ("DELETE FROM source_paths_fts WHERE rowid = 2", "words of source_paths_fts differ from the rows"),
    (
      "UPDATE song SET title = 'Something else' WHERE id = 1",
      "1 row of song differing from the findings, such as /music/a.flac"
    ),
    ("DELETE FROM song WHERE id = 2", "1 row of song differing from the findings, such as /music/b.flac"),
    ("UPDATE tempo SET bpm = 99", "2 rows of song differing from the findings"),
    ("INSERT INTO songs_fts (rowid, title) VALUES (99, 'Ghost')", "words of songs_fts differ from the rows"),
    ("DELETE FROM songs_fts_data WHERE id > 10", "the words of songs_fts differ from the rows"),
    ("UPDATE run SET analyzed = 5", "says that 5 files were analyzed, but the rows say 2"),
    ("UPDATE run SET partial = 1", "says that 1 file was found damaged, but the rows say 0"),
    ("UPDATE run SET failed = 0", "says that 0 files were failed, but the rows say 1"),
    (
      "PRAGMA foreign_keys = OFF; INSERT INTO format (file, container, codec, sample_rate_hz, channels, lossless) VALUES (99, 'wav', 'pcm', 1, 1, 1)",
      "a row of format refers to a row of file that is missing"
    ),
  ])
  func troubleIsFound(_ sql: String, _ complaint: String) throws {
    let library = try library()
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    try DatabaseQueue(path: library.database.string, configuration: configuration).writeWithoutTransaction {
      try $0.execute(sql: sql)
    }
    let complaints = try ResultStore(path: library.database, findings: ScannedLibrary.findings).check()
    #expect(complaints.contains { $0.contains(complaint) }, "\(complaints)")
  }

  @Test(arguments: [
    "UPDATE songs_fts SET title = 'Something else' WHERE rowid = 1", "DELETE FROM source_paths_fts",
    "INSERT INTO songs_fts (rowid, title) VALUES (99, 'Ghost')", "DELETE FROM songs_fts_data WHERE id > 10",
    "DELETE FROM song", "UPDATE song SET title = 'Something else'",
  ])
  func searchIndexIsMadeAnew(_ sql: String) throws {
    let library = try library()
    try DatabaseQueue(path: library.database.string).writeWithoutTransaction { try $0.execute(sql: sql) }
    try library.reopen()
    try library.store.rebuildSearchIndex()
    #expect(try library.store.check() == [])
    let found = try DatabaseQueue(path: library.database.string).read {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM songs_fts WHERE songs_fts MATCH 'title'")
    }
    #expect(found == 2)
  }

  @Test func vanishedFilesAreForgottenOnRequest() throws {
    let library = try library()
    library.put("/elsewhere/c.flac")
    try library.night()
    for path in ["/music/a.flac", "/elsewhere/c.flac"] { library.remove(FilePath(path)) }
    try library.night(scopes: [VanishScope(root: "/music"), VanishScope(root: "/elsewhere")])
    #expect(try library.store.pruneVanished(in: nil, isDryRun: true) == 2)
    #expect(try library.store.pruneVanished(in: ["/music"], isDryRun: false) == 1)
    #expect(try library.store.record(at: "/music/a.flac") == nil)
    #expect(try library.store.record(at: "/elsewhere/c.flac")?.isVanished == true)
    #expect(try library.store.pruneVanished(in: nil, isDryRun: false) == 1)
    #expect(try library.store.pruneVanished(in: nil, isDryRun: false) == 0)
    #expect(try library.records().count == 2)
    #expect(try library.store.check() == [])
  }

  @Test func backupIsWholeWhileARunIsWriting() throws {
    let library = try library()
    library.put("/music/new.flac")
    try library.beginRun()
    let scan = library.scan()
    _ = try scan.classify(library.all)
    let copy = library.folder.appending("copy.sqlite")
    try ResultStore(path: library.database, findings: ScannedLibrary.findings, access: .readOnly).backUp(to: copy)
    let writer = ResultWriter(store: library.store, run: library.run, wanted: library.wanted)
    let pending = try scan.makePendingQueue().next(limit: 1)
    try writer.commit(pending.map { FileResult(fileID: $0.fileID, analysis: ScannedLibrary.analysis(of: $0)) })

    let restored = try ResultStore(path: copy, findings: ScannedLibrary.findings)
    #expect(try restored.check() == [])
    #expect(try restored.record(at: "/music/a.flac", long: ["beats"])?.tempo == ScannedLibrary.tempoFinding())
    #expect(try restored.record(at: "/music/new.flac") == nil)
    let names = try FileManager.default.contentsOfDirectory(atPath: library.folder.string)
    #expect(!names.contains { $0.contains("partial") }, "\(names)")
  }

  @Test func backupThatFailsLeavesTheOldOne() throws {
    let library = try library()
    let copy = library.folder.appending("folder-that-is-not-there/copy.sqlite")
    #expect(throws: StoreError.self) { try library.store.backUp(to: copy) }
    let old = library.folder.appending("copy.sqlite")
    try Data("old".utf8).write(to: URL(fileURLWithPath: old.string))
    try library.store.backUp(to: old)
    #expect(try ResultStore(path: old, findings: ScannedLibrary.findings, access: .readOnly).latestRun() != nil)
  }

  /// SQLite itself would go on writing to a file that no longer exists.
  @Test func databaseThatGoesAwayIsNoticed() throws {
    let library = try library()
    try FileManager.default.moveItem(atPath: library.database.string, toPath: library.database.string + ".away")
    do {
      try library.beginRun()
      Issue.record("written into nothing")
    } catch {
      guard case .unreachable? = error as? StoreError else { throw error }
    }
    // Another file of the same name is another database.
    do { _ = try ResultStore(path: library.database, findings: ScannedLibrary.findings) }
    #expect(throws: StoreError.self) { try library.beginRun() }
  }
}
