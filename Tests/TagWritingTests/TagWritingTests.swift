import Analysis
import AnalysisTesting
import AudioDecoding
import Foundation
import MediaContainers
import Platform
import SystemPackage
import TagReading
import TagWriting
import Testing

@Suite struct TagWritingTests {
  private let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
  }

  private func put(_ bytes: [UInt8], _ name: String) throws -> FilePath {
    let path = folder.file(name)
    try FileReplacement.write(bytes, to: path)
    return path
  }

  private func contents(_ path: FilePath) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path.string))) }

  private static let values = [
    "bpm": "128", "initialkey": "F#m", "acoustid_fingerprint": "AQAAE0mSREuSKFMBAAAAAAAAAA",
    "replaygain_track_gain": "-7.10 dB",
  ]

  /// Sets fields in place, with all checks.
  private func write(_ values: [String: String], to path: FilePath) throws {
    let replacement = try TagReplacement(path, TagReplacement.Options())
    let items = try values.map { field, value in
      if let item = replacement.file.items(of: field).first {
        return TagItem(tag: item.tag, key: item.key, values: [value])
      }
      let (tag, key) = try #require(replacement.file.newKey(of: field))
      return TagItem(tag: tag, key: key, values: [value])
    }
    try replacement.perform(
      items, of: Set(values.keys), expecting: values, contentID: AudioContent(path: path).id
    ) { _ in }
  }

  private func remove(_ fields: some Sequence<String>, from path: FilePath) throws {
    let replacement = try TagReplacement(path, TagReplacement.Options())
    let items = fields.flatMap { replacement.file.items(of: $0) }.map { TagItem(tag: $0.tag, key: $0.key, values: []) }
    try replacement.perform(items, of: Set(fields), contentID: AudioContent(path: path).id) { _ in }
  }

  // MARK: All formats

  @Test(arguments: Samples.names) func fieldsAreWrittenAndTakenOut(name: String) throws {
    let old = try Samples.bytes(name)
    let path = try put(old, name)
    let before = try TagReader.read(path: path)
    let content = try AudioContent(path: path)
    try write(Self.values, to: path)
    var tags = try TagReader.read(path: path)
    for (field, value) in Self.values { #expect(tags.fields[field] == [value], "\(field)") }
    #expect(try AudioContent(path: path) == content)
    // Again, over what is there: the length stays.
    let size = try contents(path).count
    try write(Self.values.merging(["bpm": "127"]) { $1 }, to: path)
    #expect(try contents(path).count == size)
    #expect(try TagReader.read(path: path).fields["bpm"] == ["127"])
    try remove(Self.values.keys, from: path)
    tags = try TagReader.read(path: path)
    #expect(tags.fields == before.fields && tags.remarks == before.remarks)
    #expect(try AudioContent(path: path) == content)
  }

  /// What fits into the free space of a file moves nothing.
  @Test(arguments: ["a.flac", "room.m4a"]) func freeSpaceIsUsed(name: String) throws {
    let old = try Samples.bytes(name)
    let path = try put(old, name)
    try write(["bpm": "128"], to: path)
    let new = try contents(path)
    #expect(new.count == old.count && new.suffix(3_000) == old.suffix(3_000))
  }

  /// Comments of all lengths around those at which a page more, or another packet of lacing values, is needed.
  @Test(arguments: ["a.ogg", "a.opus", "a.oga"]) func pagesOfOggAreNumberedAgain(name: String) throws {
    let old = try Samples.bytes(name)
    let content = try AudioContent(path: try put(old, name))
    for length in [0, 200, 254, 255, 256, 60_000, 64_700, 64_900, 65_024, 65_025, 65_300, 130_050, 200_000] {
      let path = try put(old, name)
      try write(["acoustid_fingerprint": String(repeating: "x", count: length + 1)], to: path)
      #expect(try AudioContent(path: path) == content, "\(length)")
      var pages = OggPageReader(try ByteSource(path: path), at: 0)
      var number: UInt32 = 0
      while let page = try pages.next() {
        #expect(page.number == number, "\(length)")
        number += 1
      }
      #expect(pages.junkByteCount == 0 && pages.damagedPageCount == 0, "\(length)")
      try remove(["acoustid_fingerprint"], from: path)
      #expect(try TagReader.read(path: path).fields["acoustid_fingerprint"] == nil)
      #expect(try AudioContent(path: path) == content, "\(length)")
    }
  }

  // MARK: ID3v2

  private func syncsafe(_ size: Int) -> [UInt8] { [21, 14, 7, 0].map { UInt8(size >> $0 & 127) } }

  private func mp3(_ version: UInt8, flags: UInt8 = 0, _ body: [UInt8]) throws -> [UInt8] {
    try Array("ID3".utf8) + [version, 0, flags] + syncsafe(body.count) + body + Samples.bytes("bare.mp3")
  }

  private func frame23(_ id: String, _ body: [UInt8]) -> [UInt8] {
    Array(id.utf8) + UInt32(body.count).bigEndianBytes + [0, 0] + body
  }

  @Test func otherFramesKeepTheirBytes() throws {
    let frames =
      frame23("TSIZ", Array("\u{0}123".utf8)) + frame23("RVAD", [1, 2, 0xFF, 0xE0])
      + frame23("TIT2", [1, 0xFF, 0xFE, 65, 0])
      + frame23("XXXX", []) + frame23("PRIV", Array("me".utf8) + [0, 0xFF, 0])
    let path = try put(mp3(3, frames + [0, 0, 0, 0]), "a.mp3")
    try write(["bpm": "90"], to: path)
    let new = try contents(path)
    #expect(new[3] == 3 && Array(new[10..<10 + frames.count]) == frames)
    #expect(new[(10 + frames.count)...].starts(with: frame23("TBPM", Array("\u{0}90".utf8))))
  }

  @Test func unsynchronizedTags() throws {
    let plain = frame23("PRIV", [0x6D, 0, 0xFF, 0xE0, 0xFF, 0x00, 0xFF])
    let packed: [UInt8] =
      frame23("PRIV", []).dropLast(6) + [0, 0, 0, 7, 0, 0, 0x6D, 0, 0xFF, 0, 0xE0, 0xFF, 0, 0, 0xFF, 0]
    let path = try put(mp3(3, flags: 0x80, packed), "a.mp3")
    try write(["bpm": "90"], to: path)
    let new = try contents(path)
    #expect(new[5] == 0 && Array(new[10..<10 + plain.count]) == plain)

    // In 2.4 frames are unsynchronized for themselves, and stay so.
    let frame = Array("PRIV".utf8) + syncsafe(9) + [0, 2, 0x6D, 0, 0xFF, 0, 0xE0, 0xFF, 0, 0, 0x01]
    let newer = try put(mp3(4, flags: 0x80, frame), "b.mp3")
    try write(["initialkey": "Am"], to: newer)
    let bytes = try contents(newer)
    #expect(bytes[5] == 0x80 && Array(bytes[10..<10 + frame.count]) == frame)
    #expect(try TagReader.read(path: newer).fields["initialkey"] == ["Am"])
  }

  @Test func shortNamesOfTheFirstVersion() throws {
    let frames = Array("TT2".utf8) + [0, 0, 3, 0, 65, 66]
    let path = try put(mp3(2, frames), "a.mp3")
    try write(Self.values, to: path)
    let new = try contents(path)
    #expect(new[3] == 2 && Array(new[10..<10 + frames.count]) == frames)
    let tags = try TagReader.read(path: path)
    #expect(tags.fields["title"] == ["AB"] && tags.formats.contains("id3v2.2"))
  }

  @Test func tagsThatAreNotAsTheStandardSaysAreLeftAlone() throws {
    let good = frame23("TIT2", Array("\u{0}x".utf8))
    for (name, bytes) in [
      ("extended header", try mp3(3, flags: 0x40, [0, 0, 0, 6, 0, 0, 0, 0, 0, 0] + good)),
      ("footer", try mp3(4, flags: 0x10, [])),
      ("junk in the padding", try mp3(3, good + [0, 0, 0, 1])),
      ("frame that is too long", try mp3(3, Array("TIT2".utf8) + [0, 0, 1, 0, 0, 0, 0])),
      ("two tags", try mp3(3, good).prefix(10 + good.count) + mp3(3, good)),
    ] {
      let path = try put(bytes, "a.mp3")
      #expect(throws: TagWriteError.self, "\(name)") { try write(["bpm": "90"], to: path) }
      #expect(try contents(path) == bytes, "\(name)")
    }
  }

  @Test func theTagThatHasAFieldGetsItsNewValue() throws {
    // An APE tag behind the audio, as tools for gain write it.
    let value = Array("-1.00 dB".utf8)
    let item = UInt32(value.count).littleEndianBytes + [0, 0, 0, 0] + Array("replaygain_track_gain".utf8) + [0] + value
    func frame(_ flags: UInt32) -> [UInt8] {
      Array("APETAGEX".utf8) + UInt32(2_000).littleEndianBytes + UInt32(item.count + 32).littleEndianBytes
        + UInt32(1).littleEndianBytes + flags.littleEndianBytes + [UInt8](repeating: 0, count: 8)
    }
    let ape = frame(0xA000_0000) + item + frame(0x8000_0000)
    let path = try put(mp3(3, frame23("TIT2", Array("\u{0}x".utf8))) + ape, "a.mp3")
    let file = try TaggedFile(path: path)
    #expect(file.items(of: "replaygain_track_gain").map(\.tag) == ["apev2"] && file.newKey(of: "bpm")?.tag == "id3v2")
    try write(["replaygain_track_gain": "-2.00 dB"], to: path)
    #expect(try contents(path).count == mp3(3, frame23("TIT2", Array("\u{0}x".utf8))).count + ape.count)
    #expect(try TagReader.read(path: path).fields["replaygain_track_gain"] == ["-2.00 dB"])
    // Without ID3v2, the APE tag gets new fields, so that it is not hidden.
    let alone = try put(Samples.bytes("bare.mp3") + ape, "b.mp3")
    #expect(try TaggedFile(path: alone).newKey(of: "bpm")?.tag == "apev2")
  }

  @Test func allKeysOfAFieldAreSet() throws {
    let frames = frame23("TXXX", Array("\u{0}KEY\u{0}C".utf8)) + frame23("TKEY", Array("\u{0}Dm".utf8))
    let path = try put(mp3(3, frames), "a.mp3")
    let replacement = try TagReplacement(path, TagReplacement.Options())
    let items = replacement.file.items(of: "initialkey")
    #expect(items.map(\.key) == ["TKEY", "TXXX:KEY"] && items.map(\.values) == [["Dm"], ["C"]])
    try replacement.perform(
      items.map { TagItem(tag: $0.tag, key: $0.key, values: ["Am"]) }, of: ["initialkey"],
      contentID: AudioContent(path: path).id
    ) { _ in }
    #expect(try TaggedFile(path: path).items(of: "initialkey").map(\.values) == [["Am"], ["Am"]])
    #expect(try TagReader.read(path: path).fields == ["initialkey": ["Am"]])
  }

  @Test func anApeFile() throws {
    let ape = Array("MAC ".utf8) + [UInt8](repeating: 7, count: 500)
    let path = try put(ape + Array("TAG".utf8) + [UInt8](repeating: 0, count: 125), "a.ape")
    var file = try TaggedFile(path: path)
    let (tag, key) = try #require(file.newKey(of: "bpm"))
    try file.set(TagItem(tag: tag, key: key, values: ["90"]))
    let new = try FileDescriptor.open(
      folder.file("b.ape"), .readWrite, options: [.create], permissions: .ownerReadWrite)
    try new.closeAfter { try file.write(to: new) }
    let bytes = try contents(folder.file("b.ape"))
    #expect(bytes.starts(with: ape) && bytes.dropLast(128).suffix(32).starts(with: "APETAGEX".utf8))
    #expect(try TagReader.read(path: folder.file("b.ape")).fields["bpm"] == ["90"])
  }

  // MARK: Harm

  /// Whatever is wrong with a file: it is refused or written, and nothing traps.
  @Test(arguments: Samples.names) func hostileFiles(name: String) throws {
    let good = try Samples.bytes(name)
    var random = SplitMix64(seed: 5)
    func attempt(_ bytes: [UInt8]) throws {
      let path = try put(bytes, name)
      guard var file = try? TaggedFile(path: path) else { return }
      for (field, value) in Self.values {
        guard let (tag, key) = file.newKey(of: field) else { continue }
        try? file.set(TagItem(tag: tag, key: key, values: [value]))
      }
      let sink = try FileDescriptor.open("/dev/null", .writeOnly)
      try? sink.closeAfter { try file.write(to: sink) }
    }
    for _ in 0..<60 { try attempt(Array(good.prefix(.random(in: 0..<good.count, using: &random)))) }
    for length in stride(from: 0, to: 400, by: 7) { try attempt(Array(good.prefix(length))) }
    for _ in 0..<250 {
      var bytes = good
      // Where the structure is: at the start and at the end.
      let places = Bool.random(using: &random) ? 0..<min(2_000, good.count) : max(0, good.count - 4_000)..<good.count
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let values: [UInt8] = [0, 1, 0x7F, 0x80, 0xFF, .random(in: 0...255, using: &random)]
        bytes[Int.random(in: places, using: &random)] = values.randomElement(using: &random) ?? 0
      }
      try attempt(bytes)
    }
  }

  @Test func aChangeMeanwhileIsNotOverwritten() throws {
    let path = try put(Samples.bytes("a.flac"), "a.flac")
    let replacement = try TagReplacement(path, TagReplacement.Options())
    let (tag, key) = try #require(replacement.file.newKey(of: "bpm"))
    let other = try Samples.bytes("bare.mp3")
    #expect(throws: TagWriteError.self) {
      try replacement.perform(
        [TagItem(tag: tag, key: key, values: ["90"])], of: ["bpm"], contentID: AudioContent(path: path).id
      ) { _ in try FileReplacement.write(other, to: path) }
    }
    #expect(try contents(path) == other)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path.string) == ["a.flac"])
  }
}
