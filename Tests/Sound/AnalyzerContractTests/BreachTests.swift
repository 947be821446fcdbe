import Analysis
import AnalysisTesting
import Testing

/// Analyzer that breaches every rule.
private struct CarelessAnalyzer: Analyzer {
  static let id = "Careless-Analyzer"
  static let version = 0
  static let summary = ""

  struct Configuration: AnalyzerConfiguration {
    var windowLength = 1
    var name: String?
    /// Property without a coding key.
    var hidden = 1

    init() {}

    enum CodingKeys: String, CodingKey {
      case windowLength, name
    }
  }

  init(_ configuration: Configuration) throws(ConfigurationError) {
    if configuration.windowLength == 0 { throw ConfigurationError(key: "size", problem: "is wrong") }
  }

  var feed: Feed { .samples(SampleLayout(rate: .native)) }

  func makeSession(for file: AudioFile) -> Session { Session() }

  struct Session: AnalysisSession {
    struct Finding: AnalysisFinding {
      var blockCount = 0.0
      // swift-format-ignore: AlwaysUseLowerCamelCase
      var Mean = 0.0
    }

    private var finding = Finding()

    mutating func consume(_ values: Span<Float>, at index: Int64) throws(AnalysisError) {
      finding.blockCount += 1
      if values.count == 2 { throw .failed("two") }
    }

    mutating func finish() throws(AnalysisError) -> Finding {
      finding.Mean = 1 / finding.blockCount
      return finding
    }
  }
}

/// Finding with a careless declaration.
private struct CarelessFinding: DeclaredFinding {
  var mean = 0.0

  static let declaration = FindingDeclaration<CarelessFinding>(
    "Careless", "Nothing.",
    fields: [.field("mean", \.mean, "Mean"), .derived("mean", "Twice the mean.") { finding, _ in 2 * finding.mean }])
}

private struct CarelessDeclarer: Analyzer {
  static let id = "careless"
  static let version = 1
  static let summary = "Nothing"

  init(_ configuration: NoConfiguration) {}

  var feed: Feed { .samples(SampleLayout(rate: .native)) }

  func makeSession(for file: AudioFile) -> Session { Session() }

  struct Session: AnalysisSession {
    mutating func consume(_ values: Span<Float>, at index: Int64) {}
    mutating func finish() -> CarelessFinding { CarelessFinding() }
  }
}

@Suite(.bounded) struct `The contract notices` {
  private let kind = AnalyzerKind(CarelessAnalyzer.self)

  private func challenge(_ name: String) throws -> AnalyzerContract.Challenge {
    try #require(AnalyzerContract.challenges.first { $0.name == name })
  }

  @Test func `bad declarations`() {
    // Five breaches: another analyzer's finding, the names of finding and table, a summary that is not a sentence, and
    // a duplicate name.
    #expect(AnalyzerContract.breachesOfDeclaration(AnalyzerKind(CarelessDeclarer.self)).count == 5)
  }

  @Test func `bad names`() {
    #expect(AnalyzerContract.breachesOfNaming(kind).count == 3)
  }

  @Test func `bad settings`() throws {
    let breaches = try AnalyzerContract.breachesOfSettings(kind)
    for part in [
      "has 3 properties, of which 1 are encoded", "“windowLength” is not snake_case", "0 is refused with “size",
    ] {
      #expect(breaches.contains { $0.contains(part) }, "\(part) in \(breaches)")
    }
  }

  @Test func `dependence on the cut`() throws {
    #expect(try AnalyzerContract.breachesOfFindings(kind, challenge("noise")).contains { $0.contains("Cut into") })
  }

  @Test func `numbers that are not finite`() throws {
    #expect(try AnalyzerContract.breachesOfFindings(kind, challenge("0 frames")).contains { $0.contains("NaN?") })
  }

  @Test func `keys of findings`() throws {
    let breaches = try AnalyzerContract.breachesOfFindings(kind, challenge("1 frames"))
    #expect(breaches.filter { $0.contains("is not snake_case") }.count == 2)
  }

  @Test func `failures`() throws {
    #expect(try AnalyzerContract.breachesOfFindings(kind, challenge("2 frames")).contains("It fails: two"))
  }
}
