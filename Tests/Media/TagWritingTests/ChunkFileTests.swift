import AnalysisTesting
import MediaContainers
import TagReading
import Testing

@testable import TagWriting

/// WAV and AIFF files after five other bytes.
@Suite(.bounded) struct ChunkFileTests {
  private static let audio = noise(40, seed: 1)

  private static func number(_ number: Int, _ isBigEndian: Bool) -> [UInt8] {
    isBigEndian ? UInt32(number).bigEndianBytes : UInt32(number).littleEndianBytes
  }

  private static func chunk(_ id: String, _ body: [UInt8], isBigEndian: Bool = false) -> [UInt8] {
    Array(id.utf8) + number(body.count, isBigEndian) + body + (body.count % 2 == 1 ? [0] : [])
  }

  private static func file(_ chunks: [[UInt8]], isBigEndian: Bool = false, excess: Int = 0) -> [UInt8] {
    let content = Array((isBigEndian ? "AIFF" : "WAVE").utf8) + chunks.flatMap(\.self)
    return [1, 2, 3, 4, 5] + Array((isBigEndian ? "FORM" : "RIFF").utf8)
      + number(content.count + excess, isBigEndian) + content
  }

  /// A tag of version 2.4 with a frame for the tempo.
  private static func tag(_ tempo: String, padding: Int = 0, size: Int? = nil) -> [UInt8] {
    let frame = Array("TBPM".utf8) + [0, 0, 0, UInt8(tempo.utf8.count + 1), 0, 0, 0] + Array(tempo.utf8)
    let count = size ?? frame.count + padding
    return Array("ID3".utf8) + [4, 0, 0, 0, 0, UInt8(count >> 7), UInt8(count & 127)] + frame
      + [UInt8](repeating: 0, count: padding)
  }

  private func parsed(_ bytes: [UInt8], isBigEndian: Bool = false) throws -> ChunkFile {
    try ChunkFile(ByteSource(bytes), isBigEndian ? .aiff : .wav, at: 5)
  }

  private func written(_ bytes: [UInt8], isBigEndian: Bool = false, tempo: String?) throws -> [UInt8] {
    try parsed(bytes, isBigEndian: isBigEndian).bytes(
      ByteSource(bytes), setting: [("TBPM", tempo.map { [$0] } ?? [])])
  }

  @Test(arguments: [false, true]) func tagsAreReplacedWhereTheyAre(isBigEndian: Bool) throws {
    func chunk(_ id: String, _ body: [UInt8]) -> [UInt8] { Self.chunk(id, body, isBigEndian: isBigEndian) }
    func file(_ chunks: [UInt8]...) -> [UInt8] { Self.file(chunks, isBigEndian: isBigEndian) }
    let (first, last) = (chunk("data", Self.audio), chunk("last", [7, 8, 9]))
    for id in ["ID3 ", "id3 "] {
      for after in [[], last, last + chunk("more", [])] {
        let old = file(first, chunk(id, Self.tag("90", padding: 7)), after)
        // The tag keeps its size, and zeros behind it in its chunk are dropped.
        #expect(
          try written(old, isBigEndian: isBigEndian, tempo: "128")
            == file(first, chunk(id, Self.tag("128", padding: 6)), after))
        #expect(try written(old, isBigEndian: isBigEndian, tempo: nil) == file(first, after))
        let filled = file(first, chunk(id, Self.tag("90", padding: 7) + [0, 0, 0]), after)
        #expect(
          try written(filled, isBigEndian: isBigEndian, tempo: "128")
            == file(first, chunk(id, Self.tag("128", padding: 6)), after))
      }
    }
    // A new tag has room for more, and an even size.
    let id = isBigEndian ? "ID3 " : "id3 "
    for (tempo, padding) in [("9", 1_024), ("90", 1_025), ("128", 1_024)] {
      #expect(
        try written(file(first, last), isBigEndian: isBigEndian, tempo: tempo)
          == file(first, last, chunk(id, Self.tag(tempo, padding: padding))))
    }
    #expect(try written(file(first), isBigEndian: isBigEndian, tempo: nil) == file(first))
  }

  /// A chunk of odd size is followed by a byte, which some programs omit at the end.
  @Test func chunksOfOddSize() throws {
    let odd = Self.chunk("last", [7, 8, 9])
    let new = Self.file([odd, Self.chunk("id3 ", Self.tag("9", padding: 1_024))])
    for old in [
      Self.file([odd]), Self.file([odd.dropLast()]), Self.file([odd.dropLast()], excess: 1),
    ] {
      #expect(try written(old, tempo: "9") == new)
    }
  }

  @Test func filesThatAreLeftAlone() throws {
    let (data, tag) = (Self.chunk("data", Self.audio), Self.tag("90"))
    for (bytes, message) in [
      (Self.file([data], excess: 1), "The chunks do not fill the file, or there are several for tags"),
      (Self.file([data], excess: 2), "The file does not have the length that it claims"),
      (Self.file([data], excess: -1), "The file does not have the length that it claims"),
      (Self.file([data, [1, 2, 3, 4]]), "The chunks do not fill the file, or there are several for tags"),
      (
        Self.file([data, Self.chunk("id3 ", tag), Self.chunk("ID3 ", tag)]),
        "The chunks do not fill the file, or there are several for tags"
      ),
      (Self.file([data, Array(data.dropLast(2))]), "A chunk reaches past the end of the file"),
      (Self.file([data, Self.chunk("id3 ", tag + [1])]), "There is something after the tag"),
      (Self.file([data, Self.chunk("id3 ", tag + [0, 0, 1])]), "There is something after the tag"),
      (Self.file([data, Self.chunk("id3 ", [7])]), "There is something after the tag"),
    ] {
      let error = #expect(throws: TagWriteError.self) { try parsed(bytes) }
      #expect(error?.message == message + "; such files are not changed." && error?.code == .oddStructure)
    }
    // The tag claims to be larger than its chunk.
    let length = "The ID3v2 tag does not have the length that it claims; such tags are not changed."
    var longest = tag
    longest.replaceSubrange(6..<10, with: [1, 0, 0, 0])
    for tag in [Self.tag("90", size: 100), longest] {
      let error = #expect(throws: TagWriteError.self) { try parsed(Self.file([data, Self.chunk("id3 ", tag)])) }
      #expect(error?.message == length)
    }
  }

  @Test func limitOfZeros() throws {
    let folder = try TemporaryDirectory()
    let size = Self.tag("90").count + (16 << 20) + 1
    let head = Array("WAVEid3 ".utf8) + UInt32(size).littleEndianBytes + Self.tag("90")
    let whole = 8 + head.count + size - Self.tag("90").count
    let start = [1, 2, 3, 4, 5] + Array("RIFF".utf8) + UInt32(whole - 8 + size % 2).littleEndianBytes + head
    let source = try ByteSource(path: sparseFile(folder, size: 5 + whole + size % 2, [(0, start)]))
    let error = #expect(throws: TagWriteError.self) { try ChunkFile(source, .wav, at: 5) }
    #expect(error?.message == "There is something after the tag; such files are not changed.")
  }
}
