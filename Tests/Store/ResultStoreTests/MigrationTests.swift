import Analysis
import AnalysisTesting
import Dispatch
import Foundation
import GRDB
import Library
import LibraryTesting
import Platform
import Records
import ResultStore
import Synchronization
import SystemPackage
import Testing
import Text

/// Databases of all released schema versions, as SQL text in `Tests/Fixtures/store-vN.sql`. A new version adds one, and leaves
/// the older ones as they are:
///
///     STORE_FIXTURE=/some/where/new.sqlite swift test --filter writeDatabaseForANewFixture
///     (echo 'PRAGMA application_id = 1313817428; PRAGMA user_version = N;'; sqlite3 new.sqlite .dump) > store-vN.sql
@Suite(.bounded) struct MigrationTests {
  static let oddName = FilePath(bytes: Array("/music/caf".utf8) + [0xE9] + Array(".flac".utf8))
  static let key = AnalyzerIdentity(id: "key", version: 3, digest: "k1")
  static let signature = AnalyzerIdentity(id: "signature", version: 1, digest: "")

  /// Stores an example of everything that a database can hold.
  static func fill(_ library: ScannedLibrary) throws {
    library.wanted = ScannedLibrary.wanted(extra: [key, signature])
    for path in [oddName, "/music/bad.mp3", "/music/gone.flac", "/music/part.ogg"] { library.put(path) }
    let skipped = SkippedFile(path: "/music/cover.jpg", code: "not_audio", message: "A picture.")
    try library.night(skipping: [skipped], analyze: analysis)
    library.remove("/music/gone.flac")
    library.put("/music/waiting.flac")
    try library.night(skipping: [skipped], analyze: { _ in nil })
    try library.store.correctTempo([
      ScannedLibrary.contentID("/music/part.ogg"): TempoCorrection(
        ScannedLibrary.tempoFinding().multiplied(by: BeatRatio(1, 2)), corrected: .now)
    ])
  }

  static func analysis(of file: PendingFile) -> FileAnalysis {
    if file.path == "/music/bad.mp3" { return ScannedLibrary.broken }
    var analysis = ScannedLibrary.analysis(
      of: file, title: "Café", audio: file.path == oddName ? "sound" : file.path.string)
    analysis.remarks = [Problem(stage: .decode, code: "not_finite", message: "12 samples were not finite.")]
    analysis.outcomes += [
      AnalyzerOutcome(analyzer: key, result: .finding(JSONFinding(.object(["key": .string("C#m")])))),
      AnalyzerOutcome(
        analyzer: signature, result: .finding(SignatureFinding(version: 1, landmarkCount: 2, data: [1, 2, 3]))),
    ]
    if file.path == "/music/part.ogg" {
      analysis.status = .partial
      analysis.problem = Problem(stage: .decode, code: "truncated", message: "The stream ends early.")
      analysis.outcomes[2].result = .failed("No.")
    }
    return analysis
  }

  /// Checks the content of every migrated database.
  /// - Parameter version: Schema version in which the database was written.
  private func check(_ store: ResultStore, version: Int) throws {
    var records: [FilePath: FileRecord] = [:]
    try store.forEachRecord(RecordSelection(includesVanished: true, long: ["beats"])) { records[$0.path] = $0 }
    #expect(
      Set(records.keys) == [Self.oddName, "/music/bad.mp3", "/music/gone.flac", "/music/part.ogg", "/music/cover.jpg"])
    let full = try #require(records[Self.oddName])
    #expect(full.status == .ok && full.contentID == ScannedLibrary.contentID("sound"))
    #expect(full.tags == ScannedLibrary.tagFinding(title: "Café") && full.tempo == ScannedLibrary.tempoFinding())
    #expect(full.fingerprint == FingerprintFinding(algorithm: "chromaprint-2", duration: 10, value: "AQAA"))
    #expect(full.signature == SignatureFinding(version: 1, landmarkCount: 2, data: []))
    #expect(full.otherFindings == ["key": .object(["key": .string("C#m")])])
    #expect(
      full.analyzers == [
        ScannedLibrary.chromaprint, Self.key, Self.signature, ScannedLibrary.tags, ScannedLibrary.tempo,
      ])
    #expect(full.format == ScannedLibrary.format && full.remarks.map(\.code) == ["not_finite"])
    #expect(full.sizeBytes == 1000 && full.modified == Timestamp(nanoseconds: 5_000_000_000))
    #expect(records["/music/bad.mp3"]?.problem == ScannedLibrary.broken.problem)
    #expect(records["/music/gone.flac"]?.isVanished == true)
    #expect(records["/music/part.ogg"]?.status == .partial)
    #expect(records["/music/part.ogg"]?.analyzerProblems.map(\.analyzer) == ["chromaprint"])
    #expect(records["/music/cover.jpg"]?.problem?.code == "not_audio")
    #expect(try store.history(at: "/music/waiting.flac")?.pending == .new)
    #expect(try store.latestRun()?.totals == RunTotals(cached: 2, failed: 1, skipped: 1, vanished: 1))
    #expect(try store.check() == [])
    #expect(records["/music/part.ogg"]?.tempo?.bpm == (version < 2 ? 126 : 63))
  }

  /// Schema 1 has no status times, which is no reason to check every file.
  @Test func databaseOfSchema1IsNotAnalyzedAgain() throws {
    let library = try ScannedLibrary()
    let path = library.folder.appending("v1.sqlite")
    try OlderDatabase.write(version: 1, at: path)
    let store = try ResultStore(path: path, findings: ScannedLibrary.findings)
    let stamp = FileStamp(
      path: Self.oddName, device: 7, inode: 101, sizeBytes: 1000, modified: Timestamp(nanoseconds: 5_000_000_000),
      statusChanged: Timestamp(nanoseconds: 6_500_000_000))
    var touched = stamp
    touched.statusChanged = Timestamp(nanoseconds: 7_500_000_000)
    for (stamp, verdict) in [(stamp, ScanVerdict.cached), (stamp, .cached), (touched, .pending(.touched))] {
      let run = try store.beginRun(
        programVersion: "2", pipeline: "p", configuration: .null, configurationDigest: "", analyzers: [], roots: [])
      let scan = ScanSession(store: store, run: run, wanted: ScannedLibrary.wanted()) { _ in true }
      #expect(try scan.classify([stamp]) == [verdict])
    }
  }

  /// Before schema 3 a file could have the status of another: they are decoded again, and nothing is taken from them.
  @Test func filesThatShareAudioAreLookedAtAgain() throws {
    let library = try ScannedLibrary()
    let path = library.folder.appending("v2.sqlite")
    try OlderDatabase.write(version: 2, at: path)
    try DatabaseQueue(path: path.string).write { db in
      try db.execute(
        sql: "UPDATE file SET content_id = ? WHERE display_path = '/music/part.ogg'",
        arguments: [ScannedLibrary.contentID("sound").description])
    }
    let store = try ResultStore(path: path, findings: ScannedLibrary.findings)
    for path in [Self.oddName, "/music/part.ogg"] { #expect(try store.history(at: path)?.pending == .touched) }
    #expect(try store.history(at: "/music/bad.mp3")?.pending == nil)
    #expect(try store.knownAudio(decodingID: ScannedLibrary.decodingID("sound")) == nil)
  }

  @Test func everyReleasedSchemaMigratesForward() throws {
    let fresh = try ScannedLibrary()
    let version = try DatabaseQueue(path: fresh.database.string).read {
      try Int.fetchOne($0, sql: "PRAGMA user_version")
    }
    let columns = "SELECT name FROM pragma_table_info('track')"
    let viewed = try DatabaseQueue(path: fresh.database.string).read { try Set(String.fetchAll($0, sql: columns)) }
    #expect(viewed.contains("tempo_bpm"))
    for version in 1...(try #require(version)) {
      let path = fresh.folder.appending("v\(version).sqlite")
      try OlderDatabase.write(version: version, at: path)
      try check(try ResultStore(path: path, findings: ScannedLibrary.findings), version: version)
      try check(try ResultStore(path: path, findings: ScannedLibrary.findings, access: .readOnly), version: version)
      let migrated = try DatabaseQueue(path: path.string).read { try Set(String.fetchAll($0, sql: columns)) }
      #expect(migrated == viewed, "version \(version)")
      let search = try DatabaseQueue(path: path.string).read { db in
        try String.fetchAll(
          db,
          sql: "SELECT f.display_path FROM songs_fts JOIN file f ON f.id = songs_fts.rowid WHERE songs_fts MATCH 'cafe'"
        )
      }
      #expect(search.contains("/music/caf\\xE9.flac"))
    }
  }

  /// Runs, merges and reports may meet a database that another process is creating or migrating.
  @Test(arguments: [nil, 1]) func manyOpenADatabaseAtOnce(version: Int?) throws {
    let library = try ScannedLibrary()
    for round in 0..<12 {
      let path = library.folder.appending("\(round).sqlite")
      if let version {
        try OlderDatabase.write(version: version, at: path)
      } else {
        // The file is empty, so readers find it too.
        try #require(FileManager.default.createFile(atPath: path.string, contents: nil))
      }
      let failures = Mutex<[String]>([])
      let group = DispatchGroup()
      for number in 0..<8 {
        group.enter()
        Thread.detachNewThread {
          do {
            let access: ResultStore.Access = number.isMultiple(of: 2) ? .readWrite : .readOnly
            _ = try ResultStore(path: path, findings: ScannedLibrary.findings, access: access).latestRun()
          } catch {
            failures.withLock { $0.append("\(error)") }
          }
          group.leave()
        }
      }
      group.wait()
      #expect(failures.withLock { $0 } == [])
    }
  }

  @Test func freshDatabaseHoldsTheSame() throws {
    let library = try ScannedLibrary()
    try Self.fill(library)
    try check(library.store, version: .max)
  }

  @Test(.enabled(if: ProcessInfo.processInfo.environment["STORE_FIXTURE"] != nil))
  func writeDatabaseForANewFixture() throws {
    let path = try #require(ProcessInfo.processInfo.environment["STORE_FIXTURE"])
    let library = try ScannedLibrary()
    try Self.fill(library)
    try DatabaseQueue(path: library.database.string).vacuum(into: path)
  }

  @Test func migratedAndFreshSchemasAreEqual() throws {
    func schema(_ path: FilePath) throws -> [String] {
      try DatabaseQueue(path: path.string).read { db in
        try String.fetchAll(db, sql: "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type, name")
      }
    }
    let fresh = try ScannedLibrary()
    let path = fresh.folder.appending("v1.sqlite")
    try OlderDatabase.write(version: 1, at: path)
    do { _ = try ResultStore(path: path, findings: ScannedLibrary.findings) }
    #expect(try schema(path) == schema(fresh.database))
  }
}
