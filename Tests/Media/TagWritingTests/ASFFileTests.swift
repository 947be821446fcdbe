import AnalysisTesting
import MediaContainers
import TagReading
import Testing

@testable import TagWriting

@Suite(.bounded) struct ASFFileTests {
  private static let fileProperties: [UInt8] = [
    0xA1, 0xDC, 0xAB, 0x8C, 0x47, 0xA9, 0xCF, 0x11, 0x8E, 0xE4, 0x00, 0xC0, 0x0C, 0x20, 0x53, 0x65,
  ]
  private static let other = [UInt8](repeating: 0x77, count: 16)
  private static let description = ASFObject.Kind.extendedContentDescription.guid

  private static func object(_ guid: [UInt8], _ content: [UInt8], size: Int? = nil) -> [UInt8] {
    guid + UInt64(size ?? content.count + 24).littleEndianBytes + content
  }

  private static func properties(fileSize: Int) -> [UInt8] {
    object(
      fileProperties, [UInt8](repeating: 1, count: 16) + UInt64(fileSize).littleEndianBytes + noise(20, seed: 2))
  }

  private static func header(_ objects: [[UInt8]], count: Int? = nil) -> [UInt8] {
    let content = UInt32(count ?? objects.count).littleEndianBytes + [1, 2] + objects.flatMap(\.self)
    return object(ASFObject.header, content)
  }

  private static func text(_ text: String) -> [UInt8] { (Array(text.utf16) + [0]).flatMap(\.littleEndianBytes) }

  private static func attribute(_ key: String, type: UInt16 = 0, _ value: [UInt8]) -> [UInt8] {
    UInt16(text(key).count).littleEndianBytes + text(key) + type.littleEndianBytes
      + UInt16(value.count).littleEndianBytes + value
  }

  private static func list(_ attributes: [[UInt8]]) -> [UInt8] {
    object(description, UInt16(attributes.count).littleEndianBytes + attributes.flatMap(\.self))
  }

  private static let audio = noise(50, seed: 1)

  /// A file after three other bytes. Its properties have its size, or a wrong one.
  private static func file(
    _ objects: [[UInt8]], knowsSize: Bool = true, propertiesFirst: Bool = true
  ) -> [UInt8] {
    let size = 3 + header([properties(fileSize: 0)] + objects).count + audio.count
    let own = [properties(fileSize: knowsSize ? size : 7)]
    return [1, 2, 3] + header(propertiesFirst ? own + objects : objects + own) + audio
  }

  @Test func attributesAreFound() throws {
    let attributes = [
      attribute("Title", text: "T"), Self.attribute("A\u{0}B", Self.text("x")),
      Self.attribute("Flag", type: 2, [1, 0, 0, 0]), Self.attribute("Number", type: 3, [0, 1, 0, 0]),
      Self.attribute("Long", type: 4, [1, 0, 0, 0, 0, 0, 0, 0]), Self.attribute("Longer", type: 4, [1] + Array(0..<8)),
      Self.attribute("Short", type: 5, [2, 1]), Self.attribute("Bytes", type: 1, [65, 0]),
      Self.attribute("GUID", type: 6, [1, 2]), attribute("Title", text: "Ü"),
    ]
    let tag = try ASFFile(ByteSource(Self.file([Self.list(attributes)])), at: 3).tags[0]
    #expect(tag.keys == ["Title", "A", "Flag", "Number", "Long", "", "Short", "", "", "Title"])
    #expect(tag.values == [["T"], ["x"], ["1"], ["256"], ["1"], [], ["258"], [], [], ["Ü"]])
    #expect(tag.texts.allSatisfy { $0 } && tag.entries.map(\.content) == attributes.map { .bytes($0) })
  }

  private func attribute(_ key: String, text: String) -> [UInt8] { Self.attribute(key, Self.text(text)) }

  /// The size in the file properties stays wrong if it was wrong.
  @Test(arguments: [true, false], [true, false])
  func attributesAreReplaced(knowsSize: Bool, propertiesFirst: Bool) throws {
    func file(_ attributes: [[UInt8]]?) -> [UInt8] {
      let objects = [Self.object(Self.other, [1])] + (attributes.map { [Self.list($0)] } ?? [])
      return Self.file(
        objects + (attributes == nil ? [] : [Self.object(Self.other, [2, 3])]), knowsSize: knowsSize,
        propertiesFirst: propertiesFirst)
    }
    let number = Self.attribute("Number", type: 3, [0, 1, 0, 0])
    let source = ByteSource(file([attribute("title", text: "Ti"), number]))
    #expect(
      try ASFFile(source, at: 3).bytes(source, setting: []) == file([attribute("title", text: "Ti"), number]))
    #expect(
      try ASFFile(source, at: 3).bytes(source, setting: [("TITLE", ["Üü", "B"]), ("WM/InitialKey", ["Am"])])
        == file([
          attribute("title", text: "Üü"), attribute("title", text: "B"), number,
          attribute("WM/InitialKey", text: "Am"),
        ]))
    #expect(try ASFFile(source, at: 3).bytes(source, setting: [("title", [])]) == file([number]))
  }

  /// The list becomes the last object of the header.
  @Test func aListIsAdded() throws {
    let source = ByteSource(Self.file([Self.object(Self.other, [1])]))
    #expect(
      try ASFFile(source, at: 3).bytes(source, setting: [("Key", ["Am"])])
        == Self.file([Self.object(Self.other, [1]), Self.list([attribute("Key", text: "Am")])]))
  }

  @Test func brokenHeaders() throws {
    let list = Self.list([attribute("Title", text: "T")])
    let properties = Self.properties(fileSize: 1)
    let attribute = attribute("Title", text: "T")
    for (name, header) in [
      ("no properties", Self.header([list])),
      ("short properties", Self.header([list, Self.object(Self.fileProperties, [])])),
      ("two lists", Self.header([properties, list, list])),
      ("an object more", Self.header([properties, list], count: 3)),
      ("an object less", Self.header([properties, list], count: 1)),
      ("a long object", Self.header([properties, Self.object(Self.other, [1], size: 26)])),
      ("an attribute less", Self.header([properties, Self.object(Self.description, [0, 0] + attribute)])),
      ("an attribute more", Self.header([properties, Self.object(Self.description, [2, 0] + attribute)])),
      ("no number", Self.header([properties, Self.object(Self.description, [0])])),
      ("a cut value", Self.header([properties, Self.object(Self.description, [1, 0] + attribute.dropLast())])),
    ] {
      let error = #expect(throws: TagWriteError.self, "\(name)") {
        try ASFFile(ByteSource([1, 2, 3] + header + Self.audio), at: 3)
      }
      #expect(error?.code == .oddStructure, "\(name)")
    }
    let start = Self.header([properties]).prefix(29)
    #expect(throws: TagWriteError.self) { try ASFFile(ByteSource([1, 2, 3] + start), at: 3) }
  }

  @Test func limitOfHeaders() throws {
    let folder = try TemporaryDirectory()
    for (excess, isAccepted) in [(0, true), (1, false)] {
      let size = (64 << 20) + excess
      let properties = Self.properties(fileSize: 1)
      let filler = size - 30 - properties.count
      let start =
        [1, 2, 3] + ASFObject.header + UInt64(size).littleEndianBytes + UInt32(2).littleEndianBytes + [1, 2]
        + properties + Self.object(Self.other, [], size: filler)
      let source = try ByteSource(path: sparseFile(folder, size: size + 13, [(0, start)]))
      if isAccepted {
        #expect(try ASFFile(source, at: 3).tags.count == 1)
      } else {
        #expect(throws: TagWriteError.self) { try ASFFile(source, at: 3) }
      }
    }
  }

  @Test func attributesThatAreTooLong() throws {
    let source = ByteSource(Self.file([]))
    for (count, isAccepted) in [(32_766, true), (32_767, false)] {
      let value = String(repeating: "a", count: count)
      var file = try ASFFile(source, at: 3)
      if isAccepted {
        try file.tags[0].set("K", to: [value])
        #expect(file.tags[0].values == [[value]])
      } else {
        let error = #expect(throws: TagWriteError.self) { try file.tags[0].set("K", to: [value]) }
        #expect(error?.code == .noRoom)
      }
    }
  }
}
