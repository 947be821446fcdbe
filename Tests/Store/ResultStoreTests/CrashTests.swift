import Analysis
import AnalysisTesting
import Foundation
import GRDB
import LibraryTesting
import Platform
import Records
import ResultStore
import SystemPackage
import Testing
import Text

/// Ends the process when it is about to be stored.
private struct Deadly: AnalysisFinding {
  func encode(to encoder: any Encoder) throws { kill(getpid(), SIGKILL) }
  init() {}
  init(from decoder: any Decoder) throws {}
}

@Suite(.bounded) struct CrashTests {
  @Test func killedInTheMiddleOfABatchLeavesRowsAndIndexTogether() async throws {
    let library = try ScannedLibrary()
    let database = library.database.string
    await #expect(processExitsWith: .signal(SIGKILL)) { [database = database as String] in
      let store = try ResultStore(path: FilePath(database), findings: ScannedLibrary.findings)
      let wanted = ScannedLibrary.wanted()
      let run = try store.beginRun(
        programVersion: "1", pipeline: "p", configuration: .null, configurationDigest: "", analyzers: [], roots: [])
      let scan = ScanSession(store: store, run: run, wanted: wanted) { _ in true }
      _ = try scan.classify(
        (0..<20).map { index in
          FileStamp(
            path: FilePath("/music/\(index).flac"), device: 1, inode: UInt64(index + 1), sizeBytes: 5,
            modified: Timestamp(nanoseconds: 1))
        })
      let queue = scan.makePendingQueue()
      let writer = ResultWriter(store: store, run: run, wanted: wanted)
      let first = try queue.next(limit: 10)
      try writer.commit(first.map { FileResult(fileID: $0.fileID, analysis: ScannedLibrary.analysis(of: $0)) })
      let second = try queue.next(limit: 10)
      try writer.commit(
        second.enumerated().map { index, file in
          var analysis = ScannedLibrary.analysis(of: file)
          if index == 7 {
            analysis.outcomes.append(
              AnalyzerOutcome(
                analyzer: AnalyzerIdentity(id: "deadly", version: 1, digest: ""), result: .finding(Deadly())))
          }
          return FileResult(fileID: file.fileID, analysis: analysis)
        })
    }
    try library.reopen()
    #expect(try library.records().count == 10)
    #expect(try library.store.checkIntegrity() == [])
    let queue = try DatabaseQueue(path: database)
    try await queue.read { db in
      for table in [
        "song", "songs_fts", "tempo", "beat_grid", "onset_summary", "fingerprint", "format", "tag_summary",
      ] {
        let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table)")
        #expect(count == 10, "\(table)")
      }
      let indexed = try Int64.fetchSet(db, sql: "SELECT rowid FROM songs_fts WHERE songs_fts MATCH 'title'")
      let stored = try Int64.fetchSet(db, sql: "SELECT id FROM file WHERE status = 'ok'")
      #expect(indexed == stored)
    }
    // The next run takes the dead run's files last, and continues.
    library.run = try library.store.beginRun(
      programVersion: "1", pipeline: "p", configuration: .null, configurationDigest: "", analyzers: [], roots: [])
    #expect(try library.store.history(at: "/music/9.flac")?.unfinishedAttempts == 1)
    #expect(try library.store.run(library.run - 1)?.state == .died)
  }

  /// A copy of database and log taken at any moment, as by a backup or after a power cut.
  @Test func copyOfTheFilesIsASoundDatabase() throws {
    let library = try ScannedLibrary()
    for index in 0..<5 { library.put(FilePath("/music/\(index).flac")) }
    try library.night()
    let copy = library.folder.appending("copy.sqlite")
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: library.database.string + suffix, toPath: copy.string + suffix)
    }
    let store = try ResultStore(path: copy, findings: ScannedLibrary.findings)
    #expect(try store.checkIntegrity() == [])
    var count = 0
    try store.forEachRecord { _ in count += 1 }
    #expect(count == 5)
  }

  @Test func failedBatchIsRolledBackAndCanBeRepeated() throws {
    let library = try ScannedLibrary()
    library.put("/music/a.flac")
    library.put("/music/b.flac")
    try library.beginRun()
    let scan = library.scan()
    _ = try scan.classify(library.all)
    let files = try scan.makePendingQueue().next(limit: 2)
    let results = files.map { FileResult(fileID: $0.fileID, analysis: ScannedLibrary.analysis(of: $0)) }
    let writer = ResultWriter(store: library.store, run: library.run, wanted: library.wanted)
    let saboteur = try DatabaseQueue(path: library.database.string)
    try saboteur.write { try $0.execute(sql: "ALTER TABLE fingerprint RENAME TO hidden") }
    #expect(throws: StoreError.self) { try writer.commit(results) }
    try saboteur.write { try $0.execute(sql: "ALTER TABLE hidden RENAME TO fingerprint") }
    #expect(writer.counts == WriteCounts())
    #expect(try library.records().isEmpty)
    try writer.commit(results)
    #expect(try library.records().count == 2 && writer.counts.analyzed == 2)
    func records() throws -> [FileRecord] {
      try library.records(RecordSelection(long: ["beats"])).map { record in
        var record = record
        record.analyzed = nil
        return record
      }
    }
    let once = try records()
    try writer.commit(results)
    #expect(try records() == once)
  }
}
