import AnalysisTesting
import Testing

@testable import MediaContainers

/// Ends of containers by their own lengths, both sides of each limit.
@Suite(.bounded) struct ExtentTests {
  /// - Parameters:
  ///   - tail: Number of bytes at the end that belong to tags of other formats.
  private func extent(_ container: Container, _ bytes: Bytes, tail: Int = 0) throws -> ContainerExtent {
    let found = try ContainerExtent(of: container, in: ByteSource(bytes), at: 0, before: bytes.count - tail)
    // Everything counts from the start of the container.
    let moved = try ContainerExtent(
      of: container, in: ByteSource(zeros(70) + bytes), at: 70, before: bytes.count - tail + 70)
    #expect(moved.end == found.end.map { $0 + 70 } && moved.audioEnd == found.audioEnd.map { $0 + 70 })
    #expect(moved.claimedFrameCount == found.claimedFrameCount && moved.audioByteCount == found.audioByteCount)
    #expect((moved.flaw == nil) == (found.flaw == nil))
    return found
  }

  private func cutOff(_ text: String) -> ContainerExtent.Flaw { .cutOff(text) }

  // MARK: ASF

  private static let propertiesGUID: Bytes = [
    0xA1, 0xDC, 0xAB, 0x8C, 0x47, 0xA9, 0xCF, 0x11, 0x8E, 0xE4, 0x00, 0xC0, 0x0C, 0x20, 0x53, 0x65,
  ]

  private static func packet(_ time: Int, size: Int = 80, _ head: Bytes = [0x82, 0, 0, 0, 0x5D]) -> Bytes {
    let start = joined(head, little(time), little(time))
    return start + Bytes(repeating: 0xEE, count: size - start.count)
  }

  private static func asfFile(
    _ packets: [Bytes], claims: Int? = nil, flags: Int = 2, sizes: (Int, Int)? = nil, dataSize: Int? = nil
  ) -> Bytes {
    let size = packets.first?.count ?? 80
    let sizes = sizes ?? (size, size)
    let properties = joined(
      zeros(32), little(claims ?? packets.count, 8), zeros(24), little(flags), little(sizes.0), little(sizes.1),
      zeros(4))
    let body = Bytes(packets.joined())
    return joined(
      asf(asfObject(zeros(16), zeros(7)), asfObject(propertiesGUID, properties)), ASFObject.data,
      little(dataSize ?? body.count + 50, 8), zeros(26), body)
  }

  @Test func packetsOfASF() throws {
    let packets = [0, 10, 15, 20, 31].map { Self.packet($0) }
    let file = Self.asfFile(packets)
    #expect(try extent(.asf, file) == ContainerExtent(end: file.count))
    // An index follows, and then another file.
    let index = asfObject(Bytes(repeating: 9, count: 16), zeros(30))
    #expect(try extent(.asf, file + index + index).end == file.count + 2 * index.count)
    #expect(try extent(.asf, file + index + file).end == file.count + index.count)
    #expect(try extent(.asf, file + Bytes(repeating: 9, count: 20)).end == file.count)
    let claims = "The header claims 5 data packets, but there are 4: the file was cut off."
    #expect(try extent(.asf, Bytes(file.dropLast())).flaw == cutOff(claims))
    #expect(try extent(.asf, Bytes(file.dropLast(80))).flaw == cutOff(claims))
    #expect(try extent(.asf, Self.asfFile(Array(packets.prefix(4)), claims: 5)).flaw == cutOff(claims))
    #expect(try extent(.asf, Bytes(file.dropLast())).end == nil)
    let fewer = try extent(.asf, Self.asfFile(packets, claims: 4))
    #expect(fewer.flaw == nil && fewer.end == file.count)
    // Numbers that nobody has filled in.
    for unknown in [
      Self.asfFile(packets, claims: 99, flags: 1), Self.asfFile(packets, claims: 99, sizes: (80, 81)),
      Self.asfFile(packets, claims: 99, sizes: (0, 0)), Self.asfFile(packets, claims: 0),
      Self.asfFile(packets, claims: -1), Self.asfFile(packets, claims: 99, dataSize: 49),
    ] { #expect(try extent(.asf, unknown) == ContainerExtent()) }
    #expect(try extent(.asf, Self.asfFile(packets, claims: 99, flags: 3)) == ContainerExtent())
    #expect(try extent(.asf, Self.asfFile(packets, claims: 99, dataSize: 50)).flaw != nil)
  }

  @Test func orderOfASFPackets() throws {
    func flaw(_ packets: [Bytes]) throws -> ContainerExtent.Flaw? { try extent(.asf, Self.asfFile(packets)).flaw }
    let gap = ContainerExtent.Flaw.disordered("Data packets are missing, repeated or out of order in 1 place.")
    #expect(try flaw([0, 20, 10, 30].map { Self.packet($0) }) == gap)
    #expect(try flaw([0, 20, 20, 30].map { Self.packet($0, size: 63) }) == nil)
    #expect(try flaw([0, 20, 20, 30].map { Self.packet($0, size: 64) }) == gap)
    var others = [0, 20, 20, 30].map { Self.packet($0) }
    others[2][63] = 1
    #expect(try flaw(others) == nil)
    let damaged = ContainerExtent.Flaw.disordered("Data packets are damaged or not where they should be in 1 place.")
    let heads: [(Bytes, Bool)] = [
      ([0x00, 0x5D], true), ([0x8F] + zeros(15) + [0, 0x5D], true), ([0x80, 0, 0x5D], true),
      ([0x82, 0, 0, 0, 0x5E], false), ([0xA2, 0, 0, 0, 0x5D], false), ([0xC2, 0, 0, 0, 0x5D], false),
      // A length of the packet, of its sequence and of its padding, each in one, two and four bytes.
      ([0x20, 0x5D, 80], true), ([0x20, 0x5D, 81], false), ([0x40, 0x5D, 80, 0], true), ([0x40, 0x5D, 0, 1], false),
      ([0x60, 0x5D, 80, 0, 0, 0], true), ([0x60, 0x5D, 80, 0, 0, 1], false), ([0x02, 0x5D, 255], true),
      ([0x04, 0x5D, 255, 255], true), ([0x06, 0x5D, 255, 255, 255, 255], true), ([0x08, 0x5D, 80], true),
      ([0x08, 0x5D, 81], false), ([0x10, 0x5D, 80, 0], true), ([0x18, 0x5D, 81, 0, 0, 0], false),
      ([0x7E, 0x5D, 80, 0, 0, 0, 255, 255, 255, 255, 80, 0, 0, 0], true),
    ]
    for (head, isValid) in heads {
      let packets = [Self.packet(5), Self.packet(6, head), Self.packet(7)]
      #expect(try flaw(packets) == (isValid ? nil : damaged), "\(head)")
      // The time of the packet is what is compared.
      let late = [Self.packet(5), Self.packet(4, head), Self.packet(7)]
      #expect(try flaw(late) == (isValid ? gap : damaged), "\(head)")
    }
  }

  @Test func dataOfASF() throws {
    let file = Self.asfFile([Self.packet(1)])
    let header = Bytes(file.dropLast(130))
    let none = try extent(.asf, header)
    #expect(none.flaw == cutOff("The file ends after its header: there is no audio.") && none.contradiction == nil)
    #expect(try extent(.asf, header + zeros(80)) == ContainerExtent())
    var long = file
    long.replaceSubrange(16..<24, with: little(file.count + 9, 8))
    let claims = try extent(.asf, long)
    #expect(claims.contradiction == "The header claims to be longer than it is." && claims.flaw == nil)
    #expect(try extent(.asf, asf(asfObject(zeros(16), zeros(7)))) == ContainerExtent())
  }

  // MARK: Lengths in headers

  @Test(arguments: [0, 7]) func monkeysAudio(tail: Int) throws {
    func file(version: Int = 3_980, parts: [Int] = [52, 24, 8, 3, 40, 0, 5], more: Int = 0) -> Bytes {
      let head = joined("MAC ".utf8, little(version, 2), zeros(2), parts.flatMap { little($0) })
      return joined(head, zeros(132 - head.count + more), Bytes(repeating: 1, count: tail))
    }
    let whole = try extent(.monkeysAudio, file(), tail: tail)
    #expect(whole.end == 132 && whole.flaw == nil && whole.audioByteCount == 40)
    #expect(try extent(.monkeysAudio, file(more: 9), tail: tail).end == 132)
    let cut = try extent(.monkeysAudio, file(more: -3), tail: tail)
    #expect(cut.flaw == cutOff("The Monkey's Audio file ends 3 bytes before the end that its header claims."))
    #expect(cut.end == 129)
    #expect(try extent(.monkeysAudio, file(version: 3_979), tail: tail) == ContainerExtent())
    #expect(try extent(.monkeysAudio, file(parts: [52, 24, 8, 3, 0, 0, 5]), tail: tail) == ContainerExtent())
    #expect(try extent(.monkeysAudio, file(parts: [52, 24, 8, 3, 40, 1 << 16, 5]), tail: tail) == ContainerExtent())
    // The size of the frames has 64 bits.
    let long = try extent(.monkeysAudio, file(parts: [52, 24, 8, 3, 0, 1, 0]), tail: tail)
    #expect(long.flaw != nil && long.audioByteCount == 132)
    #expect(try extent(.monkeysAudio, file(parts: [52, 24, 8, 3, 0, 0xFFFF, 0]), tail: tail).flaw != nil)
  }

  @Test(arguments: [0, 7]) func trueAudio(tail: Int) throws {
    // 44,100 Hz have 46,080 samples in a frame.
    func file(rate: Int = 44_100, samples: Int, sizes: [Int], more: Int = 0) -> Bytes {
      joined(
        "TTA1".utf8, little(1, 2), little(2, 2), little(16, 2), little(rate), little(samples), zeros(4),
        sizes.flatMap { little($0) }, zeros(4), zeros(sizes.reduce(0, +) + more), Bytes(repeating: 1, count: tail))
    }
    for (samples, count) in [(1, 1), (46_080, 1), (46_081, 2), (92_160, 2), (92_161, 3)] {
      let sizes = Array([300, 20, 10].prefix(count))
      let bytes = file(samples: samples, sizes: sizes)
      let whole = try extent(.trueAudio, bytes, tail: tail)
      #expect(whole.end == bytes.count - tail && whole.flaw == nil, "\(samples)")
      #expect(whole.audioByteCount == Int64(sizes.reduce(0, +)))
      #expect(try extent(.trueAudio, file(samples: samples, sizes: sizes, more: 3), tail: tail).end == whole.end)
      let cut = try extent(.trueAudio, file(samples: samples, sizes: sizes, more: -1), tail: tail)
      #expect(cut.flaw == cutOff("The TTA file ends 1 bytes before the end that its header claims."))
      #expect(cut.audioByteCount == Int64(sizes.reduce(0, +) - 1))
    }
    // The table with its checksum must be whole; nothing else is known of a file without rate or samples.
    let table = file(samples: 46_081, sizes: [0, 0])
    #expect(try extent(.trueAudio, table, tail: tail).flaw == nil)
    let cut = joined(table.prefix(33), Bytes(repeating: 1, count: tail))
    #expect(try extent(.trueAudio, cut, tail: tail).flaw == cutOff("The TTA file ends inside its table of frames."))
    #expect(try extent(.trueAudio, file(rate: 0, samples: 1, sizes: [9]), tail: tail) == ContainerExtent())
    #expect(try extent(.trueAudio, file(samples: 0, sizes: []), tail: tail) == ContainerExtent())
    // A table that takes several reads.
    let many = (0..<9_000).map { $0 % 3 }
    let bytes = file(rate: 1, samples: 9_000, sizes: many)
    #expect(try extent(.trueAudio, bytes, tail: tail).end == bytes.count - tail)
    #expect(try extent(.trueAudio, bytes, tail: tail).audioByteCount == 9_000)
  }

  @Test func directStreams() throws {
    func dsf(_ size: Int, tag: Int = 0, _ more: Bytes) -> Bytes {
      joined(
        "DSD ".utf8, little(28, 8), little(200, 8), little(tag, 8), "fmt ".utf8, zeros(48), "data".utf8,
        little(size, 8), more)
    }
    let whole = try extent(.dsf, dsf(112, zeros(100)))
    #expect(whole.end == 192 && whole.flaw == nil && whole.audioByteCount == 100)
    let cut = try extent(.dsf, dsf(113, zeros(100)))
    #expect(cut.flaw == cutOff("The DSF file ends 1 bytes before the end that its header claims."))
    #expect(cut.audioByteCount == 100)
    #expect(try extent(.dsf, dsf(11, zeros(100))) == ContainerExtent())
    #expect(try extent(.dsf, dsf(12, zeros(100))).end == 92)
    #expect(try extent(.dsf, dsf(12, zeros(100))).audioByteCount == 0)
    #expect(try extent(.dsf, dsf(1 << 48, [])) == ContainerExtent() && extent(.dsf, dsf(1 << 48 - 1, [])).flaw != nil)
    // A tag behind the audio belongs to the file; one inside is none.
    func tagged(_ bytes: Bytes) throws -> ContainerExtent {
      try ContainerExtent(of: .dsf, in: ByteSource(bytes), at: 0, before: bytes.count)
    }
    let tag = id3v2(zeros(20))
    #expect(try tagged(dsf(112, tag: 192, zeros(100) + tag)).end == 222)
    #expect(try tagged(dsf(112, tag: 191, zeros(99) + tag)).end == 192)
    #expect(try tagged(dsf(112, tag: 192, zeros(100) + tag.dropLast())).flaw != nil)
    #expect(try tagged(dsf(112, tag: 193, zeros(100) + tag)).end == 192)

    func dsdiff(_ size: Int, _ count: Int) -> Bytes { joined("FRM8".utf8, big(size, 8), zeros(count)) }
    #expect(try extent(.dsdiff, dsdiff(50, 50)) == ContainerExtent(end: 62))
    #expect(try extent(.dsdiff, dsdiff(1, 50)).end == 13 && extent(.dsdiff, dsdiff(0, 50)) == ContainerExtent())
    #expect(
      try extent(.dsdiff, dsdiff(51, 50)).flaw
        == cutOff("The DSDIFF file ends 1 bytes before the end that its header claims."))
    #expect(try extent(.dsdiff, dsdiff(1 << 48 - 1, 9)).flaw != nil)
    #expect(try extent(.dsdiff, dsdiff(1 << 48, 9)) == ContainerExtent())
  }

  @Test func voices() throws {
    func amiga(_ size: Int, _ count: Int) -> Bytes { joined("FORM".utf8, big(size), zeros(count)) }
    #expect(try extent(.amigaVoice, amiga(50, 50)).end == 58 && extent(.amigaVoice, amiga(50, 50)).flaw == nil)
    #expect(try extent(.amigaVoice, amiga(1, 50)).end == 9)
    #expect(try extent(.amigaVoice, amiga(0, 50)) == ContainerExtent())
    #expect(
      try extent(.amigaVoice, amiga(51, 50)).flaw
        == cutOff("The 8SVX file ends 1 bytes before the end that its header claims."))

    func creative(_ blocks: Bytes) -> Bytes {
      joined("Creative Voice File".utf8, [0x1A] as Bytes, little(26, 2), zeros(4), blocks)
    }
    func block(_ kind: UInt8, _ size: Int, _ count: Int) -> Bytes { joined([kind], little(size, 3), zeros(count)) }
    let two = joined(block(1, 30, 30), block(9, 0x1_0203, 0x1_0203))
    let end = creative(two).count
    // Up to nine bytes more are what some writers do not count.
    for (more, expected) in [(0, 0), (1, 1), (10, 10), (11, 1), (30, 1)] {
      let found = try extent(.creativeVoice, creative(two + zeros(more)))
      #expect(found.end == end + expected && found.flaw == nil, "\(more)")
    }
    #expect(try extent(.creativeVoice, creative(two + [10] + zeros(30))).end == end)
    #expect(try extent(.creativeVoice, creative(two + [1, 0])).end == end + 2)
    let cut = try extent(.creativeVoice, creative(Bytes(two.dropLast(4))))
    #expect(cut.flaw == cutOff("The last block of the VOC file ends 4 bytes after the end of the file."))
    #expect(cut.end == nil)
    for (size, isKnown) in [(0, false), (1, true), (0xFF_FFFE, true), (0xFF_FFFF, false)] {
      let found = try extent(.creativeVoice, creative(block(1, size, 1)))
      #expect((found != ContainerExtent()) == isKnown, "\(size)")
    }
  }

  @Test func sphere() throws {
    func file(_ lines: [String], size: String = "   1024", count: Int = 80) -> Bytes {
      let head = joined("NIST_1A\n\(size)\n\(lines.joined(separator: "\n"))\nend_head\n".utf8)
      return head + zeros(1_024 - head.count + count)
    }
    let lines = ["sample_count -i 20", "sample_n_bytes -i 2", "channel_count -i 2", "sample_coding -s3 pcm"]
    let whole = try extent(.nistSphere, file(lines))
    #expect(whole.end == 1_104 && whole.flaw == nil && whole.claimedFrameCount == 20 && whole.audioByteCount == 80)
    #expect(try extent(.nistSphere, file(lines, count: 90)).end == 1_104)
    let cut = try extent(.nistSphere, file(lines, count: 79))
    #expect(cut.flaw == cutOff("The NIST SPHERE file ends 1 bytes before the end that its header claims."))
    #expect(cut.audioByteCount == 79)
    #expect(try extent(.nistSphere, file(Array(lines.prefix(2)))).end == 1_064)
    let replacements: [(Int, String, Bool)] = [
      (0, "sample_count -i 1", true), (0, "sample_count -i 0", false), (0, "sample_count -i x", false),
      (0, "sample_count -i \(1 << 40 - 1)", true), (0, "sample_count -i \(1 << 40)", false),
      (1, "sample_n_bytes -i 1", true), (1, "sample_n_bytes -i 8", true), (1, "sample_n_bytes -i 0", false),
      (1, "sample_n_bytes -i 9", false), (2, "channel_count -i 1", true), (2, "channel_count -i 256", true),
      (2, "channel_count -i 0", false), (2, "channel_count -i 257", false),
      (3, "sample_coding -s26 pcm,embedded-shorten-v2.00", false), (3, "sample_coding pcm", true),
    ]
    for (index, line, isKnown) in replacements {
      var other = lines
      other[index] = line
      #expect((try extent(.nistSphere, file(other)) != ContainerExtent()) == isKnown, "\(line)")
    }
    #expect(try extent(.nistSphere, file(lines, size: "     15")) == ContainerExtent())
    #expect(try extent(.nistSphere, file(lines, size: "1048577")) == ContainerExtent())
    #expect(try extent(.nistSphere, file(lines, size: "1048576")).flaw != nil)
    #expect(try extent(.nistSphere, file(lines, size: "      x")) == ContainerExtent())
  }

  // MARK: Musepack

  /// A packet whose size takes this many bytes.
  private func packet(_ key: String, _ body: Bytes, width: Int = 1, size: Int? = nil) -> Bytes {
    let size = size ?? body.count + 2 + width
    var digits = (0..<width).reversed().map { UInt8(0x80 | size >> (7 * $0) & 0x7F) }
    digits[width - 1] &= 0x7F
    return joined(key.utf8, digits, body)
  }

  @Test(arguments: [0, 7]) func musepack8(tail: Int) throws {
    func extent(_ packets: Bytes...) throws -> ContainerExtent {
      try self.extent(
        .musepack8, joined("MPCK".utf8, Bytes(packets.joined()), Bytes(repeating: 1, count: tail)), tail: tail)
    }
    // 20,000 samples, of which 300 are silence.
    let head = packet("SH", joined(zeros(4), [8, 0x81, 0x9C, 0x20, 0x82, 0x2C] as Bytes, zeros(2)))
    let audio = packet("AP", zeros(200), width: 2)
    let last = packet("SE", [])
    let whole = try extent(head, audio, audio, last)
    #expect(whole.flaw == nil && whole.end == 4 + 15 + 2 * 204 + 3 && whole.audioByteCount == 400)
    #expect(whole.claimedFrameCount == 19_700)
    // Bytes after the last packet do not count, nor does a second header.
    #expect(try extent(head, audio, last, audio).end == 4 + 15 + 204 + 3)
    let other = packet("SH", joined(zeros(4), [8, 5, 0] as Bytes))
    #expect(try extent(head, other, last).claimedFrameCount == 19_700)
    #expect(try extent(other, head, last).claimedFrameCount == 5)
    #expect(try extent(packet("SH", joined(zeros(4), [8, 5, 5] as Bytes)), last).claimedFrameCount == nil)
    #expect(try extent(packet("SH", joined(zeros(4), [8, 6, 5] as Bytes)), last).claimedFrameCount == 1)
    let open = try extent(head, audio)
    #expect(open.flaw == cutOff("The stream stops before its last packet: the file was cut off."))
    let cut = try extent(head, Bytes(audio.dropLast(9)))
    #expect(cut.flaw == cutOff("The last packet claims 9 bytes more than there are.") && cut.audioByteCount == 0)
    #expect(cut.end == 4 + 15 + 195)
    for (broken, isBroken) in [
      (packet("A@", []), true), (packet("AZ", []), false), (packet("[A", []), true), (packet("AA", []), false),
      (packet("AP", [], size: 2), true), (packet("AP", [], size: 3), false), (packet("AP", zeros(9), width: 8), false),
      (packet("AP", zeros(9), width: 9), true),
    ] {
      let found = try extent(head, broken, last)
      #expect(found.flaw == (isBroken ? .disordered("The chain of Musepack packets breaks at byte 19.") : nil))
    }
  }

  /// Frames of these lengths in bits, and the length of the last one in samples.
  private func musepack7(_ lengths: [Int], last: Int? = nil, version: UInt8 = 7, claims: Int? = nil, more: Int = 0)
    -> Bytes
  {
    var bits = [Int](repeating: 1, count: 8)
    for length in lengths { bits += (0..<20).reversed().map { length >> $0 & 1 } + [Int](repeating: 1, count: length) }
    bits += [Int](repeating: 0, count: 11 + more)
    bits += [Int](repeating: 0, count: (32 - bits.count % 32) % 32)
    let words = stride(from: 0, to: bits.count, by: 32).flatMap { start in
      little(bits[start..<start + 32].reduce(0) { $0 << 1 | $1 })
    }
    let field = last.map { 1 << 31 | $0 << 20 } ?? 0x7FFF_FFFF
    return joined("MP+".utf8, [version], little(claims ?? lengths.count), zeros(12), little(field), words)
  }

  @Test func framesOfMusepack7() throws {
    var random = SplitMix64.fresh()
    for count in [1, 2, 20, 300] {
      let lengths = (0..<count).map { _ in Int.random(in: 30...700, using: &random) }
      let file = musepack7(lengths, last: 700)
      let found = try extent(.musepack7, file)
      #expect(found.end == file.count && found.flaw == nil && found.audioByteCount == Int64(file.count - 24))
      #expect(found.claimedFrameCount == Int64(count - 1) * 1_152 + 700)
      let longer = try extent(.musepack7, file + zeros(8))
      #expect(longer.end == file.count && longer.flaw == nil)
    }
    for (last, expected) in [(nil, 1_152), (0, 1_152), (1, 1), (0x7FF, 0x7FF)] as [(Int?, Int64)] {
      #expect(try extent(.musepack7, musepack7([100, 100], last: last)).claimedFrameCount == 1_152 + expected)
    }
    #expect(try extent(.musepack7, musepack7([100], version: 8)) == ContainerExtent())
    #expect(try extent(.musepack7, musepack7([100], version: 0x17)).flaw == nil)
    #expect(try extent(.musepack7, musepack7([100], version: 0x17)).end != nil)
    #expect(try extent(.musepack7, musepack7([100], claims: 0)) == ContainerExtent())
    #expect(try extent(.musepack7, musepack7([100], claims: 1 << 24 + 1)) == ContainerExtent())
    let claims = try extent(.musepack7, musepack7([100, 100], claims: 1 << 24))
    #expect(
      claims.flaw == cutOff("The header claims \(1 << 24) frames, but the file ends before the last one."))
    // Eight bits, and a frame of 20 and 36 bits, take two words. The repeated length may be missing.
    let file = musepack7([36])
    #expect(file.count == 24 + 12)
    #expect(try extent(.musepack7, file).end == 36 && extent(.musepack7, file).flaw == nil)
    #expect(try extent(.musepack7, Bytes(file.prefix(32))).end == 32)
    #expect(try extent(.musepack7, Bytes(file.prefix(32))).flaw == nil)
    let cut = try extent(.musepack7, Bytes(musepack7([100]).prefix(36)))
    #expect(cut.flaw == cutOff("The Musepack file ends 8 bytes before the end that its header claims."))
  }

  // MARK: WavPack

  private func block(
    _ first: Int, count: Int = 100, total: Int = 400, size: Int = 40, version: Int = 0x410, flags: Int = 0x1800,
    high: (UInt8, UInt8) = (0, 0)
  ) -> Bytes {
    joined(
      "wvpk".utf8, little(size - 8), little(version, 2), [high.0, high.1], little(total), little(first), little(count),
      little(flags), zeros(4), Bytes(repeating: 7, count: max(0, min(size, 100) - 32)))
  }

  @Test func blocksOfWavPack() throws {
    let blocks = [0, 100, 200, 300].map { block($0) }
    let file = Bytes(blocks.joined())
    for tail in [0, 7] {
      let whole = try extent(.wavPack, file + Bytes(repeating: 1, count: tail), tail: tail)
      #expect(whole.end == file.count && whole.flaw == nil && whole.audioByteCount == 160)
      let cut = try extent(.wavPack, file.dropLast(4) + Bytes(repeating: 1, count: tail), tail: tail)
      #expect(cut.flaw == cutOff("The last WavPack block claims 4 bytes more than there are."))
      #expect(cut.end == file.count - 4 && cut.audioByteCount == 120)
    }
    // Bytes after the last block, and another file, are no part of the file.
    #expect(try extent(.wavPack, file + Bytes("wvpx".utf8) + zeros(90)).end == file.count)
    #expect(try extent(.wavPack, file + file) == extent(.wavPack, file))
    // Blocks without samples, as for checksums, are.
    #expect(try extent(.wavPack, file + block(0, count: 0)).end == file.count + 40)
    #expect(try extent(.wavPack, block(0, count: 0)) == ContainerExtent())
    // Blocks for other channels have the same samples.
    let pairs = blocks.indices.flatMap { block(100 * $0, flags: 0x800) + block(100 * $0, flags: 0x1000) }
    #expect(try extent(.wavPack, pairs).flaw == nil)
    let gap = ContainerExtent.Flaw.disordered("WavPack blocks are missing, repeated or out of order in 1 place.")
    #expect(try extent(.wavPack, block(0, total: 100, flags: 0x800) + block(50, flags: 0x1000)).flaw == gap)
    #expect(try extent(.wavPack, block(5, total: 105)).flaw == gap)
    #expect(try extent(.wavPack, block(0) + block(100) + block(0) + block(300)).flaw != nil)
  }

  @Test func headersOfWavPack() throws {
    func isBlock(_ bytes: Bytes) throws -> Bool { try extent(.wavPack, bytes).audioByteCount != nil }
    for (version, isKnown) in [(0x401, false), (0x402, true), (0x410, true), (0x411, false)] {
      #expect(try isBlock(block(0, version: version)) == isKnown)
    }
    #expect(try isBlock(block(0, size: 32)) && !isBlock(block(0, size: 31)))
    // Sizes beyond any block are none; others are cut off.
    for (size, sentence) in [(7 + 1 << 26, "bytes more than"), (8 + 1 << 26, "claims 400 samples")] {
      let flaw = try extent(.wavPack, block(0) + block(100, size: size)).flaw
      #expect(flaw.map { "\($0)".contains(sentence) } == true, "\(size)")
    }
    // Totals and indexes have 40 bits; an unknown total claims nothing.
    func missing(_ bytes: Bytes) throws -> String {
      guard case .cutOff(let text)? = try extent(.wavPack, bytes).flaw else { return "" }
      return text
    }
    #expect(try missing(block(0, total: 101)).hasPrefix("The header claims 101 samples, but the blocks hold 100"))
    #expect(try missing(block(0, total: 100)) == "" && missing(block(0, total: 0xFFFF_FFFF)) == "")
    #expect(try missing(block(0, total: 9, high: (0, 2))).hasPrefix("The header claims \(2 << 32 + 7) samples"))
    let high = joined(block(0, count: 0xFFFF_FFFF, total: 0xFFFF_FFFF), block(0xFFFF_FFFF, total: 0))
    #expect(try extent(.wavPack, high + block(99, high: (1, 0))).flaw == nil)
  }

  @Test func junkInWavPack() throws {
    let junk = Bytes(repeating: 0x77, count: 20_000)
    let damaged = ContainerExtent.Flaw.disordered("WavPack blocks are damaged or not where they should be in 1 place.")
    for count in [1, 31, 32, 16_384, 16_385, 20_000] {
      let found = try extent(.wavPack, block(0, total: 200) + junk.prefix(count) + block(100))
      #expect(found.flaw == damaged && found.end == 80 + count && found.audioByteCount == 80, "\(count)")
    }
  }

  // MARK: Matroska

  private func cluster(_ time: Int?, checked: Bool = false, width: Int = 2) -> Bytes {
    let check = checked ? element(0xBF, zeros(4)) : []
    return element(
      0x1F43_B675, joined(check, time.map { element(0xE7, big($0, width)) } ?? [], element(0xA3, zeros(9))))
  }

  private func matroska(_ parts: Bytes..., saysSize: Bool = true, size: Int? = nil) -> Bytes {
    let body = Bytes(parts.joined())
    var segment = element(0x1853_8067, body, saysSize: saysSize)
    if let size { segment.replaceSubrange(5..<12, with: big(size, 7)) }
    return joined(element(0x1A45_DFA3, zeros(10)), segment)
  }

  @Test func clustersOfMatroska() throws {
    let file = matroska(element(0x1549_A966, zeros(9)), cluster(0), cluster(900), cluster(900), cluster(1_000))
    #expect(try extent(.matroska, file) == ContainerExtent(end: file.count))
    #expect(try extent(.matroska, file + zeros(50)).end == file.count)
    func flaw(_ bytes: Bytes) throws -> ContainerExtent.Flaw? { try extent(.matroska, bytes).flaw }
    let gap = ContainerExtent.Flaw.disordered("Clusters are missing, repeated or out of order in 1 place.")
    #expect(try flaw(matroska(cluster(900), cluster(899), cluster(1_000))) == gap)
    #expect(try extent(.matroska, matroska(cluster(900), cluster(899), cluster(1_000))).end == nil)
    #expect(try flaw(matroska(cluster(900), cluster(nil), cluster(899))) == gap)
    #expect(try flaw(matroska(cluster(nil), cluster(0))) == nil)
    #expect(try flaw(matroska(cluster(900, checked: true), cluster(899, checked: true))) == gap)
    // Numbers of any width up to eight bytes.
    #expect(try flaw(matroska(cluster(1 << 40, width: 8), cluster(1 << 40 - 1, width: 8))) == gap)
    #expect(try flaw(matroska(cluster(3, width: 1), cluster(2, width: 1))) == gap)
    let cut = try extent(.matroska, Bytes(file.dropLast()))
    #expect(cut.flaw == cutOff("The file ends before the end that its segment claims.") && cut.end == nil)
    // Without a size, nothing is known of the end.
    #expect(try extent(.matroska, matroska(cluster(1), saysSize: false)) == ContainerExtent())
    #expect(try flaw(matroska(cluster(9), cluster(1), saysSize: false)) == gap)
    let open = element(0x1F43_B675, joined(element(0xE7, [1]), zeros(9)), saysSize: false)
    #expect(try extent(.matroska, matroska(cluster(9), cluster(10), open)).end == nil)
    // An element that reaches out of the segment.
    let long = matroska(cluster(1), cluster(2), size: 2 * cluster(1).count - 1)
    #expect(
      try extent(.matroska, long).flaw
        == .disordered(
          "An element at byte \(22 + 12 + cluster(1).count) claims to be longer than the segment it is in."))
  }

  // MARK: MP4

  private func mp4(_ boxes: Bytes...) -> Bytes { joined(box("ftyp", Bytes("M4A ".utf8)), Bytes(boxes.joined())) }

  @Test func boxesOfMP4() throws {
    let moov = box("moov", box("trak", box("mdia", zeros(4))))
    let media = box("mdat", zeros(50))
    let file = mp4(moov, media, box("free", zeros(9)))
    let whole = try extent(.mp4, file)
    #expect(whole.end == nil && whole.audioEnd == nil && whole.flaw == nil)
    // Bytes that are no box, a box without a name, and another file.
    for (tail, isEnd) in [
      (zeros(20), true), (box("ab\u{7F}d", zeros(9)), true), (box("ab\u{1F}d", zeros(9)), true),
      (box("ab ~", zeros(9)), false), (file, true), (joined(big(99), "abcd".utf8, zeros(9)), true),
    ] {
      let found = try extent(.mp4, file + tail)
      #expect(found.end == (isEnd ? file.count : nil) && found.flaw == nil)
      #expect(found.audioEnd == (isEnd ? file.count - 17 : nil))
    }
    // A first box that repeats before there is a movie starts no other file.
    #expect(
      try extent(.mp4, mp4(box("ftyp", zeros(4)), moov, media) + zeros(9)).end == 12 + 12 + moov.count + media.count)
    #expect(try extent(.mp4, mp4(media) + zeros(9)).audioEnd == nil)
    for name in ["ftyp", "moov", "mdat", "moof", "meta", "udta"] {
      let cut = try extent(.mp4, mp4(media) + joined(big(100), name.utf8, zeros(90)))
      #expect(
        cut.flaw == cutOff("The file ends inside the box `\(name)`, 2 bytes early: the file was cut off.")
          && cut.end == nil)
    }
    for name in ["free", "skip", "wide"] {
      let found = try extent(.mp4, mp4(moov, media) + joined(big(100), name.utf8, zeros(90)))
      #expect(found.flaw == nil && found.end == nil)
    }
    for (excess, isAbsurd) in [(0, false), (1, true)] {
      let size = mp4(moov).count
      let absurd = try ContainerExtent(
        of: .mp4, in: ByteSource(mp4(moov) + joined(big(1), "mdat".utf8, big(1 << 48 + 16 + excess, 8))), at: 0,
        before: size)
      #expect((absurd.flaw == .disordered("The box `mdat` claims a length that no file has.")) == isAbsurd)
      #expect(absurd.flaw != nil)
    }
  }

  @Test func boxesInBoxesOfMP4() throws {
    /// A box inside these, which claims one byte more than they have.
    func file(_ path: [String], _ name: String, excess: Int = 1) -> Bytes {
      let inner = joined(big(12 + excess), name.utf8, zeros(4))
      return mp4(path.reversed().reduce(inner) { box($1, $0) }, box("mdat", zeros(9)))
    }
    func flaw(_ bytes: Bytes) throws -> ContainerExtent.Flaw? { try extent(.mp4, bytes).flaw }
    let paths = [["moov"], ["moov", "trak"], ["moov", "trak", "mdia"], ["moov", "trak", "mdia", "minf", "stbl"]]
    for path in paths {
      for name in ["trak", "mdia", "minf", "stbl", "stsd", "stts", "stsz", "stco", "co64", "stsc"] {
        #expect(
          try flaw(file(path, name))
            == .disordered("The box `\(name)` claims to be longer than the box `\(path.last ?? "")` it is in."))
        #expect(try flaw(file(path, name, excess: 0)) == nil)
      }
      #expect(try flaw(file(path, "udta")) == nil)
    }
    #expect(try flaw(file(["moov", "udta"], "trak")) == nil && flaw(file(["free"], "trak")) == nil)
    let deep = ["moov"] + [String](repeating: "trak", count: 6)
    #expect(try flaw(file(deep, "stsd")) != nil)
    #expect(try flaw(file(deep + ["trak"], "stsd")) == nil)
    // The second of two children.
    let second = box("moov", joined(box("mvhd", zeros(3)), joined(big(13), "trak".utf8, zeros(4))))
    #expect(try flaw(mp4(second)) != nil)
  }
}
