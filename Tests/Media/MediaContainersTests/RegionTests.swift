import AnalysisTesting
import Testing

@testable import MediaContainers

/// Tags before and after the audio, and what follows it, both sides of each limit.
@Suite(.bounded) struct RegionTests {
  private let audio = Bytes(repeating: 0x41, count: 300)

  private func leading(_ bytes: Bytes) throws -> TagRegions.Leading { try TagRegions.leading(in: ByteSource(bytes)) }

  private func trailing(_ bytes: Bytes, behind start: Int = 0) throws -> [TagRegions.Region] {
    try TagRegions.trailing(in: ByteSource(bytes), behind: start)
  }

  private func header(_ version: UInt8, revision: UInt8 = 0, flags: UInt8 = 0, size: Bytes) -> Bytes {
    joined("ID3".utf8, [version, revision, flags] as Bytes, size)
  }

  // MARK: ID3v2

  @Test func fieldsOfID3v2() throws {
    func read(_ bytes: Bytes, at offset: Int = 0) throws -> ID3v2Header? {
      try ID3v2Header(at: offset, in: ByteSource(bytes))
    }
    let plain = try #require(try read(zeros(5) + header(3, flags: 0xA0, size: [0, 1, 2, 3]) + zeros(40_000), at: 5))
    #expect(plain.version == 3 && plain.flags == 0xA0 && plain.isKnown && !plain.hasOddSize)
    #expect(plain.bodySize == 1 << 14 + 2 << 7 + 3 && plain.end == 15 + plain.bodySize)
    #expect(try read(header(4, size: [0x7F, 0x7F, 0x7F, 0x7F]))?.bodySize == 1 << 28 - 1)
    #expect(try read(header(4, size: zeros(3))) == nil && read(Bytes("ID4".utf8) + zeros(9)) == nil)
    for (version, revision, isKnown) in [(2, 0, true), (4, 0xFE, true), (5, 0, false), (4, 0xFF, false)]
      as [(UInt8, UInt8, Bool)]
    { #expect(try read(header(version, revision: revision, size: zeros(4)))?.isKnown == isKnown) }
    // A footer counts whether it is announced or not, up to the end of the file.
    let tag = header(4, size: [0, 0, 0, 20]) + zeros(20)
    #expect(try read(tag + Bytes("3DI".utf8) + zeros(30))?.end == 40)
    #expect(try read(tag + Bytes("3DI".utf8) + zeros(2))?.end == 35)
    #expect(try read(tag + Bytes("3DX".utf8) + zeros(30))?.end == 30)
  }

  /// Eighth bits in the size count only if audio or another tag follows there.
  @Test func oddSizes() throws {
    // 200 as a plain number, 72 if the eighth bit means nothing.
    func end(_ next: Bytes, count: Int = 200, last: UInt8 = 200) throws -> Int? {
      let found = try ID3v2Header(at: 0, in: ByteSource(header(3, size: [0, 0, 0, last]) + zeros(count) + next))
      #expect(found?.hasOddSize == (last >= 0x80))
      return found?.end
    }
    for mark in [
      "ID3", "APETAGEX", "fLaC", "OggS", "RIFF", "RF64", "BW64", "FORM", "FRM8", "DSD ", "MAC ", "wvpk", "TTA1", "MP+",
      "MPCK", "tBaK", "OFR ",
    ] { #expect(try end(Bytes(mark.utf8) + zeros(40)) == 210, "\(mark)") }
    #expect(try end(joined(big(24), "ftyp".utf8, zeros(20))) == 210)
    #expect(try end([0xFF, 0xE0] + zeros(20)) == 210 && end([0xFF, 0xDF] + zeros(20)) == 82)
    #expect(try end([0xFE, 0xE0] + zeros(20)) == 82 && end(Bytes("fLax".utf8) + zeros(20)) == 82)
    // The end of the file, and not next to it.
    #expect(try end([]) == 210 && end([0]) == 82 && end([], count: 199) == 82)
    #expect(try end([0xFF]) == 82 && end([0xFF, 0xE0]) == 210)
    #expect(try end([], count: 127, last: 127) == 137)
    #expect(try end([], count: 128, last: 128) == 138)
    #expect(ID3v2Header.syncsafe([0x81, 0x82, 0x83, 0x84, 9]) == 1 << 21 + 2 << 14 + 3 << 7 + 4)
  }

  @Test func regionsAtTheStart() throws {
    let tag = id3v2(zeros(50))
    let ape = apeTag(zeros(20), hasHeader: true)
    let found = try leading(tag + ape + tag + audio)
    #expect(
      found.regions == [
        .init(kind: .id3v2, bytes: 0..<60), .init(kind: .ape, bytes: 60..<144), .init(kind: .id3v2, bytes: 144..<204),
      ])
    #expect(found.end == 204 && !found.isBroken)
    #expect(try leading(audio) == .init(regions: [], end: 0, isBroken: false))
    // A tag of an unknown version, and one that is longer than the file.
    let unknown = try leading(tag + header(5, size: [0, 0, 0, 9]) + audio)
    #expect(unknown.isBroken && unknown.end == 70 && unknown.regions.last?.bytes == 60..<79)
    let long = try leading(header(3, size: [0, 0, 0, 100]) + zeros(99))
    #expect(long.isBroken && long.end == 10 && long.regions == [.init(kind: .id3v2, bytes: 0..<109)])
    let whole = try leading(header(3, size: [0, 0, 0, 100]) + zeros(100))
    #expect(!whole.isBroken && whole.end == 110)
    #expect(try leading(ape).end == 84 && leading(Bytes(ape.dropLast())).regions.isEmpty)
  }

  // MARK: The end

  @Test func regionsAtTheEnd() throws {
    let extended = joined("TAG+".utf8, zeros(223))
    let lyrics = joined("LYRICSBEGIN".utf8, "IND0000200".utf8)
    let second = joined(lyrics, "000021LYRICS200".utf8)
    let first = joined("LYRICSBEGINLa la LYRICSEND".utf8)
    let footer = joined("3DI".utf8, [4, 0, 0x10] as Bytes, [0, 0, 0, 40] as Bytes)
    let appended = joined(header(4, flags: 0x10, size: [0, 0, 0, 40]), zeros(40), footer)
    let tags: [(Bytes, TagRegions.Kind)] = [
      (appended, .id3v2), (apeTag(zeros(9)), .ape), (apeTag(zeros(9), hasHeader: true), .ape),
      (second, .lyrics3(version: 2)), (first, .lyrics3(version: 1)), (extended, .extendedID3v1), (id3v1, .id3v1),
    ]
    var bytes = audio
    var expected: [TagRegions.Region] = []
    for (tag, kind) in tags {
      expected.insert(.init(kind: kind, bytes: bytes.count..<bytes.count + tag.count), at: 0)
      bytes += tag
      // Without ID3v1 behind it, an extended tag is none.
      if kind != .extendedID3v1 { #expect(try trailing(bytes) == expected, "\(kind)") }
    }
    #expect(try TagRegions.startOfTrailing(in: ByteSource(audio), behind: 0) == 300)
    #expect(try TagRegions.startOfTrailing(in: ByteSource(bytes), behind: 300) == 300)
    // Each tag alone, behind audio that ends where it begins, and one byte after that.
    for (tag, kind) in tags where kind != .extendedID3v1 {
      #expect(try trailing(audio + tag, behind: 300).count == 1, "\(kind)")
      #expect(try trailing(audio + tag, behind: 301).isEmpty, "\(kind)")
      #expect(try trailing(tag).map(\.bytes) == [0..<tag.count], "\(kind)")
      #expect(try trailing(Bytes(tag.dropFirst())).isEmpty || kind == .ape, "\(kind)")
    }
    let both = extended + id3v1
    #expect(try trailing(audio + both, behind: 300).map(\.kind) == [.id3v1, .extendedID3v1])
    #expect(try trailing(audio + both, behind: 301).map(\.kind) == [.id3v1])
    #expect(try trailing(audio + extended + apeTag([])).map(\.kind) == [.ape])
  }

  @Test func oddRegionsAtTheEnd() throws {
    // "TAG" that belongs to the footer of another tag.
    let ape = apeTag(Bytes(repeating: 0x20, count: 96))
    #expect(try trailing(audio + ape + zeros(99)).isEmpty)
    let overlapped = joined(audio, "APE".utf8, id3v1)
    #expect(try trailing(overlapped).map(\.kind) == [.id3v1])
    let inside = joined(audio, "APETAGEX".utf8, zeros(123))
    #expect(try trailing(inside).isEmpty)
    // The size in Lyrics3 counts all but itself and the mark.
    for (digits, count) in [
      ("000011", 26), ("000001", 16), ("000300", 315), ("000000", 0), ("00001x", 0), ("999999", 0),
    ] {
      let found = try trailing(audio + Bytes("LYRICSBEGIN\(digits)LYRICS200".utf8))
      #expect(found.map(\.bytes.count) == (count > 0 ? [count] : []), "\(digits)")
    }
    // Version 1 has at most 5,100 bytes of text.
    for (count, isFound) in [(0, true), (5_100, true), (5_101, false)] {
      let tag = joined("LYRICSBEGIN".utf8, Bytes(repeating: 0x4C, count: count), "LYRICSEND".utf8)
      #expect(try trailing(zeros(9_000) + tag).count == (isFound ? 1 : 0), "\(count)")
    }
    let twice = joined(audio, "LYRICSBEGIN".utf8, zeros(9), "LYRICSBEGINaLYRICSEND".utf8)
    #expect(try trailing(twice).map(\.bytes.count) == [21])
    // The footer of ID3v2 leads to its header.
    let footer = joined("3DI".utf8, [4, 0, 0x10, 0, 0, 0, 40] as Bytes)
    #expect(try trailing(audio + footer).isEmpty)
    let eighth = joined("3DI".utf8, [4, 0, 0x10, 0, 0, 0, 0x80] as Bytes)
    #expect(try trailing(audio + header(4, size: zeros(4)) + eighth).isEmpty)
    #expect(try trailing(audio + header(4, size: zeros(4)) + eighth.dropLast() + [0]).count == 1)
  }

  @Test func footersOfAPE() {
    func footer(size: Int, count: Int = 3, flags: UInt8 = 0) -> Bytes {
      joined("APETAGEX".utf8, little(2_000), little(size), little(count), [1, 2, 3, flags] as Bytes, zeros(8))
    }
    #expect(APEFooter(footer(size: 31)) == nil && APEFooter(footer(size: 32))?.itemByteCount == 0)
    #expect(APEFooter(footer(size: 99))?.itemByteCount == 67 && APEFooter(footer(size: 99))?.itemCount == 3)
    #expect(APEFooter(Bytes(footer(size: 99).dropLast())) == nil)
    for flags in [0, 0x20, 0x80, 0xA0, 0x5F] as [UInt8] {
      let found = APEFooter(footer(size: 99, flags: flags))
      #expect(found?.hasHeader == (flags & 0x80 != 0) && found?.isHeader == (flags & 0x20 != 0))
    }
  }

  // MARK: Bytes after the end of a container

  private func excess(_ tail: Bytes, before limit: Int? = nil) throws -> Excess? {
    let bytes = audio + tail
    return try Excess(in: ByteSource(bytes), from: 300, before: 300 + (limit ?? tail.count))
  }

  @Test func padding() throws {
    for blank in [0x00, 0x0A, 0x0D, 0x1A, 0x20] as [UInt8] {
      for count in [0, 1, 2, 4_096] { #expect(try excess(Bytes(repeating: blank, count: count)) == nil, "\(blank)") }
      let long = try #require(try excess(Bytes(repeating: blank, count: 4_097)))
      #expect(long.paddingByteCount == 4_097 && long.byteCount == 0 && long.container == nil)
    }
    #expect(try excess([0, 0x0A, 0x20, 0x0D, 0x1A]) == nil)
    #expect(try excess(zeros(40_000))?.paddingByteCount == 40_000)
    // A run of another byte, up to 4 KiB; one byte is no run.
    #expect(try excess([7])?.byteCount == 1 && excess([7, 7]) == nil)
    #expect(try excess(Bytes(repeating: 7, count: 4_096)) == nil)
    #expect(try excess(Bytes(repeating: 7, count: 4_097))?.byteCount == 4_097)
    // A run that something else follows is none; blanks are.
    #expect(try excess(Bytes(repeating: 7, count: 9) + [8])?.byteCount == 10)
    #expect(try excess(Bytes(repeating: 7, count: 9) + zeros(3)) == nil)
    #expect(try excess(zeros(9) + [8])?.byteCount == 1)
    #expect(try excess(zeros(20_000) + [8, 9])?.byteCount == 2)
    #expect(try excess([8, 9] + zeros(9))?.byteCount == 11)
    // Tags of other formats at the end are not counted.
    #expect(try excess([8, 9] + zeros(100), before: 5)?.byteCount == 5)
  }

  @Test func secondFiles() throws {
    let file = Bytes("RIFF\0\0\0\0WAVE".utf8) + zeros(30)
    let plain = try #require(try excess(file))
    #expect(plain.container == .wav && plain.byteCount == 42 && plain.paddingByteCount == 0)
    // Padding and tags may come before it; its own tags at the end belong to it.
    let padded = try #require(try excess(zeros(50) + file))
    #expect(padded.container == .wav && padded.byteCount == 42)
    let tagged = try #require(try excess(id3v2(zeros(9)) + file + id3v1, before: 61))
    #expect(tagged.container == .wav && tagged.byteCount == 42 + 128)
    let inner = try #require(try excess(zeros(50) + id3v2(zeros(9)) + file))
    #expect(inner.container == .wav && inner.byteCount == 42 + 19)
    let mp4 = try #require(try excess(box("ftyp", zeros(20))))
    #expect(mp4.container == .mp4 && mp4.byteCount == 28)
  }

  @Test func tagsAfterTheEnd() throws {
    #expect(try excess(id3v2(zeros(9))) == nil)
    #expect(try excess(Bytes(id3v2(zeros(9)).dropLast()))?.byteCount == 18)
    #expect(try excess(header(5, size: [0, 0, 0, 2]) + [1, 2])?.byteCount == 12)
    let ape = apeTag(Bytes(repeating: 5, count: 20), hasHeader: true)
    #expect(try excess(ape) == nil && excess(ape + ape) == nil)
    for missing in [1, 32, 52] {
      let cut = try #require(try excess(Bytes(ape.dropLast(missing))))
      #expect(cut.byteCount == 84 - missing && cut.missingTagByteCount == missing)
    }
    // A footer alone does not lead anywhere.
    #expect(try excess(apeTag(Bytes(repeating: 5, count: 20)).suffix(32) + [1])?.missingTagByteCount == 0)
    // ID3v1 is a tag here only if more follows; at the end, it has been taken away before.
    #expect(try excess(id3v1 + zeros(1)) == nil && excess(id3v1 + [8, 9])?.byteCount == 2)
    #expect(try excess(id3v1)?.byteCount == 128)
    #expect(try excess(Bytes("TAG+".utf8) + zeros(200))?.byteCount == 204)
  }

  // MARK: Ogg

  @Test func fieldsOfPages() throws {
    let body = Bytes(1...200)
    for flags in 0...7 {
      var page = joined(
        "OggS".utf8, [0, UInt8(flags)], little(-5, 8), little(0x8070_6050), little(0x9080_7060), zeros(4))
      page += joined([2], [255, 200] as Bytes, Bytes(repeating: 3, count: 255), body)
      page.replaceSubrange(22..<26, with: little(oggChecksum(page)))
      var reader = OggPageReader(ByteSource(Bytes("xyz".utf8) + page), at: 3)
      let found = try #require(try reader.next())
      #expect(found.offset == 3 && found.end == 3 + page.count && found.position == -5)
      #expect(found.serial == 0x8070_6050 && found.number == 0x9080_7060)
      #expect(found.isContinued == (flags & 1 != 0) && found.isFirst == (flags & 2 != 0))
      #expect(found.isLast == (flags & 4 != 0))
      reader.withContents { lacing, content in
        #expect(Bytes(lacing) == [255, 200] && Bytes(content) == Bytes(repeating: 3, count: 255) + body)
      }
      let bare = reader.pageWithoutChecksum
      #expect(bare.body == 29 && bare.bytes == page[..<22] + zeros(4) + page[26...])
      #expect(try reader.next() == nil && reader.junkByteCount == 0 && reader.damagedPageCount == 0)
    }
    // A later version is no page.
    var other = oggPage(number: 0, body)
    other[4] = 1
    other.replaceSubrange(22..<26, with: zeros(4))
    other.replaceSubrange(22..<26, with: little(oggChecksum(other)))
    var reader = OggPageReader(ByteSource(other), at: 0)
    #expect(try reader.next() == nil && reader.damagedPageCount == 0 && reader.junkByteCount == other.count)
  }

  /// Junk up to the limit is skipped by a lenient reader.
  @Test func limitsOfJunk() throws {
    let page = oggPage(number: 3, Bytes(1...100))
    for (count, isFound) in [(0, true), (9, true), (10, true), (11, false)] {
      var reader = OggPageReader(leniently: ByteSource(zeros(count) + page), at: 0, junkLimit: 10)
      #expect((try reader.next()?.number == 3) == isFound, "\(count)")
    }
    // Bytes at the end that are too few for a page.
    for count in [1, 26, 27] {
      var reader = OggPageReader(ByteSource(page + Bytes(repeating: 0x4F, count: count)), at: 0)
      #expect(try reader.next() != nil && reader.next() == nil)
      #expect(reader.junkByteCount == count, "\(count)")
    }
    // Pages of the largest size, one after the other.
    let large = Bytes(repeating: 0xAB, count: 65_024)
    let pages = (0..<4).flatMap { oggPage(number: $0, large) }
    var reader = OggPageReader(ByteSource(pages), at: 0)
    for number in 0..<4 { #expect(try reader.next()?.number == UInt32(number)) }
    #expect(try reader.next() == nil && reader.junkByteCount == 0)
    var lenient = OggPageReader(leniently: ByteSource(pages.dropLast(1_000)), at: 0, junkLimit: 0)
    for number in 0..<4 { #expect(try lenient.next()?.number == UInt32(number)) }
    #expect(lenient.withContents { $1.count } == 64_024)
  }

  @Test func codecsOfOgg() {
    let marks: [(String, OggCodec, String?)] = [
      ("\u{1}vorbis", .vorbis, "\u{3}vorbis"), ("OpusHead", .opus, "OpusTags"), ("Speex   ", .speex, nil),
      ("\u{7F}FLAC", .flac, nil), ("fLaC", .bareFLAC, nil), ("PCM     ", .pcm, nil), ("CELT    ", .celt, nil),
    ]
    for (mark, codec, comment) in marks {
      #expect(OggCodec(firstPacket: Bytes(mark.utf8) + [9]) == codec && codec.commentMark == comment)
      #expect(OggCodec(firstPacket: Bytes(mark.utf8).dropLast()) == nil)
    }
    #expect(OggCodec(firstPacket: "\u{2}vorbis".utf8) == nil)
  }

  // MARK: Damage and empty space

  /// Zeros at the end of audio, 4,097 at least.
  @Test func lengthOfEmptyTails() throws {
    func tail(_ before: Int, _ count: Int) throws -> EmptyTail? {
      let bytes = joined(zeros(100), Bytes(repeating: 7, count: before), zeros(count))
      return try EmptyTail(in: ByteSource(bytes), 100..<bytes.count)
    }
    #expect(try tail(9, 4_096) == nil && tail(9, 4_097)?.byteCount == 4_097)
    #expect(try tail(0, 9_000) == nil && tail(1, 9_000)?.start == 101)
    // An eighth of the bytes before it, or the largest block of a disk.
    #expect(try tail(40_000, 5_000)?.isLong == false && tail(40_000, 5_001)?.isLong == true)
    #expect(try tail(600_000, 65_536)?.isLong == false && tail(600_000, 65_537)?.isLong == true)
  }

  @Test func damageFromTextMode() throws {
    var random = SplitMix64(seed: 4)
    let noise = (0..<32_768).map { _ in UInt8(truncatingIfNeeded: random.next() >> 20) }
    func damage(_ bytes: Bytes, unit: (byteCount: Int, signIndex: Int)? = nil) throws -> TextModeDamage? {
      let source = ByteSource(Bytes(repeating: 0x0A, count: 50) + bytes)
      return try TextModeDamage(in: source, audio: 50..<50 + bytes.count, unit: unit)
    }
    #expect(try damage(noise) == nil)
    let added = noise.flatMap { $0 == 0x0A ? [0x0D, 0x0A] : [$0] }
    #expect(try damage(added) == .addedCarriageReturns)
    #expect(try damage(added, unit: (2, 1)) == .addedCarriageReturns)
    let replaced = noise.map { $0 == 0x0D ? 0x0A : $0 }
    #expect(try damage(replaced) == .replacedCarriageReturns && damage(replaced, unit: (2, 1)) == nil)
    let stripped = noise.map { $0 & 0x7F }
    #expect(try damage(stripped) == .strippedHighBits)
    // The byte with the sign proves nothing.
    let signs = noise.indices.map { $0 % 2 == 1 ? noise[$0] & 0x7F : noise[$0] }
    #expect(try damage(signs) == nil && damage(signs, unit: (2, 1)) == nil)
    let others = noise.indices.map { $0 % 2 == 0 ? noise[$0] & 0x7F : noise[$0] }
    #expect(try damage(others, unit: (2, 1)) == .strippedHighBits && damage(others, unit: (2, 0)) == nil)
    // Short files and few levels prove nothing.
    let short = Bytes(stripped.prefix(4_096))
    #expect(try damage(short) == .strippedHighBits && damage(short.dropLast()) == nil)
    for (levels, isDamage) in [(63, false), (64, true)] {
      // No line feeds among them.
      let few = noise.map { 0x20 + $0 % UInt8(levels) }
      #expect((try damage(few) == .strippedHighBits) == isDamage, "\(levels)")
    }
    // Line feeds: 32 behind carriage returns, and none alone.
    let base = noise.map { $0 == 0x0A || $0 == 0x0D ? 0x80 : $0 }
    for (count, isDamage) in [(31, false), (32, true)] {
      let some = Bytes((0..<count).flatMap { _ in [0x0D, 0x0A] as Bytes }) + base
      #expect((try damage(some) == .addedCarriageReturns) == isDamage, "\(count)")
      #expect(try damage(some + [0x0A]) != .addedCarriageReturns)
    }
    let levels = (0..<8_192).map { UInt8(0x80 + $0 % 62) }
    let feeds = Bytes((0..<40).flatMap { _ in [0x0D, 0x0A] as Bytes })
    #expect(try damage(feeds + levels) == .addedCarriageReturns && damage(feeds + levels.map { min($0, 0xBC) }) == nil)
  }

  /// Long audio is examined in its middle.
  @Test func middleOfTheAudio() throws {
    var random = SplitMix64(seed: 5)
    let noise = (0..<300_000).map { _ in UInt8(truncatingIfNeeded: random.next() >> 20) }
    let window = (300_000 - 1 << 18) / 2..<(300_000 + 1 << 18) / 2
    let stripped = noise.indices.map { window.contains($0) ? noise[$0] & 0x7F : noise[$0] }
    func damage(_ bytes: Bytes, _ range: Range<Int>) throws -> TextModeDamage? {
      try TextModeDamage(in: ByteSource(bytes), audio: range)
    }
    #expect(try damage(stripped, 0..<300_000) == .strippedHighBits)
    #expect(try damage(stripped, 40_000..<300_000) == nil && damage(stripped, 0..<260_000) == nil)
    // The middle begins with a whole sample.
    let signs = noise.indices.map { $0 % 3 == 2 ? noise[$0] : noise[$0] & 0x7F }
    #expect(
      try TextModeDamage(in: ByteSource(signs), audio: 0..<300_000, unit: (3, 2)) == .strippedHighBits)
  }
}
