import AnalysisTesting
import Testing
import Text

@Suite(.bounded) struct CSVWriterTests {
  private func written(guardsFormulas: Bool = false, _ body: (inout CSVWriter) -> Void) -> String {
    var writer = CSVWriter(guardsFormulas: guardsFormulas)
    body(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  @Test func rowsAndCells() {
    let text = written { writer in
      for _ in 0..<2 {
        writer.empty()
        writer.bool(true)
        writer.bool(false)
        writer.integer(-5)
        writer.number(1.26, decimals: 1)
        writer.text("x")
        writer.endRow()
      }
    }
    #expect(text == ",true,false,-5,1.3,x\r\n,true,false,-5,1.3,x\r\n")
  }

  @Test func bytesAreRemovedBetweenRows() {
    var writer = CSVWriter(guardsFormulas: false)
    writer.text("a")
    writer.removeAll()
    writer.text("b")
    #expect(writer.bytes == Array(",b".utf8))
  }

  @Test(arguments: [
    ("", ""), ("a", "a"), ("a b", "a b"), (" a", "\" a\""), ("a ", "\"a \""), (" ", "\" \""), ("a,b", "\"a,b\""),
    ("a\"b", "\"a\"\"b\""), ("\"", "\"\"\"\""), ("\",\"", "\"\"\",\"\"\""), ("a;b\tc", "a;b\tc"),
    // Each byte that begins a character to escape stands alone, too.
    ("\u{0}", #"\x00"#), ("\u{1F}", #"\x1F"#), ("\u{7F}", #"\x7F"#), ("\u{85}", #"\xC2\x85"#),
    ("\u{2028}", #"\xE2\x80\xA8"#), ("\t", "\t"), ("\t\n", "\t" + #"\x0A"#), ("é£’", "é£’"), ("~\u{A0}", "~\u{A0}"),
    // A backslash that looks like an escape is escaped; others stay.
    (#"\x0A"#, #"\x5Cx0A"#), (#"\x0a"#, #"\x0a"#), (#"\n\"#, #"\n\"#), (#"\x5Cx0A"#, #"\x5Cx5Cx0A"#),
    ("=1", "=1"),
  ]) func textIsQuotedAndEscaped(text: String, cell: String) {
    #expect(written { $0.text(text) } == cell)
  }

  @Test func escapesOfDisplayPathsStay() {
    #expect(written { $0.escapedText(#"a\xFF"# + "\n") } == #"a\xFF\x0A"#)
    #expect(written { $0.text(#"a\xFF"# + "\n") } == #"a\x5CxFF\x0A"#)
  }

  @Test func listsShareACell() {
    let list = { (elements: [String], writer: inout CSVWriter) in
      writer.list(elements) { $1.text($0) }
    }
    #expect(written { list([], &$0) } == "")
    #expect(written { list(["a"], &$0) } == "a")
    #expect(written { list(["a", "b,c", "d"], &$0) } == "\"a / b,c / d\"")
    let text = written(guardsFormulas: true) { writer in
      writer.text("=x")
      list(["a", "=b"], &writer)
      list(["=a", "=b"], &writer)
      writer.text("-x")
      writer.endRow()
      writer.list([1, 2]) { $1.integer($0) }
      writer.integer(-3)
    }
    #expect(text == "'=x,a / =b,'=a / =b,'-x\r\n1 / 2,-3")
    #expect(written { list(["=a", "=b"], &$0) } == "=a / =b")
    #expect(written { $0.text("=x") } == "=x")
  }

  /// Written rows are read back, apart from escapes.
  @Test func rowsAreReadBack() throws {
    var random = SplitMix64.fresh()
    let pieces = ["a", "\"", ",", " ", "é", "\t", "=", "/"]
    for _ in 0..<300 {
      let cells = (0..<Int.random(in: 1...4, using: &random)).map { _ in
        (0..<Int.random(in: 1...5, using: &random)).map { _ in pieces.randomElement(using: &random)! }.joined()
      }
      var writer = CSVWriter(guardsFormulas: false)
      for cell in cells { writer.text(cell) }
      #expect(CSVReader.cells(writer.bytes) == cells)
      writer.endRow()
      #expect(try CSVReader.rows(of: String(decoding: writer.bytes, as: UTF8.self)).map(\.cells) == [cells])
    }
  }
}
