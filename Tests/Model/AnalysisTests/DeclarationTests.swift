import Analysis
import AnalysisTesting
import Testing
import Text

/// Settings of analyzers, and fields of findings.
@Suite(.bounded) struct ConfigurationTests {
  private enum Choice: String, ConfigurationChoice { case one, two }

  private struct Inner: Codable, Hashable { var depth = 1 }

  private struct Settings: AnalyzerConfiguration {
    var length = 5
    var ratio = 0.5
    var name = "x"
    var flag = false
    var list = [1]
    var choice = Choice.one
    var inner = Inner()
    var optional: Int?

    init() {}

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(length, forKey: .length)
      try container.encode(ratio, forKey: .ratio)
      try container.encode(name, forKey: .name)
      try container.encode(flag, forKey: .flag)
      try container.encode(list, forKey: .list)
      try container.encode(choice, forKey: .choice)
      try container.encode(inner, forKey: .inner)
      try container.encode(optional, forKey: .optional)
    }
  }

  @Test func settingsAreMerged() throws {
    #expect(try Settings(merging: [:]) == Settings())
    let merged = try Settings(merging: [
      "length": 7, "ratio": 2, "flag": true, "choice": "two", "inner": ["depth": 3], "optional": 4, "list": [],
    ])
    #expect(merged.length == 7 && merged.ratio == 2 && merged.flag && merged.choice == .two && merged.inner.depth == 3)
    #expect(merged.optional == 4 && merged.list.isEmpty && merged.name == "x")
    #expect(try Settings().settings()["inner"] == ["depth": 1] && Settings().settings()["optional"] == .null)
    #expect(try NoConfiguration(merging: [:]) == NoConfiguration())
  }

  @Test(
    arguments: [
      (["lenght": 7], "lenght: unknown key; did you mean 'length'?"),
      (["inner": ["dept": 3]], "inner.dept: unknown key; did you mean 'depth'?"),
      (["length": "7"], "length: expects a number, not text"),
      (["length": .null], "length: expects a number, not null"),
      (["name": 7], "name: expects text, not a number"), (["flag": 1], "flag: expects true or false, not a number"),
      (["list": "x"], "list: expects a list, not text"), (["inner": 5], "inner: expects a mapping, not a number"),
      (["length": 7.5], "length: expects a whole number, not 7.5"),
      (["inner": ["depth": 1.5]], "inner.depth: the number does not fit into Int"),
      (["list": ["x"]], "list.0: expects a whole number"), (["optional": "x"], "optional: expects a whole number"),
      (["choice": "three"], "choice: must be one of one, two, not three"),
      // The first of several by name.
      (["name": 7, "flag": 1], "flag: expects true or false, not a number"),
    ] as [([String: JSONValue], String)]) func mistakesAreNamed(settings: [String: JSONValue], message: String)
  {
    let error = #expect(throws: ConfigurationError.self) { try Settings(merging: settings) }
    #expect(error?.description == message)
  }
}

@Suite(.bounded) struct DeclarationTests {
  private struct Part: DeclaredRecord {
    var size = 0
    var name: String?
    static let summary = "A part."
    static let fields: [FindingField<Part>] = [
      .field("size", \.size, "Size."), .field("name", \.name, "Name.", isIndexed: true),
    ]
  }

  private struct Sample: DeclaredFinding {
    var text = ""
    var number: Double?
    var count = 0
    var flag: Bool?
    var json: JSONValue?
    var bytes: [UInt8] = []
    var texts: [String] = []
    var numbers: [Double] = []
    var lists: [String: [String]] = [:]
    var part = Part()
    var parts: [Part] = []
    var hidden = 0
    var rows: [Part] = []

    static let declaration = FindingDeclaration<Sample>(
      "sample", analyzer: "sampler", "A sample.",
      fields: [
        .field("text", \.text, "Text.", shown: Shown("is", unit: "!"), nullIfEmpty: true),
        .field("number", \.number, "Number.", shown: Shown(decimals: 1), isIndexed: true, column: "value"),
        .field("count", \.count, "Count.", table: "other"), .field("flag", \.flag, "Flag.", shown: Shown("flag")),
        .field("json", \.json, "JSON."), .field("bytes", \.bytes, "Bytes.", long: "all"),
        .field("texts", \.texts, "Texts.", shown: Shown()), .field("numbers", \.numbers, "Numbers."),
        .field("lists", \.lists, "Lists."),
        .record("part", \.part, "Part.", table: "part", isEmpty: { $0.size == 0 }),
        .field("parts", \.parts, "Parts."), .stored("hidden", \.hidden, "Hidden."),
        .column("double", "Twice the count.") { $0.count * 2 },
        .derived("whole", "Whole.") { _, context in context.isWhole },
        .derived("long", "Long.", long: "more") { sample, _ in sample.count },
        .rows("rows", \.rows, "Rows.", table: "row"), .rows("silent", \.rows, "Rows.", table: "row", isReported: false),
      ])
  }

  private var full: Sample {
    var sample = Sample()
    (sample.text, sample.number, sample.count, sample.flag, sample.json) = ("t", 1.26, 3, true, ["a": 1])
    (sample.bytes, sample.texts, sample.numbers, sample.lists) = ([0, 255], ["a", "b"], [1.5], ["x": ["y"]])
    (sample.part, sample.parts, sample.hidden) = (
      Part(size: 5, name: "n"), [Part(size: 1), Part(size: 2, name: "m")], 9
    )
    return sample
  }

  private let context = FindingContext(format: nil, isWhole: true, tempoCorrection: nil)

  @Test func findingsAreReadBack() throws {
    for sample in [Sample(), full] {
      let value = try JSONValue(encoding: sample)
      #expect(try value.decoded(as: Sample.self) == sample)
    }
    let value = try JSONValue(encoding: full)
    guard case .object(let members) = value else {
      Issue.record("no object")
      return
    }
    #expect(members["bytes"] == "AP8=" && members["hidden"] == 9 && members["part"] == ["size": 5, "name": "n"])
    #expect(members["parts"] == [["size": 1], ["size": 2, "name": "m"]] && members["whole"] == nil)
    #expect(members["double"] == nil && members["number"] == .number(1.26))
    // Optional fields may be missing or null; others may not.
    var missing = members
    missing["number"] = nil
    missing["flag"] = .null
    #expect(try JSONValue.object(missing).decoded(as: Sample.self).flag == nil)
    missing["count"] = nil
    #expect(throws: DecodingError.self) { try JSONValue.object(missing).decoded(as: Sample.self) }
    missing["count"] = 3
    missing["bytes"] = "?"
    #expect(throws: DecodingError.self) { try JSONValue.object(missing).decoded(as: Sample.self) }
  }

  @Test func fieldsHaveColumns() throws {
    func field(_ name: String) throws -> FindingField<Sample> {
      try #require(Sample.declaration.fields.first { $0.name == name })
    }
    func columns(_ name: String) throws -> [FindingField<Sample>.Column] {
      if case .columns(let columns) = try field(name).storage { columns } else { [] }
    }
    #expect(Sample.analyzer == "sampler" && Sample.declaration.table == "sample" && Sample.isOnPages)
    #expect(Sample.longFields == ["all", "more"])
    let number = try #require(try columns("number").first)
    #expect(
      number.name == "value" && number.isIndexed && number.isNullable && number.table == nil && !number.nullIfEmpty)
    let text = try #require(try columns("text").first)
    #expect(text.name == "text" && !text.isIndexed && text.isNullable && text.nullIfEmpty)
    let count = try #require(try columns("count").first)
    #expect(count.table == "other" && !count.isNullable && count.get(full) == .integer(3))
    #expect(try columns("part").map(\.name) == ["size", "name"] && columns("part").map(\.table) == ["part", "part"])
    #expect(try columns("part").map(\.isIndexed) == [false, true])
    var sample = Sample()
    try columns("part")[0].set?(&sample, .integer(7))
    try columns("part")[1].set?(&sample, .text("z"))
    // A value of another type changes nothing.
    try columns("part")[0].set?(&sample, .text("x"))
    #expect(sample.part == Part(size: 7, name: "z"))
    #expect(try columns("part")[0].get(sample) == .integer(7))
    let twice = try #require(try columns("double").first)
    #expect(twice.get(full) == .integer(6) && twice.set == nil)
    #expect(try field("double").report == nil && field("hidden").report == nil && field("silent").report == nil)
    #expect(try field("hidden").long == "hidden" && field("rows").report != nil && columns("rows").isEmpty)
    for (name, isNullable) in [
      ("text", true), ("number", true), ("count", false), ("bytes", true), ("texts", true), ("part", true),
      ("whole", false), ("long", true), ("rows", true), ("hidden", false), ("double", false),
    ] { #expect(try field(name).isNullable == isNullable, "\(name)") }
  }

  @Test func reportsContainWhatIsAskedFor() {
    let names = Sample.declaration.reportType.members.map(\.name)
    #expect(
      names == [
        "text", "number", "count", "flag", "json", "bytes", "texts", "numbers", "lists", "part", "parts", "whole",
        "long", "rows",
      ])
    func values(_ sample: Sample, _ long: Set<String>) -> [String: FieldValue] {
      Dictionary(uniqueKeysWithValues: zip(names, Sample.declaration.reportValues(long: long)(sample, context)))
    }
    let short = values(full, [])
    #expect(short["text"] == .text("t") && short["bytes"] == .null && short["long"] == .null)
    #expect(short["whole"] == .boolean(true) && short["part"] == .record([.integer(5), .text("n")]))
    #expect(values(full, ["all"])["bytes"] == .blob([0, 255]) && values(full, ["more"])["long"] == .integer(3))
    #expect(values(Sample(), [])["part"] == .null && values(Sample(), [])["number"] == .null)
    let members = Sample.declaration.reportType.members
    #expect(members[0].nullIfEmpty && !members[1].nullIfEmpty && members[1].isOptional && !members[2].isOptional)
    // Tags are entries of a map.
    let tags = TagFinding(fields: ["title": ["T"], "track": ["7"], "other:X": ["Y"]])
    let type = TagFinding.declaration.reportType.members.map(\.name)
    let found = TagFinding.declaration.reportValues(long: [])(tags, context)
    func tag(_ name: String) -> FieldValue? { type.firstIndex(of: name).map { found[$0] } }
    #expect(tag("title") == .text("T") && tag("track") == .integer(7) && tag("artist") == .null)
    #expect(tag("other") == .textLists(["X": ["Y"]]) && tag("lyrics") == .null && tag("fields") == nil)
    let title = TagFinding.declaration.fields.first { $0.name == "title" }
    #expect(title?.report?(tags, context) == .text("T") && title?.report?(TagFinding(), context) == .null)
  }

  @Test func shownFieldsAreOneLine() {
    func text(_ sample: Sample) -> [String] {
      Sample.declaration.lines(sample, context).map { "\($0.label): \($0.text)" }
    }
    #expect(text(Sample()).isEmpty)
    #expect(text(full) == ["sample: is t !, 1.3, flag yes, a / b"])
    var sample = Sample()
    (sample.number, sample.flag) = (.infinity, false)
    #expect(text(sample) == ["sample: flag no"])
  }

  @Test func valuesAreEmpty() {
    for value: FieldValue in [
      .null, .text(""), .blob([]), .texts([]), .numbers([]), .textLists([:]), .records([]),
    ] { #expect(value.isEmpty) }
    for value: FieldValue in [
      .text("a"), .blob([0]), .texts([""]), .numbers([0]), .textLists(["": []]), .records([[]]), .integer(0),
      .number(0),
      .boolean(false), .json(.null), .record([]),
    ] { #expect(!value.isEmpty) }
    for type: FieldType in [.blob, .texts, .numbers, .textLists] { #expect(type.isList && !type.isScalar) }
    for type: FieldType in [.text, .integer, .number, .boolean] { #expect(!type.isList && type.isScalar) }
    #expect(!FieldType.json.isList && !FieldType.json.isScalar)
  }

  @Test func outcomesAreReadBack() throws {
    let identity = AnalyzerIdentity(id: "sampler", version: 2, digest: "d")
    let types = ["sampler": Sample.self as any AnalysisFinding.Type]
    let key = try #require(CodingUserInfoKey.findingTypes)
    func copy(_ outcome: AnalyzerOutcome, isKnown: Bool = true) throws -> AnalyzerOutcome {
      try JSONValue(encoding: outcome).decoded(as: AnalyzerOutcome.self, userInfo: isKnown ? [key: types] : [:])
    }
    let found = AnalyzerOutcome(analyzer: identity, result: .finding(full))
    #expect(try copy(found).finding as? Sample == full && copy(found).analyzer == identity)
    #expect(try copy(found, isKnown: false).finding is JSONFinding)
    let failed = try copy(AnalyzerOutcome(analyzer: identity, result: .failed("x")))
    if case .failed("x") = failed.result {} else { Issue.record("not failed") }
    let other = try copy(AnalyzerOutcome(analyzer: identity, result: .notApplicable("y")))
    if case .notApplicable("y") = other.result {} else { Issue.record("applicable") }
    #expect(failed.finding == nil && other.finding == nil)
    let earlier = EarlierFindings([full, TraitsFinding()])
    #expect(earlier[Sample.self] == full && earlier[TraitsFinding.self] != nil && earlier[KeyFinding.self] == nil)
  }
}

@Suite(.bounded) struct PluginTests {
  private func plugin(
    _ id: String, reads: [String] = [], feed: Feed = .file, setting: JSONValue = 1, resampler: String = "r"
  )
    -> AnalyzerPlugin
  {
    AnalyzerPlugin(
      id: id, version: 1, feed: feed, configuration: .null, shapingFinding: setting, resampler: resampler, reads: reads
    ) { (_) throws(AnalysisError) in throw .failed("unused") }
  }

  @Test func digestsDependOnWhatShapesFindings() {
    let spectrum = Feed.spectrum(SpectrumLayout(sampleRate: 1, windowLength: 2, hop: 1))
    #expect(plugin("a").identity == plugin("a", resampler: "s").identity)
    #expect(plugin("a").identity != plugin("a", setting: 2).identity)
    #expect(plugin("a", feed: spectrum).identity != plugin("a", feed: spectrum, resampler: "s").identity)
    #expect(plugin("a").id == "a" && plugin("a").version == 1 && plugin("a").supersedingIdentities.isEmpty)
  }

  @Test func readersComeLater() {
    let plugins = [plugin("c", reads: ["b", "none"]), plugin("a"), plugin("b", reads: ["a"]), plugin("d")]
    #expect(plugins.readingOrder.map { plugins[$0].id } == ["a", "b", "c", "d"])
    #expect(plugins.selecting(["c"]).map(\.id) == ["c", "a", "b"] && plugins.selecting(["b"]).map(\.id) == ["a", "b"])
    #expect(plugins.selecting(["d"]).map(\.id) == ["d"] && plugins.selecting([]).isEmpty)
  }

  @Test func identitiesDependOnWhatIsRead() {
    let (a, b) = (plugin("a"), plugin("b"))
    let reader = plugin("r", reads: ["a", "b"])
    func identity(_ plugins: [AnalyzerPlugin], defaults: [AnalyzerPlugin] = []) -> AnalyzerPlugin {
      plugins.asOnePipeline(defaults: defaults).first { $0.id == "r" } ?? a
    }
    let alone = identity([reader])
    #expect(alone.identity == reader.identity && alone.supersedingIdentities.isEmpty)
    let (withA, withB, withBoth) = (identity([a, reader]), identity([reader, b]), identity([reader, b, a]))
    #expect(Set([alone, withA, withB, withBoth].map(\.identity.digest)).count == 4)
    #expect(identity([b, a, reader]).identity == withBoth.identity)
    // Findings that are based on more analyzers are current, too.
    #expect(
      identity([reader], defaults: [a, b]).supersedingIdentities
        == [withA.identity, withB.identity, withBoth.identity])
    let partly = identity([a, reader], defaults: [a, b])
    #expect(partly.supersedingIdentities == [withBoth.identity] && partly.identity == withA.identity)
    #expect(partly.isCovered(by: [withBoth.identity]) && partly.isCovered(by: [withA.identity]))
    #expect(!partly.isCovered(by: [alone.identity, withB.identity]) && !partly.isCovered(by: []))
    #expect(identity([a, b, reader], defaults: [a, b]).supersedingIdentities.isEmpty)
  }
}
