internal import Analysis

/// The logical structure of an Ogg file (RFC 3533), found by walking over its pages. A file may be a chain of links,
/// each a whole stream of its own.
struct OggStream {
  /// More links than any capture of a radio stream has; what follows is not looked at.
  static let linkLimit = 4_096

  let links: [OggLink]
  /// Bytes that belong to no page.
  let junkByteCount: Int64
  /// Pages whose checksum is wrong; no decoder takes them.
  let damagedPageCount: Int64
  let hasTooManyLinks: Bool
  /// Over the identification header and the audio pages' bodies of each link's audio stream: neither comments nor the
  /// cut into pages count.
  let contentID: ContentID
  /// Over what else of the audio streams decoders see: other headers than comments, and where packets and pages end.
  let traits: ContentID

  init(in file: InputFile, from start: Int64) throws(DecodeError) {
    var hasher = ContentHasher()
    var traits = ContentHasher()
    var links: [OggLink] = []
    var isBeginning = false
    var hasTooManyLinks = false
    var pages = OggPageReader(file: file, offset: start)
    while let page = try pages.next() {
      // The next link may use the same serial numbers again: links are told apart by where streams begin.
      if page.isFirst && !isBeginning {
        if var last = links.popLast() {
          last.bytes = last.bytes.lowerBound..<page.offset
          links.append(last)
        }
        if links.count == Self.linkLimit {
          hasTooManyLinks = true
          break
        }
        links.append(OggLink(bytes: page.offset..<file.size))
      }
      isBeginning = page.isFirst
      guard !links.isEmpty else { continue }
      links[links.count - 1].masks += pages.withContents { lacing, body in
        links[links.count - 1].commentStarts(page, lacing: lacing, body: body)
      }.map { pages.mask(page, zeroing: $0) } ?? []
      pages.withContents { lacing, body in
        guard links[links.count - 1].take(page, lacing: lacing, body: body) else { return }
        hasher.update(body)
        traits.update(lacing)
        let position = [page.position, page.isContinued ? 1 : 0, page.isLast ? 1 : 0]
        position.withUnsafeBytes { traits.update($0) }
      }
    }
    self.links = links
    self.hasTooManyLinks = hasTooManyLinks
    junkByteCount = pages.junkByteCount
    damagedPageCount = pages.damagedPageCount
    contentID = hasher.finish()
    for link in links {
      link.description.withUnsafeBytes { traits.update($0) }
    }
    self.traits = traits.finish()
  }

  /// Bytes of the audio streams behind their headers.
  var audioByteCount: Int64 { links.reduce(0) { $0 + $1.audioByteCount } }

  /// All audio is Vorbis on a single page.
  var isVorbisOnOnePage: Bool {
    links.count == 1 && links[0].audioPageCount == 1 && links[0].headers?.codec == .vorbis
  }

  /// Pages are missing, or the last one is.
  var fault: DecodeError? {
    let gaps = links.reduce(0) { $0 + $1.gapCount }
    if damagedPageCount > 0 {
      return DecodeError(
        .corrupt, "\(damagedPageCount) page\(damagedPageCount == 1 ? " is" : "s are") damaged; the audio was left out.")
    }
    if gaps > 0 {
      return DecodeError(
        .corrupt, "Pages are missing or out of order in \(gaps) place\(gaps == 1 ? "" : "s"); audio is lost there.")
    }
    if hasTooManyLinks { return DecodeError(.corrupt, "This is a chain of more than \(Self.linkLimit) streams.") }
    if let last = links.last, last.audioSerial != nil, !last.isEnded {
      return DecodeError(.truncated, "The stream stops before its last page: the file was cut off.")
    }
    return nil
  }
}

/// One link of a chain: streams that begin together and end before the next link.
struct OggLink {
  /// From the link's first page to that of the next one.
  var bytes: Range<Int64>
  /// Serial number of its first audio stream; `nil` if no stream is audio of a known kind.
  private(set) var audioSerial: UInt32?
  /// Those of the audio stream, if it is Vorbis or Opus.
  private(set) var headers: OggHeaders?
  private(set) var streamCount = 0
  /// The audio stream has a page marked as its last.
  private(set) var isEnded = false
  /// Places in the audio stream where the number of a page does not follow that of the page before.
  private(set) var gapCount = 0
  /// Pages of the audio stream behind the headers.
  private(set) var audioPageCount = 0
  private(set) var audioByteCount: Int64 = 0
  private var nextPageNumber: UInt32 = 0
  /// What FFmpeg must not see: comments, of any stream.
  fileprivate(set) var masks: [ByteMask] = []
  /// How many packets of streams of Speex and FLAC have begun: their comments have no mark of their own.
  private var packetCounts: [UInt32: (isSpeex: Bool, count: Int)] = [:]

  init(bytes: Range<Int64>) { self.bytes = bytes }

  /// Comments of more bytes than this are not even read by FFmpeg where they can be left out.
  private static let commentLimit = 1 << 16

  /// What begins the first packet of an audio stream other than Vorbis and Opus.
  private static let otherMarkers = ["Speex   ", "\u{7f}FLAC", "fLaC", "PCM     ", "CELT    "].map { Array($0.utf8) }

  /// Takes the next page. Returns whether its body identifies the audio.
  fileprivate mutating func take(
    _ page: OggPageReader.Page, lacing: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer
  ) -> Bool {
    if page.isFirst {
      streamCount += 1
      guard audioSerial == nil else { return false }
      let codec = [OggHeaders.Codec.vorbis, .opus].first { body.starts(with: $0.marker) }
      guard codec != nil || Self.otherMarkers.contains(where: { body.starts(with: $0) }) else { return false }
      audioSerial = page.serial
      headers = codec.map { OggHeaders(codec: $0, serial: page.serial) }
    } else {
      guard audioSerial == page.serial else { return false }
      if page.number != nextPageNumber { gapCount += 1 }
    }
    nextPageNumber = page.number &+ 1
    headers?.add(lacing: lacing, body: body, end: page.end)
    if page.isLast { isEnded = true }
    // Pages of headers have position 0, or -1 where no packet ends.
    guard page.position > 0 || audioPageCount > 0 else { return page.isFirst }
    audioPageCount += 1
    audioByteCount += Int64(body.count)
    return true
  }

  /// What decoders see of it beside the audio pages.
  fileprivate var description: [UInt8] {
    Array("\(streamCount) \(audioPageCount) ".utf8) + (headers?.setup ?? [])
  }

  /// The link for FFmpeg's demuxer.
  func input(from file: InputFile) -> LibAVInput {
    if let headers, headers.commentByteCount > Self.commentLimit, streamCount == 1, let start = headers.audioStart,
      start <= bytes.upperBound, let prefix = headers.bareHeader
    {
      return LibAVInput(file: file, bytes: start..<bytes.upperBound, prefix: prefix, demuxer: "ogg")
    }
    return LibAVInput(file: file, bytes: bytes, masks: masks, demuxer: "ogg")
  }

  /// What stands before the vendor's name in packets of comments.
  private static let commentMarkers = ["\u{3}vorbis", "OpusTags", "\u{81}theora"].map { text in
    text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
  }

  /// Where in the body of a page of headers comments begin, with the length of the vendor's name; `nil` if there are
  /// none.
  fileprivate mutating func commentStarts(
    _ page: OggPageReader.Page, lacing: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer
  ) -> [Int]? {
    // Pages of headers have position 0, or -1 where no packet ends.
    guard page.position <= 0 else { return nil }
    var starts: [Int] = []
    var position = 0
    var begins = !page.isContinued
    for length in lacing {
      if begins {
        let packet = body[position...]
        if let marker = Self.commentMarkers.first(where: { packet.starts(with: $0) }) {
          starts.append(position + marker.count)
        } else if page.isFirst {
          let isSpeex = packet.starts(with: Array("Speex   ".utf8))
          if isSpeex || packet.starts(with: Array("\u{7f}FLAC".utf8)) { packetCounts[page.serial] = (isSpeex, 0) }
        } else if let stream = packetCounts[page.serial] {
          packetCounts[page.serial]?.count += 1
          if stream.isSpeex {
            if stream.count == 0 { starts.append(position) }
          } else if let kind = packet.first, kind & 0x7f == 4 {
            // A metadata block (RFC 9639, section 8) of comments, behind its header.
            starts.append(position + 4)
          }
        }
      }
      position += Int(length)
      begins = length < 255
    }
    return starts.isEmpty ? nil : starts
  }
}

/// Walks over the pages of an Ogg file in one sequential pass.
private struct OggPageReader {
  struct Page {
    var offset: Int64
    var end: Int64
    var serial: UInt32
    var number: UInt32
    /// Granule position.
    var position: Int64
    /// It begins with the rest of a packet.
    var isContinued: Bool
    var isFirst: Bool
    var isLast: Bool
  }

  private let file: InputFile
  private var buffer: [UInt8]
  /// Offset in the file of the buffer's start.
  private var bufferOffset: Int64
  private var filled = 0
  /// Where the next page is looked for, in the buffer.
  private var cursor = 0
  private var lacing = 0..<0
  private var body = 0..<0
  private(set) var junkByteCount: Int64 = 0
  private(set) var damagedPageCount: Int64 = 0

  /// The largest page: a header of 27 bytes, 255 lacing values, 255 segments of 255 bytes.
  private static let largestPage = 27 + 255 + 255 * 255

  init(file: InputFile, offset: Int64) {
    self.file = file
    bufferOffset = offset
    buffer = [UInt8](repeating: 0, count: 1 << 18)
  }

  /// The lacing values and the body of the last page.
  func withContents<Result>(
    _ use: (_ lacing: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer) -> Result
  ) -> Result {
    buffer.withUnsafeBytes {
      use(UnsafeRawBufferPointer(rebasing: $0[lacing]), UnsafeRawBufferPointer(rebasing: $0[body]))
    }
  }

  /// Shows the last page without comments: the length of the vendor's name and the number of comments, which stand at
  /// each of `starts` in the body, become 0, and the checksum becomes right for that.
  func mask(_ page: Page, zeroing starts: [Int]) -> [ByteMask] {
    var bytes = Array(buffer[cursor - Int(page.end - page.offset)..<cursor])
    let bodyStart = bytes.count - body.count
    var masks: [ByteMask] = []
    for start in starts.map({ bodyStart + $0 }) where start + 8 <= bytes.count {
      bytes.replaceSubrange(start..<start + 8, with: repeatElement(0, count: 8))
      masks.append(ByteMask(at: page.offset + Int64(start), [UInt8](repeating: 0, count: 8)))
    }
    // The page was read with 0 in the place of its checksum.
    let checksum = bytes.withUnsafeBytes { OggChecksum.update(0, $0) }
    return [ByteMask(at: page.offset + 22, withUnsafeBytes(of: checksum.littleEndian) { Array($0) })] + masks
  }

  /// The next whole page; bytes that are none are skipped and counted.
  mutating func next() throws(DecodeError) -> Page? {
    while true {
      if filled - cursor < Self.largestPage { try refill() }
      guard filled - cursor >= 27 else { break }
      if let page = page(at: cursor) {
        return page
      }
      let searchedFrom = cursor
      cursor += 1
      while cursor < filled && buffer[cursor] != 0x4f { cursor += 1 }
      junkByteCount += Int64(cursor - searchedFrom)
    }
    junkByteCount += Int64(filled - cursor)
    return nil
  }

  private mutating func refill() throws(DecodeError) {
    let offset = bufferOffset + Int64(filled)
    guard offset < file.size else { return }
    let kept = filled - cursor
    var failure: DecodeError?
    let got = buffer.withUnsafeMutableBytes { bytes in
      bytes.baseAddress!.copyMemory(from: bytes.baseAddress! + cursor, byteCount: kept)
      do throws(DecodeError) {
        return try file.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[kept...]), at: offset)
      } catch {
        failure = error
        return 0
      }
    }
    if let failure { throw failure }
    bufferOffset += Int64(cursor)
    cursor = 0
    filled = kept + got
  }

  private mutating func checksumIsRight(_ page: Range<Int>) -> Bool {
    buffer.withUnsafeMutableBytes { bytes in
      let page = UnsafeMutableRawBufferPointer(rebasing: bytes[page])
      let noted = UInt32(littleEndian: page.loadUnaligned(fromByteOffset: 22, as: UInt32.self))
      // The checksum is made over the page with 0 in its own place.
      page.storeBytes(of: 0, toByteOffset: 22, as: UInt32.self)
      return OggChecksum.update(0, UnsafeRawBufferPointer(page)) == noted
    }
  }

  /// Reads the page at `start` and moves behind it; `nil` if there is no whole page.
  private mutating func page(at start: Int) -> Page? {
    guard buffer[start] == 0x4f, buffer[start + 1] == 0x67, buffer[start + 2] == 0x67, buffer[start + 3] == 0x53,
      buffer[start + 4] == 0
    else { return nil }
    let segmentCount = Int(buffer[start + 26])
    let bodyStart = start + 27 + segmentCount
    guard bodyStart <= filled else { return nil }
    let bodyEnd = buffer[start + 27..<bodyStart].reduce(bodyStart) { $0 + Int($1) }
    guard bodyEnd <= filled else { return nil }
    func littleEndian<Value: FixedWidthInteger>(_ type: Value.Type, at offset: Int) -> Value {
      (0..<Value.bitWidth / 8).reversed().reduce(0) { $0 << 8 | Value(truncatingIfNeeded: buffer[start + offset + $1]) }
    }
    guard checksumIsRight(start..<bodyEnd) else {
      damagedPageCount += 1
      return nil
    }
    cursor = bodyEnd
    lacing = start + 27..<bodyStart
    body = bodyStart..<bodyEnd
    return Page(
      offset: bufferOffset + Int64(start), end: bufferOffset + Int64(bodyEnd),
      serial: littleEndian(UInt32.self, at: 14),
      number: littleEndian(UInt32.self, at: 18), position: littleEndian(Int64.self, at: 6),
      isContinued: buffer[start + 5] & 1 != 0, isFirst: buffer[start + 5] & 2 != 0, isLast: buffer[start + 5] & 4 != 0)
  }
}
