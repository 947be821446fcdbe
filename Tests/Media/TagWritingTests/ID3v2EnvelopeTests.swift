import AnalysisTesting
import MediaContainers
import TagReading
import Testing

@testable import TagWriting

@Suite(.bounded) struct ID3v2EnvelopeTests {
  private static func syncsafe(_ size: Int) -> [UInt8] { [21, 14, 7, 0].map { UInt8(size >> $0 & 127) } }

  private static func frame(_ version: UInt8, _ id: String, flags: UInt8 = 0, _ body: [UInt8]) -> [UInt8] {
    let size = UInt32(body.count).bigEndianBytes
    return switch version {
    case 2: Array(id.utf8) + size.dropFirst() + body
    case 3: Array(id.utf8) + size + [0, flags] + body
    default: Array(id.utf8) + syncsafe(body.count) + [0, flags] + body
    }
  }

  private static func tag(
    _ version: UInt8, revision: UInt8 = 0, flags: UInt8 = 0, _ frames: [[UInt8]], padding: Int = 0
  ) -> [UInt8] {
    let body = frames.flatMap(\.self) + [UInt8](repeating: 0, count: padding)
    return Array("ID3".utf8) + [version, revision, flags] + syncsafe(body.count) + body
  }

  /// Parses a tag between other bytes.
  private static func parse(
    _ bytes: [UInt8]
  ) throws -> (envelope: ID3v2Envelope, tag: EditableTag, source: ByteSource) {
    let source = ByteSource([1, 2, 3] + bytes + noise(40, seed: 9))
    var frames: [EditableTag.Entry] = []
    let envelope = try ID3v2Envelope(source, 3..<3 + bytes.count, frames: &frames)
    let tag = EditableTag(.id3v2, frames) { key, values throws(TagWriteError) in try envelope.frame(key, values) }
    return (envelope, tag, source)
  }

  private static func written(_ bytes: [UInt8], _ items: (key: String, values: [String])...) throws -> [UInt8] {
    var (envelope, tag, source) = try parse(bytes)
    for item in items { try tag.set(item.key, to: item.values) }
    return try fileBytes(of: envelope.tag(tag), from: source)
  }

  private static func message(_ bytes: [UInt8]) -> String? {
    do {
      _ = try parse(bytes)
      return nil
    } catch {
      return "\(error)"
    }
  }

  private static func refusal(_ what: String) -> String { "The ID3v2 tag \(what); such tags are not changed." }

  // MARK: Frames

  @Test func framesOfTheFirstVersion() throws {
    let long = [0] + [UInt8](repeating: 65, count: 200)
    let frames = [
      Self.frame(2, "TT2", [0, 65]), Self.frame(2, "TBP", [0, 57, 48]), Self.frame(2, "TXX", [0, 65, 0, 66]),
      Self.frame(2, "TKE", long), Self.frame(2, "ULT", [0, 1, 2]), Self.frame(2, "PIC", [0, 1]),
    ]
    let (_, tag, _) = try Self.parse(Self.tag(2, frames))
    #expect(tag.keys == ["", "TBPM", "TXXX:A", "TKEY", "", ""])
    #expect(tag.values == [[], ["90"], ["B"], [String(repeating: "A", count: 200)], [], []])
    #expect(tag.texts == [true, true, true, true, true, false])
    #expect(
      try Self.written(Self.tag(2, frames), ("TBPM", ["91"]), ("TKEY", ["Am"]), ("TXXX:A", ["Ü"]))
        == Self.tag(
          2,
          [
            frames[0], Self.frame(2, "TBP", [0, 57, 49]),
            Self.frame(2, "TXX", [1, 0xFF, 0xFE, 65, 0, 0, 0, 0xFF, 0xFE, 0xDC, 0]),
            Self.frame(2, "TKE", [0, 65, 109]), frames[4], frames[5],
          ], padding: 191))
    let error = #expect(throws: TagWriteError.self) { try Self.written(Self.tag(2, frames), ("TIT2", ["x"])) }
    #expect(error?.code == .noRoom && error?.message == "TIT2 cannot be written to an ID3v2.2 tag.")
  }

  @Test(arguments: [3, 4] as [UInt8]) func framesOfLaterVersions(version: UInt8) throws {
    func frame(_ id: String, flags: UInt8 = 0, _ body: [UInt8]) -> [UInt8] {
      Self.frame(version, id, flags: flags, body)
    }
    let grouped: UInt8 = version == 3 ? 0x20 : 0x40
    let frames = [
      frame("TIT2", [0] + [UInt8](repeating: 65, count: 200)), frame("TXXX", [3, 65, 0, 66, 0, 67]),
      // Not unsynchronized, although the bytes look like it.
      frame("TPE1", [1, 0xFF, 0xFE, 0xFF, 0, 65, 0]), frame("TALB", [0]), frame("TCOM", []),
      frame("TPE2", flags: grouped, [1, 0, 65]), frame("COMM", [0, 69, 78, 71, 0, 65]), frame("WOAR", [65, 66]),
      frame("USLT", [0, 69, 78, 71, 0, 65]), frame("PRIV", [1]), frame("APIC", [1]), frame("MCDI", [0, 65]),
      frame("T09Z", [0, 65]), frame("TT2 ", [0, 65]), frame("AA2\u{0}", [0, 65]),
    ]
    let bytes = Self.tag(version, revision: 1, flags: 0x20, frames, padding: 5)
    let (_, tag, _) = try Self.parse(bytes)
    #expect(
      tag.keys == ["TIT2", "TXXX:A", "TPE1", "TALB", "", "", "", "", "", "", "", "", "T09Z", "TT2 ", ""])
    #expect(tag.values[..<3] == [[String(repeating: "A", count: 200)], ["B", "C"], ["ÿA"]])
    #expect(tag.values[3...].map(\.count) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0])
    #expect(
      tag.texts == [true, true, true, true, true, true, true, true, true, true, false, false, true, true, false])
    var position = 13
    for (entry, frame) in zip(tag.entries, frames) {
      #expect(entry.content == .original(position..<position + frame.count))
      position += frame.count
    }
    #expect(try Self.written(bytes) == bytes)
  }

  /// Frames of version 2.4 are unsynchronized one by one.
  @Test func unsynchronizedText() throws {
    let frame = Self.frame(4, "TKEY", [0, 0xFF, 0, 65])
    let (_, tag, _) = try Self.parse(Self.tag(4, flags: 0x80, [frame]))
    #expect(tag.values == [["ÿA"]])
    #expect(
      try Self.written(Self.tag(4, flags: 0x80, [frame]), ("TKEY", ["A"]))
        == Self.tag(4, flags: 0x80, [Self.frame(4, "TKEY", flags: 2, [0, 65])], padding: 2))
    #expect(try Self.parse(Self.tag(4, [frame])).tag.values == [["ÿ", "A"]])
  }

  @Test func newFrames() throws {
    func frame(_ bytes: [UInt8], _ key: String, _ values: [String]) throws -> [[UInt8]] {
      try Self.parse(bytes).envelope.frame(key, values)
    }
    let (older, newer) = (Self.tag(3, [[]], padding: 1), Self.tag(4, [[]], padding: 1))
    for (version, bytes) in [(3, older), (4, newer)] as [(UInt8, [UInt8])] {
      #expect(try frame(bytes, "TKEY", ["A\u{7F}"]) == [Self.frame(version, "TKEY", [0, 65, 0x7F])])
      #expect(try frame(bytes, "TIT2", ["A", "B"]) == [Self.frame(version, "TIT2", [0, 65, 0, 66])])
      #expect(try frame(bytes, "TXXX:a:b", ["c"]) == [Self.frame(version, "TXXX", [0] + Array("a:b\u{0}c".utf8))])
      #expect(
        try frame(bytes, "UFID:http://x:1", ["id", "i2"])
          == ["id", "i2"].map { Self.frame(version, "UFID", Array("http://x:1\u{0}\($0)".utf8)) })
      for key in ["COMM", "USLT"] {
        #expect(
          try frame(bytes, key, ["a", "b"])
            == ["a", "b"].map { Self.frame(version, key, [0] + Array("XXX\u{0}\($0)".utf8)) })
      }
    }
    #expect(try frame(newer, "TKEY", ["\u{80}", "B"]) == [Self.frame(4, "TKEY", [3, 0xC2, 0x80, 0, 66])])
    #expect(
      try frame(older, "TKEY", ["\u{80}", "B"])
        == [Self.frame(3, "TKEY", [1, 0xFF, 0xFE, 0x80, 0, 0, 0, 0xFF, 0xFE, 66, 0])])
    #expect(
      try frame(older, "COMM", ["ü"])
        == [Self.frame(3, "COMM", [1, 88, 88, 88, 0xFF, 0xFE, 0, 0, 0xFF, 0xFE, 0xFC, 0])])
  }

  @Test func startsOfPictures() throws {
    func head(_ bytes: [UInt8], _ description: String) throws -> [UInt8]? {
      try Self.parse(bytes).envelope.pictureHead(type: 3, mime: "image/x", description: description, size: 300)
    }
    let start = Array("image/x".utf8) + [0, 3]
    func frame(_ version: UInt8, _ body: [UInt8]) -> [UInt8] {
      Array(Self.frame(version, "APIC", body + [UInt8](repeating: 7, count: 300)).dropLast(300))
    }
    let older = Self.tag(3, [[]], padding: 1)
    #expect(try head(older, "a") == frame(3, [0] + start + [97, 0]))
    #expect(try head(older, "ü") == frame(3, [1] + start + [0xFF, 0xFE, 0xFC, 0, 0, 0]))
    #expect(try head(Self.tag(4, [[]], padding: 1), "ü") == frame(4, [3] + start + [0xC3, 0xBC, 0]))
    #expect(try head(Self.tag(4, flags: 0x20, [[]], padding: 1), "") == frame(4, [0] + start + [0]))
    #expect(try head(Self.tag(4, flags: 0x80, [[]], padding: 1), "a") == nil)
    #expect(try head(Self.tag(2, [[]], padding: 1), "a") == nil)
    let new = ID3v2Envelope().pictureHead(type: 3, mime: "image/x", description: "", size: 300)
    #expect(new == frame(4, [0] + start + [0]))
  }

  @Test func keysWithFrames() {
    for key in ["COMM", "USLT", "UFID:x", "TIT2", "TXXX:x", "TXXX:"] {
      #expect(ID3v2Envelope.hasFrame(for: key), "\(key)")
    }
    for key in ["COM", "UFID", "TMCL", "TIPL", "TIT", "TITLE", "TIPL:mix", "XXXX", "WOAR", "XTXXX:a"] {
      #expect(!ID3v2Envelope.hasFrame(for: key), "\(key)")
    }
  }

  // MARK: Tags

  /// A tag keeps its size, or gets room for later changes if it must grow.
  @Test func sizesOfTags() throws {
    func tag(_ title: String, padding: Int = 0) -> [UInt8] {
      Self.tag(3, [Self.frame(3, "TIT2", [0] + Array(title.utf8))], padding: padding)
    }
    #expect(try Self.written(tag("abc"), ("TIT2", ["xyz"])) == tag("xyz"))
    #expect(try Self.written(tag("abc"), ("TIT2", ["xy"])) == tag("xy", padding: 1))
    #expect(try Self.written(tag("abc", padding: 1), ("TIT2", ["wxyz"])) == tag("wxyz"))
    #expect(try Self.written(tag("abc", padding: 1), ("TIT2", ["vwxyz"])) == tag("vwxyz", padding: 1_024))
    #expect(try Self.written(tag("abc", padding: 1), ("TIT2", [])) == [])
  }

  @Test func aNewTag() throws {
    var tag = EditableTag(.id3v2, []) { key, values throws(TagWriteError) in try ID3v2Envelope().frame(key, values) }
    #expect(try ID3v2Envelope().tag(tag).pieces == [])
    try tag.set("TKEY", to: ["C"])
    for (isEven, padding) in [(false, 1_024), (true, 1_024)] {
      #expect(
        try fileBytes(of: ID3v2Envelope().tag(tag, isEven: isEven), from: ByteSource([]))
          == Self.tag(4, [Self.frame(4, "TKEY", [0, 67])], padding: padding))
    }
    try tag.set("TKEY", to: ["Cm"])
    for (isEven, padding) in [(false, 1_024), (true, 1_025)] {
      #expect(
        try fileBytes(of: ID3v2Envelope().tag(tag, isEven: isEven), from: ByteSource([]))
          == Self.tag(4, [Self.frame(4, "TKEY", [0, 67, 109])], padding: padding))
    }
    #expect(
      try fileBytes(of: ID3v2Envelope().tag(tag), from: ByteSource([]))
        == Self.tag(4, [Self.frame(4, "TKEY", [0, 67, 109])], padding: 1_024))
  }

  @Test func limitsOfTags() throws {
    func tag(_ count: Int) throws(TagWriteError) -> FileSplice {
      let entry = EditableTag.Entry(content: .original(0..<count))
      return try ID3v2Envelope().tag(EditableTag(.id3v2, [entry]) { _, _ throws(TagWriteError) in [] })
    }
    #expect(try tag(1).size == 10 + 1 + 1_024)
    let size = 0x05 << 21 | 0x35 << 14 | 0x53 << 7 | 0x19
    #expect(
      try tag(size - 1_024).pieces.first == .bytes(Array("ID3".utf8) + [4, 0, 0, 0x05, 0x35, 0x53, 0x19]))
    #expect(try tag((1 << 28) - 1_025).size == 10 + (1 << 28) - 1)
    let error = #expect(throws: TagWriteError.self) { try tag((1 << 28) - 1_024) }
    #expect(error?.code == .noRoom)
  }

  @Test func limitOfTexts() throws {
    let longest = [3] + [UInt8](repeating: 65, count: (1 << 20) - 1)
    let tag = try Self.parse(Self.tag(3, [Self.frame(3, "TIT2", longest), Self.frame(3, "TALB", longest + [65])])).tag
    #expect(tag.keys == ["TIT2", ""] && tag.values[0].first?.utf8.count == (1 << 20) - 1)
  }

  /// A tag that is unsynchronized as a whole is decoded in memory.
  @Test func limitOfUnsynchronizedTags() throws {
    let folder = try TemporaryDirectory()
    for (excess, what) in [
      (0, "is damaged after byte 0"), (1, "is larger than any real one that is unsynchronized"),
    ] {
      let size = (64 << 20) + excess
      let head = Array("ID3".utf8) + [3, 0, 0x80] + Self.syncsafe(size - 10) + [0xFF, 0xE0]
      let source = try ByteSource(path: sparseFile(folder, size: size, [(0, head)]))
      var frames: [EditableTag.Entry] = []
      let error = #expect(throws: TagWriteError.self) { try ID3v2Envelope(source, 0..<size, frames: &frames) }
      #expect(error?.message == Self.refusal(what))
    }
  }

  // MARK: Refusals

  @Test func flagsOfTags() {
    for (version, flags, isAccepted) in [
      (2, 0, true), (2, 0x80, true), (2, 0x20, false), (2, 0x40, false), (2, 1, false), (3, 0xA0, true),
      (3, 0x40, false), (3, 1, false), (4, 0xA0, true), (4, 0x20, true), (4, 0x10, false), (4, 1, false),
    ] as [(UInt8, UInt8, Bool)] {
      let frame = Self.frame(version, version == 2 ? "TT2" : "TIT2", [0, 65])
      #expect(
        Self.message(Self.tag(version, flags: flags, [frame]))
          == (isAccepted ? nil : Self.refusal("has an extended header, a footer or unknown flags")),
        "\(version) \(flags)")
    }
  }

  @Test func brokenTags() {
    let frame = Self.frame(3, "TIT2", [0, 65])
    var long = Self.tag(3, [frame])
    long[9] += 1
    var wide = Self.tag(3, [frame])
    wide[8] = 0x80
    var newer = Self.frame(4, "TIT2", [0] + [UInt8](repeating: 65, count: 127))
    newer.replaceSubrange(4..<8, with: [0, 0, 0, 0x80])
    let damage = "is damaged after byte"
    let padding = "has something other than zeros in its padding"
    for (tag, what) in [
      (Self.tag(1, [frame]), "is not one of version 2.2, 2.3 or 2.4"),
      (Self.tag(5, [frame]), "is not one of version 2.2, 2.3 or 2.4"),
      (Array("IDE".utf8) + Self.tag(3, [frame])[3...], "is not one of version 2.2, 2.3 or 2.4"),
      (long, "does not have the length that it claims"), (wide, "does not have the length that it claims"),
      (Self.tag(4, [newer]), "has a frame with a wrong length"),
      (Self.tag(3, [Array(frame.dropLast())]), "breaks off inside a frame"),
      (Self.tag(3, [frame, Array(frame.prefix(9))]), damage + " 25"),
      (Self.tag(3, [frame], padding: 3), nil),
      (Self.tag(3, [frame, [0, 0, 0, 1]]), padding), (Self.tag(3, [frame, [0, 7]]), padding),
    ] as [([UInt8], String?)] {
      #expect(Self.message(tag) == what.map { Self.refusal($0) })
    }
    for (version, id) in [
      (3, "@IT2"), (3, "[IT2"), (3, "/IT2"), (3, ":IT2"), (3, "TIT!"), (3, "TIT\u{1}"), (3, "TI2a"), (3, "T@T2"),
      (3, "T T2"), (2, "TT "), (2, "TT\u{0}"), (2, "T@2"),
    ] as [(UInt8, String)] {
      let tag = Self.tag(version, [Self.frame(version, id, [0, 65])])
      #expect(Self.message(tag) == Self.refusal(damage + " 13"), "\(id)")
    }
    for id in ["A0Z9", "0A9Z", "Z9A0", "9Z0A", "ZZZ ", "000\u{0}"] {
      #expect(Self.message(Self.tag(3, [Self.frame(3, id, [0, 65])])) == nil, "\(id)")
    }
  }
}
