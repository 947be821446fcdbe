import AnalysisTesting
import Testing

@testable import Text

@Suite(.bounded) struct JSONParserTests {
  @Test(arguments: [
    ("", "unexpected end of text", 0), ("  ", "unexpected end of text", 2),
    ("1 2", "unexpected text after the value", 2),
    ("[1 2]", "expected a comma or the end of the array", 3), ("{1}", "expected a key", 1),
    ("{ ,", "expected a key", 2),
    (#"{"a" 1}"#, "expected a colon after a key", 5),
    (#"{"a":1 "b"}"#, "expected a comma or the end of the object", 7), (#"{"a":1, }"#, "expected a key", 8),
    ("[", "unexpected end of text", 1), ("[1,", "unexpected end of text", 3), ("[1,]", "expected a value", 3),
    ("tru", "expected a value", 0), ("trux", "expected a value", 0), (" nul", "expected a value", 1),
    ("falsy", "expected a value", 0), ("x", "expected a value", 0), ("01", "number with a leading zero", 1),
    ("-01", "number with a leading zero", 2), ("-", "number without digits", 1), ("1.", "number without digits", 2),
    ("1.x", "number without digits", 2), ("1e+", "number without digits", 3), ("1e+-1", "number without digits", 3),
    ("1E", "number without digits", 2), ("1e999", "number out of range", 5), ("-1e999", "number out of range", 6),
    ("\"ab", "unterminated string", 3), ("\"a\n\"", "control character in a string", 3),
    ("\"\u{0}\"", "control character in a string", 2), ("\"\u{1F}\"", "control character in a string", 2),
    (#""\x""#, "unknown escape", 3), (#""\"#, "unterminated string", 2), (#""\u12"#, "unterminated string", 3),
    (#""\u00e9"#, "unterminated string", 7), (#""\u12g4""#, "expected a hex digit", 3),
    (#""\ud800\"#, "unterminated string", 8), (#""\ud800\u12"#, "unterminated string", 9),
    (#""\ud800\x""#, "unknown escape", 9),
    ("1\u{B}", "unexpected text after the value", 1), ("1\u{C}", "unexpected text after the value", 1),
    ("1\u{8}", "unexpected text after the value", 1), ("1!", "unexpected text after the value", 1),
    ("1\u{A0}", "unexpected text after the value", 1),
  ]) func errorsTellWhere(text: String, problem: String, offset: Int) {
    #expect(throws: JSONSyntaxError(offset: offset, problem: problem)) { try JSONValue(parsing: text.utf8) }
  }

  @Test(
    arguments: [
      ([0x22, 0xFF, 0x22], 2), ([0x22, 0x20, 0xFF, 0x22], 3), ([0x22, 0x5C, 0x6E, 0xFF, 0x22], 5),
      ([0x22, 0x5C, 0x6E, 0xC3, 0x22], 5),
    ] as [([UInt8], Int)]) func stringsAreUTF8(bytes: [UInt8], offset: Int)
  {
    #expect(throws: JSONSyntaxError(offset: offset, problem: "string that is not UTF-8")) {
      try JSONValue(parsing: bytes)
    }
  }

  @Test func descriptionsNameProblemAndOffset() {
    #expect("\(JSONSyntaxError(offset: 3, problem: "expected a key"))" == "not JSON: expected a key at byte 3")
  }

  @Test(arguments: [" ", "\t", "\n", "\r", "\r\n \t"]) func spaceMayStandBetweenAllTokens(space: String) throws {
    let tokens = [
      "", "{", "\"a\"", ":", "[", "1", ",", "true", "]", ",", "\"b\"", ":", "{", "}", ",", "\"c\"", ":", "[", "]", "}",
      "",
    ]
    #expect(
      try JSONValue(parsing: tokens.joined(separator: space).utf8) == ["a": [1, true], "b": .object([:]), "c": []])
  }

  @Test(arguments: [
    (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0000\u0041\u00E9\uFFFF""#, "\u{0}Aé\u{FFFF}"),
    (#""\ud83d\ude00""#, "\u{1F600}"), (#""\uD83C\uDFB5x""#, "\u{1F3B5}x"), (#""\ud800\udc00""#, "\u{10000}"),
    (#""\udbff\udfff""#, "\u{10FFFF}"), (#""\udc00""#, "\u{FFFD}"), (#""\ud800""#, "\u{FFFD}"),
    (#""\ud800\ud800\udc00""#, "\u{FFFD}\u{10000}"), (#""\ud83d\n""#, "\u{FFFD}\n"),
    (#""\ud800\ue000""#, "\u{FFFD}\u{E000}"),
    (#""\u12345 a""#, "\u{1234}5 a"), (#""\n a! é""#, "\n a! é"), ("\" \u{7F}\"", " \u{7F}"),
  ]) func escapesAreDecoded(text: String, string: String) throws {
    guard case .string(let found) = try JSONValue(parsing: text.utf8) else {
      Issue.record("no string")
      return
    }
    #expect(found.unicodeScalars.elementsEqual(string.unicodeScalars))
  }

  @Test(
    arguments: [
      ("0", 0), ("-0", 0), ("10", 10), ("-90", -90), ("1.0", .number(1)), ("1e2", .number(100)), ("1E+2", .number(100)),
      ("125e-2", .number(1.25)), ("0.09", .number(0.09)), ("-9223372036854775808", .integer(.min)),
      ("-9223372036854775809", .number(-9_223_372_036_854_775_808)), ("true", true), ("false", false), ("null", .null),
      (#"{"a":1,"a":2}"#, ["a": 2]), ("[[],[[]]]", [[], [[]]]),
    ] as [(String, JSONValue)]) func valuesAreParsed(text: String, value: JSONValue) throws
  {
    #expect(try JSONValue(parsing: text.utf8) == value)
  }

  @Test(arguments: [("[", "]"), (#"{"a":"#, "}")]) func nestingIsLimited(open: String, close: String) throws {
    func nested(_ depth: Int) -> String {
      String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
    }
    #expect(throws: Never.self) { try JSONValue(parsing: nested(100).utf8) }
    #expect(throws: JSONSyntaxError(offset: 100 * open.utf8.count, problem: "nested deeper than 100")) {
      try JSONValue(parsing: nested(101).utf8)
    }
    #expect(throws: Never.self) { try JSONValue(parsing: nested(3).utf8, maximumDepth: 3) }
    #expect(throws: JSONSyntaxError(offset: 2 * open.utf8.count, problem: "nested deeper than 2")) {
      try JSONValue(parsing: nested(3).utf8, maximumDepth: 2)
    }
    #expect(try JSONValue(parsing: "1".utf8, maximumDepth: 0) == 1)
  }
}
