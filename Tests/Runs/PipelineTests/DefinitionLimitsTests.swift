import Analysis
import AnalysisEngine
import AnalysisTesting
import DSP
import Platform
import ResultStore
import SystemPackage
import Testing
import Text

@testable import Pipeline

/// The limits of definitions, and the effect of their keys on a plan.
@Suite(.bounded) struct DefinitionLimitsTests {
  private static func definition(_ yaml: String) throws(DefinitionError) -> PipelineDefinition {
    try PipelineDefinition(yaml: Array(yaml.utf8), name: "pipeline", source: "pipeline.yaml")
  }

  // MARK: - Size and depth of YAML

  /// A kind of text that has a limit, with its largest accepted size and the message beyond.
  struct Limit: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let largest: Int
    let message: String
    let text: @Sendable (Int) -> String
  }

  static let limits = [
    Limit(testDescription: "bytes", largest: 1 << 18, message: "is longer than 256 KiB") {
      String(repeating: "#", count: $0)
    },
    // The list itself is a value, too.
    Limit(testDescription: "values", largest: 19_999, message: "is too long or too deep") {
      "[\(Array(repeating: "x", count: $0).joined(separator: ", "))]"
    },
    // One more value is inside of the innermost list.
    Limit(testDescription: "nested lists", largest: 49, message: "is too long or too deep") {
      String(repeating: "[", count: $0) + "x" + String(repeating: "]", count: $0)
    },
    Limit(testDescription: "nested mappings", largest: 49, message: "is too long or too deep") {
      String(repeating: "{a: ", count: $0) + "x" + String(repeating: "}", count: $0)
    },
    Limit(testDescription: "aliases", largest: 32, message: "has more than 32 aliases (*name)") {
      "- &a x\n- [\(Array(repeating: "*a", count: $0).joined(separator: ", "))]"
    },
    Limit(testDescription: "aliases without spaces", largest: 32, message: "has more than 32 aliases (*name)") {
      "- &a x\n- [\(Array(repeating: "*a", count: $0).joined(separator: ","))]"
    },
  ]

  @Test(arguments: limits) func textsMayBeThisLarge(limit: Limit) throws {
    _ = try YAMLText(Array(limit.text(limit.largest).utf8), source: "x")
    let error = try #require(throws: DefinitionError.self) {
      try YAMLText(Array(limit.text(limit.largest + 1).utf8), source: "x")
    }
    #expect(error.problem == limit.message)
  }

  /// Asterisks that are no aliases do not count.
  @Test(
    arguments: [
      // Without an anchor, there are no aliases.
      (#"a: "b""#, "*b"),
      // An ampersand inside of a word is no anchor.
      (#"a: "R&B""#, "*b"), (#"a: "B &""#, "*b"),
      // Neither an asterisk inside or at the end of a word nor one that stands alone is an alias.
      ("a: &b x", "x*y"), ("a: &b x", "é*y"), ("a: &b x", "x*"), ("a: &b x", "2 * 3"),
    ])
  func asterisksInTextAreNoAliases(value: String, comment: String) throws {
    let text = value + " # " + Array(repeating: comment, count: 40).joined(separator: " ")
    let root = try #require(try YAMLText(Array(text.utf8), source: "x").root)
    guard case .object(let members) = root.json else {
      Issue.record("no mapping: \(root)")
      return
    }
    #expect(Array(members.keys) == ["a"])
  }

  // MARK: - Sources

  /// Shells pass `<(…)` as the path of a pipe.
  @Test func definitionsComeFromPipesToo() throws {
    let pipe = try FileDescriptor.pipe()
    defer { try? pipe.readEnd.close() }
    try pipe.writeEnd.closeAfter { _ = try pipe.writeEnd.writeAll("exec: {x: {command: [y]}}".utf8) }
    let definition = try PipelineDefinition(at: FilePath("/dev/fd/\(pipe.readEnd.rawValue)"))
    #expect(definition.entries.map(\.id) == ["x"])
  }

  @Test func bothExtensionsNameFilesOfTheFolder() throws {
    let folder = try TemporaryDirectory()
    for name in ["long.yaml", "short.yml", "none.yam"] {
      try folder.write(Array("description: \(name)\nexec: {x: {command: [y]}}".utf8), as: name)
    }
    let pipelines = NamedPipelines(userFolder: folder.path)
    #expect(try pipelines.definition("long").summary == "long.yaml")
    #expect(try pipelines.definition("short").summary == "short.yml")
    #expect(throws: DefinitionError.self) { try pipelines.definition("none") }
  }

  // MARK: - Names and notation

  @Test(arguments: [
    "a", "z", "a0", "z9", "a_1", "noise_floor", "abcdefghijklmnopqrstuvwxyz_0123456789",
    String(repeating: "a", count: 64),
  ])
  func idsAreWordsOfLowerCase(id: String) throws {
    #expect(try Self.definition("analyzers:\n  \(id):").entries.map(\.id) == [id])
  }

  @Test(arguments: [
    "1a", "_a", "gaUge", "a-b", "a.b", "a b", "é", "aé", "`a", "{a", "a/b", String(repeating: "a", count: 65),
  ])
  func otherIDsAreRefused(id: String) throws {
    let error = try #require(throws: DefinitionError.self) { try Self.definition("analyzers:\n  \"\(id)\":") }
    #expect(error.problem.hasPrefix("an id must be a lower-case word"))
    #expect(error.position == TextPosition(line: 2, column: 3))
  }

  /// Only characters that YAML does not accept in a line are escaped.
  @Test func aDefinitionInOneLineEscapesWhatYAMLRefuses() {
    let name = "~\u{7F}\u{9F}\u{A0}\u{2027}\u{2028}\u{2029}\u{202A}\u{FEFE}\u{FEFF}\u{FF00}\u{FFFD}\u{FFFE}\u{FFFF}"
    let escaped =
      #""~\u007f\u009f"# + "\u{A0}\u{2027}" + #"\u2028\u2029"# + "\u{202A}\u{FEFE}" + #"\ufeff"# + "\u{FF00}\u{FFFD}"
      + #"\ufffe\uffff""#
    let text = PipelineDefinition(name: name, entries: [.init(id: "tags")]).text
    #expect(text.utf8.starts(with: #"{"name": \#(escaped), "resampler""#.utf8), "\(text.debugDescription)")
  }

  // MARK: - Plans

  @Test func plansSayWhichFindingsFollowFromTheAudio() throws {
    let kinds = [AnalyzerKind(Taster.self), AnalyzerKind(Reader.self)]
    let plan = try Self.definition("analyzers: {taster: , reader: }").plan(with: kinds)
    #expect(plan.wanted.members.map(\.identity) == plan.plugins.map(\.identity))
    #expect(plan.wanted.members.map(\.readsAudio) == [true, false])
  }

  /// Seconds that are decoded although no analyzer wants them, of new and of known audio.
  @Test(
    arguments: [
      (.whole, 2, nil), (.needed, 0, nil), (.verified, 2, 2),
    ] as [(PipelineDefinition.Decoding, Double, Double?)])
  func theKeyDecodeSaysHowMuchIsDecoded(decoding: PipelineDefinition.Decoding, new: Double, known: Double?) throws {
    let folder = try TemporaryDirectory()
    let path = try folder.write(Signal.silence(sampleRate: 8_000, seconds: 2), as: "a.wav")
    let plan = try Self.definition("decode: \(decoding.rawValue)\nanalyzers: {taster: }").plan(
      with: [AnalyzerKind(Taster.self)])
    let first = try #require(plan.makeFileAnalyzer().analyze(AnalysisJob(path: path)))
    #expect(first.status == .ok)
    #expect(first.decodedDuration == new)
    let audio = KnownAudio(
      decodingID: try #require(first.decodingID), analyzers: Set(plan.plugins.map(\.identity)),
      format: AudioFormat(
        container: "wav", codec: "pcm", sampleRate: 8_000, channelCount: 1, isLossless: true, frameCount: 16_000))
    let second = try #require(plan.makeFileAnalyzer().analyze(AnalysisJob(path: path, knownAudio: [audio])))
    #expect(second.decodedDuration == known)
  }
}

/// An analyzer of audio that wants none.
private struct Taster: Analyzer {
  static let id = "taster"
  static let version = 1
  static let summary = "Wants no audio."

  init(_ configuration: NoConfiguration) {}
  var feed: Feed { .samples(SampleLayout(rate: .hertz(8_000))) }
  func makeSession(for file: AudioFile) throws(AnalysisError) -> Sated { Sated() }
}

/// An analyzer of the file itself.
private struct Reader: Analyzer {
  static let id = "reader"
  static let version = 1
  static let summary = "Reads the file."

  init(_ configuration: NoConfiguration) {}
  var feed: Feed { .file }
  func makeSession(for file: AudioFile) throws(AnalysisError) -> Sated { Sated() }
}

private struct Sated: AnalysisSession {
  struct Finding: AnalysisFinding {}

  var wantsMore: Bool { false }
  mutating func consume(_ values: Span<Float>, at index: Int64) throws(AnalysisError) {}
  mutating func finish() throws(AnalysisError) -> Finding { Finding() }
}
