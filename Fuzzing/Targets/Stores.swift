import Analysis
import BuiltInAnalyzers
import Records
import Platform
import Foundation
import GRDB
import Glibc
import SystemPackage

@testable import ResultStore

/// A result with something in every table.
enum SampleResult {
  static let tempo = AnalyzerIdentity(id: "tempo", version: 1, digest: "d")
  static let format = AudioFormat(
    container: "flac", codec: "flac", sampleRate: 44_100, channelCount: 2, bitDepth: 16, bitRate: 700_000,
    isLossless: true, claimedFrameCount: 100_000, frameCount: 99_999)

  static var analysis: FileAnalysis {
    var tags = TagFinding(hasLyrics: true)
    tags.fields = ["title": ["A"], "artist": ["B", "C"], "other:mood": ["calm"]]
    tags.formats = ["id3v2.4"]
    tags.pictures = [TagFinding.Picture(type: "front cover", mime: "image/png", sizeBytes: 9)]
    let tempo = TempoFinding(
      bpm: 120, confidence: 0.9, octaveConfidence: 0.8, candidates: [TempoFinding.Candidate(bpm: 60, weight: 0.2)],
      isStable: true, map: [TempoFinding.Section(startSeconds: 0, bpm: 120)], beats: [0.1, 0.6, 1.1], metre: "4/4",
      reason: nil)
    func outcome(_ id: String, _ result: AnalyzerOutcome.Result) -> AnalyzerOutcome {
      AnalyzerOutcome(analyzer: AnalyzerIdentity(id: id, version: 1, digest: "d"), result: result)
    }
    return FileAnalysis(
      status: .partial, problem: Problem(stage: .decode, code: "truncated", message: "Cut off."),
      remarks: [Problem(stage: .open, code: "remark", message: "Odd.")], contentID: ContentID(high: 1, low: 2),
      format: format,
      outcomes: [
        outcome("tags", .finding(tags)), outcome("tempo", .finding(tempo)),
        outcome("chromaprint", .finding(FingerprintFinding(algorithm: "chromaprint-2", duration: 120, value: "AQAA"))),
        outcome("signature", .finding(SignatureFinding(version: 1, landmarkCount: 3, data: [1, 2, 3]))),
        outcome("mood", .finding(JSONFinding(.object(["calm": .number(0.5)])))),
        outcome("broken", .failed("It failed.")),
      ])
  }
}

/// A database of one file with results, and a run that has written them.
struct SampleStore {
  let store: ResultStore
  let writer: ResultWriter
  let file: FilePath = "/music/a.flac"
  let fileID: Int64

  init(at path: FilePath) throws {
    for suffix in ["", "-wal", "-shm"] { unlink(path.string + suffix) }
    store = try ResultStore(path: path, findings: BuiltInAnalyzers.findings)
    let run = try store.beginRun(
      programVersion: "1", pipeline: "default", configuration: .object([:]), configurationDigest: "d",
      analyzers: [SampleResult.tempo], roots: [])
    let wanted = WantedAnalyses(members: [.init(identity: SampleResult.tempo, readsAudio: true)], decoderVersion: 1)
    let scan = ScanSession(store: store, run: run, wanted: wanted, pathExists: { _ in true })
    let stamp = FileStamp(path: file, device: 1, inode: 2, sizeBytes: 3, modified: Timestamp(nanoseconds: 4))
    _ = try scan.classify([stamp])
    fileID = try scan.makePendingQueue().next(limit: 1)[0].fileID
    writer = ResultWriter(store: store, run: run, wanted: wanted)
    try writer.commit([FileResult(fileID: fileID, analysis: SampleResult.analysis)])
  }

  /// Everything that reports, and `show` read.
  static func readAll(_ store: ResultStore, _ file: FilePath) throws(StoreError) {
    let run = try store.latestRun()
    do {
      try store.forEachRecord(RecordSelection(includesVanished: true, long: ["beats"])) {
        checkReports(of: $0, run: run)
      }
    } catch let error as StoreError {
      throw error
    } catch {
      fatalError("an error that is not the store's: \(error)")
    }
    _ = try store.history(at: file)
    _ = try store.newFailureGroups(in: 1, examples: 3)
    _ = try store.quarantined(limit: 10)
    _ = try store.figures()
    _ = try store.check()
    _ = try store.knownAudio(decodingID: ContentID(high: 1, low: 2))
  }
}

/// A database file that is damaged, or none.
struct StoreFileTarget: FuzzTarget {
  static let name = "store-files"
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// In small pages, so there is much structure in few bytes.
  static func seeds() throws -> [[UInt8]] {
    let folder = try ScratchFolder()
    let sample = try SampleStore(at: folder.path.appending("sample.sqlite"))
    let small = folder.path.appending("small.sqlite")
    unlink(small.string)
    try sample.store.pool.vacuum(into: small.string)
    let shrink = try DatabaseQueue(path: small.string)
    try shrink.inDatabase { db in
      try db.execute(sql: "PRAGMA journal_mode = DELETE; PRAGMA page_size = 512; VACUUM; PRAGMA journal_mode = WAL")
    }
    try shrink.close()
    let file = try FileDescriptor.open(small, .readOnly)
    let bytes = try file.closeAfter {
      var bytes = [UInt8](repeating: 0, count: 1 << 20)
      let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0) }
      return Array(bytes[..<count])
    }
    return [bytes]
  }

  func run(_ bytes: [UInt8]) throws {
    let path = try folder.write(bytes, as: "store.sqlite")
    for suffix in ["-wal", "-shm", "-journal"] { unlink(path.string + suffix) }
    let store = try ResultStore(path: path, findings: BuiltInAnalyzers.findings)
    defer { try? store.pool.close() }
    try? SampleStore.readAll(store, "/music/a.flac")
    _ = try? store.checkIntegrity()
    _ = try store.beginRun(
      programVersion: "1", pipeline: "default", configuration: .object([:]), configurationDigest: "d", analyzers: [],
      roots: [])
  }
}

/// A database that is sound to SQLite, with values in it that this program has never written.
///
/// An input is a list of values: which column, which kind, and the value.
struct StoreRowTarget: FuzzTarget {
  static let name = "store-rows"

  private struct Column {
    var table: String
    var name: String
    var original: DatabaseValue
  }

  private let folder: ScratchFolder
  private let sample: SampleStore
  private let columns: [Column]

  static func seeds() -> [[UInt8]] {
    let values: [[UInt8]] = [
      [0], [1] + [UInt8](repeating: 0xFF, count: 7) + [0x7F], [2, 0, 0, 0, 0, 0, 0, 0xF0, 0x7F],
      [3, 5] + Array("1e309".utf8),
      [3, 9] + Array("[[1,2],3]".utf8), [4, 3, 0xFF, 0, 1],
    ]
    return (UInt8(0)..<100).map { column in [column] + values[Int(column) % values.count] }
  }

  init() throws {
    folder = try ScratchFolder()
    let sample = try SampleStore(at: folder.path.appending("rows.sqlite"))
    self.sample = sample
    columns = try sample.store.pool.read { db in
      var columns: [Column] = []
      let tables = [
        "file", "format", "analysis", "analyzer", "analysis_set", "failure", "tag_summary", "tag", "tempo", "beat_grid",
        "onset_summary", "fingerprint", "signature", "finding", "run",
      ]
      for table in tables {
        guard let row = try Row.fetchOne(db, sql: "SELECT * FROM \(table) LIMIT 1") else { continue }
        // Keys hold rows together, and a generated column cannot be written.
        let written = Set(
          try String.fetchAll(db, sql: "SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0", arguments: [table]))
        for (name, value) in row where written.contains(name) && !["id", "file"].contains(name) {
          columns.append(Column(table: table, name: name, original: value))
        }
      }
      return columns
    }
    try sample.store.pool.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF")
    }
  }

  func run(_ bytes: [UInt8]) throws {
    var input = InputReader(bytes)
    var changes: [(column: Column, value: DatabaseValue)] = []
    while !input.isAtEnd, changes.count < 8 {
      let column = columns[Int(input.byte()) % columns.count]
      changes.append((column, value(&input)))
    }
    try sample.store.pool.write { db in
      for change in changes { try? set(change.column, change.value, db) }
    }
    defer {
      do {
        try sample.store.pool.write { db in
          for change in changes.reversed() { try set(change.column, change.column.original, db) }
        }
      } catch {
        fatalError("the rows cannot be put back: \(error)")
      }
    }
    try SampleStore.readAll(sample.store, sample.file)
  }

  private func set(_ column: Column, _ value: DatabaseValue, _ db: Database) throws {
    try db.execute(sql: "UPDATE OR IGNORE \(column.table) SET \(column.name) = ?", arguments: [value])
  }

  private func value(_ input: inout InputReader) -> DatabaseValue {
    switch input.byte() % 5 {
    case 1: input.number(Int64.self).databaseValue
    case 2: Double(bitPattern: input.number(UInt64.self)).databaseValue
    case 3: String(decoding: input.bytes(Int(input.byte())), as: UTF8.self).databaseValue
    case 4: Data(input.bytes(Int(input.byte()))).databaseValue
    default: .null
    }
  }
}
