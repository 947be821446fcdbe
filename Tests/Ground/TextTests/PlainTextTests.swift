import AnalysisTesting
import Testing
import Text

/// Texts for people: durations, counts, escapes, lists and markup.
@Suite(.bounded) struct PlainTextTests {
  @Test(
    arguments: [
      (0, "0.0 s"), (2.34, "2.3 s"), (9.4, "9.4 s"), (9.5, "10 s"), (10, "10 s"), (59.4, "59 s"), (59.6, "1 min 00 s"),
      (61, "1 min 01 s"), (119, "1 min 59 s"), (245, "4 min 05 s"), (3599.4, "59 min 59 s"), (3600, "1 h 00 min"),
      (3659, "1 h 00 min"), (7199, "1 h 59 min"), (7380, "2 h 03 min"),
    ] as [(Double, String)]) func durations(seconds: Double, text: String)
  {
    #expect(describe(seconds: seconds) == text)
  }

  @Test func durationsHaveFractions() {
    #expect(describe(.milliseconds(2300)) == "2.3 s")
    #expect(describe(.seconds(75)) == "1 min 15 s")
  }

  @Test(
    arguments: [
      (0.0123, "0.012x"), (0.099, "0.099x"), (0.1, "0.1x"), (0.14, "0.1x"), (1.26, "1.3x"), (9.96, "10.0x"),
      (10, "10x"), (10.4, "10x"), (450.9, "450x"),
    ] as [(Double, String)]) func realtimeFactors(factor: Double, text: String)
  {
    #expect(realtimeFactor(factor) == text + " realtime")
  }

  @Test func countsHaveTheirNouns() {
    #expect(counted(0, "file") == "0 files" && counted(1, "file") == "1 file" && counted(2, "file") == "2 files")
    #expect(counted(1, "copy", plural: "copies") == "1 copy" && counted(3, "copy", plural: "copies") == "3 copies")
  }

  // MARK: Escapes

  @Test func controlsAndSeparators() {
    let scalars = (0...0x2100 as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init)
    let controls = scalars.filter { $0.properties.generalCategory == .control } + ["\u{2028}", "\u{2029}"]
    #expect(scalars.filter(\.isControlOrSeparator) == controls)
  }

  @Test func bidiControls() {
    let scalars = (0...0x3000 as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init)
    #expect(scalars.filter(\.isBidiControl) == scalars.filter(\.properties.isBidiControl))
  }

  @Test(arguments: [
    ("", ""), ("plain é 🎵", "plain é 🎵"), ("a\nb", #"a\x0Ab"#), ("\u{1B}[1m", #"\x1B[1m"#), ("\u{7F}", #"\x7F"#),
    ("\u{85}", #"\xC2\x85"#), ("x\u{202E}y\u{2069}", #"x\xE2\x80\xAEy\xE2\x81\xA9"#), ("\u{61C}", #"\xD8\x9C"#),
    ("\u{2028}é\u{9F}", #"\xE2\x80\xA8é\xC2\x9F"#),
  ]) func textOfATerminalIsPrintable(text: String, shown: String) {
    #expect(printable(text) == shown)
    #expect(printable(text[...]) == shown)
  }

  @Test func bytesAreHexadecimal() {
    #expect(([0, 9, 15, 16, 17, 160, 255] as [UInt8]).hexadecimal == "00090f1011a0ff")
    #expect(([] as [UInt8]).hexadecimal == "")
  }

  @Test func listsAreJoined() {
    #expect(ListText.joined([]) == nil)
    #expect(ListText.joined(["a"]) == "a")
    #expect(ListText.joined(["a", "b", "c"]) == "a / b / c")
  }

  @Test func sentencesEndOnce() {
    #expect("".sentence == "" && "a".sentence == "a." && "a.".sentence == "a.")
    #expect("a?".sentence == "a?" && "a!".sentence == "a!" && "a. b".sentence == "a. b.")
  }

  // MARK: Markup

  @Test func markupIsEscaped() {
    let text = "<a b=\"c\">&'\u{301}\"\u{301}"
    #expect(MarkupText.escaped(text) { _ in nil } == "&lt;a b=&quot;c&quot;&gt;&amp;'\u{301}&quot;\u{301}")
    #expect(MarkupText.escaped("'x'") { $0 == "'" ? "&#39;" : nil } == "&#39;x&#39;")
  }

  @Test(arguments: [
    ("\t\n\r", "&#9;&#10;&#13;", true), ("\u{0}a\u{1F}", "a", false), ("\u{8}", "", false), ("\u{B}b\u{C}", "b", false),
    ("\u{FFFE}c", "c", false), ("c\u{FFFF}", "c", false), ("\u{FFFD} \u{20}\u{7F}é🎵", "\u{FFFD} \u{20}\u{7F}é🎵", true),
    ("<&>", "&lt;&amp;&gt;", true), ("", "", true),
  ]) func xmlHoldsText(text: String, escaped: String, isWhole: Bool) {
    #expect(XMLText.escaped(text).unicodeScalars.elementsEqual(escaped.unicodeScalars))
    #expect(XMLText.canHold(text) == isWhole)
  }

  @Test func tagsLeaveOutMissingAttributes() {
    #expect(XMLText.tag("a", [:]) == "a")
    #expect(XMLText.tag("a", ["b": "1 & 2", "c": nil, "d": ""]) == "a b=\"1 &amp; 2\" d=\"\"")
  }
}
