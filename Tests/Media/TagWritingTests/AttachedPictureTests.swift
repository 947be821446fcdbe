import AnalysisTesting
import MediaContainers
import TagReading
import Testing

@testable import TagWriting

/// Pictures that are copied to another tag.
@Suite(.bounded) struct AttachedPictureTests {
  private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 0, 2, 3]

  // MARK: From APEv2

  private static func item(_ key: String, flags: UInt8 = 2, name: String, _ data: [UInt8]) -> [UInt8] {
    let value = Array(name.utf8) + [0] + data
    return UInt32(value.count).littleEndianBytes + [flags, 0, 0, 0] + Array(key.utf8) + [0] + value
  }

  /// Reads an item or a frame that follows four other bytes, and is followed by some.
  private static func picture(item: [UInt8]) throws -> AttachedPicture? {
    let source = ByteSource([1, 2, 3, 4] + item + [UInt8](repeating: 0, count: 20))
    return try AttachedPicture(item: 4..<4 + item.count, in: source)
  }

  @Test(arguments: ["front.png", ""]) func items(name: String) throws {
    let item = Self.item("Cover Art (Back)", name: name, Self.png)
    let picture = try #require(try Self.picture(item: item))
    #expect(picture.type == 4 && picture.mime == "image/png" && picture.description == name)
    #expect(picture.data == 4 + item.count - Self.png.count..<4 + item.count)
    for other in [
      Self.item("Cover Art (Back)", flags: 0, name: name, Self.png), Self.item("Title", name: name, Self.png),
      Self.item("Cover Art (Back)", name: name, []), Self.item("Cover Art (Back)", flags: 4, name: name, Self.png),
      // No name.
      [3, 0, 0, 0, 2, 0, 0, 0] + Array("Cover Art (Back)\u{0}".utf8) + [1, 2, 3], [3, 0, 0, 0, 2, 0],
    ] {
      #expect(try Self.picture(item: other) == nil)
    }
  }

  /// The name must end within the first 1,024 bytes of the item.
  @Test func itemsWithLongNames() throws {
    let length = 1_024 - 8 - "Cover Art (Back)".utf8.count - 2
    for (excess, isFound) in [(0, true), (1, false)] {
      let name = String(repeating: "n", count: length + excess)
      let picture = try Self.picture(item: Self.item("Cover Art (Back)", name: name, Self.png))
      #expect(picture?.description == (isFound ? name : nil))
    }
  }

  @Test func theStartOfAnItem() throws {
    let item = Self.item("Cover Art (Back)", name: "a", Self.png)
    var picture = try #require(try Self.picture(item: item))
    #expect(picture.apeItemHead + Self.png == item)
    picture.description = ""
    #expect(picture.apeItemHead + Self.png == Self.item("Cover Art (Back)", name: "cover", Self.png))
    picture.description = "a\u{0}b\u{1}"
    #expect(picture.apeItemHead + Self.png == Self.item("Cover Art (Back)", name: "ab\u{1}", Self.png))
  }

  // MARK: From ID3v2

  private static func frame(
    _ id: String = "APIC", flags: UInt8 = 0, encoding: UInt8 = 0, mime: String = "image/png",
    description: [UInt8] = [65, 0], _ data: [UInt8] = png
  ) -> [UInt8] {
    let body = [encoding] + Array(mime.utf8) + [0, 3] + description + data
    return Array(id.utf8) + UInt32(body.count).bigEndianBytes + [0, flags] + body
  }

  private static func picture(frame: [UInt8]) throws -> AttachedPicture? {
    let source = ByteSource([1, 2, 3, 4] + frame + [UInt8](repeating: 0, count: 20))
    return try AttachedPicture(frame: 4..<4 + frame.count, in: source)
  }

  @Test(
    arguments: [
      (0, [65, 0xFC, 0], "Aü"), (1, [0xFF, 0xFE, 65, 0, 0xFC, 0, 0, 0], "Aü"), (2, [0, 65, 0, 0xFC, 0, 0], "Aü"),
      (3, [65, 0xC3, 0xBC, 0], "Aü"), (0, [0], ""), (1, [0, 0], ""),
    ] as [(UInt8, [UInt8], String)], ["image/png", ""])
  func frames(encoded: (encoding: UInt8, bytes: [UInt8], text: String), mime: String) throws {
    let frame = Self.frame(encoding: encoded.encoding, mime: mime, description: encoded.bytes)
    let picture = try #require(try Self.picture(frame: frame))
    #expect(picture.type == 3 && picture.mime == mime && picture.description == encoded.text)
    #expect(picture.data == 4 + frame.count - Self.png.count..<4 + frame.count)
  }

  @Test func otherFrames() throws {
    let start = Array("APIC".utf8) + [0, 0, 0, 9, 0, 0, 0] + Array("image/p".utf8)
    for frame in [
      Self.frame("GEOB"), Self.frame(flags: 1), Self.frame(flags: 0x80), Self.frame(encoding: 4),
      Self.frame(description: [65, 0], []), Self.frame(encoding: 1, description: [0, 0], []),
      Self.frame(description: [65, 66, 67], [1, 2]),
      // The end of the type, or the description, is missing.
      start, start + [0], start + [0, 3],
      // A frame with no more than its parts.
      Array("APIC".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 3, 0],
    ] {
      let source = ByteSource([1, 2, 3, 4] + frame)
      #expect(try AttachedPicture(frame: 4..<4 + frame.count, in: source) == nil)
    }
    let smallest = Array("APIC".utf8) + [0, 0, 0, 5, 0, 0, 0, 0, 3, 0, 7]
    let picture = try #require(try AttachedPicture(frame: 0..<15, in: ByteSource(smallest)))
    #expect(picture.data == 14..<15 && picture.mime == "" && picture.description == "")
  }

  /// The description must end within the first 1,024 bytes of the frame.
  @Test func framesWithLongTypes() throws {
    let length = 1_024 - 10 - 1 - 3
    for (excess, isFound) in [(0, true), (1, false)] {
      let mime = String(repeating: "m", count: length + excess)
      let picture = try Self.picture(frame: Self.frame(mime: mime, description: [0]))
      #expect(picture?.mime == (isFound ? mime : nil))
    }
  }
}
