import AnalysisTesting
import Glibc
import MediaContainers
import SystemPackage
import Testing

/// Headers of PCM, field by field, and both sides of each limit.
@Suite(.bounded) struct PCMHeaderTests {
  private func header(_ bytes: Bytes, _ container: Container, at start: Int = 0) throws -> PCMHeader {
    try #require(try PCMHeader(in: ByteSource(bytes), container, at: start))
  }

  private func format(
    tag: Int = 1, channels: Int = 2, rate: Int = 44_100, align: Int = 4, bits: Int = 16, _ more: Bytes = []
  ) -> Bytes {
    joined(
      little(tag, 2), little(channels, 2), little(rate), little(rate * align), little(align, 2), little(bits, 2), more)
  }

  private func form(_ format: Bytes, _ data: Bytes = zeros(400)) -> Bytes {
    wav(chunk("fmt ", format), chunk("data", data))
  }

  // MARK: The encoding of WAV

  @Test func kindsOfEncodings() throws {
    for tag in 0..<0x100 {
      let found = try header(form(format(tag: tag)), .wav)
      let isPlain = [1, 3, 6, 7].contains(tag)
      #expect(found.bytesPerFrame == (isPlain ? 4 : nil), "\(tag)")
      #expect(found.hasPackets == [0x02, 0x11, 0x50, 0x55].contains(tag), "\(tag)")
      #expect(!found.contradictsItself && !found.hasEmptyBlocks)
      let empty = try header(form(format(tag: tag, align: 0)), .wav)
      #expect(empty.hasEmptyBlocks == !isPlain && empty.contradictsItself == isPlain, "\(tag)")
      #expect(empty.bytesPerFrame == nil)
    }
  }

  @Test(
    arguments: [
      (1, 1, 8, 1, false), (2, 1, 16, 2, false), (4, 2, 16, 4, false), (6, 2, 24, 6, false), (8, 2, 32, 8, false),
      (6, 2, 17, 6, true), (2, 2, 1, 2, true), (4, 2, 9, 4, true), (4, 2, 17, nil, true), (4, 2, 8, nil, true),
      (3, 2, 16, nil, true), (5, 2, 16, nil, true), (0, 2, 16, nil, true), (4, 1, 24, nil, true),
    ] as [(Int, Int, Int, Int?, Bool)])
  func sizesOfFrames(align: Int, channels: Int, bits: Int, size: Int?, isOdd: Bool) throws {
    let found = try header(form(format(channels: channels, align: align, bits: bits)), .wav)
    #expect(found.bytesPerFrame == size && found.contradictsItself == isOdd)
    #expect(found.channelCount == channels)
    #expect(found.claimedFrameCount == size.map { Int64(400 / $0) })
    #expect(found.sampleLayout?.byteCount == size.map { $0 / channels })
    #expect(found.sampleLayout?.signIndex == size.map { $0 / channels - 1 })
  }

  /// The extensible format has the kind of the samples and the positions of the speakers.
  @Test func extensibleFormat() throws {
    let fields = joined(little(22, 2), little(16, 2), little(0x60F), little(3, 2), zeros(14))
    let found = try header(form(format(tag: 0xFFFE, align: 8, bits: 32, fields)), .wav)
    #expect(found.channelMask == 0x60F && found.bytesPerFrame == 8 && found.description.count == 40)
    let long = try header(form(format(tag: 0xFFFE, align: 8, bits: 32, fields + zeros(6))), .wav)
    #expect(long.description.count == 40 && long.channelMask == 0x60F)
    // The tag next to it is no extensible format, and a short chunk has no kind.
    #expect(try header(form(format(tag: 0xFFFD, fields)), .wav).channelMask == 0)
    let short = try header(form(format(tag: 0xFFFE, Bytes(fields.prefix(8)))), .wav)
    #expect(short.bytesPerFrame == nil && short.channelMask == 0x60F && !short.hasPackets)
  }

  /// The number of bits is the last field, and the only one that may be missing.
  @Test func shortFormats() throws {
    let whole = format()
    let plain = try header(form(Bytes(whole.prefix(14))), .wav)
    #expect(plain.sampleRate == 44_100 && plain.channelCount == 2 && plain.bytesPerFrame == nil)
    #expect(plain.description.count == 14 && plain.contradictsItself)
    let short = try header(form(Bytes(whole.prefix(13))), .wav)
    #expect(short.description.isEmpty && short.sampleRate == 0 && short.channelCount == 0)
    #expect(!short.contradictsItself && short.end == form(Bytes(whole.prefix(13))).count)
  }

  @Test func otherByteOrder() throws {
    let body = joined(big(1, 2), big(2, 2), big(48_000), big(192_000), big(4, 2), big(16, 2))
    let chunks = joined(chunk("fmt ", body, isBigEndian: true), chunk("data", zeros(80), isBigEndian: true))
    for excess in [0, 16, 17] {
      let file = joined("RIFX".utf8, big(chunks.count + 4 + excess), "WAVE".utf8, chunks)
      let found = try header(file, .rifx)
      #expect(found.sampleRate == 48_000 && found.channelCount == 2 && found.bytesPerFrame == 4)
      #expect(found.audio?.count == 80 && found.sampleLayout?.byteCount == 2 && found.sampleLayout?.signIndex == 0)
      #expect((found.extent.contradiction != nil) == (excess > 16))
    }
  }

  // MARK: The chunks of WAV

  /// The audio may come before its description, and the first audio counts.
  @Test func orderOfChunks() throws {
    let list = chunk("LIST", zeros(4))
    let file = wav(list, chunk("data", zeros(40)), chunk("bext", zeros(6)), chunk("data", zeros(80)), waveFormat, list)
    let found = try header(file, .wav)
    #expect(found.audio == 32..<72 && found.claimedFrameCount == 10)
    #expect(found.tagChunks == [12, 72])
    // Only the last list is not needed.
    #expect(found.end == file.count - list.count && found.extent.end == file.count)
    let other = wav(waveFormat, chunk("data", zeros(40)), list)
    #expect(try header(other, .wav).end == 84)
    // Without a description, everything is needed.
    let bare = try header(wav(list, chunk("data", zeros(40))), .wav)
    #expect(bare.end == bare.audio?.upperBound && bare.claimedFrameCount == nil && !bare.isCutOff)
    let none = try header(wav(waveFormat, list), .wav)
    #expect(none.audio == nil && none.claimedByteCount == nil && !none.isCutOff && none.extent.end == nil)
    for id in ["LIST", "list", "ID3 ", "id3 ", "cue ", "bext", "fact"] {
      let tagged = try header(wav(waveFormat, chunk(id, zeros(4)), chunk("data", zeros(4))), .wav)
      #expect(tagged.tagChunks == (id == "fact" ? [] : [36]), "\(id)")
    }
  }

  /// Offsets count from the start of the file.
  @Test func headersAfterTags() throws {
    let file = joined(zeros(50), form(format()), zeros(9))
    let found = try header(file, .wav, at: 50)
    #expect(found.start == 50 && found.audio == 94..<494 && found.extent.end == 494)
    #expect(found.extent.contradiction == nil)
  }

  @Test(
    arguments: [
      (0, true), (1, false), (0x7FFE_FFFF, false), (0x7FFF_0000, true), (0x8000_0000, true), (0x8000_0001, false),
      (0xFFFE_FFFF, false), (0xFFFF_0000, true), (0xFFFF_FFFF, true),
    ]) func placeholders(length: Int, isPlaceholder: Bool) throws
  {
    let au = try header(
      joined(".snd".utf8, big(28), big(length), big(3), big(44_100), big(2), zeros(44)), .au)
    #expect(au.lengthIsUnknown == isPlaceholder)
    #expect(au.claimedByteCount == (isPlaceholder ? nil : Int64(length)))
    #expect(au.audio == 28..<(isPlaceholder ? 68 : min(68, 28 + length)))
    #expect(au.isCutOff == (!isPlaceholder && length > 40))
    #expect(au.extent.end == (length == 1 ? 29 : nil))
    var file = form(format(), zeros(40))
    file.replaceSubrange(40..<44, with: little(length))
    let wave = try header(file, .wav)
    #expect(wave.lengthIsUnknown == isPlaceholder && wave.isCutOff == (!isPlaceholder && length > 40))
    #expect(wave.audio == 44..<(isPlaceholder ? 84 : min(84, 44 + length)))
    // A form of unknown length claims nothing.
    file = joined(form(format(), zeros(40)), chunk("LIST", zeros(4)))
    file.replaceSubrange(4..<8, with: little(length))
    let claims = try header(file, .wav).extent
    #expect(claims.end == file.count && (claims.contradiction != nil) == (!isPlaceholder && length > 1))
  }

  /// A length of 0 is right if nothing follows.
  @Test func emptyAudio() throws {
    let found = try header(form(format(), []), .wav)
    #expect(!found.lengthIsUnknown && found.claimedByteCount == 0 && found.audio == 44..<44)
    #expect(found.extent.end == 44 && !found.isCutOff)
  }

  /// Files of more than 4 GiB whose 32-bit length has begun anew, except for a few chunks.
  @Test(
    arguments: [
      (1 << 32 - 1 << 20 - 1, false), (1 << 32 - 1 << 20, true), (1 << 32, true), (1 << 32 + 1 << 20 - 1, true),
      (1 << 32 + 1 << 20, false), (2 << 32, true), (5_000, false),
    ] as [(Int, Bool)]) func wrappedLengths(beyond: Int, isWrapped: Bool) throws
  {
    let folder = try TemporaryDirectory()
    let path = try folder.write(form(format(), zeros(1_000)), as: "long.wav")
    try #require(truncate(path.string, off_t(44 + 1_000 + beyond)) == 0)
    let found = try #require(try PCMHeader(in: ByteSource(path: path, budget: 1 << 20), .wav, at: 0))
    #expect(found.lengthIsWrapped == isWrapped && !found.lengthIsUnknown && !found.isCutOff)
    #expect(found.claimedByteCount == (isWrapped ? Int64(1_000 + beyond) : 1_000))
    #expect(found.claimedFrameCount == (isWrapped ? Int64(1_000 + beyond) / 4 : 250))
    #expect(found.extent.end == (isWrapped ? nil : 1_044))
  }

  // MARK: Chunks after the audio

  @Test func chunksThatAreCut() throws {
    let file = wav(waveFormat, chunk("data", zeros(40)), chunk("id3 ", zeros(60)))
    let cut = try header(Bytes(file.dropLast(7)), .wav)
    #expect(
      cut.extent.flaw == .cutOff("The file ends inside the chunk `id3 `, 7 bytes early; the audio is complete."))
    #expect(cut.extent.end == nil && cut.extent.contradiction == nil && !cut.isCutOff)
    // A form that ends with the audio says nothing about what follows.
    var short = file
    short.replaceSubrange(4..<8, with: little(76))
    let after = try header(Bytes(short.dropLast(7)), .wav).extent
    #expect(after.flaw == nil && after.end == 84 && after.contradiction == nil)
    short.replaceSubrange(4..<8, with: little(0))
    #expect(try header(Bytes(short.dropLast(7)), .wav).extent.flaw == nil)
  }

  @Test(arguments: [-40, 0, 16, 17, 200]) func lengthOfTheForm(excess: Int) throws {
    var file = form(format())
    file.replaceSubrange(4..<8, with: little(file.count - 8 + excess))
    let extent = try header(file, .wav).extent
    #expect(extent.end == file.count && extent.flaw == nil)
    #expect(
      extent.contradiction
        == (excess > 16
          ? "The header claims \(excess) bytes more than the file has. The audio is whole; data after it may be missing."
          : nil))
  }

  @Test func endOfTheChunks() throws {
    let file = form(format())
    let named = chunk("abcd", zeros(10))
    // Also behind a chunk, and behind one whose name nobody gives.
    #expect(try header(joined(file, named, form(format())), .wav).extent.end == file.count + named.count)
    #expect(try header(joined(file, named, chunk("ab\u{7F}d", zeros(10))), .wav).extent.end == file.count + named.count)
    #expect(try header(joined(file, chunk("ab\u{1F}d", zeros(10))), .wav).extent.end == file.count)
    #expect(try header(joined(file, chunk("ab ~", zeros(10))), .wav).extent.end == file.count + 18)
    #expect(try header(joined(file, named, [1, 2, 3] as Bytes), .wav).extent.end == file.count + named.count)
    // Exactly to the end of the file, and one byte further.
    #expect(try header(joined(file, Bytes(named.dropLast())), .wav).extent.end == file.count)
  }

  // MARK: Wave64

  @Test func fieldsOfWave64() throws {
    let chunks = [longChunk("fmt ", format(rate: 96_000, align: 8, bits: 32)), longChunk("data", zeros(80))]
    let file = wave64(chunks[0], chunks[1])
    let found = try header(file, .wave64)
    #expect(found.sampleRate == 96_000 && found.bytesPerFrame == 8 && found.claimedFrameCount == 10)
    #expect(found.sampleLayout?.byteCount == 4 && found.sampleLayout?.signIndex == 3)
    #expect(found.audio == file.count - 80..<file.count && found.extent.end == file.count)
    #expect(found.extent.contradiction == nil && !found.lengthIsUnknown)
    let tagged = wave64(chunks[0], chunks[1], longChunk("list", zeros(16)))
    #expect(try header(tagged, .wave64).end == file.count)
    for (size, isTooLong) in [
      (file.count + 16, false), (file.count + 17, true), (0, false), (1 << 48 - 1, true), (1 << 48, false),
    ] {
      var other = file
      other.replaceSubrange(16..<24, with: little(size, 8))
      #expect((try header(other, .wave64).extent.contradiction != nil) == isTooLong, "\(size)")
    }
    for (size, isUnknown) in [(24, true), (25, false), (.max, true), (.max - 1, false)] as [(Int, Bool)] {
      var other = file
      other.replaceSubrange(file.count - 88..<file.count - 80, with: little(size, 8))
      // A size beyond any file leads nowhere.
      let found = try header(other, .wave64)
      #expect(found.audio == nil ? size == .max - 1 : found.lengthIsUnknown == isUnknown, "\(size)")
    }
  }

  // MARK: AIFF

  private func common(
    channels: Int = 2, frames: Int = 10, exponent: Int = 0x400E, mantissa: UInt64 = 44_100 << 48, _ kind: String = ""
  ) -> Bytes {
    joined(
      big(channels, 2), big(frames), big(16, 2), big(exponent, 2), big(Int(truncatingIfNeeded: mantissa), 8), kind.utf8)
  }

  private func sound(_ body: Bytes, offset: Int = 0) -> Bytes {
    chunk("SSND", joined(big(offset), zeros(4), body), isBigEndian: true)
  }

  @Test(
    arguments: [
      (0x400E, 44_100 << 48, 44_100), (0x400E, 48_000 << 48, 48_000), (0x400B, 8_000 << 51, 8_000),
      (0x4010, 192_000 << 46, 192_000), (0xC00E, 44_100 << 48, 44_100), (16_383, 1 << 63, 1), (16_382, 1 << 63, 0),
      (16_446, 5, 5), (16_447, 5, 0), (16_445, 10, 5), (0, 0, 0),
    ] as [(Int, UInt64, Int)]) func ratesOfAIFF(exponent: Int, mantissa: UInt64, rate: Int) throws
  {
    let body = common(exponent: exponent, mantissa: mantissa)
    #expect(try header(aiff(chunk("COMM", body, isBigEndian: true), sound(zeros(40))), .aiff).sampleRate == rate)
  }

  @Test func fieldsOfAIFF() throws {
    let file = aiff(chunk("COMM", common(channels: 3, frames: 7), isBigEndian: true), sound(zeros(42)))
    let found = try header(file, .aiff)
    #expect(found.channelCount == 3 && found.claimedFrameCount == 7 && found.claimedByteCount == 42)
    #expect(found.audio == file.count - 42..<file.count && found.end == file.count && found.extent.end == file.count)
    #expect(found.description.count == 18 && !found.hasPackets)
    let shifted = try header(
      aiff(chunk("COMM", common(frames: 0), isBigEndian: true), sound(zeros(42), offset: 12)), .aiff)
    #expect(shifted.audio?.count == 30 && shifted.claimedByteCount == 30 && shifted.claimedFrameCount == nil)
    for (offset, isUnknown) in [(41, false), (42, true), (43, true)] {
      let other = try header(
        aiff(chunk("COMM", common(), isBigEndian: true), sound(zeros(42), offset: offset)), .aiff)
      #expect(other.lengthIsUnknown == isUnknown && other.audio?.isEmpty == (offset > 41), "\(offset)")
    }
    // Sound, tags, description, tags; a second sound does not count.
    let tag = chunk("ID3 ", zeros(4), isBigEndian: true)
    let late = aiff(
      sound(zeros(20)), tag, sound(zeros(30)), chunk("COMM", common(), isBigEndian: true), tag)
    let last = try header(late, .aiff)
    #expect(last.audio == 28..<48 && last.tagChunks == [48] && last.end == late.count - 12)
    #expect(last.extent.end == late.count)
    // A description without the whole rate.
    let short = try header(
      aiff(chunk("COMM", Bytes(common().prefix(17)), isBigEndian: true), sound(zeros(20))), .aiff)
    #expect(short.description.isEmpty && short.audio == nil)
    var claims = file
    claims.replaceSubrange(4..<8, with: big(file.count - 8 + 17))
    #expect(try header(claims, .aiff).extent.contradiction != nil)
    claims.replaceSubrange(4..<8, with: big(file.count - 8 + 16))
    #expect(try header(claims, .aiff).extent.contradiction == nil)
  }

  @Test(
    arguments: [
      ("NONE", true, false), ("sowt", true, false), ("twos", true, false), ("fl64", true, false), ("alaw", true, false),
      ("ima4", false, true), ("MAC3", false, false),
    ]) func compressionOfAIFF(kind: String, countsFrames: Bool, hasPackets: Bool) throws
  {
    let file = aiff(chunk("COMM", common(kind), isBigEndian: true), sound(zeros(40)))
    let found = try header(file, .aiff)
    #expect(found.claimedFrameCount == (countsFrames ? 10 : nil) && found.hasPackets == hasPackets)
    #expect(found.description.count == 22)
    let named = aiff(chunk("COMM", common(kind) + zeros(8), isBigEndian: true), sound(zeros(40)))
    #expect(try header(named, .aiff).description.count == 22)
    // One byte less is no kind.
    let cut = aiff(chunk("COMM", common(kind).dropLast(), isBigEndian: true), sound(zeros(40)))
    #expect(try header(cut, .aiff).claimedFrameCount == 10)
  }

  // MARK: AU

  @Test func encodingsOfAU() throws {
    let sizes = [1: 1, 2: 1, 3: 2, 4: 3, 5: 4, 6: 4, 7: 8, 27: 1]
    for kind in 0...30 {
      for isLittle in [false, true] {
        func word(_ value: Int) -> Bytes { isLittle ? little(value) : big(value) }
        let file = joined(
          (isLittle ? "dns." : ".snd").utf8, word(24), word(96), word(kind), word(8_000), word(2), zeros(96))
        let found = try header(file, .au)
        #expect(found.bytesPerFrame == sizes[kind].map { 2 * $0 }, "\(kind)")
        #expect(found.sampleRate == 8_000 && found.channelCount == 2 && found.audio == 24..<120)
        #expect(found.claimedFrameCount == sizes[kind].map { Int64(48 / $0) } && found.extent.end == 120)
        #expect(found.description == Bytes(file[12..<24]))
        #expect(found.sampleLayout?.byteCount == sizes[kind])
        #expect(found.sampleLayout?.signIndex == sizes[kind].map { isLittle ? $0 - 1 : 0 })
      }
    }
    // A header that leads past the end.
    let past = try header(joined(".snd".utf8, big(90), big(96), big(3), big(8_000), big(2), zeros(10)), .au)
    #expect(past.audio == 34..<34 && past.isCutOff)
    let none = try header(joined(".snd".utf8, big(24), big(96), big(3), big(8_000), big(0), zeros(96)), .au)
    #expect(none.sampleLayout == nil && none.claimedFrameCount == nil)
  }

  // MARK: CAF

  private func long(_ id: String, _ body: Bytes, size: Int? = nil) -> Bytes {
    joined(id.utf8, big(size ?? body.count, 8), body)
  }

  private func description(
    rate: Double = 48_000, kind: String = "lpcm", flags: Int = 0, packet: Int = 4, frames: Int = 1, channels: Int = 2
  ) -> Bytes {
    long(
      "desc",
      joined(
        big(Int(truncatingIfNeeded: rate.bitPattern), 8), kind.utf8, big(flags), big(packet), big(frames),
        big(channels), big(16)))
  }

  private func caf(_ chunks: Bytes...) -> Bytes { joined("caff".utf8, big(1, 2), zeros(2), Bytes(chunks.joined())) }

  @Test(
    arguments: [
      (0, 0), (1, 1), (192_000, 192_000), (999_999_999, 999_999_999), (1e9, 0), (-1, 0), (.nan, 0), (.infinity, 0),
    ] as [(Double, Int)]) func ratesOfCAF(rate: Double, expected: Int) throws
  {
    #expect(try header(caf(description(rate: rate), long("data", zeros(44))), .caf).sampleRate == expected)
  }

  @Test func fieldsOfCAF() throws {
    let data = long("data", zeros(44))
    let file = caf(description(), data)
    let found = try header(file, .caf)
    #expect(found.channelCount == 2 && found.bytesPerFrame == 4 && found.claimedFrameCount == 10)
    #expect(found.audio == file.count - 40..<file.count && found.extent.end == file.count && !found.lengthIsUnknown)
    #expect(found.sampleLayout?.signIndex == 0 && found.description.count == 32 && !found.hasPackets)
    #expect(try header(caf(description(flags: 1), data), .caf).sampleLayout?.signIndex == 0)
    #expect(try header(caf(description(flags: 2), data), .caf).sampleLayout?.signIndex == 1)
    for (packet, frames, size) in [(4, 1, 4), (1, 1, 1), (0, 1, nil), (4, 0, nil), (4, 2, nil)] as [(Int, Int, Int?)] {
      #expect(try header(caf(description(packet: packet, frames: frames), data), .caf).bytesPerFrame == size)
    }
    #expect(try header(caf(description(kind: "ima4", packet: 34, frames: 64), data), .caf).hasPackets)
    // The audio is what is behind the edit count.
    for (size, isUnknown) in [(4, true), (5, false)] {
      let other = try header(caf(description(), long("data", zeros(size))), .caf)
      #expect(other.lengthIsUnknown == isUnknown && other.audio?.count == size - 4)
    }
    let open = try header(caf(description(), long("info", zeros(4)), long("data", zeros(44), size: -1)), .caf)
    #expect(open.lengthIsUnknown && open.audio?.count == 40 && open.extent.end == nil && open.tagChunks == [52])
    let cut = try header(Bytes(file.dropLast()), .caf)
    #expect(cut.isCutOff && cut.extent.end == nil && cut.extent.flaw == nil)
  }

  @Test func chunksOfCAF() throws {
    let start = caf(description(), long("kuki", Bytes(1...70)), long("info", zeros(4)), long("data", zeros(44)))
    let whole = joined(start, long("info", zeros(6)))
    let found = try header(whole, .caf)
    #expect(found.codecHeader == Bytes(1...64) && found.tagChunks == [134, start.count])
    #expect(found.audio?.upperBound == start.count && found.extent.end == whole.count && found.extent.flaw == nil)
    let cut = try header(Bytes(whole.dropLast(2)), .caf).extent
    #expect(cut.flaw == .cutOff("The file ends inside the chunk `info`, 2 bytes early; the audio is complete."))
    #expect(cut.end == nil)
    // Padding costs nothing, and a chunk that nobody knows may be anything.
    #expect(try header(joined(start, long("free", zeros(6), size: 9)), .caf).extent.flaw == nil)
    #expect(try header(joined(start, long("abcd", zeros(6))), .caf).extent.end == start.count + 18)
    #expect(try header(joined(start, long("abcd", zeros(6), size: 7)), .caf).extent.end == start.count)
    #expect(try header(joined(start, long("ab\u{1}d", zeros(6))), .caf).extent.end == start.count)
    #expect(try header(joined(start, form(format())), .caf).extent.end == start.count)
    // The first audio counts, and a description must be whole.
    let second = try header(joined(start, long("data", zeros(24))), .caf)
    #expect(second.audio?.count == 40)
    #expect(try header(caf(long("desc", zeros(9))), .caf).description.isEmpty)
  }
}
