import AnalysisTesting
import CLibAV
import MediaContainers
import Testing

@testable import AudioDecoding

private func little(_ value: Int, _ count: Int) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}

/// Pages that the tests put together.
private struct Page {
  var packets: [[UInt8]]
  var position = 0
  var serial = 7
  var number = 0
  var isContinued = false
  var isFirst = false
  var isLast = false
  /// `true` if the last packet goes on on the next page; its length is a multiple of 255.
  var isOpen = false

  var bytes: [UInt8] {
    var lacing: [UInt8] = []
    for packet in packets {
      lacing += [UInt8](repeating: 255, count: packet.count / 255)
      lacing.append(UInt8(packet.count % 255))
    }
    if isOpen { lacing.removeLast() }
    var page = Array("OggS".utf8) + [0, (isContinued ? 1 : 0) | (isFirst ? 2 : 0) | (isLast ? 4 : 0)]
    page += little(position, 8) + little(serial, 4) + little(number, 4) + [0, 0, 0, 0, UInt8(lacing.count)] + lacing
    page += packets.joined()
    let checksum = page.withUnsafeBytes { OggChecksum.update(0, $0) }
    page.replaceSubrange(OggPage.checksumPosition..<OggPage.checksumPosition + 4, with: little(Int(checksum), 4))
    return page
  }
}

/// One link of a chain.
private struct Link {
  var serial = 7
  var isVorbis = false
  var comments: [UInt8]?
  /// The setup header of Vorbis.
  var setup = Array("\u{5}vorbis".utf8) + [1, 2, 3]
  /// The positions of the audio pages, and the number of packets on each.
  var positions = [960, 1_920]
  var packetsPerPage = 1
  var isEnded = true
  var skippedNumbers: Set<Int> = []

  static let preSkip = 312

  var identification: [UInt8] {
    guard isVorbis else {
      return Array("OpusHead".utf8) + [1, 2] + little(Self.preSkip, 2) + little(48_000, 4) + [0, 0, 0]
    }
    var packet = Array("\u{1}vorbis".utf8) + little(0, 4) + [2] + little(44_100, 4)
    packet += [UInt8](repeating: 0, count: 12) + [0xB8, 1]
    return packet
  }

  static func comments(isVorbis: Bool, byteCount: Int = 0) -> [UInt8] {
    let mark = Array((isVorbis ? "\u{3}vorbis" : "OpusTags").utf8)
    return mark + little(max(0, byteCount), 4) + [UInt8](repeating: 0x61, count: byteCount) + little(0, 4)
      + (isVorbis ? [1] : [])
  }

  /// The pages of the headers. A packet that is too long for one page goes on on the next.
  var headers: [Page] {
    var pages = [Page(packets: [identification], serial: serial, isFirst: true)]
    var comments = self.comments ?? Self.comments(isVorbis: isVorbis)
    while comments.count > 60_000 {
      let part = Array(comments.prefix(51_000))
      pages.append(
        Page(packets: [part], position: -1, serial: serial, isContinued: pages.count > 1, isOpen: true))
      comments.removeFirst(51_000)
    }
    pages.append(Page(packets: [comments], serial: serial, isContinued: pages.count > 1))
    if isVorbis { pages.append(Page(packets: [setup], serial: serial)) }
    return pages
  }

  var pages: [[UInt8]] {
    var pages = headers
    for (index, position) in positions.enumerated() {
      pages.append(
        Page(
          packets: (0..<packetsPerPage).map { [0xFC, UInt8(index), UInt8($0)] }, position: position, serial: serial,
          isLast: isEnded && index == positions.count - 1))
    }
    var number = 0
    for index in pages.indices {
      if skippedNumbers.contains(index) { number += 1 }
      pages[index].number = number
      number += 1
    }
    return pages.map(\.bytes)
  }

  var bytes: [UInt8] { Array(pages.joined()) }
}

/// Ogg files page by page.
@Suite(.bounded) struct OggStreamTests {
  private func stream(_ bytes: [UInt8]) throws -> OggStream { try OggStream(in: ByteSource(bytes), from: 0) }

  private func fault(_ bytes: [UInt8]) throws -> String? { try stream(bytes).fault?.message }

  @Test func pagesAreCounted() throws {
    let link = Link()
    let pages = link.pages
    let junk: [UInt8] = [1, 2, 3, 4, 5]
    let found = try stream(link.bytes + junk)
    #expect(found.links.count == 1 && found.junkByteCount == 5 && found.damagedPageCount == 0 && found.fault == nil)
    let audioStart = pages[0].count + pages[1].count
    #expect(found.audioBytes == audioStart..<link.bytes.count && found.audioByteCount == 6)
    #expect(found.links[0].bytes == 0..<link.bytes.count + 5 && found.links[0].audioSerial == 7)
    #expect(found.links[0].streamCount == 1 && found.links[0].audioPageCount == 2 && found.links[0].isEnded)
    #expect(found.claimedFrameCount == Int64(1_920 - Link.preSkip) && !found.hasTooManyLinks && !found.repeatsSerials)
    let inner = try stream(pages[0] + pages[1] + junk + pages[2] + pages[3])
    #expect(inner.junkByteCount == 5 && inner.fault == nil && inner.contentID == found.contentID)
    #expect(try stream(junk + link.bytes).links[0].bytes.lowerBound == 5)
    let none = try stream(junk)
    #expect(none.links.isEmpty && none.fault == nil && none.audioBytes == nil && none.claimedFrameCount == nil)
  }

  @Test func faultsSayHowMany() throws {
    let link = Link(positions: [960, 1_920, 2_880, 3_840])
    func damaged(_ indices: [Int]) -> [UInt8] {
      var pages = link.pages
      for index in indices { pages[index][pages[index].count - 1] ^= 1 }
      return Array(pages.joined())
    }
    #expect(try fault(link.bytes) == nil)
    #expect(try fault(damaged([3])) == "1 page is damaged; the audio was left out.")
    #expect(try fault(damaged([3, 4])) == "2 pages are damaged; the audio was left out.")
    #expect(
      try fault(Link(positions: [960, 1_920], skippedNumbers: [3]).bytes)
        == "Pages are missing or out of order in 1 place; audio is lost there.")
    #expect(
      try fault(Link(positions: [960, 1_920], skippedNumbers: [2, 3]).bytes)
        == "Pages are missing or out of order in 2 places; audio is lost there.")
    let open = Link(serial: 8, isEnded: false).bytes
    let cut = try stream(open)
    #expect(cut.fault?.code == .truncated && cut.fault?.message.hasPrefix("The stream stops before its last") == true)
    #expect(try fault(open + link.bytes)?.hasPrefix("1 of the 2 streams in this chain stops before") == true)
    let two = open + Link(serial: 9, isEnded: false).bytes + link.bytes
    #expect(try fault(two)?.hasPrefix("2 of the 3 streams in this chain stop before") == true)
    #expect(try fault(link.bytes + open)?.hasPrefix("The stream stops before its last") == true)
    // Streams without audio need no end.
    let other = Page(packets: [Array("\u{80}theora".utf8)], serial: 3, isFirst: true).bytes
    #expect(try fault(other + Page(packets: [[1]], serial: 3, number: 1).bytes) == nil)
  }

  @Test func chainsHaveALimit() throws {
    let link =
      Page(packets: [[1]], isFirst: true).bytes + Page(packets: [[2]], position: 1, number: 1, isLast: true).bytes
    let most = Array(repeatElement(link, count: OggStream.linkLimit).joined())
    let whole = try stream(most)
    #expect(OggStream.linkLimit == 4_096 && whole.links.count == 4_096 && whole.fault == nil)
    let more = try stream(most + link)
    #expect(more.links.count == 4_096 && more.hasTooManyLinks && more.fault?.code == .corrupt)
    #expect(more.fault?.message == "This is a chain of more than 4096 streams.")
    #expect(more.links.last?.bytes.upperBound == most.count)
  }

  @Test func lengthsOfLinksAddUp() throws {
    let opus = Link(positions: [960, 96_000 + Link.preSkip])
    let vorbis = Link(serial: 8, isVorbis: true, positions: [1_024, 44_100])
    let chain = try stream(opus.bytes + vorbis.bytes)
    #expect(chain.links.count == 2 && chain.claimedFrameCount == 144_000 && !chain.repeatsSerials)
    #expect(chain.links.map(\.bytes.count) == [opus.bytes.count, vorbis.bytes.count])
    #expect(try stream(vorbis.bytes + opus.bytes).claimedFrameCount == 132_300)
    #expect(try stream(opus.bytes + opus.bytes).repeatsSerials)
    // One link that begins in the middle leaves the length of all unknown.
    let middle = Link(serial: 9, positions: [100_000, 100_960])
    #expect(try stream(opus.bytes + middle.bytes).claimedFrameCount == nil)
    #expect(try stream(middle.bytes + opus.bytes).claimedFrameCount == nil)
    for (length, isKnown) in [(999_999_999_999_999, true), (1_000_000_000_000_000, false)] {
      let long = try stream(Link(positions: [960, length + Link.preSkip]).bytes)
      #expect((long.claimedFrameCount != nil) == isKnown)
    }
    #expect(try stream(Link(positions: [100]).bytes).claimedFrameCount == 0)
  }

  /// A first page with audio for longer than its packets can be is not the first of the stream.
  @Test(arguments: [
    (false, 1, 5_760, true), (false, 1, 5_761, false), (false, 3, 17_280, true), (false, 3, 17_281, false),
    (true, 1, 2_048, true), (true, 1, 2_049, false), (true, 2, 4_096, true), (true, 2, 4_097, false),
  ]) func streamsStartAtZero(isVorbis: Bool, packetCount: Int, position: Int, startsAtZero: Bool) throws {
    let link = Link(isVorbis: isVorbis, positions: [position, position + 10], packetsPerPage: packetCount)
    let found = try stream(link.bytes)
    #expect((found.claimedFrameCount != nil) == startsAtZero && found.fault == nil)
  }

  @Test func vorbisOnOnePage() throws {
    #expect(try stream(Link(isVorbis: true, positions: [1_000]).bytes).isVorbisOnOnePage)
    #expect(try !stream(Link(isVorbis: true, positions: [1_000, 2_000]).bytes).isVorbisOnOnePage)
    #expect(try !stream(Link(positions: [960]).bytes).isVorbisOnOnePage)
    let one = Link(isVorbis: true, positions: [1_000]).bytes
    #expect(try !stream(one + Link(serial: 9, isVorbis: true, positions: [1_000]).bytes).isVorbisOnOnePage)
  }

  /// Comments belong to neither identity; headers, positions and pages only to that of decoding.
  @Test func identities() throws {
    func compare(_ one: [UInt8], _ other: [UInt8]) throws -> [Bool] {
      let (one, other) = (try stream(one), try stream(other))
      return [one.contentID == other.contentID, one.traits == other.traits]
    }
    for isVorbis in [false, true] {
      let plain = Link(isVorbis: isVorbis)
      var changed = plain
      changed.comments = Link.comments(isVorbis: isVorbis, byteCount: 999)
      #expect(try compare(plain.bytes, changed.bytes) == [true, true])
      changed = plain
      changed.positions[1] += 1
      #expect(try compare(plain.bytes, changed.bytes) == [true, false])
      changed = plain
      changed.isEnded = false
      #expect(try compare(plain.bytes, changed.bytes) == [true, false])
      changed = plain
      changed.setup[9] ^= 1
      #expect(try compare(plain.bytes, changed.bytes) == [true, !isVorbis])
      changed = plain
      changed.positions.append(2_880)
      #expect(try compare(plain.bytes, changed.bytes) == [false, false])
      var pages = plain.headers.map(\.bytes)
      pages.append(Page(packets: [[1, 2], [3]], position: 960, number: 3).bytes)
      let split = plain.headers.map(\.bytes) + [Page(packets: [[1], [2, 3]], position: 960, number: 3).bytes]
      #expect(try compare(Array(pages.joined()), Array(split.joined())) == [true, false])
      pages[pages.count - 1] = Page(packets: [[1, 2], [3]], position: 960, number: 3, isContinued: true).bytes
      let whole = plain.headers.map(\.bytes) + [Page(packets: [[1, 2], [3]], position: 960, number: 3).bytes]
      #expect(try compare(Array(pages.joined()), Array(whole.joined())) == [true, false])
    }
  }

  // MARK: Comments

  /// The bytes that FFmpeg sees.
  private func shown(_ bytes: [UInt8]) throws -> [[UInt8]] {
    let source = ByteSource(bytes)
    return try OggStream(in: source, from: 0).links.map { link in
      let input = link.input(from: source)
      var seen = bytes
      for mask in input.masks {
        withUnsafeBytes(of: mask.bytes) { new in
          for index in 0..<Int(mask.count) { seen[Int(mask.offset) + index] = new[index] }
        }
      }
      #expect(input.demuxer == "ogg" && (input.prefix.isEmpty || input.masks.isEmpty))
      return input.prefix + seen[input.bytes]
    }
  }

  /// Short comments are emptied where they are.
  @Test(arguments: [false, true]) func commentsAreEmptied(isVorbis: Bool) throws {
    let link = Link(isVorbis: isVorbis, comments: Link.comments(isVorbis: isVorbis, byteCount: 300))
    let seen = try #require(try shown(link.bytes).first)
    #expect(seen.count == link.bytes.count && seen != link.bytes)
    let empty = Array("\(isVorbis ? "\u{3}vorbis" : "OpusTags")".utf8) + [UInt8](repeating: 0, count: 8)
    let start = try #require(seen.firstRange(of: empty))
    #expect(seen[start.upperBound] == 0x61)
    // The pages are still right.
    let found = try stream(seen)
    let original = try stream(link.bytes)
    #expect(found.damagedPageCount == 0 && found.fault == nil && found.contentID == original.contentID)
  }

  /// Comment packets of Speex, FLAC and Theora.
  @Test func otherCommentsAreEmptied() throws {
    let text = [UInt8](repeating: 0x61, count: 40)
    func masked(_ first: [UInt8], _ others: [[UInt8]]) throws -> [[UInt8]] {
      var bytes = Page(packets: [first], isFirst: true).bytes
      for (index, packet) in others.enumerated() { bytes += Page(packets: [packet], number: index + 1).bytes }
      let seen = try #require(try shown(bytes).first)
      #expect(try stream(seen).damagedPageCount == 0)
      var position = Page(packets: [first]).bytes.count
      return others.map { packet in
        let end = position + Page(packets: [packet]).bytes.count
        defer { position = end }
        return Array(seen[(end - packet.count)..<end])
      }
    }
    func emptied(_ packet: [UInt8], at start: Int) -> [UInt8] {
      packet[..<start] + [UInt8](repeating: 0, count: 8) + packet[(start + 8)...]
    }
    let speex = Array("Speex   ".utf8) + text
    #expect(try masked(speex, [text, text]) == [emptied(text, at: 0), text])
    let flac = Array("\u{7F}FLAC".utf8) + text
    let blocks: [[UInt8]] = [[0x04, 0, 0, 40] + text, [0x84, 0, 0, 40] + text, [0x05, 0, 0, 40] + text]
    #expect(try masked(flac, blocks) == [emptied(blocks[0], at: 4), emptied(blocks[1], at: 4), blocks[2]])
    let theora = [0x80] + Array("theora".utf8) + text
    let comments = [0x81] + Array("theora".utf8) + text
    #expect(try masked(theora, [comments, text]) == [emptied(comments, at: 7), text])
    // A comment that ends before eight bytes stays as it is.
    #expect(try masked(speex, [Array(text.prefix(8))]) == [[UInt8](repeating: 0, count: 8)])
    #expect(try masked(speex, [Array(text.prefix(7))]) == [Array(text.prefix(7))])
  }

  /// Long comments are left out, with new pages for the other headers.
  @Test(arguments: [false, true], [65_536, 65_537]) func longCommentsAreLeftOut(isVorbis: Bool, size: Int) throws {
    let overhead = Link.comments(isVorbis: isVorbis).count
    let link = Link(isVorbis: isVorbis, comments: Link.comments(isVorbis: isVorbis, byteCount: size - overhead))
    #expect(link.comments?.count == size)
    let seen = try #require(try shown(link.bytes).first)
    guard size > 65_536 else {
      #expect(seen.count == link.bytes.count)
      return
    }
    var bare = Page(packets: [link.identification], isFirst: true).bytes
    bare += Page(packets: [Link.comments(isVorbis: isVorbis)] + (isVorbis ? [link.setup] : []), number: 1).bytes
    let audio = link.pages.suffix(2).joined()
    #expect(seen == bare + audio)
    // Two streams at a time keep theirs.
    let other = Page(packets: [[1]], serial: 99, isFirst: true).bytes
    #expect(try shown(other + link.bytes).first?.count == other.count + link.bytes.count)
  }

  /// Setup headers that do not fit on the new page, or share their page with audio, stay where they are.
  @Test func someHeadersStay() throws {
    let overhead = Array("\u{5}vorbis".utf8)
    for (size, isMoved) in [(59_999, true), (60_000, false)] {
      let setup = overhead + [UInt8](repeating: 9, count: size - overhead.count)
      let link = Link(isVorbis: true, comments: Link.comments(isVorbis: true, byteCount: 70_000), setup: setup)
      #expect(try (shown(link.bytes).first?.count == link.bytes.count) == !isMoved, "\(size)")
    }
    let link = Link(comments: Link.comments(isVorbis: false, byteCount: 70_000))
    var pages = link.headers
    pages[pages.count - 1].packets.append([0xFC])
    let bytes = Array(pages.map(\.bytes).joined())
    #expect(try shown(bytes).first?.count == bytes.count)
  }
}
