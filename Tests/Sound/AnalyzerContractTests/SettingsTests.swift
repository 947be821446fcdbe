import Analysis
import AnalysisTesting
import Foundation
import Records
import Testing
import Text

private struct Settings: AnalyzerConfiguration {
  enum Shape: String, ConfigurationChoice { case round, square }

  struct Inner: Codable, Hashable {
    var depth = 2
    var width = 0.5
  }

  var length = 120.0
  var count = 3
  var shape = Shape.round
  var names: [String] = []
  var isLoud = false
  var inner = Inner()

  init() {}

  enum CodingKeys: String, CodingKey {
    case count, shape, names, inner
    case length = "length_s"
    case isLoud = "is_loud"
  }
}

@Suite(.bounded) struct `Merging settings` {
  @Test func `keeps defaults of keys that are not given`() throws {
    let merged = try Settings(merging: [
      "length_s": 30, "shape": "square", "inner": ["depth": 7], "names": ["a"], "is_loud": true,
    ])
    var expected = Settings()
    expected.length = 30
    expected.shape = .square
    expected.inner.depth = 7
    expected.names = ["a"]
    expected.isLoud = true
    #expect(merged == expected)
  }

  @Test(
    arguments: [
      (["lenght_s": 30], "lenght_s: unknown key; did you mean 'length_s'?"),
      (["length": 30], "length: unknown key; did you mean 'length_s'?"),
      (["inner": ["dept": 1]], "inner.dept: unknown key; did you mean 'depth'?"),
      (["zzzzzzzzzzzz": 1], "zzzzzzzzzzzz: unknown key; valid here: count, inner, is_loud, length_s, names, shape"),
      (["length_s": "long"], "length_s: expects a number, not text"),
      (["length_s": .null], "length_s: expects a number, not null"),
      (["is_loud": 1], "is_loud: expects true or false, not a number"),
      (["names": "a"], "names: expects a list, not text"),
      (["inner": [1]], "inner: expects a mapping, not a list"),
      (["shape": "oval"], "shape: must be one of round, square, not oval"),
      (["count": 1.5, "length_s": 0.5], "count: expects a whole number, not 1.5"),
      (["count": 1e300], "count: expects a whole number, not 1e+300"),
    ] as [([String: JSONValue], String)])
  func `says what is wrong`(settings: [String: JSONValue], message: String) {
    let error = #expect(throws: ConfigurationError.self) { try Settings(merging: settings) }
    #expect(error?.description == message)
  }

  @Test(
    arguments: [(["names": [1]], "names"), (["length_s": 1, "inner": ["depth": 0.5]], "inner")]
      as [([String: JSONValue], String)])
  func `names the key of a value of the wrong type`(settings: [String: JSONValue], key: String) {
    let error = #expect(throws: ConfigurationError.self) { try Settings(merging: settings) }
    #expect(error?.key.hasPrefix(key) == true)
  }
}

@Suite(.bounded) struct `Canonical JSON` {
  @Test func `is the same for equal values`() throws {
    let text = #"{"b":[1.0,1e2,0.25,-0.0],"a":"é\n\"\\","c":{"y":null,"x":true}}"#
    let value = try JSONValue(parsing: Array(text.utf8))
    #expect(value.canonicalText == #"{"a":"é\u000a\"\\","b":[1,100,0.25,0],"c":{"x":true,"y":null}}"#)
    #expect(try JSONValue(parsing: Array(value.canonicalText.utf8)).canonicalText == value.canonicalText)
  }

  @Test func `comes back`() throws {
    let value: JSONValue = ["big": .integer(.max), "tiny": 1e-300, "huge": 1e300, "text": "\u{1}\u{1F600}", "list": []]
    #expect(try JSONValue(parsing: Array(value.canonicalText.utf8)) == value)
  }
}

@Suite(.bounded) struct `Outcomes as JSON` {
  private let identity = AnalyzerIdentity(id: "chromaprint", version: 1, digest: "d")

  private func roundTrip(_ result: AnalyzerOutcome.Result, types: [String: any AnalysisFinding.Type]) throws
    -> AnalyzerOutcome
  {
    let decoder = JSONDecoder()
    if let key = CodingUserInfoKey.findingTypes { decoder.userInfo[key] = types }
    let analysis = FileAnalysis(status: .ok, outcomes: [AnalyzerOutcome(analyzer: identity, result: result)])
    return try decoder.decode(FileAnalysis.self, from: JSONEncoder().encode(analysis)).outcomes[0]
  }

  @Test func `come back in their own type, if it is known`() throws {
    let finding = FingerprintFinding(algorithm: "chromaprint-2", duration: 12.5, value: "AQAA")
    let known = try roundTrip(.finding(finding), types: ["chromaprint": FingerprintFinding.self])
    guard case .finding(let found as FingerprintFinding) = known.result else {
      Issue.record("\(known)")
      return
    }
    #expect(found == finding)
    #expect(known.analyzer == identity)
    let unknown = try roundTrip(.finding(finding), types: [:])
    guard case .finding(let found as JSONFinding) = unknown.result else {
      Issue.record("\(unknown)")
      return
    }
    #expect(found.value == ["algorithm": "chromaprint-2", "duration_s": 12.5, "value": "AQAA"])
  }

  @Test func `keep their reasons`() throws {
    guard case .failed("why") = try roundTrip(.failed("why"), types: [:]).result,
      case .notApplicable("so") = try roundTrip(.notApplicable("so"), types: [:]).result
    else {
      Issue.record("lost")
      return
    }
  }
}
