import Analysis
import AnalysisTesting
import AudioDecoding
import Foundation
import MediaContainers
import Platform
import SystemPackage
import TagReading
import Testing

@testable import TagWriting

@Suite(.bounded) struct TagWritingTests {
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
  private func write(
    _ values: [String: String], to path: FilePath, before: (TagReplacement.Prepared) -> Void = { _ in }
  ) throws {
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
    ) { before($0) }
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
    // Writing over an existing value keeps the length.
    let size = try contents(path).count
    try write(Self.values.merging(["bpm": "127"]) { $1 }, to: path)
    #expect(try contents(path).count == size)
    #expect(try TagReader.read(path: path).fields["bpm"] == ["127"])
    try remove(Self.values.keys, from: path)
    tags = try TagReader.read(path: path)
    #expect(tags.fields == before.fields && tags.remarks == before.remarks)
    #expect(try AudioContent(path: path) == content)
  }

  /// Tags that fit into the free space of a file do not move the audio.
  @Test(arguments: ["a.flac", "room.m4a"]) func freeSpaceIsUsed(name: String) throws {
    let old = try Samples.bytes(name)
    let path = try put(old, name)
    try write(["bpm": "128"], to: path)
    let new = try contents(path)
    #expect(new.count == old.count && new.suffix(3_000) == old.suffix(3_000))
  }

  /// Comments of all lengths around those that need another page or another set of lacing values.
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

    // In 2.4, frames are unsynchronized individually, and stay so.
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
    // An APE tag after the audio, as written by gain tools.
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
  }

  // MARK: Several tags

  private static func id3v1(title: String, genre: UInt8 = 255) -> [UInt8] {
    func field(_ text: String, _ size: Int) -> [UInt8] {
      Array(text.unicodeScalars.map { UInt8($0.value) })
        + [UInt8](repeating: 0, count: size - text.unicodeScalars.count)
    }
    return Array("TAG".utf8) + field(title, 30) + field("Än artist", 30) + field("Album", 30) + field("1999", 4)
      + field("words", 28) + [0, 7, genre]
  }

  private static func ape(_ items: [(key: String, flags: UInt8, value: [UInt8])]) -> [UInt8] {
    let content = items.flatMap { item -> [UInt8] in
      let head: [UInt8] = UInt32(item.value.count).littleEndianBytes + [item.flags, 0, 0, 0]
      return head + Array(item.key.utf8) + [0] + item.value
    }
    func frame(_ flags: UInt32) -> [UInt8] {
      Array("APETAGEX".utf8) + UInt32(2_000).littleEndianBytes + UInt32(content.count + 32).littleEndianBytes
        + UInt32(items.count).littleEndianBytes + flags.littleEndianBytes + [UInt8](repeating: 0, count: 8)
    }
    return frame(0xA000_0000) + content + frame(0x8000_0000)
  }

  private static func chunks(_ file: [UInt8], adding chunk: [UInt8], isBigEndian: Bool = false) -> [UInt8] {
    var bytes = file + chunk
    let size = UInt32(bytes.count - 8)
    bytes.replaceSubrange(4..<8, with: isBigEndian ? size.bigEndianBytes : size.littleEndianBytes)
    return bytes
  }

  /// The audio of a sample, without the tags that ffmpeg wrote.
  private func bare(_ name: String) throws -> [UInt8] {
    let bytes = try Samples.bytes(name)
    let end = try TagRegions.startOfTrailing(in: ByteSource(bytes), behind: 0)
    return Array(bytes[..<end])
  }

  private static let longTitle = "A title that is longer than those thirty letters"
  private static let picture: [UInt8] = [0x89, 0x50, 0x4E, 0x47] + [UInt8](repeating: 0xFF, count: 300)

  /// Programs that read only the first tag of their preferred format still show everything they showed before.
  @Test(arguments: [
    "id3v1.mp3", "ape.mp3", "both.mp3", "info.wav", "text.aiff", "id3v1.wv", "id3v2.wv", "id3v2.flac", "id3v1.flac",
  ])
  func aNewTagSaysAllThatOthersSay(name: String) throws {
    let ape = Self.ape([
      ("Title", 0, Array(Self.longTitle.utf8)), ("Album Artist", 0, Array("One\u{0}Two".utf8)),
      ("Own", 0, Array("thing".utf8)), ("Lyrics", 0, Array("la la".utf8)), ("Track", 0, Array("3/12".utf8)),
      ("Cover Art (Front)", 2, Array("front.png".utf8) + [0] + Self.picture),
    ])
    let id3v1 = Self.id3v1(title: String(Self.longTitle.prefix(30)), genre: 17)
    let frames =
      frame23("TIT2", Array("\u{0}Title".utf8)) + frame23("TCON", Array("\u{0}(17)".utf8))
      + frame23("TYER", Array("\u{0}2001".utf8)) + frame23("TXXX", Array("\u{0}Own\u{0}thing".utf8))
      + frame23("UFID", Array("http://musicbrainz.org\u{0}abc".utf8))
      + (name == "id3v2.wv" ? frame23("APIC", Array("\u{0}image/png\u{0}".utf8) + [3, 0] + Self.picture) : [])
    let id3v2 = Array("ID3".utf8) + [3, 0, 0] + syncsafe(frames.count) + frames
    let info =
      Array("INFOINAM".utf8) + [6, 0, 0, 0] + Array("Title\u{0}".utf8) + Array("IGNR".utf8) + [4, 0, 0, 0]
      + Array("Dub\u{0}".utf8)
    let mp3 = try Samples.bytes("bare.mp3")
    let old: [UInt8] =
      switch name {
      case "id3v1.mp3": mp3 + id3v1
      case "ape.mp3": mp3 + ape
      case "both.mp3": mp3 + ape + id3v1
      case "info.wav":
        Self.chunks(
          Array(Self.wav(frameCount: 9_000)), adding: Array("LIST".utf8) + UInt32(info.count).littleEndianBytes + info)
      case "text.aiff":
        try Self.chunks(bare("plain.aiff"), adding: Array("NAME".utf8) + [0, 0, 0, 2, 65, 66], isBigEndian: true)
      case "id3v1.wv": try bare("a.wv") + id3v1
      case "id3v2.wv": try id3v2 + bare("a.wv")
      case "id3v2.flac": try id3v2 + Samples.bytes("bare.flac")
      default: try Samples.bytes("bare.flac") + id3v1
      }
    let path = try put(old, name)
    let tags = try TagReader.read(path: path)
    #expect(tags.fields["title"] != nil)
    let views = TagViews(try SeparateTags(of: ByteSource(path: path)))
    var reversal: FileReversal?
    try write(["bpm": "128"], to: path) { reversal = $0.reversal }
    let first = try contents(path)
    let after = try TagReader.read(path: path)
    for (field, values) in tags.fields where !field.hasPrefix(TagField.otherPrefix) {
      #expect(after.fields[field] == values, "\(field)")
    }
    #expect(after.fields["bpm"] == ["128"] && after.pictures == tags.pictures && after.lyrics == tags.lyrics)
    let now = TagViews(try SeparateTags(of: ByteSource(path: path)))
    #expect(now.loss(since: views, besides: ["bpm"]) == nil)
    for view in now.views { #expect(view.fields["bpm"] == ["128"] && view.fields["title"] != nil, "\(view.program)") }
    // Only the first item copies the other tags.
    let size = try contents(path).count
    try write(["bpm": "127"], to: path)
    #expect(try contents(path).count == size)
    try FileReplacement.write(first, to: path)
    #expect(try TagReplacement(path, TagReplacement.Options()).reverse(#require(reversal)) != nil)
    #expect(try contents(path) == old)
  }

  @Test func whatAProgramWouldMissIsSeen() throws {
    let old = TagViews(try SeparateTags(of: ByteSource(Samples.bytes("bare.mp3") + Self.id3v1(title: "x"))))
    let hidden = try mp3(4, Array("TBPM".utf8) + [0, 0, 0, 3, 0, 0, 0, 0x39, 0x30]) + Self.id3v1(title: "x")
    let loss = TagViews(try SeparateTags(of: ByteSource(hidden))).loss(since: old, besides: ["bpm"])
    #expect(loss?.hasPrefix("TagLib would not show") == true)
  }

  private static func wav(frameCount: Int, format: UInt16 = 16) -> [UInt8] {
    let width = Int(format) / 8
    let data = (0..<frameCount * width).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let head =
      Array("WAVEfmt ".utf8) + UInt32(16).littleEndianBytes + UInt16(1).littleEndianBytes
      + UInt16(1).littleEndianBytes + UInt32(8_000).littleEndianBytes + UInt32(8_000 * width).littleEndianBytes
      + UInt16(width).littleEndianBytes + format.littleEndianBytes + Array("data".utf8)
      + UInt32(data.count).littleEndianBytes + data
    return Array("RIFF".utf8) + UInt32(head.count).littleEndianBytes + head
  }

  /// Some writers omit the padding byte of a chunk.
  @Test(arguments: [false, true]) func anOddChunkWithoutItsByte(isCounted: Bool) throws {
    var old = Self.wav(frameCount: 9_001, format: 8)
    if isCounted { old.replaceSubrange(4..<8, with: UInt32(old.count - 7).littleEndianBytes) }
    let path = try put(old, "odd.wav")
    var reversal: FileReversal?
    try write(["bpm": "128"], to: path) { reversal = $0.reversal }
    let new = try contents(path)
    #expect(new.has("id3 ", at: old.count + 1) && new.littleEndian(UInt32.self, at: 4) == UInt32(new.count - 8))
    #expect(try TagReader.read(path: path).fields["bpm"] == ["128"])
    #expect(try TagReplacement(path, TagReplacement.Options()).reverse(#require(reversal)) != nil)
    #expect(try contents(path) == old)
  }

  // MARK: Names

  @Test func newKeysAreThoseOfPicard() throws {
    for (name, field, key) in [
      ("a.flac", "initialkey", "KEY"), ("a.ogg", "initialkey", "KEY"), ("a.wv", "initialkey", "KEY"),
      ("a.mp3", "initialkey", "TKEY"), ("a.m4a", "initialkey", "----:com.apple.iTunes:initialkey"),
      ("a.m4a", "replaygain_track_gain", "----:com.apple.iTunes:REPLAYGAIN_TRACK_GAIN"), ("a.m4a", "bpm", "tmpo"),
      ("a.wma", "initialkey", "WM/InitialKey"), ("a.flac", "acoustid_fingerprint", "acoustid_fingerprint"),
    ] {
      let path = try put(Samples.bytes(name), name)
      #expect(try TaggedFile(path: path).newKey(of: field)?.key == key, "\(name)")
    }
    // An existing key keeps its spelling.
    let path = try put(Samples.bytes("bare.flac"), "a.flac")
    let items = [TagItem(tag: "vorbis", key: "INITIALKEY", values: ["Am"])]
    try TagReplacement(path, TagReplacement.Options()).perform(
      items, of: ["initialkey"], contentID: AudioContent(path: path).id
    ) { _ in }
    try write(["initialkey": "Dm"], to: path)
    #expect(
      try TaggedFile(path: path).items(of: "initialkey") == [TagItem(tag: "vorbis", key: "INITIALKEY", values: ["Dm"])])
  }

  /// aacgain ends the name of an item with a NUL.
  @Test func namesThatEndWithANul() throws {
    let path = try put(Samples.bytes("a.m4a"), "a.m4a")
    let item = TagItem(tag: "mp4", key: "----:com.apple.iTunes:replaygain_track_gain\u{0}", values: ["-1.00 dB"])
    var file = try TaggedFile(path: path)
    try file.set(item)
    let target = try FileDescriptor.open(
      folder.file("b.m4a"), .readWrite, options: [.create], permissions: .ownerReadWrite)
    try target.closeAfter { try file.write(to: target) }
    let old = folder.file("b.m4a")
    #expect(try TagReader.read(path: old).fields["replaygain_track_gain"] == ["-1.00 dB"])
    try write(["replaygain_track_gain": "-2.00 dB"], to: old)
    #expect(try TagReader.read(path: old).fields["replaygain_track_gain"] == ["-2.00 dB"])
    #expect(try TaggedFile(path: old).items(of: "replaygain_track_gain").count == 1)
  }

  // MARK: Reversal

  /// The old file is restored byte for byte from the data in the journal.
  @Test(arguments: Samples.names) func theOldBytesComeBack(name: String) throws {
    let old = try Samples.bytes(name)
    let path = try put(old, name)
    var reversal: FileReversal?
    try write(Self.values, to: path) { reversal = $0.reversal }
    let new = try contents(path)
    let made = try #require(reversal)
    let literalCount = made.pieces.reduce(0) { sum, piece in
      if case .bytes(let bytes) = piece { sum + bytes.count } else { sum }
    }
    #expect(literalCount < 8_000)
    // A file other than the written one is not restored.
    try FileReplacement.write(new + [0], to: path)
    #expect(try (try? TagReplacement(path, TagReplacement.Options()))?.reverse(made) == nil)
    try FileReplacement.write(new, to: path)
    #expect(try TagReplacement(path, TagReplacement.Options()).reverse(made) != nil)
    #expect(try contents(path) == old)
  }

  /// Programs differ in the layout of Ogg pages, which may contain pictures.
  @Test(arguments: ["a.ogg", "a.opus"]) func largeCommentsComeBackAsTheyWereLaidOut(name: String) throws {
    var random = SplitMix64(seed: 3)
    let path = try put(Samples.bytes(name), name)
    let text = String((0..<150_000).map { _ in "abcdefghijklmnop".randomElement(using: &random) ?? "a" })
    try write(["acoustid_fingerprint": text], to: path)
    let old = try contents(path)
    var reversal: FileReversal?
    try write(["bpm": "128", "initialkey": "Am"], to: path) { reversal = $0.reversal }
    #expect(try TagReplacement(path, TagReplacement.Options()).reverse(#require(reversal)) != nil)
    #expect(try contents(path) == old)
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

  // MARK: Damage

  /// Damaged files are rejected or written, and never trap.
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
      // Damages the structure at the start or at the end.
      let places = Bool.random(using: &random) ? 0..<min(2_000, good.count) : max(0, good.count - 4_000)..<good.count
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let values: [UInt8] = [0, 1, 0x7F, 0x80, 0xFF, .random(in: 0...255, using: &random)]
        bytes[Int.random(in: places, using: &random)] = values.randomElement(using: &random) ?? 0
      }
      try attempt(bytes)
    }
  }

  /// Another program replaces the file, or writes to it.
  @Test(arguments: [true, false]) func aChangeMeanwhileIsNotOverwritten(replaces: Bool) throws {
    let old = try Samples.bytes("a.flac")
    let path = try put(old, "a.flac")
    let replacement = try TagReplacement(path, TagReplacement.Options())
    let (tag, key) = try #require(replacement.file.newKey(of: "bpm"))
    let other = replaces ? try Samples.bytes("bare.mp3") : old + [0]
    let error = #expect(throws: TagWriteError.self) {
      try replacement.perform(
        [TagItem(tag: tag, key: key, values: ["90"])], of: ["bpm"], contentID: AudioContent(path: path).id
      ) { _ in
        if replaces {
          try FileReplacement.write(other, to: path)
        } else {
          let file = try FileDescriptor.open(path, .writeOnly, options: .append)
          _ = try file.closeAfter { try file.writeAll([0]) }
        }
      }
    }
    #expect(error?.code == .changed && error?.canBeRetried == true)
    #expect(try contents(path) == other)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path.string) == ["a.flac"])
  }

  // MARK: One item

  @Test func onlyOpusHasGainOfItsOwn() throws {
    for name in ["a.opus", "a.ogg", "a.oga", "a.flac", "a.mp3", "a.wav"] {
      #expect(try TaggedFile(path: put(Samples.bytes(name), name)).isOpus == (name == "a.opus"), "\(name)")
    }
  }

  @Test func itemsOfTagsThatAreNotThere() throws {
    let path = try put(Samples.bytes("bare.mp3") + Self.id3v1(title: "x"), "a.mp3")
    var file = try TaggedFile(path: path)
    try file.set(TagItem(tag: "apev2", key: "BPM", values: []))
    let error = #expect(throws: TagWriteError.self) { try file.set(TagItem(tag: "apev2", key: "BPM", values: ["90"])) }
    #expect(error?.code == .oddStructure && error?.canBeRetried == false)
    #expect(file.item(tag: "apev2", key: "BPM").values == [])
    // Nothing is copied to a tag that stays empty.
    try file.set(TagItem(tag: "id3v2", key: "TBPM", values: []))
    #expect(file.transferred.isEmpty)
    #expect(try fileBytes(of: file.splice(), from: file.source) == contents(path))
  }

  @Test func otherItemsAreCompared() throws {
    let path = try put(Samples.bytes("a.flac"), "a.flac")
    var (one, other) = (try TaggedFile(path: path), try TaggedFile(path: path))
    let item = TagItem(tag: "vorbis", key: "BPM", values: ["90"])
    #expect(try one.hasSameOtherItems(as: other, than: []))
    try one.set(item)
    try other.set(TagItem(tag: "vorbis", key: "bpm", values: ["91"]))
    #expect(try one.hasSameOtherItems(as: other, than: [item]) && other.hasSameOtherItems(as: one, than: [item]))
    #expect(try !one.hasSameOtherItems(as: other, than: []))
    for (tag, key) in [("id3v2", "BPM"), ("vorbis", "A")] {
      #expect(try !one.hasSameOtherItems(as: other, than: [TagItem(tag: tag, key: key, values: [])]))
    }
  }

  @Test func aTagThatIsBroken() throws {
    for header: [UInt8] in [[3, 0, 0, 0x7F, 0x7F, 0x7F, 0x7F], [9, 0, 0, 0, 0, 0, 0]] {
      let path = try put(Array("ID3".utf8) + header + Samples.bytes("bare.mp3"), "a.mp3")
      let error = #expect(throws: TagWriteError.self) { try TaggedFile(path: path) }
      #expect(error?.code == .oddStructure)
    }
    let path = try put(Array("TTA1".utf8) + [UInt8](repeating: 7, count: 300), "a.tta")
    let error = #expect(throws: TagWriteError.self) { try TaggedFile(path: path) }
    #expect(error?.code == .unsupportedFormat)
  }

  // MARK: Replacement

  private func replace(
    _ path: FilePath, _ change: (inout TagReplacement.Options) -> Void = { _ in }, fields: Set<String> = ["bpm"],
    expecting expected: [String: String] = [:], contentID: ContentID? = nil
  ) throws {
    var options = TagReplacement.Options()
    change(&options)
    let replacement = try TagReplacement(path, options)
    let (tag, key) = try #require(replacement.file.newKey(of: "bpm"))
    try replacement.perform(
      [TagItem(tag: tag, key: key, values: ["90"])], of: fields, expecting: expected,
      contentID: contentID ?? AudioContent(path: path).id
    ) { _ in }
  }

  @Test func timesAreKeptOnRequest() throws {
    let path = try put(Samples.bytes("a.flac"), "a.flac")
    let date = Date(timeIntervalSince1970: 1_000_000_000)
    func setTime() throws {
      try FileManager.default.setAttributes(
        [.modificationDate: date, .posixPermissions: 0o640], ofItemAtPath: path.string)
    }
    try setTime()
    try replace(path)
    var identity = try #require(FileIdentity(path))
    #expect(identity.modified.nanoseconds > 1_000_000_000_000_000_000 && identity.permissions == 0o640)
    try setTime()
    try replace(path) { $0.preservesTimes = true }
    identity = try #require(FileIdentity(path))
    #expect(identity.modified.nanoseconds == 1_000_000_000_000_000_000 && identity.permissions == 0o640)
    #expect(try TagReader.read(path: path).fields["bpm"] == ["90"])
  }

  @Test func namesOfOneFileAreSplitOnRequest() throws {
    let old = try Samples.bytes("a.flac")
    let path = try put(old, "a.flac")
    let other = folder.file("b.flac")
    try FileManager.default.linkItem(atPath: path.string, toPath: other.string)
    let error = #expect(throws: TagWriteError.self) { try replace(path) }
    #expect(error?.code == .hardLinks && error?.message.hasPrefix("The file has 2 names") == true)
    #expect(try contents(path) == old)
    try replace(path) { $0.splitsHardLinks = true }
    #expect(try contents(path) != old && contents(other) == old)
    // A symbolic link keeps leading to the file.
    let link = folder.file("link")
    try FileManager.default.createSymbolicLink(atPath: link.string, withDestinationPath: other.string)
    try replace(link)
    #expect(try contents(other) == contents(path))
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.string) == other.string)
  }

  /// Even for root.
  @Test func readOnlyFilesStay() throws {
    let place = folder.file("folder")
    try FileManager.default.createDirectory(atPath: place.string, withIntermediateDirectories: true)
    let path = try put(Samples.bytes("a.flac"), "folder/a.flac")
    for (target, mode, message) in [
      (path, 0o444, "The file is read-only."), (place, 0o555, "The folder is read-only."),
    ] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: target.string)
      let error = #expect(throws: TagWriteError.self) { try replace(path) }
      #expect(error?.code == .notWritable && error?.message == message)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: target.string)
    }
    #expect(throws: TagWriteError.self) { try replace(place) }
    #expect(throws: TagWriteError.self) { try replace(folder.file("none.flac")) }
    try replace(path)
    #expect(try TagReader.read(path: path).fields["bpm"] == ["90"])
  }

  /// The new file is thrown away if it is not what it should be.
  @Test func aNewFileIsChecked() throws {
    let old = try Samples.bytes("a.flac")
    let path = try put(old, "a.flac")
    let discarded = "The new file was discarded because"
    for (fields, expected, message) in [
      (["bpm"], ["bpm": "91"], "\(discarded) readers would not find bpm."),
      (["title"], [:], "\(discarded) readers would see changes in other tags."),
    ] as [(Set<String>, [String: String], String)] {
      let error = #expect(throws: TagWriteError.self) { try replace(path, fields: fields, expecting: expected) }
      #expect(error?.code == .checkFailed && error?.message == message)
    }
    let error = #expect(throws: TagWriteError.self) { try replace(path, contentID: ContentID(hashing: [1])) }
    #expect(error?.code == .changed && error?.canBeRetried == false)
    #expect(error?.message == "The audio has changed since it was analyzed; run `analyze` again.")
    #expect(try contents(path) == old)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path.string) == ["a.flac"])
    try replace(path, expecting: ["bpm": "90"])
    #expect(try TagReader.read(path: path).fields["bpm"] == ["90"])
  }

  /// An error may come from what another program was writing.
  @Test func errorsWhileTheFileChanges() throws {
    let path = try put(Samples.bytes("a.flac"), "a.flac")
    let replacement = try TagReplacement(path, TagReplacement.Options())
    var retriable = TagWriteError(.inUse, "Try again.")
    retriable.canBeRetried = true
    func error(_ error: TagWriteError) -> TagWriteError? {
      #expect(throws: TagWriteError.self) { try replacement.unlessChanging { throw error } }
    }
    let odd = TagWriteError(.oddStructure, "It is odd.")
    #expect(error(odd) == odd && error(retriable) == retriable)
    try FileReplacement.write(Samples.bytes("a.flac"), to: path)
    #expect(error(retriable) == retriable)
    #expect(error(odd)?.code == .changed && error(odd)?.canBeRetried == true)
    #expect(try replacement.unlessChanging { 7 } == 7)
  }

  /// Another key would give the field a value again.
  @Test func oneOfTwoKeysIsNotRemoved() throws {
    let frames = frame23("TXXX", Array("\u{0}KEY\u{0}C".utf8)) + frame23("TKEY", Array("\u{0}Dm".utf8))
    let path = try put(mp3(3, frames), "a.mp3")
    let error = #expect(throws: TagWriteError.self) {
      try TagReplacement(path, TagReplacement.Options()).perform(
        [TagItem(tag: "id3v2", key: "TKEY", values: [])], of: ["initialkey"], contentID: AudioContent(path: path).id
      ) { _ in }
    }
    #expect(error?.message == "The new file was discarded because readers would see changes in other tags.")
    #expect(try contents(path) == mp3(3, frames))
  }

  @Test func theAudioIsRecognized() throws {
    let path = try put(Samples.bytes("a.flac"), "a.flac")
    let id = try AudioContent(path: path).id
    let replacement = try TagReplacement(path, TagReplacement.Options())
    #expect(try replacement.hasAudio(id) && !replacement.hasAudio(ContentID(hashing: [1])))
  }

  /// A file that would not be the old one again is thrown away.
  @Test func aReversalIsChecked() throws {
    let path = try put(Samples.bytes("a.flac"), "a.flac")
    var made: FileReversal?
    try write(["bpm": "90"], to: path) { made = $0.reversal }
    let new = try contents(path)
    var reversal = try #require(made)
    reversal.old.digest = ContentID(hashing: [1])
    let error = #expect(throws: TagWriteError.self) {
      try TagReplacement(path, TagReplacement.Options()).reverse(reversal)
    }
    #expect(error?.code == .checkFailed)
    reversal = try #require(made)
    reversal.old.size += 1
    #expect(try TagReplacement(path, TagReplacement.Options()).reverse(reversal) == nil)
    #expect(try contents(path) == new)
  }
}
