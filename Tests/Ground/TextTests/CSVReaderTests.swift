import AnalysisTesting
import Testing
import Text

@Suite(.bounded) struct CSVReaderTests {
  @Test(arguments: [
    ("a,b\r\nc,d\r\n", [["a", "b"], ["c", "d"]]), ("a,b\nc,d", [["a", "b"], ["c", "d"]]), ("", []), ("\n\r\n", []),
    ("\"\"", [[""]]), (",", [["", ""]]), ("\"a \"\"b\"\"\",\"c,d\"", [["a \"b\"", "c,d"]]),
    ("\"two\r\nlines\",x\ny,z", [["two\r\nlines", "x"], ["y", "z"]]), ("\u{FEFF}ä,\"\u{FEFF}\"", [["ä", "\u{FEFF}"]]),
    ("a\"b,c", [["a\"b", "c"]]),
  ])
  func rowsAreRead(text: String, cells: [[String]]) throws {
    #expect(try CSVReader.rows(of: text).map(\.cells) == cells)
  }

  @Test func rowsKnowTheirLines() throws {
    #expect(try CSVReader.rows(of: "a\n\n\"b\nc\"\nd\n").map(\.line) == [1, 3, 5])
    #expect { try CSVReader.rows(of: "a\nb,\"c\nd") } throws: { ($0 as? CSVReader.OpenQuote)?.line == 2 }
  }

  @Test func aLineIsARow() {
    #expect(CSVReader.cells(Array("a,\"b,c\",".utf8)) == ["a", "b,c", ""])
    #expect(CSVReader.cells([]) == [""])
    #expect(CSVReader.cells(Array("a,\"open".utf8)) == ["a", "open"])
  }
}
