import AnalysisTesting
import MediaContainers
import Testing

@Suite(.bounded) struct StructureTests {
  private func chunks(_ bytes: Bytes, _ container: Container) throws -> [ChunkReader.Chunk] {
    var reader = try #require(ChunkReader(ByteSource(bytes), container, at: 0))
    var chunks: [ChunkReader.Chunk] = []
    while let chunk = try reader.next() { chunks.append(chunk) }
    return chunks
  }

  /// Odd sizes have a padding byte, which some writers forget.
  @Test(arguments: [true, false]) func padding(pads: Bool) throws {
    let file = wav(chunk("junk", zeros(33), pads: pads), chunk("data", zeros(400)))
    #expect(try chunks(file, .wav).map(\.id) == ["junk", "data"])
    let big = aiff(
      chunk("junk", zeros(33), isBigEndian: true, pads: pads), chunk("SSND", zeros(400), isBigEndian: true))
    #expect(try chunks(big, .aiff).map(\.id) == ["junk", "SSND"])
    let long = wave64(longChunk("fmt ", zeros(17)), longChunk("data", zeros(9)))
    #expect(try chunks(long, .wave64).map(\.size) == [17, 9])
  }

  @Test func longSizes() throws {
    let long = try #require(wholeFiles.first { $0.name == "rf64" }).bytes
    let data = try #require(try chunks(long, .rf64).last)
    #expect(data.id == "data" && data.isLong && data.size == 40)
    let header = try #require(try PCMHeader(in: ByteSource(long), .rf64, at: 0))
    #expect(header.claimedByteCount == 40 && header.bytesPerFrame == 4 && !header.lengthIsUnknown)
    let caf = try #require(wholeFiles.first { $0.name == "caf" }).bytes
    #expect(try chunks(caf, .caf).last?.isOpenEnded == true)
  }

  @Test func pcm() throws {
    let file = wav(
      waveFormat, chunk("LIST", joined("INFO".utf8, zeros(8))), chunk("data", zeros(400)), chunk("id3 ", id3v2([])))
    let header = try #require(try PCMHeader(in: ByteSource(file), .wav, at: 0))
    #expect(header.sampleRate == 44_100 && header.channelCount == 2 && header.claimedFrameCount == 100)
    #expect(header.audio?.count == 400 && header.audio?.upperBound == header.end)
    #expect(header.tagChunks == [36])
    #expect(!header.isCutOff)
    let cut = try #require(try PCMHeader(in: ByteSource(Array(file.dropLast(100))), .wav, at: 0))
    #expect(cut.isCutOff && cut.claimedFrameCount == 100)
    #expect(try PCMHeader(in: ByteSource(file), .flac, at: 0) == nil)
  }

  @Test func boxes() throws {
    let list = box("ilst", box("©nam", zeros(8)))
    for meta in [box("meta", joined(zeros(4), list)), box("meta", joined(box("hdlr", zeros(4)), list))] {
      let source = ByteSource(joined(box("ftyp", zeros(4)), box("moov", box("udta", meta))))
      let found = try MP4Box(file: source, from: 0).descendant("moov", "udta", "meta", "ilst", in: source)
      #expect(found?.end == source.size)
    }
    // Sizes: 0 for "to the end", 1 for an eight-byte size, too short, too long.
    let source = ByteSource(joined(big(1), "free".utf8, big(24, 8), zeros(8), big(0), "mdat".utf8, zeros(8)))
    let first = try #require(try MP4Box(at: 0, end: source.size, in: source))
    #expect(first.name == "free" && first.body == 16 && first.end == 24)
    #expect(try MP4Box(at: first.end, end: source.size, in: source)?.end == source.size)
    #expect(try MP4Box(at: first.end, end: source.size - 1, in: source) == nil)
    #expect(
      try MP4Box(at: first.end, end: source.size - 1, in: source, allowsInnerOpenEnds: true)?.end == source.size - 1)
    for size in [2, 7] {
      #expect(try MP4Box(at: 0, end: 40, in: ByteSource(joined(big(size), "free".utf8, zeros(32)))) == nil)
    }
    #expect(try MP4Box(at: 0, end: 40, in: ByteSource(joined(big(9_999), "free".utf8, zeros(32))))?.end == 40)
  }

  @Test func elements() throws {
    let source = ByteSource(joined(element(0x1254_C367, zeros(9)), element(0xEC, zeros(3), saysSize: false)))
    let tags = try #require(try EBMLElement(at: 0, end: source.size, in: source))
    #expect(tags.id == EBMLElement.ID.tags && tags.body == 12..<21 && !tags.isOpenEnded && !tags.isCutOff)
    let void = try #require(try EBMLElement(at: tags.body.upperBound, end: source.size, in: source))
    #expect(void.id == 0xEC && void.isOpenEnded && void.body.upperBound == source.size)
    #expect(try EBMLElement(at: 0, end: 15, in: source)?.isCutOff == true)
    #expect(try EBMLElement(at: 0, end: 9, in: ByteSource(zeros(9))) == nil)
  }

  @Test func objects() throws {
    let source = ByteSource(asf(asfObject(asfDescriptionGUID, zeros(10)), asfObject(zeros(16), zeros(5))))
    let end = try #require(try ASFObject.headerEnd(in: source, at: 0))
    #expect(end == source.size)
    let first = try #require(try ASFObject(at: 30, end: end, in: source))
    #expect(first.kind == .contentDescription && first.end == 64)
    #expect(try ASFObject(at: 64, end: end, in: source)?.kind == nil)
    #expect(try ASFObject(at: 64, end: end - 1, in: source) == nil)
  }

  @Test func flacBlocks() throws {
    let file = flac((4, vorbisComment("A=b")), (6, zeros(30)))
    let stream = try #require(try FLACStream(in: ByteSource(joined(file, id3v1)), at: 0))
    #expect(stream.audio.upperBound == file.count)
    #expect(file[stream.audio.lowerBound] == 0xFF)
    #expect(stream.sampleRate == 44_100 && stream.channelCount == 2 && stream.claimedFrameCount == 4_096)
    // The chain of blocks ends where a frame begins, with or without the flag.
    let unended = try #require(try FLACStream(in: ByteSource(flac((6, zeros(30)), endsBlocks: false)), at: 0))
    #expect(unended.audio.lowerBound == 42 + 34)
    var blocks = FLACBlockReader(ByteSource(file), at: 0)
    #expect(try blocks.next()?.kind == 0)
    #expect(try blocks.next()?.kind == FLACBlockReader.vorbisComment)
  }

  /// CRC-16 of the polynomial 0x8005 (RFC 9639, section 9.3), bit by bit from its definition.
  private static func checksum(_ bytes: Bytes) -> UInt16 {
    bytes.reduce(0) { sum, byte in
      (0..<8).reduce(sum ^ UInt16(byte) << 8) { sum, _ in sum << 1 ^ (sum & 0x8000 != 0 ? 0x8005 : 0) }
    }
  }

  /// The last frame ends with its checksum, also if that ends with a zero byte, as one of 256 does, or with two.
  @Test func endOfTheLastFLACFrame() throws {
    var random = SplitMix64.fresh()
    let header = Bytes(flac().dropLast(106))
    for index in 0..<40 {
      var frame: Bytes
      var checksum: UInt16
      repeat {
        let body = (0..<60).map { _ in UInt8(truncatingIfNeeded: random.next() >> 9) }
        frame = [0xFF, 0xF8, 0xC9, 0x18, 0x00, 0xC2] + body
        checksum = Self.checksum(frame)
      } while (index % 2 == 0) != (checksum & 0xFF == 0)
      if index % 4 == 1 {
        frame += big(Int(checksum), 2)
        checksum = 0
      }
      let file = joined(header, frame, big(Int(checksum), 2))
      #expect(try FLACStream(in: ByteSource(file), at: 0)?.audio.upperBound == file.count)
      let padded = try #require(try FLACStream(in: ByteSource(file + zeros(700)), at: 0)).audio.upperBound
      #expect(file.count...file.count + 2 ~= padded)
      let followed = try #require(try FLACStream(in: ByteSource(file + Bytes(repeating: 7, count: 99)), at: 0))
      #expect(followed.audio.upperBound == file.count)
    }
  }

  @Test func emptyTails() throws {
    func tail(_ bytes: Bytes) throws -> EmptyTail? { try EmptyTail(in: ByteSource(bytes), 0..<bytes.count) }
    #expect(try tail([1] + zeros(4_096)) == nil)
    #expect(try tail(zeros(10_000)) == nil)
    for count in [4_097, 5_000, 20_000, 3_000_000] {
      let found = try #require(try tail(Bytes(repeating: 7, count: 60_000) + zeros(count)))
      #expect(found.start == 60_000 && found.byteCount == count)
      #expect(found.isLong == (count > 7_500))
    }
    #expect(try tail(zeros(99_999) + [1]) == nil)
  }

  @Test func comments() {
    var entries = VorbisCommentEntries(vorbisComment("A=b", "", "C=d", count: 4))
    #expect(entries?.next().map { String(decoding: $0, as: UTF8.self) } == "A=b")
    #expect(entries?.next()?.isEmpty == true)
    #expect(entries?.next() != nil)
    #expect(entries?.isCutShort == false)
    #expect(entries?.next() == nil)
    #expect(entries?.isCutShort == true)
    #expect(VorbisCommentEntries(joined(little(99), zeros(9))) == nil)
  }

  @Test func framesWithoutAMark() throws {
    let source = ByteSource(joined(id3v2(zeros(50)), mpegFrames(6), apeTag(zeros(20)), id3v1))
    let start = try TagRegions.leading(in: source).end
    let stream = try #require(try MPEGStream(in: source, from: start))
    #expect(stream.audio == 60..<60 + 6 * 104)
    #expect(stream.estimatedFrameCount == Int64(6 * 1_152))
    let aac = try #require(try ADTSStream(in: ByteSource(joined(adtsFrames(5), "ID3".utf8, adtsFrames(1))), from: 0))
    #expect(aac.innerTags == [80])
    #expect(abs(aac.seconds - 6 * 1_024 / 44_100) < 1e-9)
  }
}
