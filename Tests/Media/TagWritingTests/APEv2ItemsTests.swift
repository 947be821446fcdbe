import AnalysisTesting
import MediaContainers
import TagReading
import Testing

@testable import TagWriting

@Suite(.bounded) struct APEv2ItemsTests {
  /// Parses a tag that follows five other bytes.
  private static func parse(_ tag: [UInt8]) throws -> (tag: APEv2Items, items: EditableTag, source: ByteSource) {
    let source = ByteSource([1, 2, 3, 4, 5] + tag + [6, 7])
    var entries: [EditableTag.Entry] = []
    let parsed = try APEv2Items(source, 5..<5 + tag.count, items: &entries)
    let items = EditableTag(.apev2, entries) { key, values throws(TagWriteError) in try APEv2Items.item(key, values) }
    return (parsed, items, source)
  }

  @Test(arguments: [true, false]) func itemsAreFound(hasHeader: Bool) throws {
    let texts = [
      APEBytes.item("Title", Array("Ä\u{0}B".utf8)), APEBytes.item("KEY", flags: 1, Array("Am".utf8)),
      APEBytes.item("Cover Art (Front)", flags: 2, [1, 2, 3]),
      APEBytes.item("Link", flags: 4, Array("http:".utf8)),
      APEBytes.item("Odd", flags: 6, []), APEBytes.item("", []),
    ]
    let bytes = APEBytes.tag(version: 0x0102_0304, flags: hasHeader ? 0x8000_0100 : 0x100, texts)
    var (tag, items, source) = try Self.parse(bytes)
    #expect(items.keys == ["Title", "", "", "", "", ""])
    #expect(items.values == [["Ä", "B"], [], [], [], [], []])
    #expect(items.texts == [true, true, false, true, true, true])
    var position = 5 + (hasHeader ? 32 : 0)
    for (entry, text) in zip(items.entries, texts) {
      #expect(entry.content == .original(position..<position + text.count))
      position += text.count
    }
    #expect(try fileBytes(of: tag.tag(items), from: source) == bytes)
    try items.set("TITLE", to: ["C", "D"])
    #expect(
      try fileBytes(of: tag.tag(items), from: source)
        == APEBytes.tag(
          version: 0x0102_0304, flags: hasHeader ? 0x8000_0100 : 0x100,
          [APEBytes.item("Title", Array("C\u{0}D".utf8))] + texts[1...]))
  }

  @Test func aNewTagHasAHeader() throws {
    var items = EditableTag(.apev2, []) { key, values throws(TagWriteError) in try APEv2Items.item(key, values) }
    #expect(try APEv2Items().tag(items).pieces == [])
    try items.set("BPM", to: ["128"])
    let item = APEBytes.item("BPM", Array("128".utf8))
    #expect(
      try fileBytes(of: APEv2Items().tag(items), from: ByteSource([]))
        == APEBytes.frame(2_000, size: item.count + 32, count: 1, flags: 0xA000_0000) + item
        + APEBytes.frame(2_000, size: item.count + 32, count: 1, flags: 0x8000_0000))
  }

  @Test func limitsOfItems() throws {
    let key = String(repeating: "k", count: 1_023)
    #expect(try Self.parse(APEBytes.tag([APEBytes.item(key, [65])])).items.keys == [key])
    #expect(throws: TagWriteError.self) { try Self.parse(APEBytes.tag([APEBytes.item(key + "k", [65])])) }
    let longest = [UInt8](repeating: 65, count: 1 << 20)
    let tag = APEBytes.tag([APEBytes.item("A1", longest), APEBytes.item("A2", longest + [65])])
    let items = try Self.parse(tag).items
    #expect(items.keys == ["A1", "A2"] && items.values.map(\.count) == [1, 0])
    #expect(items.values[0].first?.utf8.count == 1 << 20)
  }

  @Test func brokenTags() throws {
    let item = APEBytes.item("Title", [65])
    for (tag, what) in [
      (APEBytes.tag([item]) + [0], "does not have the length that it claims"),
      ([0] + APEBytes.tag([item]), "does not have the length that it claims"),
      (APEBytes.tag([item + [0]]), "has something between its last item and its end"),
      (APEBytes.tag([Array(item.dropLast())]), "breaks off inside an item"),
      (APEBytes.tag([item, [0, 0, 0, 0]]), "breaks off inside an item"),
      (APEBytes.tag([APEBytes.item("Title", [65, 66]).dropLast(3)]), "breaks off inside an item"),
    ] {
      let error = #expect(throws: TagWriteError.self) { try Self.parse(tag) }
      #expect(error?.message == "The APE tag \(what); such tags are not changed." && error?.code == .oddStructure)
    }
  }

  @Test func keys() {
    for key in ["ab", "a ", "a~", "IDs", String(repeating: "k", count: 255)] {
      #expect(APEv2Items.isKey(key), "\(key)")
    }
    for key in [
      "", "a", "a\u{1F}", "a\u{7F}", "aÄ", String(repeating: "k", count: 256), "ID3", "tag", "OggS", "mp+",
    ] {
      #expect(!APEv2Items.isKey(key), "\(key)")
    }
  }
}
