import Analysis
import AnalysisTesting
import Library
import Platform
import Records
import SystemPackage
import Testing
import Text

/// Records of files and runs, and the fields that write them.
@Suite(.bounded) struct RecordTests {
  // MARK: Shards

  @Test(arguments: [("0/1", 0, 1), ("3/4", 3, 4), ("00/04", 0, 4)]) func shardsAreParsed(
    text: String, index: Int, count: Int
  ) throws {
    let shard = try Shard(text)
    #expect(shard.index == index && shard.count == count)
  }

  @Test(arguments: [
    "", "1", "1/", "/1", "4/4", "-1/4", "0/0", "1/2/3", "+1/4", "a/4", "1/ 4", "99999999999999999999/1",
  ])
  func otherShardsAreRefused(text: String) {
    #expect(throws: ConfigurationError.self) { try Shard(text) }
  }

  @Test func eachKeyIsInOneShard() throws {
    let shards = try (0..<5).map { try Shard(index: $0, of: 5) }
    var counts = [0, 0, 0, 0, 0]
    for number in 0..<500 {
      let key = Array("key \(number)".utf8)
      let indices = shards.indices.filter { shards[$0].contains(key) }
      #expect(indices == [Shard.index(of: key, count: 5)])
      counts[indices.first ?? 0] += 1
    }
    #expect(counts.allSatisfy { $0 > 50 })
    // XXH3-128 of no bytes, modulo 1,000: 0x99aa06d3014798d86001c324468d497f.
    #expect(Shard.index(of: [], count: 1_000) == 839 && Shard.index(of: [], count: 1) == 0)
    #expect(try Shard("0/1").contains([1, 2]))
  }

  @Test(
    arguments: [
      (["JOB_COMPLETION_INDEX": "2"], 4, 2, 4), (["JOB_COMPLETION_INDEX": "2", "SLURM_ARRAY_TASK_ID": ""], 3, 2, 3),
      (["AWS_BATCH_JOB_ARRAY_INDEX": "2", "AWS_BATCH_JOB_ARRAY_SIZE": "5"], nil, 2, 5),
      (["AWS_BATCH_JOB_ARRAY_INDEX": "2", "AWS_BATCH_JOB_ARRAY_SIZE": "5"], 5, 2, 5),
      (["SLURM_ARRAY_TASK_ID": "2", "SLURM_ARRAY_TASK_COUNT": "3"], nil, 2, 3),
      (["SLURM_ARRAY_TASK_ID": "7", "SLURM_ARRAY_TASK_COUNT": "3", "SLURM_ARRAY_TASK_MIN": "5"], nil, 2, 3),
      (
        [
          "SLURM_ARRAY_TASK_ID": "11", "SLURM_ARRAY_TASK_COUNT": "3", "SLURM_ARRAY_TASK_MIN": "5",
          "SLURM_ARRAY_TASK_STEP": "3",
        ], nil, 2, 3
      ),
      (["SLURM_ARRAY_TASK_ID": "1", "SLURM_ARRAY_TASK_STEP": "0"], 2, 1, 2),
    ] as [([String: String], Int?, Int, Int)])
  func elementsOfArrayJobs(environment: [String: String], given: Int?, index: Int, count: Int) throws {
    let shard = try Shard(count: given, environment: environment)
    #expect(shard.index == index && shard.count == count)
  }

  @Test(
    arguments: [
      ([:], 4, "needs one of the variables"), (["JOB_COMPLETION_INDEX": ""], 4, "needs one of the variables"),
      (["JOB_COMPLETION_INDEX": "x"], 4, "the variable JOB_COMPLETION_INDEX is not a number: 'x'"),
      (["JOB_COMPLETION_INDEX": "1"], nil, "cannot get the number of elements from JOB_COMPLETION_INDEX"),
      (["JOB_COMPLETION_INDEX": "4"], 4, "with N = 4, K is 0 to 3, not 4"),
      (["JOB_COMPLETION_INDEX": "1", "SLURM_ARRAY_TASK_ID": "1"], 4, "finds several array jobs"),
      (["SLURM_ARRAY_TASK_ID": "1", "SLURM_ARRAY_TASK_COUNT": "3"], 4, "is 4, but the array job has 3 elements"),
      (["AWS_BATCH_JOB_ARRAY_INDEX": "1"], nil, "cannot get the number of elements"),
      (["JOB_COMPLETION_INDEX": "0"], 0, "there must be at least one shard"),
    ] as [([String: String], Int?, String)])
  func otherArrayJobs(environment: [String: String], given: Int?, problem: String) {
    let error = #expect(throws: ConfigurationError.self) { try Shard(count: given, environment: environment) }
    #expect(error?.problem.contains(problem) == true, "\(String(describing: error))")
  }

  // MARK: Words

  @Test func problemsHaveWords() {
    let cut = ProblemWords(code: "truncated")
    #expect(cut.name == "Cut off" && cut.cause == .file && cut.sentence == "This file is cut off.")
    #expect(cut.sentence(count: 1, number: "1") == "1 file is cut off.")
    #expect(cut.sentence(count: 2, number: "2") == "2 files are cut off.")
    #expect(cut.sentence(count: 1_234, number: "1,234") == "1,234 files are cut off.")
    #expect(cut.advice() == "Copy or download it again." && cut.advice(count: 2) == "Copy or download them again.")
    #expect(ProblemWords(code: "unreadable_folder").sentence(count: 2, number: "2") == "2 folders could not be read.")
    let failed = ProblemWords(code: "worker_failed")
    #expect(failed.advice(count: 1) == failed.advice(count: 2) && failed.cause == .worker)
    let unknown = ProblemWords(code: "odd_thing")
    #expect(unknown.name == "Odd thing" && unknown.cause == .other)
    #expect(unknown.sentence == "This file was not analyzed (odd thing).")
    #expect(unknown.sentence(count: 2, number: "2") == "2 files were not analyzed (odd thing).")
  }

  // MARK: Findings

  @Test func findingsOfOneTypeReplaceEachOther() {
    var set = FindingSet()
    #expect(set[TraitsFinding.self] == nil)
    set[TraitsFinding.self] = nil
    set[TraitsFinding.self] = .none(reason: "a")
    set[KeyFinding.self] = .none(reason: "k")
    set[TraitsFinding.self] = .none(reason: "b")
    #expect(set[TraitsFinding.self]?.reason == "b" && set[KeyFinding.self]?.reason == "k")
    var other = FindingSet()
    other.append(KeyFinding.none(reason: "k"))
    #expect(set != other)
    other.append(TraitsFinding.none(reason: "b"))
    #expect(set == other && set.hashValue == other.hashValue)
    set[TraitsFinding.self] = nil
    #expect(set[TraitsFinding.self] == nil && set[KeyFinding.self] != nil)
  }

  @Test func recordsOfAnalyses() {
    func outcome(_ id: String, _ result: AnalyzerOutcome.Result) -> AnalyzerOutcome {
      AnalyzerOutcome(analyzer: AnalyzerIdentity(id: id, version: 1, digest: ""), result: result)
    }
    let analysis = FileAnalysis(
      status: .partial, problem: Problem(stage: .decode, code: "c", message: "m"),
      remarks: [Problem(stage: .open, code: "r", message: "n")], contentID: ContentID(high: 1, low: 2),
      outcomes: [
        outcome("traits", .finding(TraitsFinding.none(reason: "silence"))), outcome("b", .failed("x")),
        outcome("a", .notApplicable("y")), outcome("exec", .finding(JSONFinding(["z": 1]))),
        outcome("mine", .finding(KeyFinding())),
      ])
    let record = FileRecord(path: "/a", sizeBytes: 5, modified: Timestamp(nanoseconds: 7), analysis: analysis)
    #expect(record.path == "/a" && record.sizeBytes == 5 && record.modified?.nanoseconds == 7 && record.analyzed == nil)
    #expect(record.status == .partial && record.problem?.code == "c" && record.remarks.map(\.code) == ["r"])
    #expect(
      record.contentID == ContentID(high: 1, low: 2)
        && record.analyzers.map(\.id) == ["a", "b", "exec", "mine", "traits"])
    #expect(
      record.analyzerProblems.map(\.analyzer) == ["a", "b"] && record.analyzerProblems.map(\.message) == ["y", "x"])
    #expect(record.analyzerProblems.map(\.outcome) == [.notApplicable, .failed])
    #expect(record.findings[TraitsFinding.self]?.reason == "silence" && record.findings[KeyFinding.self] == nil)
    #expect(record.otherFindings["exec"] == ["z": 1] && record.otherFindings.keys.sorted() == ["exec", "mine"])
    #expect(!record.context.isWhole && FileRecord(path: "/a", status: .ok).context.isWhole)
    #expect([.ok, .partial, .failed].map { FileRecord.Status($0) } == [.ok, .partial, .failed])
    for (code, status) in [("time_limit", WorkerRecord.Status.timeout), ("no_progress", .timeout), ("other", .partial)]
    {
      let analysis = FileAnalysis(status: .partial, problem: Problem(stage: .decode, code: code, message: ""))
      #expect(WorkerRecord.Status(analysis) == status)
    }
    #expect(
      WorkerRecord.Status(FileAnalysis(status: .ok)) == .ok
        && WorkerRecord.Status(FileAnalysis(status: .failed)) == .failed)
    #expect(RunTotals(analyzed: 1, partial: 2, cached: 4, failed: 8, skipped: 16, vanished: 32).seen == 63)
  }

  @Test func longFindingsAreShortened() {
    var record = FileRecord(path: "/a", status: .ok)
    record.otherFindings = [
      "b": .string(String(repeating: "x", count: 498)), "a": .string(String(repeating: "x", count: 499)),
    ]
    record.findings[TraitsFinding.self] = TraitsFinding.none(reason: "r")
    record.findings[OriginFinding.self] = OriginFinding()
    let lines = FindingLines([TraitsFinding.self, OriginFinding.self, HealthFinding.self]).lines(of: record)
    #expect(lines.map { $0.map(\.label) } == [["origin"], ["a"], ["b"]])
    #expect(lines.last?[0].text == "\"" + String(repeating: "x", count: 498) + "\"")
    #expect(lines.dropFirst().first?[0].text == "\"" + String(repeating: "x", count: 499) + " …")
    #expect(
      record.lines(of: TraitsFinding.self).map(\.text) == ["none: r"] && record.lines(of: KeyFinding.self).isEmpty)
  }

  // MARK: Fields

  private struct Item: Sendable {
    var text = ""
    var number: Double?
    var list: [String] = []
    var children: [Item] = []
    var map: [(key: String, value: Int)] = []
  }

  private static let child = Shape<Item>(
    summary: "A child.",
    fields: [.required("t", .text, "Text.") { $0.text }, .optional("n", .number, "Number.") { $0.number }])

  private static let shape = Shape<Item>(
    summary: "An item.",
    fields: [
      .required("text", .text, "Text.") { $0.text }, .required("size", .number, "Size.") { $0.number ?? .nan },
      .optional("name", .text, "Name.") { $0.text }, .optional("number", .number, "Number.") { $0.number },
      .list("list", .text, "List.") { $0.list }, .object("own", child, "Own.") { $0 },
      .optionalObject("first", child, "First.") { $0.children.first },
      .objects("children", child, "Children.") { $0.children }, .map("map", .integer, "Map.") { $0.map },
    ])

  private func written(_ item: Item) -> (json: String, cells: [String]) {
    var csv = CSVWriter(guardsFormulas: false)
    Self.shape.writeCells(item, into: &csv)
    return (String(decoding: Self.shape.ndjsonLine(item), as: UTF8.self), CSVReader.cells(csv.bytes))
  }

  @Test func emptyValuesAreNull() {
    let empty = written(Item())
    #expect(
      empty.json
        == #"{"text":"","size":0.0,"name":null,"number":null,"list":null,"own":{"t":"","n":null},"first":null,"#
        + #""children":null,"map":null}"# + "\n")
    #expect(empty.cells == ["", "0.0", "", "", "", "", "", "", "", "", ""])
    var item = Item(text: "x", number: .infinity, list: ["", ""])
    #expect(written(item).json.hasPrefix(#"{"text":"x","size":0.0,"name":"x","number":null,"list":null,"#))
    item = Item(
      text: "x", number: 1.5, list: ["", "a", "b"], children: [Item(text: "c", number: 2), Item(text: "d")],
      map: [("z", 1), ("y", 2)])
    let full = written(item)
    #expect(
      full.json
        == #"{"text":"x","size":1.5,"name":"x","number":1.5,"list":["a","b"],"own":{"t":"x","n":1.5},"#
        + #""first":{"t":"c","n":2.0},"children":[{"t":"c","n":2.0},{"t":"d","n":null}],"map":{"y":2,"z":1}}"# + "\n")
    #expect(
      full.cells == [
        "x", "1.5", "x", "1.5", "a / b", "x", "1.5", "c", "2.0", #"[{"t":"c","n":2.0},{"t":"d","n":null}]"#,
        #"{"y":2,"z":1}"#,
      ])
    #expect(
      Self.shape.columns.map(\.name) == [
        "text", "size", "name", "number", "list", "own_t", "own_n", "first_t", "first_n", "children", "map",
      ])
    #expect(Self.shape.columns.map(\.type).filter { $0 == "number" }.count == 4)
  }

  @Test func schemasSayWhatMayBeNull() {
    guard
      case .object(let members)? = { () -> JSONValue? in
        if case .object(let schema) = Self.shape.schema.json { schema["properties"] } else { nil }
      }()
    else {
      Issue.record("no properties")
      return
    }
    #expect(members["text"] == ["description": "Text.", "type": "string"])
    #expect(members["number"] == ["description": "Number.", "type": ["number", "null"]])
    #expect(
      members["list"] == [
        "description": "List.", "type": ["array", "null"], "minItems": 1, "items": ["type": "string"],
      ])
    #expect(
      members["map"] == [
        "description": "Map.", "type": ["object", "null"], "minProperties": 1,
        "additionalProperties": ["type": "integer"],
      ])
    let status = SchemaNode(Scalar<ReportFormat>.choice).orNull
    #expect(status.json == ["type": ["string", "null"], "enum": ["json", "ndjson", "csv", "html", .null]])
    let node: SchemaNode = ["b": [1, true, "x"], "a": [["c": []], .null], "e": [:]]
    #expect(
      node.text == """
        {
          "b": [1, true, "x"],
          "a": [
            {
              "c": []
            },
            null
          ],
          "e": {}
        }

        """)
    #expect(node.described("D").json == ["description": "D", "b": [1, true, "x"], "a": [["c": []], .null], "e": [:]])
    #expect(SchemaNode.bool(false).orNull.text == "false\n" && SchemaNode.null.described("x").text == "null\n")
  }

  @Test func findingsAreWritten() {
    func written<Finding: DeclaredFinding>(_ finding: Finding?, long: Set<String> = []) -> (
      json: String, cells: [String]
    ) {
      var record = FileRecord(path: "/a", status: .ok)
      record.findings[Finding.self] = finding
      let shape = Shape<FileRecord>(summary: "", fields: [.finding(Finding.self, long: long)])
      var csv = CSVWriter(guardsFormulas: false)
      shape.writeCells(record, into: &csv)
      var json = JSONWriter()
      shape.writeJSON(record, into: &json)
      return (json.text, CSVReader.cells(csv.bytes))
    }
    let none = written(nil as SectionsFinding?)
    #expect(none.json == #"{"sections":null}"# && none.cells == ["", "", ""])
    let empty = written(SectionsFinding())
    #expect(empty.json == #"{"sections":{"form":null,"map":null,"reason":null}}"# && empty.cells == ["", "", ""])
    let sections = written(
      SectionsFinding(map: [
        SectionsFinding.Section(startSeconds: 0, endSeconds: 1.23456, label: "A", levelDecibels: .infinity)
      ]))
    let map = #"[{"start_s":0.0,"end_s":1.2346,"label":"A","level_db":0.0}]"#
    #expect(sections.json == #"{"sections":{"form":"A","map":\#(map),"reason":null}}"#)
    #expect(sections.cells == ["A", map, ""])
    var waveform = WaveformFinding()
    (waveform.minima, waveform.peak) = ([1, 2], .nan)
    let long = written(waveform, long: ["waveform"])
    #expect(long.json.contains(#""minima":[1,2],"maxima":null"#) && long.json.contains(#""peak_dbfs":null"#))
    #expect(long.cells.contains("1 / 2") && written(waveform).json.contains(#""minima":null"#))
    var tags = TagFinding(fields: ["artist": ["A", "", "B"], "other:b": ["1", "2"], "other:a": ["3"]])
    tags.hasLyrics = true
    let text = written(tags)
    #expect(text.json.contains(#""artist":["A","B"]"#) && text.json.contains(#""other":{"a":["3"],"b":["1","2"]}"#))
    #expect(text.cells.contains("A / B") && text.cells.contains(#"{"a":["3"],"b":["1","2"]}"#))
    #expect(
      text.json.contains(#""has_lyrics":true"#)
        && written(TagFinding(fields: ["artist": [""]])).json.contains(#""artist":null"#))
  }

  // MARK: Runs

  @Test func totalsCountEachFileOnce() {
    #expect(RunTotals() == RunTotals(analyzed: 0, partial: 0, cached: 0, failed: 0, skipped: 0, vanished: 0))
    #expect(RunTotals().seen == 0)
    let totals = RunTotals(analyzed: 1, partial: 20, cached: 300, failed: 4_000, skipped: 50_000, vanished: 600_000)
    #expect(totals.seen == 654_321)
    #expect(RunTotals(analyzed: 1).partial == 0 && RunTotals(partial: 1).analyzed == 0 && RunTotals().cached == 0)
    #expect(RunTotals().failed == 0 && RunTotals().skipped == 0 && RunTotals().vanished == 0)
    let run = RunRecord(
      id: 1, started: .now, state: .running, programVersion: "1", pipeline: "p", configuration: .null,
      configurationDigest: "d", analyzers: [], roots: [])
    #expect(run.newlyFailed == 0 && run.newlyDamaged == 0 && run.pending == 0 && run.totals == RunTotals())
    #expect(run.finished == nil && run.exitStatus == nil)
  }

  // MARK: Schemas

  /// Nested records are required unless they may be missing, and have no members besides those that are declared.
  @Test func schemasOfNestedRecords() {
    let child: JSONValue = [
      "t": ["description": "Text.", "type": "string"], "n": ["description": "Number.", "type": ["number", "null"]],
    ]
    func record(_ description: String, _ type: JSONValue) -> JSONValue {
      [
        "type": type, "description": .string(description), "properties": child, "required": ["t", "n"],
        "additionalProperties": false,
      ]
    }
    guard case .object(let schema) = Self.shape.schema.json, case .object(let members)? = schema["properties"] else {
      Issue.record("no properties")
      return
    }
    #expect(members["own"] == record("Own.", "object"))
    #expect(members["first"] == record("First.", ["object", "null"]))
    #expect(
      members["children"] == [
        "description": "Children.", "type": ["array", "null"], "minItems": 1, "items": record("A child.", "object"),
      ])
    #expect(schema["additionalProperties"] == false && schema["type"] == "object")
    #expect(members["name"] == ["description": "Name.", "type": ["string", "null"]])
    #expect(SchemaNode(Scalar<Timestamp>.dateTime).json == ["type": "string", "format": "date-time"])
    #expect(SchemaNode(Scalar<JSONValue>.json).json == [:])
  }

  /// A field of a type with its own schema is never null unless it says so, and is JSON text in CSV.
  @Test func fieldsWithTheirOwnSchemas() {
    let field = Field<Item>("extra", ["type": "object"], definitions: ["d": ["type": "string"]]) { item, json in
      json.beginObject()
      json.key("n")
      json.integer(item.list.count)
      json.endObject()
    }
    #expect(!field.isNullable && field.columns.map(\.name) == ["extra"] && field.definitions.keys.sorted() == ["d"])
    let nullable = Field<Item>("extra", ["type": "object"], isNullable: true, definitions: [:]) { $1.null() }
    #expect(nullable.isNullable)
    let whole = Shape<[Item]>(summary: "Items.", fields: [field.of { $0[0] }, nullable.of { $0[0] }])
    var csv = CSVWriter(guardsFormulas: false)
    let items = [Item(list: ["a", "b"])]
    whole.writeCells(items, into: &csv)
    #expect(CSVReader.cells(csv.bytes) == [#"{"n":2}"#, "null"])
    #expect(String(decoding: whole.ndjsonLine(items), as: UTF8.self) == #"{"extra":{"n":2},"extra":null}"# + "\n")
    // Fields that write nothing are left out.
    var optional = field
    optional.writeIfAny = { item, json in
      if item.list.isEmpty { return }
      json.key("extra")
      json.integer(item.list.count)
    }
    let some = Shape<[Item]>(summary: "Items.", fields: [optional.of { $0[0] }])
    #expect(String(decoding: some.ndjsonLine(items), as: UTF8.self) == #"{"extra":2}"# + "\n")
    #expect(String(decoding: some.ndjsonLine([Item()]), as: UTF8.self) == "{}\n")
  }
}
