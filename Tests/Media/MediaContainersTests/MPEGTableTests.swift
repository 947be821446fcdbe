import AnalysisTesting
import Testing

@testable import MediaContainers

/// Streams of MPEG audio: where they begin, and the tables in their first frames.
@Suite(.bounded) struct MPEGTableTests {
  /// CRC-16 with the polynomial 0x8005 and reflected bits, as in LAME's tag.
  private static func checksum(_ bytes: Bytes) -> Int {
    var sum = 0
    for byte in bytes {
      for bit in 0..<8 {
        let isSet = (sum ^ Int(byte) >> bit) & 1 != 0
        sum = sum >> 1 ^ (isSet ? 0xA001 : 0)
      }
    }
    return sum
  }

  /// Layer III, 128 kbit/s at 44.1 kHz, stereo: 417 bytes.
  private static let mark: Bytes = [0xFF, 0xFB, 0x90, 0x00]
  private static let frame: Bytes = joined(mark, zeros(413))

  /// A frame with a table.
  ///
  /// - Parameters:
  ///   - flags: The parts that the table has.
  ///   - encoder: The name that the extension begins with; `nil` without an extension.
  ///   - trimming: Delay and padding.
  private static func table(
    _ name: String = "Xing", flags: Int, count: Int = 50, encoder: String? = nil, trimming: (Int, Int) = (576, 1_000),
    size: Int = 0, music: Int = 0, isIntact: Bool = true
  ) -> Bytes {
    var bytes = joined(mark, zeros(32), name.utf8, big(flags))
    if flags & 1 != 0 { bytes += big(count) }
    if flags & 2 != 0 { bytes += big(0x7777) }
    if flags & 4 != 0 { bytes += Bytes(repeating: 0x21, count: 100) }
    if flags & 8 != 0 { bytes += big(0x55) }
    if let encoder {
      let start = bytes.count
      bytes += joined(encoder.utf8, zeros(21 - encoder.utf8.count), big(trimming.0 << 12 | trimming.1, 3), [0x11])
      bytes += joined(zeros(start + 28 - bytes.count), big(size), big(music, 2))
      bytes += big(checksum(bytes) ^ (isIntact ? 0 : 1), 2)
    }
    return bytes + zeros(417 - bytes.count)
  }

  private func stream(_ bytes: Bytes, from start: Int = 0) throws -> MPEGStream {
    try #require(try MPEGStream(in: ByteSource(bytes), from: start))
  }

  private func frames(_ count: Int) -> Bytes { (0..<count).flatMap { _ in Self.frame } }

  /// The extension follows the parts that the flags announce.
  @Test(arguments: 0...15, ["Xing", "Info"]) func partsOfTables(flags: Int, name: String) throws {
    for encoder in ["LAME3.100", "Lavf58.76", "Lavc58.13"] {
      let bytes = joined(Self.table(name, flags: flags, encoder: encoder), frames(9))
      let found = try stream(bytes)
      #expect(found.audio == 0..<10 * 417 && found.payload == 417..<10 * 417)
      #expect(found.samplesPerFrame == 1_152 && found.junkByteCount == 0)
      #expect(found.trimming == UInt32((576 << 12 | 1_000) << 8 | 0x11), "\(flags)")
      #expect(found.hasIntactLAMETag == encoder.hasPrefix("LAME"))
      var (whole, trimmed, estimated): (Int64?, Int64?, Int64?) = (nil, nil, 9 * 1_152)
      if flags & 1 != 0 { (whole, trimmed, estimated) = (50 * 1_152, 50 * 1_152 - 1_576, nil) }
      #expect(found.untrimmedFrameCount == whole && found.claimedFrameCount == trimmed)
      #expect(found.estimatedFrameCount == estimated)
      #expect(found.musicChecksum == nil)
    }
  }

  @Test func countsOfTables() throws {
    let plain = try stream(joined(Self.table(flags: 1, count: 1), frames(9)))
    #expect(plain.claimedFrameCount == 1_152 && plain.untrimmedFrameCount == 1_152 && plain.trimming == nil)
    let none = try stream(joined(Self.table(flags: 1, count: 0), frames(9)))
    #expect(none.claimedFrameCount == nil && none.untrimmedFrameCount == nil && none.estimatedFrameCount == 9 * 1_152)
    // More delay than audio.
    let short = try stream(
      joined(Self.table(flags: 1, count: 1, encoder: "LAME", trimming: (4_095, 4_095)), frames(9)))
    #expect(short.claimedFrameCount == 0 && short.untrimmedFrameCount == 1_152)
    let other = try stream(joined(Self.table(flags: 1, encoder: "GOGO"), frames(9)))
    #expect(other.trimming == nil && !other.hasIntactLAMETag && other.claimedFrameCount == 50 * 1_152)
    // A table alone.
    let alone = try stream(Self.table(flags: 1))
    #expect(alone.payload == 417..<417 && alone.audio == 0..<417 && alone.claimedFrameCount == 50 * 1_152)
    let unknown = try stream(Self.table(flags: 0))
    #expect(unknown.claimedFrameCount == nil && unknown.estimatedFrameCount == nil)
    // The mark of another table, and one in the wrong place.
    let wrong = try stream(joined(Self.table("Xink", flags: 1), frames(9)))
    #expect(wrong.payload == wrong.audio && wrong.estimatedFrameCount == 10 * 1_152 && wrong.claimedFrameCount == nil)
    let vbri = joined(Self.mark, zeros(32), "VBRI".utf8, zeros(10), big(70), zeros(417 - 54))
    let found = try stream(joined(vbri, frames(9)))
    #expect(found.payload == 417..<10 * 417 && found.trimming == nil)
    #expect(found.claimedFrameCount == 70 * 1_152 && found.estimatedFrameCount == nil)
  }

  /// The checksum of the frames counts only if the table is whole and belongs to them.
  @Test func checksumsOfMusic() throws {
    let size = 10 * 417
    func checksum(
      flags: Int = 1, _ encoder: String = "LAME", size: Int, count: Int = 50, isIntact: Bool = true, before: Bytes = [],
      after: Bytes = []
    ) throws -> UInt16? {
      let table = Self.table(
        flags: flags, count: count, encoder: encoder, size: size, music: 0xBEEF, isIntact: isIntact)
      let found = try stream(joined(before, table, frames(9), after), from: before.count)
      #expect(found.hasIntactLAMETag == (isIntact && encoder == "LAME"))
      return found.musicChecksum
    }
    #expect(try checksum(size: size) == 0xBEEF)
    #expect(try checksum(flags: 15, size: size) == 0xBEEF)
    #expect(try checksum("Lavf", size: size) == 0xBEEF && checksum("Lavc", size: size) == 0xBEEF)
    #expect(try checksum("GOGO", size: size) == nil)
    #expect(try checksum(size: size, isIntact: false) == nil)
    #expect(try checksum(size: size - 1) == nil && checksum(size: size + 1) == nil)
    #expect(try checksum(flags: 0, size: size) == nil && checksum(size: size, count: 0) == nil)
    // The mark of mp3gain, before and after the frames.
    for mark in ["MP3GAIN_UNDO", "MP3GAIN_UNDX"] {
      let expected: UInt16? = mark == "MP3GAIN_UNDO" ? nil : 0xBEEF
      let tag = joined("TXXX M".utf8, mark.utf8, zeros(5))
      #expect(try checksum(size: size, before: id3v2(tag)) == expected)
      #expect(try checksum(size: size, after: apeTag(tag)) == expected)
    }
  }

  /// Estimates use the frames at the start.
  @Test func estimates() throws {
    // 32 and 128 kbit/s, in turn: 104 and 417 bytes.
    let pair = joined(mpegFrames(1), Self.frame)
    let bytes = Bytes((0..<20).flatMap { _ in pair })
    #expect(try stream(bytes).estimatedFrameCount == 40 * 1_152)
    // The first frames of many are short.
    let long = joined(mpegFrames(1_024), Bytes((0..<1_024).flatMap { _ in Self.frame }))
    let expected = Int64((Double(1_024 * (104 + 417)) / 104).rounded()) * 1_152
    #expect(try stream(long).estimatedFrameCount == expected)
  }

  // MARK: The first frame

  /// After other bytes, six frames in a row are required, or fewer that end where the stream ends.
  @Test func framesAfterJunk() throws {
    let junk = Bytes(repeating: 0x20, count: 200)
    let rest = Bytes(repeating: 0x07, count: 300)
    for count in 1...7 {
      let found = try MPEGStream(in: ByteSource(joined(junk, mpegFrames(count), rest)), from: 0)
      #expect((found != nil) == (count >= 6), "\(count)")
      let last = try MPEGStream(in: ByteSource(joined(junk, mpegFrames(count))), from: 0)
      #expect((last != nil) == (count >= 2), "\(count)")
      if let last {
        #expect(last.junkByteCount == 200 && last.audio == 200..<200 + count * 104 && last.ending.junkByteCount == 0)
      }
      // At the expected start, two frames do, or one that is everything.
      let first = try MPEGStream(in: ByteSource(joined(mpegFrames(count), rest)), from: 0)
      #expect((first != nil) == (count >= 2), "\(count)")
      if let first { #expect(first.ending.junkByteCount == 300 && first.ending.offset == count * 104) }
      #expect(try MPEGStream(in: ByteSource(joined(mpegFrames(count))), from: 0) != nil)
    }
    // Frames of layer I prove nothing unless they are at the start.
    let layerI = Bytes((0..<9).flatMap { _ in joined([0xFF, 0xFF, 0x10, 0xC0] as Bytes, zeros(28)) })
    #expect(try MPEGStream(in: ByteSource(joined(junk, layerI)), from: 0) == nil)
    #expect(try stream(layerI).audio == 0..<9 * 32)
    #expect(try stream(layerI).samplesPerFrame == 384)
    // A second frame of another rate does not continue the first.
    let other = joined([0xFF, 0xFB, 0x14, 0xC0] as Bytes, zeros(92))
    #expect(try MPEGStream(in: ByteSource(joined(mpegFrames(1), other, rest)), from: 0) == nil)
  }

  /// After a gap in a stream, a frame needs one other after it, or none if it is the last.
  @Test func framesAfterGaps() throws {
    let gap = Bytes(repeating: 0x55, count: 50)
    let rest = Bytes(repeating: 0x07, count: 300)
    let start = mpegFrames(9)
    let one = try stream(joined(start, gap, mpegFrames(1), rest))
    #expect(one.ending.offset == start.count && one.ending.junkByteCount == 50 + 104 + 300 && !one.ending.isCut)
    let two = try stream(joined(start, gap, mpegFrames(2), rest))
    #expect(two.ending.offset == start.count + 50 + 208 && two.ending.junkByteCount == 300)
    let last = try stream(joined(start, gap, mpegFrames(1)))
    #expect(last.ending.offset == start.count + 50 + 104 && last.ending.junkByteCount == 0)
    // Two bytes of a header are a frame that is cut, one is not.
    let cut = try stream(joined(start, [0xFF, 0xFA] as Bytes)).ending
    #expect(cut.isCut && cut.offset == start.count + 2)
    let byte = try stream(joined(start, [0xFF] as Bytes)).ending
    #expect(!byte.isCut && byte.offset == start.count && byte.junkByteCount == 1)
    let strange = try stream(joined(start, [0xFF, 0xF3] as Bytes)).ending
    #expect(!strange.isCut && strange.junkByteCount == 2)
  }

  /// Blocks of AC-3, DTS and LOAS need two frames at the start.
  @Test func firstFramesOfOtherStreams() throws {
    for kind in FrameTests.kinds where kind.container != .unknown && kind.testDescription != "DTS-HD" {
      for count in 1...3 {
        let bytes = Bytes((0..<count).flatMap { _ in kind.frame })
        let found = try TruncationCheck.of(kind.container, from: 0, to: bytes.count, in: ByteSource(bytes))
        #expect(found?.offset == (count > 1 ? bytes.count : nil), "\(kind.testDescription)")
        let end = bytes.count - 1
        let cut = try TruncationCheck.of(kind.container, from: 0, to: end, in: ByteSource(bytes))
        #expect(cut?.isCut == (count > 1 ? true : nil))
      }
    }
    // Frames of another rate do not follow.
    let mixed = joined(FrameTests.kinds[4].frame, FrameTests.kinds[5].frame, FrameTests.kinds[5].frame)
    #expect(try TruncationCheck.of(.ac3, from: 0, to: mixed.count, in: ByteSource(mixed)) == nil)
    #expect(try TruncationCheck.of(.mp4, from: 0, to: mixed.count, in: ByteSource(mixed)) == nil)
  }

  // MARK: Free format

  /// - Parameter length: Length without padding.
  private func freeFrames(
    _ count: Int, length: Int, second: UInt8 = 0xFB, third: UInt8 = 0, padded: Set<Int> = []
  ) -> Bytes {
    let slot = second >> 1 & 3 == 3 ? 4 : 1
    return (0..<count).flatMap { index in
      let isPadded = padded.contains(index)
      return joined(
        [0xFF, second, third | (isPadded ? 2 : 0), 0xC0] as Bytes, zeros(length - 4 + (isPadded ? slot : 0)))
    }
  }

  @Test(
    arguments: [(0xFB, 1_152), (0xFD, 1_152), (0xFF, 384), (0xF3, 576), (0xF5, 1_152), (0xE3, 576)] as [(UInt8, Int)])
  func freeFormat(second: UInt8, samples: Int) throws {
    for length in [48, 300, 4_000] {
      for padded in [[], [0], [1], [2, 3, 8]] as [Set<Int>] {
        let bytes = freeFrames(9, length: length, second: second, padded: padded)
        let found = try #require(try FreeFormatStream(in: ByteSource(bytes), from: 0), "\(length) \(padded)")
        #expect(found.audio == 0..<bytes.count && found.frameCount == Int64(9 * samples) && !found.ending.isCut)
        let cut = try #require(try FreeFormatStream(in: ByteSource(bytes.dropLast(5)), from: 0))
        #expect(cut.ending.isCut && cut.audio.upperBound == bytes.count - 5 && cut.frameCount == Int64(8 * samples))
        let rest = try #require(try FreeFormatStream(in: ByteSource(bytes + Bytes(repeating: 7, count: 60)), from: 0))
        #expect(rest.audio.upperBound == bytes.count && rest.ending.junkByteCount == 60)
      }
    }
  }

  @Test func limitsOfFreeFormat() throws {
    func isFound(_ bytes: Bytes, from start: Int = 0) throws -> Bool {
      try FreeFormatStream(in: ByteSource(bytes), from: start) != nil
    }
    // Five headers in a row.
    for count in 2...6 { #expect(try isFound(freeFrames(count, length: 200)) == (count >= 5), "\(count)") }
    for (length, isLong) in [(47, false), (48, true), (8_187, true), (8_188, false)] {
      #expect(try isFound(freeFrames(9, length: length)) == isLong, "\(length)")
    }
    #expect(try isFound(joined(zeros(9), freeFrames(9, length: 90)), from: 9))
    #expect(try !isFound(joined(zeros(9), freeFrames(9, length: 90))))
    // Other headers: a bit rate, no layer, no version, no rate, no emphasis.
    for bits in [0x1000, 0x2_0000, 0x10_0000, 0xC00, 2] {
      let word = 0xFFFB_00C0 ^ bits
      let bytes = Bytes((0..<9).flatMap { _ in joined(big(word), zeros(96)) })
      #expect(try !isFound(bytes), "\(bits)")
    }
    // Headers of another rate in between are no frames of the stream.
    let mixed = joined(freeFrames(3, length: 100), freeFrames(6, length: 100, third: 4))
    #expect(try !isFound(mixed))
    // Nor is what only looks like one.
    var bytes = freeFrames(9, length: 100)
    bytes.replaceSubrange(50..<54, with: [0xFF, 0xFB, 0, 0xC0])
    let found = try #require(try FreeFormatStream(in: ByteSource(bytes), from: 0))
    #expect(found.frameCount == 9 * 1_152)
  }
}
