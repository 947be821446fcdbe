import AnalysisTesting
import MediaContainers
import TagReading
import Testing

@testable import TagWriting

/// Encoded audio between tags. What is between them is not looked at here.
@Suite(.bounded) struct EncodedAudioFileTests {
  private static let audio = noise(300, seed: 1)
  private static let id3v1 = Array("TAG".utf8) + noise(125, seed: 2)
  private static let lyrics = Array("LYRICSBEGINwords000016LYRICS200".utf8)

  private static func ape(_ value: String = "v") -> [UInt8] { APEBytes.tag([APEBytes.item("Own", value)]) }

  private static func id3v2(_ title: String) -> [UInt8] {
    let frame = Array("TIT2".utf8) + UInt32(title.utf8.count + 1).bigEndianBytes + [0, 0, 0] + Array(title.utf8)
    return Array("ID3".utf8) + [3, 0, 0, 0, 0, 0, UInt8(frame.count)] + frame
  }

  private func file(_ bytes: [UInt8], prefersID3v2: Bool) throws -> EncodedAudioFile {
    let source = ByteSource(bytes)
    return try EncodedAudioFile(source, TagRegions.leading(in: source), prefersID3v2: prefersID3v2)
  }

  /// Every tag keeps its place.
  @Test(arguments: [true, false], [true, false]) func tagsAreReplacedWhereTheyAre(hasID3v2: Bool, hasAPE: Bool) throws {
    let front = hasID3v2 ? Self.id3v2("Ti") : []
    for (start, end) in [([], []), ([], Self.id3v1), (Self.lyrics, Self.id3v1), ([], Self.lyrics + Self.id3v1)] {
      func file(_ front: [UInt8], ape: [UInt8]) -> [UInt8] { front + Self.audio + start + ape + end }
      let old = file(front, ape: hasAPE ? Self.ape() : [])
      let source = ByteSource(old)
      for prefersID3v2 in [true, false] {
        let encoded = try self.file(old, prefersID3v2: prefersID3v2)
        #expect(try encoded.bytes(source, setting: []) == old)
        let second: [KeySpace] = prefersID3v2 ? (hasAPE ? [.apev2] : []) : (hasID3v2 ? [.id3v2] : [])
        #expect(encoded.tags.map(\.space) == [prefersID3v2 ? .id3v2 : .apev2] + second)
        if hasAPE {
          let place = prefersID3v2 ? 1 : 0
          #expect(
            try encoded.bytes(source, tag: place, setting: [("OWN", ["other"])])
              == file(front, ape: Self.ape("other")))
          #expect(try encoded.bytes(source, tag: place, setting: [("Own", [])]) == file(front, ape: []))
        }
        if hasID3v2 {
          let place = prefersID3v2 ? 0 : 1
          #expect(
            try encoded.bytes(source, tag: place, setting: [("TIT2", ["To"])])
              == file(Self.id3v2("To"), ape: hasAPE ? Self.ape() : []))
        }
      }
    }
  }

  /// A new APE tag follows the audio, before all other tags.
  @Test func aNewTag() throws {
    for back in [[], Self.id3v1, Self.lyrics + Self.id3v1] {
      let bytes = Self.audio + back
      #expect(
        try file(bytes, prefersID3v2: false).bytes(ByteSource(bytes), setting: [("Own", ["v"])])
          == Self.audio + Self.ape() + back)
    }
  }

  @Test func filesThatAreLeftAlone() throws {
    let footer = Array("3DI".utf8) + [4, 0, 0x10, 0, 0, 0, 0]
    let id3v2WithFooter = Array("ID3".utf8) + [4, 0, 0x10, 0, 0, 0, 0] + footer
    for (name, bytes) in [
      ("two ID3v2 tags", Self.id3v2("a") + Self.id3v2("b") + Self.audio),
      ("a leading APE tag", Self.ape() + Self.audio), ("a trailing ID3v2 tag", Self.audio + id3v2WithFooter),
      ("two APE tags", Self.audio + Self.ape() + Self.ape()),
      ("APE tags around others", Self.audio + Self.ape() + Self.lyrics + Self.ape()),
    ] {
      let error = #expect(throws: TagWriteError.self, "\(name)") { try file(bytes, prefersID3v2: true) }
      #expect(error?.code == .oddStructure, "\(name)")
    }
  }

  // MARK: Pictures

  /// Pictures are copied from the second tag to the first one.
  @Test func picturesOfTheOtherTag() throws {
    let image: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 1]
    let item = APEBytes.item("Cover Art (Front)", flags: 2, Array("f.png\u{0}".utf8) + image)
    let text = APEBytes.item("Own", "v")
    let bytes = Self.audio + APEBytes.tag(flags: 0, [text, item])
    let source = ByteSource(bytes)
    let body = [0] + Array("image/png\u{0}".utf8) + [3] + Array("f.png\u{0}".utf8)
    let head = Array("APIC".utf8) + [0, 0, 0, UInt8(body.count + image.count), 0, 0] + body
    let end = Self.audio.count + text.count + item.count
    #expect(
      try file(bytes, prefersID3v2: true).pictures(from: source)
        == [EditableTag.Entry(content: .joined(head, end - image.count..<end))])
    #expect(try file(bytes, prefersID3v2: false).pictures(from: source) == [])
    #expect(try file(Self.id3v2("a") + Self.audio, prefersID3v2: true).pictures(from: source) == [])

    let frame = Array("APIC".utf8) + [0, 0, 0, UInt8(body.count + image.count), 0, 0] + body + image
    let tagged = Array("ID3".utf8) + [3, 0, 0, 0, 0, 0, UInt8(frame.count)] + frame + Self.audio
    #expect(
      try file(tagged, prefersID3v2: false).pictures(from: ByteSource(tagged))
        == [
          EditableTag.Entry(
            content: .joined(Array(item.dropLast(image.count)), 10 + frame.count - image.count..<10 + frame.count))
        ])
  }
}
