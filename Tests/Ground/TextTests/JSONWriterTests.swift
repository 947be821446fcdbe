import AnalysisTesting
import Testing
import Text

@Suite(.bounded) struct JSONWriterTests {
  private func written(_ body: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    body(&writer)
    return writer.text
  }

  /// The escaped form of each scalar, without any of the writer's shortcuts.
  private func escaped(_ scalar: Unicode.Scalar) -> String {
    switch scalar.value {
    case 0x22: #"\""#
    case 0x5C: #"\\"#
    case 0x08: #"\b"#
    case 0x09: #"\t"#
    case 0x0A: #"\n"#
    case 0x0C: #"\f"#
    case 0x0D: #"\r"#
    case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029:
      #"\u"# + String(repeating: "0", count: 4 - String(scalar.value, radix: 16).count)
        + String(scalar.value, radix: 16)
    default: String(scalar)
    }
  }

  /// Eight bytes are tested at a time, so each scalar stands at each offset in text that needs no escapes.
  @Test func oneScalarIsEscapedAtEveryOffset() {
    let scalars =
      (0...0xFF).compactMap { Unicode.Scalar($0 as UInt32) } + [
        "\u{C0}", "\u{2027}", "\u{2028}", "\u{2029}", "\u{202A}", "\u{20A8}", "\u{2128}", "\u{3028}", "\u{10A8}", "🎵",
      ]
    for scalar in scalars {
      for offset in 0...17 {
        for rest in [0, 1, 9] {
          let (before, after) = (String(repeating: "a", count: offset), String(repeating: "!", count: rest))
          var text = String.UnicodeScalarView(before.unicodeScalars)
          text.append(scalar)
          text.append(contentsOf: after.unicodeScalars)
          let expected = "\"" + before + escaped(scalar) + after + "\""
          if !JSONValue.string(String(text)).text.utf8.elementsEqual(expected.utf8) {
            Issue.record("U+\(String(scalar.value, radix: 16)) at \(offset)")
          }
        }
      }
    }
  }

  @Test func severalScalarsAreEscaped() {
    var random = SplitMix64.fresh()
    let pieces: [Unicode.Scalar] = [
      "a", "b", "~", " ", "!", "#", "[", "]", "é", "\u{80}", "\u{9F}", "\u{A0}", "\u{2028}", "\u{2029}", "’", "\\",
      "\"", "\u{1F}", "\n", "🎵",
    ]
    for _ in 0..<500 {
      var text = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0...40, using: &random) {
        // Mostly plain text, so that whole groups of eight bytes need no escapes.
        text.append(pieces[Bool.random(using: &random) ? 0 : Int.random(in: 0..<pieces.count, using: &random)])
      }
      let expected = "\"" + text.map { escaped($0) }.joined() + "\""
      #expect(JSONValue.string(String(text)).text.utf8.elementsEqual(expected.utf8))
    }
  }

  @Test func commasSeparateValues() {
    let text = written { writer in
      writer.beginArray()
      for _ in 0..<2 {
        writer.null()
        writer.bool(true)
        writer.bool(false)
        writer.integer(-12)
        writer.number(1.5)
        writer.number(.infinity)
        writer.number(2.25, decimals: 1)
        writer.string("s")
        writer.beginArray()
        writer.endArray()
        writer.beginObject()
        writer.endObject()
      }
      writer.endArray()
    }
    let half = #"null,true,false,-12,1.5,null,2.3,"s",[],{}"#
    #expect(text == "[\(half),\(half)]")
  }

  @Test func keysAreSeparatedAndEscaped() {
    let text = written { writer in
      writer.beginObject()
      writer.key("a\"")
      writer.integer(1)
      writer.key(JSONWriter.Key("b\n"))
      writer.beginObject()
      writer.key(JSONWriter.Key("c"))
      writer.null()
      writer.key("d")
      writer.bool(true)
      writer.endObject()
      writer.key(JSONWriter.Key("e"))
      writer.string("")
      writer.endObject()
    }
    #expect(text == #"{"a\"":1,"b\n":{"c":null,"d":true},"e":""}"#)
  }

  @Test func membersWithoutValuesAreNull() {
    let text = written { writer in
      writer.object { writer in
        writer.put("s", "x")
        writer.put("noS", nil as String?)
        writer.put("i", 7)
        writer.put("noI", nil as Int?)
        writer.put("b", false)
        writer.put("noB", nil as Bool?)
        writer.put("n", 0.25, decimals: 1)
        writer.put("noN", nil, decimals: 1)
        writer.put("nan", Double.nan, decimals: 1)
      }
      writer.object { _ in }
    }
    #expect(
      text
        == #"{"s":"x","noS":null,"i":7,"noI":null,"b":false,"noB":null,"n":0.3,"noN":null,"nan":null},{}"#)
  }

  @Test func linesAreBroken() {
    let text = written { writer in
      writer.beginArray()
      writer.lineBreak()
      writer.integer(1)
      writer.lineBreak()
      writer.integer(2)
      writer.integer(3)
      writer.endArray()
      writer.endLine()
      writer.integer(4)
      writer.endLine()
    }
    #expect(text == "[\n1,\n2,3]\n4\n")
  }

  /// A stream of elements is stored in parts.
  @Test func writingContinuesAfterBytesAreRemoved() {
    var writer = JSONWriter()
    writer.beginArray()
    writer.integer(1)
    #expect(writer.text == "[1")
    writer.removeBytes()
    writer.integer(2)
    writer.endArray()
    #expect(writer.text == ",2]")
  }

  @Test(
    arguments: [
      (1.987654321987, -1, "2.0"), (1.987654321987, 0, "2.0"), (1.987654321987, 1, "2.0"), (1.987654321987, 2, "1.99"),
      (1.987654321987, 3, "1.988"), (1.987654321987, 4, "1.9877"), (1.987654321987, 5, "1.98765"),
      (1.987654321987, 6, "1.987654"), (1.987654321987, 7, "1.9876543"), (1.987654321987, 8, "1.98765432"),
      (1.987654321987, 9, "1.987654322"), (1.987654321987, 10, "1.987654322"), (0.5, 0, "1.0"), (0.4, 0, "0.0"),
      (-0.5, 0, "-1.0"), (-1, 2, "-1.0"), (0, 2, "0.0"), (0.01, 2, "0.01"), (0.1, 2, "0.1"), (9, 1, "9.0"),
      (10, 1, "10.0"), (11, 1, "11.0"), (99, 1, "99.0"), (100, 1, "100.0"), (101, 1, "101.0"), (120_340, 2, "120340.0"),
      (100_000.05, 2, "100000.05"), (999_999_999_999_999, 0, "999999999999999.0"), (0.1234567891234, 20, "0.123456789"),
      // Numbers with more than 15 digits are not rounded.
      (1_234_567_890.125, 9, "1234567890.125"), (-0.04, 1, "0.0"), (-0.06, 1, "-0.1"),
    ] as [(Double, Int, String)])
  func numbersAreRounded(value: Double, decimals: Int, text: String) {
    #expect(written { $0.number(value, decimals: decimals) } == text)
  }

  @Test func objectsAreSorted() {
    let value: JSONValue = ["b": 1, "a": ["d": [true, .null], "c": 1.5], "": "x"]
    #expect(value.text == #"{"":"x","a":{"c":1.5,"d":[true,null]},"b":1}"#)
  }

  // MARK: Canonical text

  @Test(
    arguments: [
      (.null, "null"), (true, "true"), (false, "false"), (.integer(.min), "-9223372036854775808"), (.number(3), "3"),
      (.number(-0.0), "0"), (.number(1.5), "1.5"), (.number(9.3e18), "9.3e+18"), (.number(.nan), "null"),
      (.number(-.infinity), "null"),
      (.string("\"\\/ \u{0}\u{8}\u{1F} \u{7F}é\u{2028}"), "\"\\\"\\\\/ \\u0000\\u0008\\u001f \u{7F}é\u{2028}\""),
      ([], "[]"), ([1, [2.5], "x"], #"[1,[2.5],"x"]"#), (.object([:]), "{}"),
      (["b": 1, "a\n": [:], "🎵": 2, "\u{FFFD}": 3], "{\"a\\u000a\":{},\"b\":1,\"\u{FFFD}\":3,\"🎵\":2}"),
    ] as [(JSONValue, String)])
  func canonicalText(value: JSONValue, text: String) {
    #expect(value.canonicalText == text)
  }
}
