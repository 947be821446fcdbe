import AnalysisTesting
import Foundation
import Testing
import Text

/// The project's own JSON text compared with Foundation's.
@Suite(.bounded) struct JSONTextTests {
  private func read(_ text: String) throws -> Any {
    try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
  }

  @Test func anyStringIsReadBack() throws {
    var generator = SplitMix64.fresh()
    let pieces =
      (0..<0x30).compactMap { Unicode.Scalar($0) } + [
        "\\", "\"", "/", "\u{7F}", "\u{80}", "\u{85}", "\u{9B}", "\u{9F}", "\u{A0}", "£", "\u{2028}", "\u{2029}", "’",
        "\u{202A}",
        "⃰", "é", "\u{301}", "🎵", "\u{FFFD}",
      ]
    for _ in 0..<2_000 {
      var string = ""
      for _ in 0..<Int.random(in: 0...8, using: &generator) {
        string.unicodeScalars.append(pieces.randomElement(using: &generator) ?? "a")
      }
      let text = JSONValue.string(string).text
      let found = try #require(try read(text) as? String)
      #expect(found.unicodeScalars.elementsEqual(string.unicodeScalars))
      #expect(try JSONValue(parsing: text.utf8) == .string(string))
      #expect(!text.unicodeScalars.contains { $0.isControlOrSeparator }, "\(text.debugDescription)")
    }
    #expect(
      JSONValue.string("\u{1B}\u{7F}\u{85}\u{9B}\u{A0}\u{2028}\u{2029}’").text
        == #""\u001b\u007f\u0085\u009b\u00a0\u2028\u2029’""#.replacing(#"\u00a0"#, with: "\u{A0}"))
  }

  @Test func roundedNumbers() throws {
    func text(_ value: Double, _ decimals: Int) -> String {
      var writer = JSONWriter()
      writer.number(value, decimals: decimals)
      return writer.text
    }
    #expect(text(126, 4) == "126.0" && text(0.1 + 0.2, 4) == "0.3" && text(-0.00001, 4) == "0.0")
    #expect(
      text(-12.5, 4) == "-12.5" && text(0.0625, 3) == "0.063" && text(1.0101, 4) == "1.0101" && text(7, 0) == "7.0")
    #expect(text(.nan, 4) == "null" && text(.infinity, 4) == "null" && text(1e300, 4) == "1e+300")
    var generator = SplitMix64.fresh()
    for _ in 0..<3000 {
      let value = Double.random(in: -100_000...100_000, using: &generator)
      let decimals = Int.random(in: 1...6, using: &generator)
      let scale = pow(10, Double(decimals))
      let rounded = (value * scale).rounded() / scale
      // Swift's shortest text of the rounded value.
      #expect(text(value, decimals) == (rounded == 0 ? "0.0" : "\(rounded)") || abs(rounded) < 1e-3)
      #expect(Double(text(value, decimals)) == rounded)
      // Rounding again changes nothing.
      #expect(text(rounded, decimals) == text(value, decimals))
    }
  }

  @Test func parserAgreesWithFoundation() throws {
    let sound = [
      "0", "-0", "-1.5e3", "1E+2", "12345678901", "0.1", "true", "false", "null", "\"\"", "[]", "{}", " [ 1 , 2 ] ",
      "{\"a\":{\"b\":[null,{}]}}", "\"\\u00e9\\ud83c\\udfb5\\/\\b\\f\\n\\r\\t\"", "[\"a\",\"b\\\\\"]", "\t\n\r 5",
      "1e-7",
    ]
    for text in sound {
      let value = try JSONValue(parsing: text.utf8)
      #expect((try read(text) as? NSObject) == (try read(value.text) as? NSObject), "\(text)")
    }
    let broken = [
      "", " ", "01", "1.", ".5", "+1", "-", "1e", "tru", "nul", "[1,]", "[1 2]", "{\"a\"}", "{\"a\":}", "{a:1}", "\"",
      "\"\\x\"",
      "\"\\u12\"", "\"\n\"", "[", "{", "]", "1 2", "{\"a\":1,}", "NaN", "Infinity", "'a'", "\u{FEFF}1", "1e999",
    ]
    for text in broken {
      #expect(throws: JSONSyntaxError.self, "\(text)") { try JSONValue(parsing: text.utf8) }
    }
    #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: [0x22, 0xFF, 0x22]) }
    #expect(throws: JSONSyntaxError.self) {
      try JSONValue(parsing: Array(repeating: UInt8(ascii: "["), count: 100_000))
    }
    #expect(try JSONValue(parsing: "\"\\ud800x\"".utf8) == .string("\u{FFFD}x"))
    #expect(try JSONValue(parsing: "\"\\ud800\\u0041\"".utf8) == .string("\u{FFFD}A"))
    #expect(try JSONValue(parsing: "9223372036854775807".utf8) == .integer(.max))
    #expect(try JSONValue(parsing: "9223372036854775808".utf8) == .number(9_223_372_036_854_775_808))
  }

  private struct Sample: Codable, Equatable {
    struct Inner: Codable, Equatable {
      var x: Float
      var list: [Int?]
    }
    enum Kind: String, Codable { case one }

    var number = 126.0
    var whole: UInt8 = 7
    var flag = true
    var text: String? = "t"
    var nothing: String?
    var inner = [Inner(x: 0.5, list: [1, nil])]
    var table = ["b": [1.5], "a": []]
    var kind = Kind.one
    var json = JSONValue.object(["n": .null, "i": .integer(3)])
  }

  @Test func encoderKeepsTheKindsOfNumbers() throws {
    let sample = Sample()
    let value = try JSONValue(encoding: sample)
    guard case .object(let members) = value else {
      Issue.record("no object")
      return
    }
    #expect(members["number"] == .number(126) && members["whole"] == .integer(7) && members["flag"] == .bool(true))
    #expect(members["json"] == sample.json && members["nothing"] == nil)
    #expect(value.text.contains("\"number\":126.0"))
    #expect(try JSONDecoder().decode(Sample.self, from: Data(value.text.utf8)) == sample)
    #expect(throws: EncodingError.self) { try JSONValue(encoding: Sample(number: .nan)) }
    #expect(try JSONValue(encoding: 5) == .integer(5))
    #expect(try JSONValue(encoding: [String]()) == .array([]))
  }
}
