import Analysis
import AnalysisEngine
import AnalysisTesting
import AudioDecoding
import DSP
import Foundation
import Platform
import SystemPackage
import Testing
import Text

@testable import Pipeline

@Suite(.bounded) struct PipelineDefinitionTests {
  static let project = Repository.path()
  static let kinds = [AnalyzerKind(Gauge.self), AnalyzerKind(Counter.self)]

  @Test func readsWhatIsWritten() throws {
    let definition = try Self.read(
      """
      name: loops
      description: All of it   # a comment
      resampler: samplerate
      decode: needed
      analyzers:
        gauge:
          low: 2
          inner: {word: wide}
        counter:
      exec:
        mood:
          command: [python3, "mood.py"]
          timeout_s: 1.5
      """)
    #expect(definition.name == "loops")
    #expect(definition.summary == "All of it")
    #expect(definition.resampler == .samplerate)
    #expect(definition.decoding == .needed)
    #expect(
      definition.entries == [
        .init(id: "gauge", settings: ["low": .integer(2), "inner": .object(["word": .string("wide")])]),
        .init(id: "counter"),
        .init(
          id: "mood", kind: .exec,
          settings: ["command": .array([.string("python3"), .string("mood.py")]), "timeout_s": .number(1.5)]),
      ])
    let plan = try definition.plan(with: Self.kinds)
    #expect(plan.plugins.map(\.id) == ["gauge", "counter", "mood"])
    #expect(plan.resampler == .samplerate)
    #expect(plan.decoding == .needed)
  }

  /// The mistake, its place, and a valid spelling.
  static let mistakes: [(yaml: String, message: String)] = [
    ("", "pipeline.yaml: analyzers: there is nothing to do: name at least one analyzer under analyzers or exec"),
    (
      "analyzers:",
      "pipeline.yaml:1:1: analyzers: there is nothing to do: name at least one analyzer under analyzers or exec"
    ),
    ("- gauge", "pipeline.yaml:1:1: expects a mapping, not a list"),
    ("analyzers: [gauge]", "pipeline.yaml:1:12: analyzers: expects a mapping, not a list"),
    ("analyser:\n  gauge:", "pipeline.yaml:1:1: analyser: unknown key; did you mean 'analyzers'?"),
    (
      "resampler: sox\nanalyzers: {gauge: }",
      "pipeline.yaml:1:12: resampler: 'sox' is not valid; did you mean 'soxr'?"
    ),
    ("name: [x]\nanalyzers: {gauge: }", "pipeline.yaml:1:7: name: expects text, not a list"),
    (
      "analyzers:\n  guage:",
      "pipeline.yaml:2:3: analyzers.guage: unknown analyzer; did you mean 'gauge'?"
    ),
    (
      "analyzers:\n  loudness:",
      "pipeline.yaml:2:3: analyzers.loudness: unknown analyzer; valid here: counter, gauge"
    ),
    ("analyzers:\n  gauge: 5", "pipeline.yaml:2:10: analyzers.gauge: expects a mapping, not a number"),
    (
      "analyzers:\n  gauge:\n    lwo: 5", "pipeline.yaml:3:5: analyzers.gauge.lwo: unknown key; did you mean 'low'?"
    ),
    (
      "analyzers:\n  gauge:\n    inner:\n      wrod: x",
      "pipeline.yaml:4:7: analyzers.gauge.inner.wrod: unknown key; did you mean 'word'?"
    ),
    ("analyzers:\n  gauge:\n    low: high", "pipeline.yaml:3:5: analyzers.gauge.low: expects a number, not text"),
    ("analyzers:\n  gauge: {low: 11}", "pipeline.yaml:2:11: analyzers.gauge.low: must be 0 to 10, not 11"),
    ("analyzers:\n  Gauge:", "an id must be a lower-case word of letters, digits and underscores, such as my_analyzer"),
    ("analyzers: {gauge: , gauge: }", "pipeline.yaml:1:13: gauge: appears twice"),
    ("exec:\n  mood:", "pipeline.yaml:2:3: exec.mood.command: must name a program, such as [python3, key.py]"),
    (
      "exec:\n  gauge: {command: [x]}",
      "pipeline.yaml:2:3: exec.gauge: a built-in analyzer has this id; choose another one"
    ),
    (
      "analyzers: {gauge: }\nexec:\n  gauge: {command: [x]}",
      "pipeline.yaml:3:3: exec.gauge: another analyzer has this id; choose a different one"
    ),
    ("exec:\n  mood: {command: [x], inptu: pcm}", "exec.mood.inptu: unknown key; did you mean 'input'?"),
    ("analyzers: {gauge", "pipeline.yaml:2:1: is not YAML: "),
    ("a: b: c", "pipeline.yaml:1:5: is not YAML: "),
    ("analyzers: *x", "is not YAML: found undefined alias"),
    ("? [a]\n: b", "pipeline.yaml:1:3: keys must be words"),
    ("a: 1\n---\nb: 2", "is not YAML: "),
    ("analyzers: \u{7}", "pipeline.yaml: is not YAML: "),
  ]

  @Test(arguments: mistakes.indices)
  func mistakesAreExplained(index: Int) throws {
    let (yaml, message) = Self.mistakes[index]
    let error = try #require(throws: DefinitionError.self) { _ = try Self.read(yaml).plan(with: Self.kinds) }
    #expect(error.description.contains(message), "\(error)")
  }

  /// Every level of the settings has positions of its own, and values inside lists have that of their key.
  @Test(
    arguments: [
      ("inner:\n      deep:\n        word: 5", "5:9: analyzers.nested.inner.deep.word: expects text"),
      ("inner:\n      deep:\n        low: 3\n        wrod: x", "6:9: analyzers.nested.inner.deep.wrod: unknown key"),
      (
        "inner:\n      other: 1\n      deep: {word: a, low: x}",
        "5:23: analyzers.nested.inner.deep.low: expects a number"
      ),
      ("inner:\n      other: x", "4:7: analyzers.nested.inner.other: expects a number"),
      ("inner:\n      deep: x", "4:7: analyzers.nested.inner.deep: expects a mapping"),
      ("inner: 5", "3:5: analyzers.nested.inner: expects a mapping"),
      ("inner:\n      words:\n        - a\n        - 5", "4:7: analyzers.nested.inner.words"),
    ])
  func mistakesInsideSettingsHaveTheirLines(settings: String, message: String) throws {
    let yaml = "analyzers:\n  nested:\n    \(settings)"
    let error = try #require(throws: DefinitionError.self) {
      _ = try Self.read(yaml).plan(with: [AnalyzerKind(Nested.self)])
    }
    #expect(error.description.hasPrefix("pipeline.yaml:\(message)"), "\(error)")
  }

  @Test func hostileTextsAreRefused() throws {
    let bomb = (1...30).reduce("a0: &a0 [x, x]\n") { text, level in
      text + "a\(level): &a\(level) [*a\(level - 1), *a\(level - 1)]\n"
    }
    for text in [
      bomb, String(repeating: "[", count: 100_000), String(repeating: "a: {", count: 900),
      String(repeating: "- ", count: 900),
      String(repeating: "x: y\n", count: 100_000), "\u{FEFF}", "%YAML 9.9\n---\n", "!!binary x", "&a *a", "\0",
    ] {
      #expect(throws: DefinitionError.self) { try Self.read(text) }
    }
    #expect(throws: DefinitionError.self) { try PipelineDefinition(yaml: [0xFF, 0xFE], name: "x", source: "x") }
  }

  @Test func damagedTextsNeverCrash() throws {
    var random = SplitMix64(seed: 1)
    let texts = NamedPipelines.builtIn.values.sorted { $0.count < $1.count }
    for round in 0..<600 {
      var text = texts[round % texts.count]
      for _ in 0...Int.random(in: 0..<4, using: &random) {
        let place = Int.random(in: 0..<text.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: text[place] = UInt8.random(in: 0...255, using: &random)
        case 1: text.remove(at: place)
        default: text.insert("&*[]{}:-\"'!|>%@\n \t".utf8.randomElement(using: &random) ?? 0, at: place)
        }
      }
      _ = try? PipelineDefinition(yaml: text, name: "damaged", source: "damaged").plan(with: Self.kinds)
    }
  }

  @Test func equalMeaningGivesEqualDigests() throws {
    let short = try Self.read("analyzers: {gauge: , counter: }").plan(with: Self.kinds)
    let long = try Self.read(
      """
      name: another
      resampler: soxr
      analyzers:
        counter:
        gauge: {low: 1.0, word: a, inner: {word: narrow}}
      """
    ).plan(with: Self.kinds)
    #expect(short.configuration == long.configuration)
    #expect(short.digest == long.digest)
    for changed in ["{gauge: , counter: }\ndecode: needed", "{gauge: {low: 2}, counter: }", "{gauge: }"] {
      #expect(try Self.read("analyzers: \(changed)").plan(with: Self.kinds).digest != short.digest)
    }
  }

  @Test func theResolvedConfigurationHasEveryKey() throws {
    let plan = try Self.read("analyzers: {gauge: {low: 2}}").plan(with: Self.kinds)
    #expect(
      plan.configuration.canonicalText
        == #"{"analyzers":{"gauge":{"settings":{"inner":{"word":"narrow"},"low":2,"word":"a"},"version":3}},"#
        + #""decode":"whole","resampler":"soxr"}"#)
  }

  @Test func aPlanCanBeLimited() throws {
    let definition = try Self.read("analyzers: {gauge: , counter: }")
    let whole = try definition.plan(with: Self.kinds)
    let part = try definition.plan(with: Self.kinds, only: ["counter"])
    #expect(part.plugins.map(\.identity) == [whole.plugins[1].identity])
    let error = try #require(throws: DefinitionError.self) { try definition.plan(with: Self.kinds, only: ["couter"]) }
    #expect(error.problem == "this pipeline has no analyzer 'couter'; did you mean 'counter'?")
  }

  // MARK: - Sources of definitions

  @Test func builtInDefinitionsAreThoseOfTheFolder() throws {
    let folder = Self.project.appending("pipelines")
    let names = try FolderListing.names(in: folder).map(\.string).filter { $0.hasSuffix(".yaml") }
    #expect(Set(names.map { "\($0.dropLast(5))" }) == Set(NamedPipelines.builtIn.keys))
    for name in names {
      let text = try SmallFile.read(folder.appending(name), limit: 1 << 20)
      #expect(text == NamedPipelines.builtIn["\(name.dropLast(5))"])
    }
  }

  @Test(arguments: NamedPipelines.builtIn.keys.sorted())
  func builtInDefinitionsAreGood(name: String) throws {
    let definition = try NamedPipelines().definition(name)
    #expect(definition.name == name)
    #expect(!definition.summary.isEmpty)
    for entry in definition.entries where entry.kind == .exec {
      var alone = definition
      alone.entries = [entry]
      #expect(try alone.plan(with: []).plugins.count == 1)
    }
  }

  @Test func theExampleOfOtherLanguagesWorks() throws {
    let folder = try TemporaryDirectory()
    let path = try folder.write(Signal(seconds: 1) { 0.5 * sin(2 * .pi * 440 * $0) }, as: "tone.wav")
    let size = try SmallFile.read(path, limit: 1 << 20).count
    var definition = try NamedPipelines().definition("exec-example")
    definition.entries.removeAll { $0.kind == .builtIn }
    let analysis = try #require(try definition.plan(with: []).makeFileAnalyzer().analyze(AnalysisJob(path: path)))
    let findings = analysis.outcomes.map { outcome in
      if case .finding(let finding as JSONFinding) = outcome.result { finding.value } else { nil as JSONValue? }
    }
    #expect(findings.first == .object(["bytes": .integer(Int64(size))]))
    guard case .object(let last) = findings.last, case .number(let peak) = last["peak"] else {
      Issue.record("no peak: \(analysis.outcomes)")
      return
    }
    #expect(abs(peak - 0.5) < 0.02)
  }

  @Test func theExampleOfTheDocumentationIsGood() throws {
    let page = Self.project.appending("docs/configuration.md")
    let text = String(decoding: try SmallFile.read(page, limit: 1 << 20), as: UTF8.self)
    let example = try #require(
      text.components(separatedBy: "```").first { $0.hasPrefix("yaml\ndescription:") }?.dropFirst(5))
    let definition = try Self.read(String(example))
    #expect(definition.entries.map(\.id) == ["tags", "tempo", "noise_floor"])
    let exec = definition.entries.filter { $0.kind == .exec }
    #expect(try PipelineDefinition(name: "example", entries: exec).plan(with: []).plugins.count == 1)
  }

  @Test(arguments: NamedPipelines.builtIn.keys.sorted())
  func aDefinitionInOneLineReadsBack(name: String) throws {
    var definition = try NamedPipelines().definition(name)
    definition.entries.append(
      .init(
        id: "odd", kind: .exec,
        settings: [
          "command": .array([.string("a\"b\\c\u{1}\u{7F}\u{85}\u{2028}\u{FEFF}\u{FFFF}é🎵\n"), .null, .number(0.5)])
        ]))
    let again = try Self.read(definition.text)
    #expect(!definition.text.contains("\n"))
    #expect(Set(again.entries) == Set(definition.entries))
    #expect(again.name == definition.name)
    #expect(again.resampler == definition.resampler)
    #expect(again.decoding == definition.decoding)
  }

  @Test func namesAndPathsAreFound() throws {
    let folder = try TemporaryDirectory()
    let text = Array("analyzers: {gauge: }".utf8)
    try folder.write(text, as: "mine.yaml")
    try folder.write(text, as: "default.yaml")
    try folder.write(text, as: "notes.txt")
    let pipelines = NamedPipelines(userFolder: folder.path)
    #expect(pipelines.names() == ["default", "exec-example", "fingerprint", "health", "mine", "tags-only", "tempo"])
    #expect(try pipelines.definition("mine").name == "mine")
    #expect(try pipelines.definition("default").entries.count > 1)
    #expect(try pipelines.definition(folder.file("default.yaml").string).entries.map(\.id) == ["gauge"])
    let error = try #require(throws: DefinitionError.self) { try pipelines.definition("tag-only") }
    #expect(error.problem.contains("did you mean 'tags-only'?"))
    let missing = try #require(throws: DefinitionError.self) { try pipelines.definition("./gone.yaml") }
    #expect(missing.description == "./gone.yaml: cannot be read: No such file or directory")
  }

  // MARK: - YAML

  @Test(
    arguments: [
      ("1", .integer(1)), ("-7", .integer(-7)), ("+7", .integer(7)), ("0x1F", .integer(31)), ("0o17", .integer(15)),
      ("1.5", .number(1.5)), ("1e3", .number(1000)), (".5", .number(0.5)), ("5.", .number(5)), ("-.5", .number(-0.5)),
      ("true", .bool(true)), ("False", .bool(false)), ("", .null), ("~", .null), ("null", .null),
      ("no", .string("no")), ("on", .string("on")), ("1_000", .string("1_000")), ("nan", .string("nan")),
      (".inf", .string(".inf")), ("1:30", .string("1:30")), ("0x1p3", .string("0x1p3")), ("1e999", .string("1e999")),
      ("99999999999999999999", .number(1e20)), ("--5", .string("--5")), (".", .string(".")), ("-", .string("-")),
      ("2024-01-01", .string("2024-01-01")),
    ] as [(String, JSONValue)])
  func plainScalarsAreThoseOfTheCoreSchema(text: String, value: JSONValue) {
    #expect(YAMLText.value(ofPlain: text) == value)
  }

  private static func read(_ yaml: String) throws(DefinitionError) -> PipelineDefinition {
    try PipelineDefinition(yaml: Array(yaml.utf8), name: "pipeline", source: "pipeline.yaml")
  }
}

/// An analyzer with settings of several kinds.
private struct Gauge: Analyzer {
  struct Configuration: AnalyzerConfiguration {
    struct Inner: Codable, Hashable, Sendable {
      var word = "narrow"
    }

    var low = 1.0
    var word = "a"
    var inner = Inner()
  }

  static let id = "gauge"
  static let version = 3
  static let summary = "Takes settings."

  init(_ configuration: Configuration) throws(ConfigurationError) {
    guard (0...10).contains(configuration.low) else {
      throw ConfigurationError(key: "low", problem: "must be 0 to 10, not \(Int(configuration.low))")
    }
  }

  var feed: Feed { .samples(SampleLayout(rate: .hertz(8_000))) }
  func makeSession(for file: AudioFile) throws(AnalysisError) -> Idle { Idle() }
}

/// An analyzer whose settings have three levels.
private struct Nested: Analyzer {
  struct Configuration: AnalyzerConfiguration {
    struct Inner: Codable, Hashable, Sendable {
      struct Deep: Codable, Hashable, Sendable {
        var word = "a"
        var low = 1.0
      }

      var deep = Deep()
      var other = 1.0
      var words = ["a"]
    }

    var inner = Inner()
  }

  static let id = "nested"
  static let version = 1
  static let summary = "Takes settings of several levels."

  init(_ configuration: Configuration) {}
  var feed: Feed { .file }
  func makeSession(for file: AudioFile) throws(AnalysisError) -> Idle { Idle() }
}

/// An analyzer without settings.
private struct Counter: Analyzer {
  static let id = "counter"
  static let version = 1
  static let summary = "Takes no settings."

  init(_ configuration: NoConfiguration) {}
  var feed: Feed { .file }
  func makeSession(for file: AudioFile) throws(AnalysisError) -> Idle { Idle() }
}

/// A session that finds nothing in particular.
private struct Idle: AnalysisSession {
  struct Finding: AnalysisFinding {}

  mutating func consume(_ values: Span<Float>, at index: Int64) throws(AnalysisError) {}

  mutating func finish() throws(AnalysisError) -> Finding { Finding() }
}
