internal import AudioAnalysis

/// The logical structure of an Ogg file (RFC 3533), found by walking over its pages. A file may be a chain of links, each a
/// whole stream of its own.
struct OggStream {
  struct Link {
    /// From the link's first page to that of the next one.
    var bytes: Range<Int64>
    /// Serial number of its first audio stream; `nil` if no stream is audio of a known kind.
    var audioSerial: UInt32?
    var isVorbis = false
    /// The audio stream has a page marked as its last.
    var isEnded = false
    /// Pages of the audio stream that must have been there, by the gaps in their numbers.
    var missingPageCount: Int64 = 0
    /// Pages behind the headers.
    var audioPageCount = 0
  }

  /// More links than any capture of a radio stream has; what follows is not looked at.
  static let linkLimit = 4_096

  private(set) var links: [Link] = []
  /// Bytes that belong to no page.
  private(set) var junkByteCount: Int64 = 0
  /// Pages whose checksum is wrong; no decoder takes them.
  private(set) var damagedPageCount: Int64 = 0
  /// Bytes of the audio streams behind their headers.
  private(set) var audioByteCount: Int64 = 0
  private(set) var hasTooManyLinks = false
  /// Over the identification header and the audio pages' bodies of each link's audio stream: neither comments nor the cut
  /// into pages count.
  let contentID: ContentID

  private static let vorbisMarker = Array("\u{1}vorbis".utf8)

  /// What begins the first packet of each audio mapping.
  private static let audioMarkers: [[UInt8]] = [
    vorbisMarker, Array("OpusHead".utf8), Array("Speex   ".utf8), Array("\u{7f}FLAC".utf8),
    Array("fLaC".utf8), Array("PCM     ".utf8), Array("CELT    ".utf8),
  ]

  init(in file: InputFile, from start: Int64) throws(DecodeError) {
    var hasher = ContentHasher()
    var link: Link?
    /// Serial numbers may be reused by the next link, so beginnings of streams are what tells links apart.
    var isInHeaders = false
    var isInAudio = false
    var nextPageNumber: UInt32?

    var pages = PageReader(file: file, offset: start)
    while let page = try pages.next() {
      if page.isFirst && !isInHeaders {
        if var done = link {
          done.bytes = done.bytes.lowerBound..<page.offset
          links.append(done)
        }
        guard links.count < Self.linkLimit else {
          hasTooManyLinks = true
          link = nil
          break
        }
        link = Link(bytes: page.offset..<file.size)
        isInHeaders = true
        isInAudio = false
        nextPageNumber = nil
      } else if !page.isFirst {
        isInHeaders = false
      }
      if page.isFirst, link?.audioSerial == nil, pages.withBody({ body in Self.isAudio(body) }) {
        link?.audioSerial = page.serial
        link?.isVorbis = pages.withBody { $0.starts(with: Self.vorbisMarker) }
        pages.withBody { hasher.update($0) }
        nextPageNumber = page.number &+ 1
        continue
      }
      guard let serial = link?.audioSerial, serial == page.serial else { continue }
      if let expected = nextPageNumber, expected != page.number {
        let gap = page.number &- expected
        link?.missingPageCount += gap < 1 << 31 ? Int64(gap) : 1
      }
      nextPageNumber = page.number &+ 1
      if page.isLast { link?.isEnded = true }
      // Pages of comments and set-up headers have position 0, or -1 where no packet ends.
      if page.position > 0 { isInAudio = true }
      if isInAudio {
        audioByteCount += pages.withBody { body in
          hasher.update(body)
          return Int64(body.count)
        }
        link?.audioPageCount += 1
      }
    }
    if let link { links.append(link) }
    junkByteCount = pages.junkByteCount
    damagedPageCount = pages.damagedPageCount
    contentID = hasher.finish()
  }

  /// All audio is Vorbis on a single page.
  var isVorbisOnOnePage: Bool { links.count == 1 && links[0].isVorbis && links[0].audioPageCount == 1 }

  /// Pages are missing, or the last one is.
  var fault: DecodeError? {
    let missing = links.reduce(0) { $0 + $1.missingPageCount }
    if damagedPageCount > 0 || missing > 0 {
      return DecodeError(
        .corrupt, "\(max(damagedPageCount, missing)) pages are damaged or missing; their audio was left out.")
    }
    if hasTooManyLinks { return DecodeError(.corrupt, "This is a chain of more than \(Self.linkLimit) streams.") }
    if let last = links.last, last.audioSerial != nil, !last.isEnded {
      return DecodeError(.truncated, "The stream stops before its last page: the file was cut off.")
    }
    return nil
  }

  private static func isAudio(_ body: UnsafeRawBufferPointer) -> Bool {
    audioMarkers.contains { body.starts(with: $0) }
  }
}

/// Walks over the pages of an Ogg file in one sequential pass.
private struct PageReader {
  struct Page {
    var offset: Int64
    var serial: UInt32
    var number: UInt32
    /// Granule position.
    var position: Int64
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

  func withBody<Result>(_ use: (UnsafeRawBufferPointer) -> Result) -> Result {
    buffer.withUnsafeBytes { use(UnsafeRawBufferPointer(rebasing: $0[body])) }
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
    body = bodyStart..<bodyEnd
    return Page(
      offset: bufferOffset + Int64(start), serial: littleEndian(UInt32.self, at: 14),
      number: littleEndian(UInt32.self, at: 18), position: littleEndian(Int64.self, at: 6),
      isFirst: buffer[start + 5] & 2 != 0, isLast: buffer[start + 5] & 4 != 0)
  }
}
