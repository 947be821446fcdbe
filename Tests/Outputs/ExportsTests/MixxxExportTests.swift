import Analysis
import AnalysisTesting
import Exports
import Foundation
import GRDB
import Platform
import Records
import SystemPackage
import Testing

/// Copy of Mixxx's database. Checks/test_dj_exports.py opens it with Mixxx where that is installed.
@Suite(.bounded) struct MixxxExportTests {
  private let folder: TemporaryDirectory
  private var database: String { folder.path.appending("mixxxdb.sqlite").string }
  private var output: FilePath { folder.path.appending("patched.sqlite") }

  /// Relevant columns of Mixxx 2.3.
  static let schema = """
    CREATE TABLE track_locations (id INTEGER PRIMARY KEY, location TEXT UNIQUE);
    CREATE TABLE library (
      id INTEGER PRIMARY KEY, location INTEGER, samplerate INTEGER, bpm REAL, bpm_lock INTEGER DEFAULT 0, beats BLOB,
      beats_version TEXT, beats_sub_version TEXT, key TEXT, key_id INTEGER DEFAULT 0, keys BLOB, keys_version TEXT,
      keys_sub_version TEXT, replaygain REAL DEFAULT 0, replaygain_peak REAL DEFAULT -1.0);
    CREATE TABLE cues (
      id INTEGER PRIMARY KEY, track_id INTEGER, type INTEGER, position INTEGER, length INTEGER,
      hotcue INTEGER DEFAULT -1, label TEXT DEFAULT '');
    """

  init() throws {
    folder = try TemporaryDirectory()
    try DatabaseQueue(path: database).write { db in
      try db.execute(sql: Self.schema)
      try db.execute(
        sql: """
          INSERT INTO track_locations VALUES (7, '/music/a/One.flac'), (8, '/music/other.flac');
          INSERT INTO library (id, location, samplerate, bpm) VALUES (1, 7, 44100, 99), (2, 8, 44100, 99);
          """)
    }
  }

  private var record: FileRecord {
    var record = track()
    record.findings[KeyFinding.self] = KeyFinding(
      key: MusicalKey(pitchClass: 9, mode: .minor), confidence: 0.9, candidates: [], map: [])
    record.findings[LoudnessFinding.self] = LoudnessFinding(integrated: -12, trackGain: -6, trackPeak: 0.9)
    var cues = CuesFinding()
    cues.leadingSilence = 0.5
    cues.trailingSilence = 1
    cues.mixInStart = 0.5
    cues.mixInEnd = 8.5
    record.findings[CuesFinding.self] = cues
    return record
  }

  private func export(_ record: FileRecord) throws -> DatabaseQueue {
    var writer = try MixxxExport().begin(
      ExportContext(output: output, program: "Nocturne", trackCount: 1, options: ["database": database]))
    try writer.append(record)
    #expect(try writer.finish() == [output])
    return try DatabaseQueue(path: output.string)
  }

  @Test func knownTracksAreFilled() throws {
    let before = try Data(contentsOf: URL(filePath: database))
    let patched = try export(record)
    let tracks = try patched.read { try Row.fetchAll($0, sql: "SELECT * FROM library ORDER BY id") }
    #expect(tracks[0]["bpm"] == 120.0)
    #expect(tracks[0]["beats_version"] == "BeatGrid-2.0")
    #expect(tracks[0]["bpm_lock"] == 0)
    #expect(tracks[0]["key"] == "Am")
    #expect(tracks[0]["key_id"] == 22)
    #expect(abs((tracks[0]["replaygain"] as Double) - 0.501_187) < 1e-6)
    #expect(tracks[1]["bpm"] == 99.0)
    let cues = try patched.read { try Row.fetchAll($0, sql: "SELECT type, position, length FROM cues ORDER BY type") }
    #expect(cues.map { $0["type"] } == [6, 8])
    #expect(cues.map { $0["position"] } == [44_100, 44_100])
    #expect(cues.map { $0["length"] } == [705_600, 5_159_700])
    #expect(try Data(contentsOf: URL(filePath: database)) == before)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path.string).count == 2)
  }

  @Test func whatAPersonSetStays() throws {
    try DatabaseQueue(path: database).write { db in
      try db.execute(
        sql: """
          UPDATE library SET bpm_lock = 1; INSERT INTO cues (track_id, type, position, length) VALUES (1, 6, 10, 20)
          """)
    }
    let patched = try export(record)
    #expect(try patched.read { try Double.fetchOne($0, sql: "SELECT bpm FROM library WHERE id = 1") } == 99)
    #expect(try patched.read { try Int.fetchAll($0, sql: "SELECT position FROM cues WHERE type = 6") } == [10])
  }

  @Test func correctedTemposAreLocked() throws {
    var record = record
    record.tempoCorrection = TempoCorrection(bpm: 120, grid: nil, corrected: .now, found: record.tempo)
    #expect(try export(record).read { try Int.fetchOne($0, sql: "SELECT bpm_lock FROM library WHERE id = 1") } == 1)
  }

  @Test func otherFilesAreRefused() throws {
    try DatabaseQueue(path: database).write { try $0.execute(sql: "DROP TABLE cues") }
    #expect(throws: ExportError.self) { try export(record) }
    try Data("no database at all".utf8).write(to: URL(filePath: database))
    #expect(throws: ExportError.self) { try export(record) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path.string) == ["mixxxdb.sqlite"])
  }

  @Test func mixxxsOwnDatabaseIsNotWrittenTo() {
    #expect(throws: ExportError.self) {
      try MixxxExport().begin(
        ExportContext(
          output: folder.path.appending("mixxxdb.sqlite"), program: "", trackCount: 1, options: ["database": database]))
    }
  }
}
