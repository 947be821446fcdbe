import Analysis
import AnalysisTesting
import Testing
import Text

@testable import Recognition

@Suite(.bounded) struct MediaItemTableTests {
  @Test func rowsComeBack() throws {
    let rows = [
      MediaItemTable.Row(
        reference: "a",
        item: MediaItem(
          title: "Comma, \"quote\"\nand line", subtitle: "s", artist: "Ärtist", album: "album", isrc: "XX0000000001",
          artworkURL: "https://example.org/a.png", webURL: "https://example.org", genres: ["one", "two"],
          creationDate: "1999-03-01", isExplicit: false,
          timeRanges: [MediaItem.TimeRange(start: 0, end: 10.5)],
          frequencySkewRanges: [MediaItem.FrequencySkewRange(lower: -0.02, upper: -0.01)],
          properties: ["mood": .string("calm")])),
      MediaItemTable.Row(reference: "b", item: MediaItem()),
    ]
    #expect(try MediaItemTable.read(MediaItemTable.write(rows)) == rows)
  }

  /// Texts with characters that contain more than the scalar with a meaning in a table.
  @Test(arguments: ["\"\u{301}", ",\u{301}", "a\u{FEFF}b", "\r\n", "\n\u{301}\"\"", "=1+1", "'=1"])
  func oddTextReadsBack(text: String) throws {
    let rows = [MediaItemTable.Row(reference: text, item: MediaItem(title: text, properties: [text: .string(text)]))]
    #expect(try MediaItemTable.read(MediaItemTable.write(rows)) == rows)
  }

  @Test func formulasAreGuarded() throws {
    let row = MediaItemTable.Row(
      reference: "a",
      item: MediaItem(
        title: "=1+1", timeRanges: [MediaItem.TimeRange(start: -5, end: 10)], properties: ["@x": .string("-1")]))
    let text = MediaItemTable.write([row])
    #expect(text.hasSuffix(",'@x\r\na,'=1+1,,,,,,,,,,'-5.0-10.0,,-1\r\n"), "\(text)")
    #expect(try MediaItemTable.read(text) == [row])
  }

  @Test func columnsMayBeInAnyOrderAndMissing() throws {
    let rows = try MediaItemTable.read("\u{FEFF}artist,reference\nSomebody,x\n\"A \"\"B\"\" C\",y")
    #expect(rows.map(\.reference) == ["x", "y"])
    #expect(rows.map(\.item.artist) == ["Somebody", "A \"B\" C"])
    #expect(try MediaItemTable.read("") == [])
  }

  @Test(arguments: [
    ("title\nx", 1), ("reference,title\na", 2), ("reference,timeRanges\na,5 to 9", 2), ("reference\n\"open", 2),
    ("reference,explicitContent\na,true\nb,maybe", 3),
  ])
  func mistakesAreTold(table: String, line: Int) {
    #expect { try MediaItemTable.read(table) } throws: { ($0 as? MediaItemTable.ReadError)?.line == line }
  }
}
