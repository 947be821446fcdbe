import Analysis
import AnalysisTesting
import Glibc
import MediaContainers
import SystemPackage
import Testing
import Text

@testable import TagReading

@Suite(.bounded) struct TagReaderTests {
  private static let file = ID3.tag(3, ID3.text("TIT2", 3, "Title")) + audio

  @Test func namesAreBytesAndEndingsMeanNothing() throws {
    let names: [Bytes] = [
      Bytes("plain.mp3".utf8), Bytes("wrong.flac".utf8), Bytes("none".utf8), Bytes("new\nline.mp3".utf8),
      Bytes("bad".utf8) + [0xFF, 0xFE] + Bytes(".mp3".utf8), Bytes("caf".utf8) + [0xE9],
      Bytes(repeating: 0x6E, count: 255),
    ]
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    for name in names {
      let component = (name + [0]).map { CChar(bitPattern: $0) }.withUnsafeBufferPointer { buffer in
        buffer.baseAddress.flatMap { FilePath.Component(platformString: $0) }
      }
      let path = directory.path.appending(try #require(component))
      let file = try FileDescriptor.open(path, .writeOnly, options: .create, permissions: [.ownerReadWrite])
      try file.closeAfter { _ = try file.writeAll(Self.file) }
      #expect(try TagReader.read(path: path).fields == ["title": ["Title"]])
    }
  }

  @Test func filesThatAreNoFiles() throws {
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    let fifo = directory.file("fifo.mp3")
    #expect(fifo.withPlatformString { mkfifo($0, 0o600) } == 0)
    for path in [fifo, directory.path, directory.file("missing.mp3")] {
      let error = #expect(throws: FileReadError.self) { try TagReader.read(path: path) }
      #expect(error?.code == .unreadable)
    }
    let empty = try directory.write([], as: "empty.mp3")
    #expect(try TagReader.read(path: empty) == TagFinding())
  }

  /// Reading from a file and from memory gives the same: windows and their edges make no difference.
  @Test func fileAndMemoryAgree() throws {
    let padding = Bytes(repeating: 0, count: ByteSource.windowSize - 20)
    let picture = ID3.frame("APIC", 3, [0] + "image/png\0" + [3, 0] + png + Bytes(repeating: 1, count: 200_000))
    let tail = audio + APE.tag(APE.item("Artist", Bytes("a".utf8))) + id3v1(title: "t", year: "1999")
    let files = [
      ID3.tag(3, picture, ID3.text("TIT2", 3, "Title")) + tail,
      ID3.tag(3, ID3.text("TIT2", 3, "Title"), padding) + tail,
      ID3.tag(3, ID3.frame("PRIV", 3, padding), ID3.text("TIT2", 3, "Title")) + tail,
      Xiph.flac([(1, padding), (4, ContainerTests.comment), (6, Xiph.picture(data: png))]),
    ]
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    for (index, file) in files.enumerated() {
      let path = try directory.write(file, as: "\(index)")
      let finding = try TagReader.read(path: path)
      #expect(finding == (try read(file)))
      #expect(finding.fields["title"] == ["Title"])
    }
  }

  @Test func analyzer() throws {
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    let path = try directory.write(Self.file, as: "song")
    let analyzer = TagAnalyzer(NoConfiguration())
    #expect(analyzer.feed == .file)
    var session = analyzer.makeSession(for: AudioFile(path: path))
    #expect(try session.finish().fields == ["title": ["Title"]])
    var missing = analyzer.makeSession(for: AudioFile(path: directory.file("missing")))
    #expect(throws: AnalysisError.self) { try missing.finish() }
  }
}

@Suite(.bounded) struct TagFieldTests {
  @Test func everyFieldHasKeys() {
    let fields = Set(TagField.all.map(\.name))
    #expect(fields.count == TagField.all.count)
    #expect(Set(TagKeys.table.map(\.field)) == fields.union(["lyrics"]))
  }

  @Test func valuesOfReports() throws {
    func value(_ name: String, _ values: String...) throws -> FieldValue {
      try #require(TagField.named(name)).value(values)
    }
    #expect(try value("artist", "a") == .texts(["a"]))
    #expect(try value("artist") == .null)
    #expect(try value("title", "a", "b") == .text("a / b"))
    #expect(try value("track", "3") == .integer(3))
    #expect(try value("compilation", "0") == .boolean(false))
    #expect(try value("date", "2001", "1999") == .text("2001"))
  }

  @Test(
    arguments: [
      ("3", 3, nil), ("03/012", 3, 12), ("#4 of 9", 4, 9), (" 5 / 6 ", 5, 6), ("0/10", nil, 10), ("A1", nil, nil),
      ("-3", nil, nil),
      ("7/", 7, nil), ("99999999999999999999", nil, nil),
    ] as [(String, Int?, Int?)]) func numbersAndTotals(text: String, number: Int?, total: Int?)
  {
    let found = TagValue.numberAndTotal(text)
    #expect(found.number == number)
    #expect(found.total == total)
  }

  @Test func cleaning() {
    #expect(TagValue.cleaned("plain") == "plain")
    #expect(TagValue.cleaned("\u{FEFF} a\r\nb\rc \0\0") == "a\nb\nc")
    #expect(TagValue.cleaned(" \0\n") == "")
    #expect(TagValue.cleaned("e\u{301}").unicodeScalars.count == 2)
  }
}
