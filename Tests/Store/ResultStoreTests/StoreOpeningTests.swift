import Analysis
import AnalysisTesting
import Foundation
import GRDB
import LibraryTesting
import Records
import SystemPackage
import Testing
import Text

@testable import ResultStore

@Suite(.bounded) struct StoreOpeningTests {
  private static func error(_ body: () throws -> Void) -> StoreError? {
    do {
      try body()
      return nil
    } catch {
      return error as? StoreError
    }
  }

  @Test func databaseOfAnotherProgramIsLeftAlone() throws {
    let library = try ScannedLibrary()
    let path = library.folder.appending("other.sqlite")
    try DatabaseQueue(path: path.string).write { try $0.execute(sql: "CREATE TABLE songs (id)") }
    let before = try Data(contentsOf: URL(fileURLWithPath: path.string))
    for access in [ResultStore.Access.readWrite, .readOnly] {
      let error = Self.error { _ = try ResultStore(path: path, findings: ScannedLibrary.findings, access: access) }
      guard case .notAStore? = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path.string)) == before)
  }

  /// Only the table that GRDB creates first.
  @Test func creationThatWasKilledGoesOn() throws {
    let library = try ScannedLibrary()
    let path = library.folder.appending("begun.sqlite")
    try DatabaseQueue(path: path.string).write { db in
      try db.execute(sql: "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
    }
    #expect(try ResultStore(path: path, findings: ScannedLibrary.findings).latestRun() == nil)
  }

  /// Before a database is in WAL mode, a process killed while writing leaves a journal, and the next one must roll
  /// back.
  @Test(arguments: [ResultStore.Access.readWrite, .readOnly])
  func journalOfAKilledCreationIsRolledBack(access: ResultStore.Access) throws {
    let library = try ScannedLibrary()
    let open = library.folder.appending("open.sqlite")
    let killed = library.folder.appending("killed.sqlite")
    try DatabaseQueue(path: open.string).writeWithoutTransaction { db in
      // Pages that do not fit into the cache are written to the file before the transaction ends.
      try db.execute(sql: "PRAGMA cache_size = 1; BEGIN; CREATE TABLE noise (bytes)")
      for _ in 0..<100 { try db.execute(sql: "INSERT INTO noise VALUES (randomblob(4000))") }
      for suffix in ["", "-journal"] {
        try FileManager.default.copyItem(atPath: "\(open)\(suffix)", toPath: "\(killed)\(suffix)")
      }
      try db.execute(sql: "ROLLBACK")
    }
    #expect(try #require(ResultStore.fileSize(of: killed.string)) > 0)
    #expect(try ResultStore(path: killed, findings: ScannedLibrary.findings, access: access).latestRun() == nil)
  }

  @Test func fileThatIsNoDatabase() throws {
    let library = try ScannedLibrary()
    let path = library.folder.appending("notes.txt")
    try Data(String(repeating: "No database. ", count: 1000).utf8).write(to: URL(fileURLWithPath: path.string))
    guard case .notAStore? = Self.error({ _ = try ResultStore(path: path, findings: ScannedLibrary.findings) }) else {
      Issue.record("accepted")
      return
    }
  }

  @Test func newerSchemaIsRefused() throws {
    let library = try ScannedLibrary()
    let path = library.folder.appending("newer.sqlite")
    do { _ = try ResultStore(path: path, findings: ScannedLibrary.findings) }
    try DatabaseQueue(path: path.string).write { try $0.execute(sql: "PRAGMA user_version = 99") }
    let error = Self.error { _ = try ResultStore(path: path, findings: ScannedLibrary.findings) }
    guard case .newerSchema(_, 99, _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func missingFolderOrFile() throws {
    let library = try ScannedLibrary()
    for (path, access) in [
      (FilePath("/nowhere/at/all.sqlite"), ResultStore.Access.readWrite),
      (library.folder.appending("none.sqlite"), .readOnly), (library.folder, .readWrite),
    ] {
      let error = Self.error { _ = try ResultStore(path: path, findings: ScannedLibrary.findings, access: access) }
      #expect(error != nil)
      #expect(error?.description.contains(path.string) == true)
    }
    #expect(!FileManager.default.fileExists(atPath: library.folder.appending("none.sqlite").string))
  }

  @Test func damagedDatabaseIsReported() throws {
    let library = try ScannedLibrary()
    for index in 0..<300 { library.put(FilePath("/music/\(index).flac")) }
    try library.night()
    let path = library.folder.appending("damaged.sqlite")
    try DatabaseQueue(path: library.database.string).vacuum(into: path.string)
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path.string))
    for offset in stride(from: 4096 * 3, to: bytes.count, by: 16) { bytes[offset] = 0xA5 }
    try bytes.write(to: URL(fileURLWithPath: path.string))
    let error = Self.error {
      let store = try ResultStore(path: path, findings: ScannedLibrary.findings)
      try store.forEachRecord { _ in }
    }
    guard case .corrupt? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func fullDiskCostsTheBatchAndNothingElse() throws {
    let library = try ScannedLibrary()
    library.put("/music/a.flac")
    try library.night()
    let before = try library.records(RecordSelection(long: ["beats"]))
    try library.beginRun()
    let scan = library.scan(ScanOptions(force: true))
    _ = try scan.classify(library.all)
    let files = try scan.makePendingQueue().next(limit: 1)
    try library.store.pool.writeWithoutTransaction { db in
      let pages = try #require(try Int.fetchOne(db, sql: "PRAGMA page_count"))
      try db.execute(sql: "PRAGMA max_page_count = \(pages)")
    }
    let huge = FingerprintFinding(algorithm: "x", duration: 1, value: String(repeating: "A", count: 1 << 20))
    var analysis = ScannedLibrary.analysis(of: files[0], title: "Other")
    analysis.outcomes[2].result = .finding(huge)
    let writer = ResultWriter(store: library.store, run: library.run, wanted: library.wanted)
    let error = Self.error { try writer.commit([FileResult(fileID: files[0].fileID, analysis: analysis)]) }
    guard case .diskFull? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try library.records(RecordSelection(long: ["beats"])) == before)
  }

  @Test func readerSeesWhatAWriterHasCommitted() throws {
    let library = try ScannedLibrary()
    library.put("/music/a.flac")
    try library.night()
    let reader = try ResultStore(path: library.database, findings: ScannedLibrary.findings, access: .readOnly)
    #expect(try reader.record(at: "/music/a.flac") != nil)
    library.put("/music/b.flac")
    try library.night()
    #expect(try reader.record(at: "/music/b.flac") != nil)
    guard
      case .readOnly? = Self.error({
        _ = try reader.beginRun(
          programVersion: "", pipeline: "", configuration: .null, configurationDigest: "", analyzers: [], roots: [])
      })
    else {
      Issue.record("written")
      return
    }
  }

  @Test func runsAreOnRecord() throws {
    let library = try ScannedLibrary()
    library.put("/music/a.flac")
    let night = try library.night()
    let run = try #require(try library.store.latestRun())
    #expect(run.id == night.run && run.state == .finished && run.exitStatus == 0)
    #expect(run.totals == night.totals && run.totals.seen == 1)
    #expect(run.configuration == .object(["jobs": .integer(2)]) && run.configurationDigest == "d")
    #expect(run.analyzers == [ScannedLibrary.chromaprint, ScannedLibrary.tags, ScannedLibrary.tempo])
    #expect(run.roots == [RunRecord.Root(path: "/music", condition: .scanned)])
    #expect(try #require(run.finished) >= run.started)
    #expect(try library.store.run(99) == nil)
  }
}
