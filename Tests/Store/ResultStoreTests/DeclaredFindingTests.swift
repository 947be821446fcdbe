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

/// A finding with a field of every kind.
struct EveryKind: DeclaredFinding {
  struct Point: DeclaredRecord {
    var seconds = 0.0
    var level = 0.0

    static let summary = "A point."
    static let form = RecordType.Form.tuple
    static let fields: [FindingField<Point>] = [
      .field("time_s", \.seconds, "When."), .field("level", \.level, "How loud."),
    ]
  }

  struct Cue: DeclaredRecord {
    var seconds = 0.0
    var name: String?
    var colors: [String] = []

    static let summary = "A cue."
    static let fields: [FindingField<Cue>] = [
      .field("time_s", \.seconds, "Where."), .field("name", \.name, "What."),
      .field("colors", \.colors, "Colors.", nullIfEmpty: true),
    ]
  }

  struct Scale: DeclaredRecord {
    var tonic = ""
    var steps: [Double] = []

    static let summary = "A scale."
    static let fields: [FindingField<Scale>] = [
      .field("tonic", \.tonic, "Tonic."), .field("steps", \.steps, "Steps.", column: "degrees"),
    ]
  }

  var text = ""
  var note: String?
  var count = 0
  var maximum: Int?
  var level = 0.0
  var offset: Double?
  var isSure = false
  var isFlat: Bool?
  var detail = JSONValue.null
  var data: [UInt8] = []
  var words: [String] = []
  var curve: [Double] = []
  var gaps: [Double]?
  var names: [String: [String]] = [:]
  var points: [Point] = []
  var cues: [Cue] = []
  var marks: [Cue] = []
  var scale = Scale()

  static let declaration = FindingDeclaration<EveryKind>(
    "every_kind", "A field of every kind.",
    fields: [
      .field("text", \.text, "Text.", shown: Shown(), isIndexed: true), .field("note", \.note, "Text or none."),
      .field("count", \.count, "A number.", shown: Shown("of", unit: "things")),
      .field("maximum", \.maximum, "A number."),
      .field("level", \.level, "A number."), .field("offset_s", \.offset, "A number.", isIndexed: true),
      .field("sure", \.isSure, "Whether."), .field("flat", \.isFlat, "Whether."),
      .field("detail", \.detail, "Anything."), .stored("data", \.data, "Bytes."),
      .field("words", \.words, "Texts.", nullIfEmpty: true), .field("curve", \.curve, "Numbers.", long: "curve"),
      .field("gaps", \.gaps, "Numbers or none.", table: "every_gap"),
      .column("gap_count", "How many.", table: "every_gap") { $0.gaps?.count },
      .rows("names", \.names, "Texts under names.", table: "every_name"),
      .field("points", \.points, "Points."), .field("cues", \.cues, "Cues."),
      .rows("marks", \.marks, "Cues in rows.", table: "every_mark"),
      .record("scale", \.scale, "A scale.", table: "every_scale", isEmpty: \.steps.isEmpty),
      .derived("twice", "Twice the count.") { finding, _ in 2 * finding.count },
    ])

  static let full = EveryKind(
    text: "a \"b\"\n", note: "ü", count: -3, maximum: .max, level: 0.1, offset: -1e-3, isSure: true, isFlat: false,
    detail: .object(["x": .array([.null, .integer(1)])]), data: [0, 255, 10], words: ["a / b", "c"],
    curve: [0, 0.5, 1234.5678], gaps: [], names: ["n": ["1", "2"], "m": ["", "3"]],
    points: [Point(seconds: 0.25, level: 1), Point(seconds: 2, level: -60.5)],
    cues: [Cue(seconds: 1, name: "in", colors: ["red", "blue"]), Cue(seconds: 2)],
    marks: [Cue(seconds: 3.5, name: "", colors: ["green"]), Cue(seconds: 4)],
    scale: Scale(tonic: "C#", steps: [0, 2, 3.5]))
}

/// The finding as declared by an earlier version of its analyzer.
private struct EarlierKind: DeclaredFinding {
  var text = ""

  static let declaration = FindingDeclaration<EarlierKind>(
    "every_kind", "A text.", fields: [.field("text", \.text, "Text.")])
}

private struct Intruder: DeclaredFinding {
  static let declaration = FindingDeclaration<Intruder>("run", "Nothing.", fields: [])
}

@Suite(.bounded) struct DeclaredFindingTests {
  private static let analyzer = AnalyzerIdentity(id: "every_kind", version: 1, digest: "")
  private static let findings = ScannedLibrary.findings + [EveryKind.self]

  private func library(_ finding: some AnalysisFinding, declared: [any DeclaredFinding.Type]) throws -> ScannedLibrary {
    let library = try ScannedLibrary()
    try library.reopen(findings: declared)
    library.wanted = ScannedLibrary.wanted(extra: [Self.analyzer])
    library.put("/music/a.flac")
    try library.night { file in
      var analysis = ScannedLibrary.analysis(of: file, audio: "sound")
      analysis.outcomes.append(AnalyzerOutcome(analyzer: Self.analyzer, result: .finding(finding)))
      return analysis
    }
    return library
  }

  private func record(_ library: ScannedLibrary, _ path: FilePath = "/music/a.flac") throws -> FileRecord {
    try #require(try library.store.record(at: path, long: ["curve", "data"]))
  }

  @Test(arguments: [EveryKind.full, EveryKind()])
  func findingComesBackFromItsTables(finding: EveryKind) throws {
    let library = try library(finding, declared: Self.findings)
    #expect(try record(library).findings[EveryKind.self] == finding)
    #expect(try record(library).otherFindings.isEmpty)
    let short = try #require(try library.store.record(at: "/music/a.flac")).findings[EveryKind.self]
    #expect(short?.curve == [] && short?.data == [] && short?.marks == finding.marks)
    #expect(try library.store.check() == [])
    try DatabaseQueue(path: library.database.string).write { try $0.execute(sql: "DELETE FROM every_gap") }
    #expect(try library.store.check().contains { $0.contains("with an analyzer whose finding is missing") })
  }

  @Test(arguments: [EveryKind.full, EveryKind()])
  func findingComesBackFromAWorker(finding: EveryKind) throws {
    #expect(try JSONDecoder().decode(EveryKind.self, from: JSONEncoder().encode(finding)) == finding)
    #expect(try JSONValue(encoding: finding).decoded(as: EveryKind.self) == finding)
  }

  @Test func copyHasAllOfIt() throws {
    let library = try library(EveryKind.full, declared: Self.findings)
    library.put("/music/copy.flac")
    try library.night { file in
      FileAnalysis(
        status: .ok, contentID: ScannedLibrary.contentID("sound"), decodingID: ScannedLibrary.decodingID("sound"),
        format: ScannedLibrary.format, reusesKnownAudio: true,
        outcomes: [AnalyzerOutcome(analyzer: ScannedLibrary.tags, result: .finding(TagFinding()))])
    }
    #expect(try record(library, "/music/copy.flac").findings[EveryKind.self] == EveryKind.full)
    #expect(try library.store.check() == [])
  }

  @Test func newResultReplacesTheOldOneInEveryTable() throws {
    let library = try library(EveryKind.full, declared: Self.findings)
    library.put("/music/a.flac", size: 2000)
    try library.night { ScannedLibrary.analysis(of: $0) }
    #expect(try record(library).findings[EveryKind.self] == nil)
    try DatabaseQueue(path: library.database.string).read { db in
      for table in FindingTables(EveryKind.self).tables {
        let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table.name)")
        #expect(count == 0, "\(table.name)")
      }
    }
  }

  /// Numbers that JSON and SQL cannot represent cost neither the file nor the others of its batch.
  @Test func oddNumbersAreNone() throws {
    let finding = EveryKind(level: .nan, offset: .infinity, curve: [1, .nan], points: [.init(seconds: .nan, level: 1)])
    let found = try record(try library(finding, declared: Self.findings)).findings[EveryKind.self]
    #expect(found == EveryKind(level: 0, offset: nil, curve: [1], points: []))
  }

  // MARK: Older databases

  @Test func tablesOfTheReleasedSchemasAreThoseDeclared() throws {
    let fresh = try ScannedLibrary()
    let databases =
      try [fresh.database]
      + (1...Schema.version).map { version in
        let path = fresh.folder.appending("v\(version).sqlite")
        try OlderDatabase.write(version: version, at: path)
        _ = try ResultStore(path: path, findings: ScannedLibrary.findings)
        return path
      }
    for path in databases {
      try DatabaseQueue(path: path.string).read { db in
        for table in StoredFindings(ScannedLibrary.findings).tables.flatMap(\.tables) {
          let key: Set = ["file", "position", "name"]
          let sql = "SELECT name, type, \"notnull\" FROM pragma_table_info('\(table.name)')"
          let columns = try Row.fetchAll(db, sql: sql)
            .filter { !key.contains($0[0]) || table.key == .file && $0[0] != "file" }
            .map { "\($0[0] as String) \($0[1] as String) \($0[2] as Int == 0)" }
          let declared = table.columns.map { "\($0.name) \($0.type) \($0.isNullable)" }
          #expect(Set(columns) == Set(declared), "\(table.name), \(path)")
        }
        #expect(try FindingSchema(StoredFindings(ScannedLibrary.findings).tables, path: path).changes(in: db) == [])
      }
    }
  }

  /// Findings cannot use the store's own tables.
  @Test func everyTableHasOneOwner() throws {
    let library = try ScannedLibrary()
    let declared = Set(StoredFindings(ScannedLibrary.findings).tables.flatMap(\.tables).map(\.name))
    let tables = try DatabaseQueue(path: library.database.string).read { db in
      try String.fetchAll(
        db,
        sql: """
          SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'grdb_%'
            AND name NOT LIKE '%_fts_%' AND name NOT LIKE 'sqlite_%'
          """)
    }
    #expect(Set(tables).subtracting(declared) == Schema.ownTables)
    for findings in [[EveryKind.self, EarlierKind.self], [Intruder.self]] as [[any DeclaredFinding.Type]] {
      #expect(throws: StoreError.self) { try library.reopen(findings: findings) }
    }
  }

  @Test func columnsAreAdded() throws {
    let library = try library(EarlierKind(text: "early"), declared: ScannedLibrary.findings + [EarlierKind.self])
    #expect(try record(library).findings[EarlierKind.self]?.text == "early")
    try library.reopen(findings: Self.findings)
    #expect(try record(library).findings[EveryKind.self] == EveryKind(text: "early"))
    library.put("/music/b.flac")
    try library.night { file in
      var analysis = ScannedLibrary.analysis(of: file)
      analysis.outcomes.append(AnalyzerOutcome(analyzer: Self.analyzer, result: .finding(EveryKind.full)))
      return analysis
    }
    #expect(try record(library, "/music/b.flac").findings[EveryKind.self] == EveryKind.full)
    let shown = try DatabaseQueue(path: library.database.string).read { db in
      try Row.fetchAll(db, sql: "SELECT path, every_kind_text, every_kind_count, every_kind_offset_s FROM track")
    }
    #expect(shown.map { $0["every_kind_count"] as Int? } == [nil, -3])
    // A program that knows fewer fields still reads those it knows.
    try library.reopen(findings: ScannedLibrary.findings + [EarlierKind.self])
    #expect(try record(library, "/music/b.flac").findings[EarlierKind.self]?.text == EveryKind.full.text)
    #expect(try library.store.record(at: "/music/a.flac")?.tempo?.bpm == 126)
  }

  @Test func readingAddsNothing() throws {
    let library = try library(EarlierKind(text: "early"), declared: ScannedLibrary.findings)
    func tables() throws -> [String] {
      try DatabaseQueue(path: library.database.string).read {
        try String.fetchAll($0, sql: "SELECT name || coalesce(sql, '') FROM sqlite_master")
      }
    }
    let before = try tables()
    try library.reopen(findings: Self.findings, access: .readOnly)
    #expect(try record(library).findings[EveryKind.self] == nil)
    #expect(try record(library).tempo != nil)
    #expect(try library.store.check() == [])
    #expect(try tables() == before)
  }

  /// A finding from before its analyzer was declared stays JSON until the file is analyzed again.
  @Test func earlierFindingsStayJSON() throws {
    let library = try library(EarlierKind(text: "early"), declared: ScannedLibrary.findings)
    for _ in 0..<2 {
      #expect(try record(library).otherFindings == ["every_kind": .object(["text": .string("early")])])
      #expect(try record(library).findings[EveryKind.self] == nil)
      #expect(try library.store.check() == [])
      try library.reopen(findings: Self.findings)
    }
    library.put("/music/a.flac", size: 2000)
    try library.night { file in
      var analysis = ScannedLibrary.analysis(of: file)
      analysis.outcomes.append(AnalyzerOutcome(analyzer: Self.analyzer, result: .finding(EveryKind.full)))
      return analysis
    }
    #expect(try record(library).otherFindings.isEmpty)
    #expect(try record(library).findings[EveryKind.self] == EveryKind.full)
  }
}
