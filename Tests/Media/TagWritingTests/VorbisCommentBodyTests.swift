import AnalysisTesting
import MediaContainers
import TagReading
import Testing

@testable import TagWriting

@Suite(.bounded) struct VorbisCommentBodyTests {
  private static func comment(vendor: String = "V", _ entries: [String], rest: [UInt8] = []) -> [UInt8] {
    func text(_ text: String) -> [UInt8] { UInt32(text.utf8.count).littleEndianBytes + Array(text.utf8) }
    return text(vendor) + UInt32(entries.count).littleEndianBytes + entries.flatMap { text($0) } + rest
  }

  private static func parse(_ bytes: [UInt8]) throws -> (body: VorbisCommentBody, tag: EditableTag) {
    var entries: [EditableTag.Entry] = []
    let body = try VorbisCommentBody(bytes, entries: &entries)
    return (body, .vorbis(entries))
  }

  @Test func entriesAreFound() throws {
    let bytes = Self.comment(
      vendor: "Someone", ["TITLE=a=b", "no key", "Encoder=x", "=empty", "<3=heart"], rest: [1, 2, 3])
    var (body, tag) = try Self.parse(bytes)
    #expect(tag.keys == ["TITLE", "", "Encoder", "", "<3"])
    #expect(tag.values == [["a=b"], [], ["x"], ["empty"], ["heart"]])
    // Encoders name themselves, so this does not mean that anybody tagged the file.
    #expect(tag.texts == [true, false, false, false, false])
    #expect(body.bytes(tag) == bytes)
    try tag.set("title", to: ["x", "y"])
    let new = ["TITLE=x", "TITLE=y", "no key", "Encoder=x", "=empty", "<3=heart"]
    #expect(body.bytes(tag) == Self.comment(vendor: "Someone", new, rest: [1, 2, 3]))
    try tag.set("bpm", to: ["90"])
    #expect(body.bytes(tag) == Self.comment(vendor: "Someone", new + ["BPM=90"], rest: [1, 2, 3]))
    #expect(VorbisCommentBody().bytes(.vorbis([])) == Self.comment(vendor: "Nocturne", []))
  }

  @Test func limitsOfEntries() throws {
    let key = String(repeating: "K", count: 255)
    #expect(try Self.parse(Self.comment([key + "=1", key + "K=1"])).tag.keys == [key, ""])
    let value = String(decoding: [UInt8](repeating: 65, count: (1 << 20) - 3), as: UTF8.self)
    let tag = try Self.parse(Self.comment(["K=" + value, "L=" + value + "A"])).tag
    #expect(tag.keys == ["K", "L"] && tag.values == [[value], []])
  }

  @Test func limitsOfComments() throws {
    var longest = [UInt8](repeating: 0, count: 64 << 20)
    #expect(try Self.parse(longest).tag.entries.isEmpty)
    longest.append(0)
    #expect(throws: TagWriteError.self) { try Self.parse(longest) }
  }

  @Test func brokenComments() throws {
    let good = Self.comment(["TITLE=x", "A=y"])
    #expect(try Self.parse(good).tag.keys == ["TITLE", "A"])
    for count in 0..<good.count {
      #expect(throws: TagWriteError.self, "\(count)") { try Self.parse(Array(good.prefix(count))) }
    }
    for size: UInt32 in [4, 5, 8, 0xFFFF_FFFF] {
      var bytes = good
      bytes.replaceSubrange(good.count - 7..<good.count - 3, with: size.littleEndianBytes)
      #expect(throws: TagWriteError.self, "\(size)") { try Self.parse(bytes) }
    }
  }

  @Test func keys() {
    for key in ["A", " ", "}", "a<b", "a>b"] { #expect(VorbisCommentBody.isKey(key), "\(key)") }
    for key in ["", "A\u{1F}", "~", "a=b", "Ä"] { #expect(!VorbisCommentBody.isKey(key), "\(key)") }
  }
}
