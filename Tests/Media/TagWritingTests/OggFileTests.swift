import AnalysisTesting
import MediaContainers
import TagReading
import Testing

@testable import TagWriting

@Suite(.bounded) struct OggFileTests {
  private static func comment(_ entries: [String]) -> [UInt8] {
    func text(_ text: String) -> [UInt8] { UInt32(text.utf8.count).littleEndianBytes + Array(text.utf8) }
    return text("V") + UInt32(entries.count).littleEndianBytes + entries.flatMap { text($0) }
  }

  private static func lacing(_ packet: [UInt8]) -> [UInt8] {
    [UInt8](repeating: 255, count: packet.count / 255) + [UInt8(packet.count % 255)]
  }

  private static func page(
    _ serial: UInt32, _ number: UInt32, flags: UInt8 = 0, granule: Int64 = 0, _ packets: [UInt8]...
  ) -> [UInt8] {
    OggBytes.page(
      serial, number, flags: flags, granule: granule, lacing: packets.flatMap { lacing($0) }, packets.flatMap(\.self))
  }

  private static let opusHead = Array("OpusHead".utf8) + noise(11, seed: 1)
  private static let flacHead = Array("\u{7F}FLAC".utf8) + noise(46, seed: 1)

  private static func opusTags(_ entries: String...) -> [UInt8] { Array("OpusTags".utf8) + comment(entries) }

  private static func opus(_ tags: [UInt8], audioFrom number: UInt32 = 2) -> [UInt8] {
    page(5, 0, flags: 2, opusHead) + page(5, 1, tags) + page(5, number, granule: 960, [1, 2, 3])
      + page(5, number + 1, flags: 4, granule: 1_920, [4])
  }

  private func written(_ bytes: [UInt8], bpm: String) throws -> [UInt8] {
    try OggFile(ByteSource(bytes), at: 0).bytes(ByteSource(bytes), setting: [("BPM", [bpm])])
  }

  // MARK: Streams

  @Test func theCommentOfOpus() throws {
    let old = Self.opus(Self.opusTags("A=b") + [1, 2])
    let file = try OggFile(ByteSource(old), at: 0)
    #expect(file.isOpus && file.tags[0].keys == ["A"])
    #expect(try written(old, bpm: "90") == Self.opus(Self.opusTags("A=b", "BPM=90") + [1, 2]))
  }

  /// Pages of other streams stay between those that are rewritten, or before them.
  @Test func pagesOfOtherStreams() throws {
    func file(_ tags: [UInt8], isSplit: Bool) -> [UInt8] {
      let start =
        Self.page(5, 0, flags: 2, Self.opusHead) + Self.page(6, 0, flags: 2, [1, 2]) + Self.page(6, 1, granule: 7, [3])
      let between = Self.page(6, 2, granule: 8, [4]) + Self.page(6, 3, granule: 9, [5])
      let end = Self.page(6, 4, granule: 10, [6]) + Self.page(5, 3, flags: 4, granule: 960, [7])
      // The packet is on two pages, although it fits on one.
      let first = OggBytes.page(5, 1, granule: -1, lacing: [255], Array(tags.prefix(255)))
      let rest = Array(tags.dropFirst(255))
      let second = OggBytes.page(5, 2, flags: 1, lacing: Self.lacing(rest), rest)
      if isSplit { return start + first + between + second + end }
      let last = Self.page(6, 4, granule: 10, [6]) + Self.page(5, 2, flags: 4, granule: 960, [7])
      return start + Self.page(5, 1, tags) + between + last
    }
    let text = String(repeating: "x", count: 300)
    #expect(
      try written(file(Self.opusTags("A=" + text), isSplit: true), bpm: "90")
        == file(Self.opusTags("A=" + text, "BPM=90"), isSplit: false))
  }

  /// The comment of FLAC is a metadata block, which may be the last one. Other headers may be on its page.
  @Test(arguments: [true, false]) func theCommentOfFLAC(isLast: Bool) throws {
    func file(_ entries: String..., kind: UInt8 = 4) -> [UInt8] {
      let body = Self.comment(entries)
      let block = [kind | (isLast ? 0x80 : 0), 0, 0, UInt8(body.count)] + body
      let headers = isLast ? Self.page(5, 1, block) : Self.page(5, 1, block, [0x86, 0, 0, 2, 1, 2])
      return Self.page(5, 0, flags: 2, Self.flacHead) + headers + Self.page(5, 2, flags: 4, granule: 99, [1])
    }
    #expect(try !OggFile(ByteSource(file("A=b")), at: 0).isOpus)
    #expect(try written(file("A=b"), bpm: "90") == file("A=b", "BPM=90"))
    for kind: UInt8 in [0, 5, 6] {
      #expect(throws: TagWriteError.self) { try OggFile(ByteSource(file("A=b", kind: kind)), at: 0) }
    }
  }

  // MARK: Damage

  @Test func headersThatAreLeftAlone() throws {
    let tags = Self.opusTags("A=b")
    let head = Self.page(5, 0, flags: 2, Self.opusHead)
    let audio = Self.page(5, 2, flags: 4, granule: 960, [1])
    var damaged = Self.page(5, 1, tags)
    damaged[40] ^= 1
    for (name, bytes) in [
      ("no comment", head), ("junk", head + [1] + Self.page(5, 1, tags) + audio), ("damage", head + damaged + audio),
      ("a time", head + Self.page(5, 1, granule: 1, tags) + audio),
      ("a last page", head + Self.page(5, 1, flags: 4, tags) + audio),
      ("a rest", head + Self.page(5, 1, flags: 1, tags) + audio),
      ("another mark", head + Self.page(5, 1, [7] + tags) + audio),
      (
        "a late stream",
        head + OggBytes.page(5, 1, granule: -1, lacing: [255], [UInt8](repeating: 1, count: 255))
          + Self.page(6, 0, flags: 2, [1]) + audio
      ),
    ] {
      let error = #expect(throws: TagWriteError.self, "\(name)") { try OggFile(ByteSource(bytes), at: 0) }
      #expect(error?.code == .oddStructure, "\(name)")
    }
    for codec in ["PCM     ", "CELT    ", "fLaC", "unknown"] {
      let bytes = Self.page(5, 0, flags: 2, Array(codec.utf8)) + Self.page(5, 1, tags) + audio
      let error = #expect(throws: TagWriteError.self) { try OggFile(ByteSource(bytes), at: 0) }
      #expect(error?.code == .unsupportedFormat, "\(codec)")
    }
  }

  // MARK: Limits

  @Test(arguments: [0, 1]) func limitOfPages(excess: Int) throws {
    let other = Self.page(6, 0, granule: 1, [])
    let bytes =
      Self.page(5, 0, flags: 2, Self.opusHead) + [[UInt8]](repeating: other, count: 9_998 + excess).flatMap(\.self)
      + Self.page(5, 1, Self.opusTags("A=b"))
    if excess == 0 {
      #expect(try OggFile(ByteSource(bytes), at: 0).tags[0].keys == ["A"])
    } else {
      #expect(throws: TagWriteError.self) { try OggFile(ByteSource(bytes), at: 0) }
    }
  }

  /// The limit is for all pages of the headers together.
  @Test func limitOfHeaders() throws {
    let tags = Self.opusTags("A=" + String(repeating: "x", count: 300))
    let rest = Array(tags.dropFirst(255))
    let bytes =
      Self.page(5, 0, flags: 2, Self.opusHead)
      + OggBytes.page(5, 1, granule: -1, lacing: [255], Array(tags.prefix(255)))
      + OggBytes.page(5, 2, flags: 1, lacing: Self.lacing(rest), rest)
    #expect(OggFile.headerLimit == 64 << 20)
    #expect(try OggFile(ByteSource(bytes), at: 0, headerLimit: tags.count).tags[0].keys == ["A"])
    #expect(throws: TagWriteError.self) { try OggFile(ByteSource(bytes), at: 0, headerLimit: tags.count - 1) }
  }

  @Test func aBlockOfFLACThatIsTooLong() throws {
    let body = Self.comment([])
    let bytes =
      Self.page(5, 0, flags: 2, Self.flacHead) + Self.page(5, 1, [0x84, 0, 0, UInt8(body.count)] + body)
      + Self.page(5, 2, flags: 4, granule: 99, [1])
    var file = try OggFile(ByteSource(bytes), at: 0)
    // The other parts of the comment take 15 bytes.
    let value = String(decoding: [UInt8](repeating: 65, count: (1 << 24) - 15), as: UTF8.self)
    try file.tags[0].set("K", to: [value])
    let error = #expect(throws: TagWriteError.self) { try file.splice() }
    #expect(error?.code == .noRoom)
  }
}
