import AnalysisTesting
import Testing

@testable import MediaContainers

/// Native FLAC: its header, its first and last frame, and a second file behind it.
@Suite(.bounded) struct FLACStreamTests {
  /// - Parameters:
  ///   - blockSize: Number of samples in a frame.
  ///   - frames: Number of samples in the file.
  private func header(
    rate: Int = 44_100, channels: Int = 2, depth: Int = 16, frames: Int = 0, blockSize: Int = 4_096,
    checksum: Bytes = Bytes(repeating: 9, count: 16), blocks: [(kind: UInt8, body: Bytes)] = []
  ) -> Bytes {
    let packed = rate << 44 | (channels - 1) << 41 | (depth - 1) << 36 | frames
    var file = joined("fLaC".utf8, [blocks.isEmpty ? 0x80 : 0] as Bytes, big(34, 3))
    file += joined(big(blockSize, 2), big(blockSize, 2), Bytes(repeating: 3, count: 6), big(packed, 8), checksum)
    for (index, block) in blocks.enumerated() {
      file += joined([block.kind | (index == blocks.count - 1 ? 0x80 : 0)], big(block.body.count, 3), block.body)
    }
    return file
  }

  private static func checksum8(_ bytes: Bytes) -> UInt8 {
    bytes.reduce(0) { sum, byte in
      (0..<8).reduce(sum ^ byte) { value, _ in value & 0x80 != 0 ? value << 1 ^ 0x07 : value << 1 }
    }
  }

  private static func checksum16(_ bytes: Bytes) -> Int {
    Int(
      bytes.reduce(0 as UInt16) { sum, byte in
        (0..<8).reduce(sum ^ UInt16(byte) << 8) { value, _ in value & 0x8000 != 0 ? value << 1 ^ 0x8005 : value << 1 }
      })
  }

  /// A frame with both checksums, whose content has no zeros and no header.
  ///
  /// - Parameters:
  ///   - number: A number below 128.
  ///   - codes: Size and rate, channels and depth.
  private func frame(_ number: UInt8, codes: (UInt8, UInt8) = (0xC9, 0x18), second: UInt8 = 0xF8, size: Int = 60)
    -> Bytes
  {
    let head: Bytes = [0xFF, second, codes.0, codes.1, number]
    var bytes = head + [Self.checksum8(head)]
    // The last byte is chosen so that the checksum ends with a byte that is not 0.
    for last in 1...UInt8(200) {
      bytes = head + [Self.checksum8(head)] + Bytes(repeating: 0x35, count: size - 9) + [last]
      if Self.checksum16(bytes) & 0xFF != 0 { break }
    }
    return bytes + big(Self.checksum16(bytes), 2)
  }

  private func stream(_ bytes: Bytes) throws -> FLACStream {
    let found = try #require(try FLACStream(in: ByteSource(bytes), at: 0))
    let moved = try #require(try FLACStream(in: ByteSource(zeros(30) + bytes), at: 30))
    #expect(moved.audio == found.audio.lowerBound + 30..<found.audio.upperBound + 30)
    #expect(moved.firstFrame == found.firstFrame + 30 && moved.bareHeader == found.bareHeader)
    return found
  }

  @Test(arguments: 1...8) func fieldsOfTheHeader(channels: Int) throws {
    let masks: [UInt64] = [0x4, 0x3, 0x7, 0x33, 0x607, 0x60F, 0x70F, 0x63F]
    for (rate, depth, frames) in [(1, 4, 1), (655_350, 24, 1 << 36 - 1), (96_000, 32, 0)] {
      let bytes = header(rate: rate, channels: channels, depth: depth, frames: frames)
      let found = try stream(bytes)
      #expect(found.sampleRate == rate && found.channelCount == channels && found.bitDepth == depth)
      #expect(found.claimedFrameCount == (frames == 0 ? nil : Int64(frames)) && found.contradiction == nil)
      #expect(found.channelMask == masks[channels - 1] && found.checksum == Bytes(repeating: 9, count: 16))
      #expect(found.audio == 42..<42 && found.firstFrame == 42)
      // Only what describes the samples is left.
      let bare = joined(
        "fLaC".utf8, [0x80, 0, 0, 34, 0, 16, 0xFF, 0xFF] as Bytes, zeros(6), bytes[18..<42])
      #expect(found.bareHeader == bare)
    }
    #expect(FLACStream.channelMask(channelCount: 9) == 0 && FLACStream.channelMask(channelCount: 0) == 0)
    #expect(try stream(header(checksum: zeros(16))).checksum == nil)
    #expect(try stream(header(checksum: zeros(15) + [1])).checksum == zeros(15) + [1])
    #expect(try FLACStream(in: ByteSource(header().dropLast()), at: 0) == nil)
    #expect(try FLACStream(in: ByteSource([0x66, 0x4C, 0x61, 0x63, 1] + header().dropFirst(5)), at: 0) == nil)
  }

  /// The comment of a file with more than two channels tells where the speakers are.
  @Test(
    arguments: [
      (4, "WAVEFORMATEXTENSIBLE_CHANNEL_MASK=0x107", 0x107), (4, "WAVEFORMATEXTENSIBLE_CHANNEL_MASK=0x7", 0x33),
      (2, "WAVEFORMATEXTENSIBLE_CHANNEL_MASK=0x107", 0x3), (3, "WAVEFORMATEXTENSIBLE_CHANNEL_MASK=0x103", 0x103),
      (4, "WAVEFORMATEXTENSIBLE_CHANNEL_MASK=0xzz", 0x33), (4, "CHANNEL_MASK=0x107", 0x33),
    ] as [(Int, String, UInt64)]) func speakers(channels: Int, comment: String, mask: UInt64) throws
  {
    let blocks: [(kind: UInt8, body: Bytes)] = [(1, zeros(9)), (4, vorbisComment("A=b", comment))]
    #expect(try stream(header(channels: channels, blocks: blocks)).channelMask == mask)
    #expect(try stream(header(channels: channels, blocks: [(5, blocks[1].body)])).channelMask != 0x107)
  }

  /// The frames are right if they contradict the header.
  @Test func contradictions() throws {
    func found(_ codes: (UInt8, UInt8), _ claims: Bytes) throws -> FLACStream {
      try stream(claims + frame(0, codes: codes) + frame(1, codes: codes))
    }
    let same = try found((0xC9, 0x18), header(frames: 5_000))
    #expect(same.contradiction == nil && same.bareHeader[18..<26] == header(frames: 5_000)[18..<26])
    #expect(try found((0xC0, 0x10), header(rate: 12_345, depth: 13)).contradiction == nil)
    let all = try found((0xC9, 0x18), header(rate: 48_000, channels: 1, depth: 24, frames: 5_000))
    #expect(
      all.contradiction
        == "The header claims 48000 Hz where the frames have 44100, 1 channel where the frames have 2, 24 bits where "
        + "the frames have 16; the frames take precedence.")
    #expect(all.sampleRate == 44_100 && all.channelCount == 2 && all.bitDepth == 16 && all.channelMask == 0x3)
    #expect(all.bareHeader[18..<26] == header(frames: 5_000)[18..<26])
    let more = try found((0xC9, 0x08), header(channels: 3, frames: 1))
    #expect(
      more.contradiction
        == "The header claims 3 channels where the frames have 1; the frames take precedence.")
    #expect(more.channelMask == 0x4 && more.bareHeader[18..<26] == header(channels: 1, frames: 1)[18..<26])
    #expect(try found((0xCA, 0x18), header()).contradiction?.hasPrefix("The header claims 44100 Hz where") == true)
    let unknown = try found((0xCA, 0x18), header(frames: 0))
    #expect(unknown.bareHeader[18..<26] == header(rate: 48_000)[18..<26])
  }

  // MARK: The frames

  /// Other bytes may come before the first frame, which has the number 0.
  @Test func firstFrames() throws {
    let claims = header(frames: 8_192)
    let frames = frame(0) + frame(1)
    for count in [0, 1, 44, 5_000, 65_500] {
      let junk = Bytes(repeating: 0xFF, count: count)
      let found = try stream(claims + junk + frames)
      #expect(found.audio.lowerBound == 42 && found.firstFrame == 42 + count, "\(count)")
      #expect(found.audio.upperBound == 42 + count + frames.count)
    }
    // A later frame does not begin the audio, unless it is where the audio should begin.
    #expect(try stream(claims + [1] + frame(3) + frame(4)).firstFrame == 42)
    #expect(try stream(claims + [1] + frame(3) + frames).firstFrame == 43 + 60)
    #expect(try stream(claims + frame(3) + frames).firstFrame == 42)
    #expect(try stream(claims + Bytes(repeating: 1, count: 65_600) + frames).firstFrame == 42)
  }

  /// A metadata block that claims more bytes than there are is audio.
  @Test func brokenBlocks() throws {
    let blocks: [(kind: UInt8, body: Bytes)] = [(4, vorbisComment("A=b")), (6, zeros(40))]
    let whole = header(frames: 8_192, blocks: blocks)
    let frames = frame(0) + frame(1)
    #expect(try stream(whole + frames).audio == whole.count..<whole.count + 120)
    var long = whole
    long.replaceSubrange(whole.count - 43..<whole.count - 40, with: big(161, 3))
    #expect(try stream(long + frames).audio.lowerBound == whole.count - 44)
    #expect(try stream(long + frames).firstFrame == whole.count)
    long.replaceSubrange(whole.count - 43..<whole.count - 40, with: big(160, 3))
    #expect(try stream(long + frames).audio.lowerBound == whole.count + 120)
  }

  /// The end of the last frame is found by its number and its checksum.
  @Test func lastFrames() throws {
    let junk = Bytes(repeating: 7, count: 90)
    let frames = (0..<4 as Range<UInt8>).map { frame($0) }
    let body = Bytes(frames.joined())
    for (samples, isFound) in [
      (3 * 4_096 + 1, true), (4 * 4_096, true), (3 * 4_096, true), (4 * 4_096 + 1, false), (0, false),
    ] {
      let file = header(frames: samples) + body
      let found = try stream(file + junk)
      #expect(found.audio == 42..<(isFound ? file.count : file.count + 90), "\(samples)")
      #expect(found.claimedFrameCount == (samples == 0 ? nil : Int64(samples)))
    }
    let claims = header(frames: 4 * 4_096)
    // Another rate, depth or blocking strategy, and a wrong checksum, are not those of the stream.
    for other in [
      frame(3, codes: (0xCA, 0x18)), frame(3, codes: (0xC9, 0x1C)), frame(3, second: 0xF9),
      Bytes(frame(3).dropLast() + [frame(3)[59] ^ 1]),
    ] { #expect(try stream(claims + body.prefix(180) + other + junk).audio.upperBound == 42 + 240 + 90) }
    // The last frame may be shorter and have other channels.
    for other in [frame(3, codes: (0x39, 0x18)), frame(3, codes: (0xC9, 0x88))] {
      #expect(try stream(claims + body.prefix(180) + other + junk).audio.upperBound == 282)
    }
    // Streams with blocks of any size have numbers of samples.
    let variable = header(frames: 4 * 4_096) + frame(0, second: 0xF9) + frame(3, second: 0xF9)
    #expect(try stream(variable + junk).audio.upperBound == variable.count + 90)
    #expect(try stream(header(frames: 4 * 4_096, blockSize: 0) + body + junk).audio.upperBound == 42 + 240 + 90)
    // Zeros behind it are no part of it, but for those that may belong to the checksum.
    let padded = try stream(claims + body + zeros(5_000)).audio.upperBound
    #expect((282...284).contains(padded))
    #expect(try stream(claims + body + id3v1).audio.upperBound == 282)
    #expect(try stream(claims + body + junk + id3v1).audio.upperBound == 282)
  }

  /// The numbers of frames begin anew where a second file does.
  @Test func secondFiles() throws {
    let frames = (0..<120 as Range<UInt8>).flatMap { frame($0, size: 400) }
    let file = header(frames: 120 * 4_096) + frames
    #expect(try stream(file).audio.upperBound == file.count)
    let both = try stream(file + file)
    #expect(both.audio == 42..<file.count && both.claimedFrameCount == 120 * 4_096)
    let three = try stream(file + file + file)
    #expect(three.audio.upperBound == file.count)
    // A signature alone is no file.
    let marked = header(frames: 120 * 4_096) + frames.prefix(24_000) + Bytes("fLaC".utf8) + frames.dropFirst(24_000)
    #expect(try stream(marked).audio.upperBound == marked.count)
    // Nor are numbers that begin anew without one.
    let repeated = header(frames: 120 * 4_096) + frames + frames
    #expect(try stream(repeated).audio.upperBound == repeated.count)
    let wrong = file + [0x66, 0x4C, 0x61, 0x63, 0, 0, 0, 35] + frames
    #expect(try stream(wrong).audio.upperBound == wrong.count)
  }

  @Test func kindsOfBlocks() throws {
    let file = header(blocks: [(4, zeros(3)), (127, zeros(3))])
    var blocks = FLACBlockReader(ByteSource(file), at: 0)
    #expect(try blocks.next() == .init(kind: 0, body: 8..<42))
    #expect(try blocks.next() == .init(kind: 4, body: 46..<49))
    // No block has the type 127, and no block follows the last one.
    #expect(try blocks.next() == nil && blocks.position == 49)
    let other = header(blocks: [(126, zeros(3))])
    var more = FLACBlockReader(ByteSource(other + other.dropFirst(4)), at: 0)
    _ = try more.next()
    #expect(try more.next() == .init(kind: 126, body: 46..<49))
    #expect(try more.next() == nil && more.position == 49)
  }
}
