internal import Analysis
internal import MediaContainers

/// The logical structure of an Ogg file (RFC 3533), read page by page. A file may be a chain of links, each a complete
/// stream.
struct OggStream {
  /// Maximum number of links: more than any recording of a radio stream has. The rest of the file is ignored.
  static let linkLimit = 4_096

  let links: [OggLink]
  /// Number of bytes that do not belong to any page.
  let junkByteCount: Int
  /// Number of pages with a wrong checksum, which no decoder accepts.
  let damagedPageCount: Int64
  let hasTooManyLinks: Bool
  /// Hashes the identification header and the bodies of the audio pages of each link's audio stream. Comments and the
  /// division into pages do not count.
  let contentID: ContentID
  /// Hashes everything else that decoders read from the audio streams: headers other than comments, and the boundaries
  /// of packets and pages.
  let traits: ContentID
  /// Range from the first page with audio to the end of the last; `nil` if no page contains audio.
  let audioBytes: Range<Int>?

  init(in file: ByteSource, from start: Int) throws(FileReadError) {
    var hasher = ContentHasher()
    var traits = ContentHasher()
    var links: [OggLink] = []
    var audioBytes: Range<Int>?
    var isBeginning = false
    var hasTooManyLinks = false
    var pages = OggPageReader(file, at: start)
    while let page = try pages.next() {
      // Serial numbers may be reused in the next link, so a new link is recognized by the start of its streams.
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
      links[links.count - 1].masks +=
        pages.withContents { lacing, body in
          links[links.count - 1].commentStarts(page, lacing: lacing, body: body)
        }.map { Self.masks(of: page, in: pages, zeroing: $0) } ?? []
      pages.withContents { lacing, body in
        guard links[links.count - 1].take(page, lacing: lacing, body: body) else { return }
        if !page.isFirst { audioBytes = (audioBytes?.lowerBound ?? page.offset)..<page.end }
        hasher.update(body)
        traits.update(lacing)
        let position = [page.position, page.isContinued ? 1 : 0, page.isLast ? 1 : 0]
        position.withUnsafeBytes { traits.update($0) }
      }
    }
    self.links = links
    self.audioBytes = audioBytes
    self.hasTooManyLinks = hasTooManyLinks
    junkByteCount = pages.junkByteCount
    damagedPageCount = pages.damagedPageCount
    contentID = hasher.finish()
    for link in links {
      link.description.withUnsafeBytes { traits.update($0) }
    }
    self.traits = traits.finish()
  }

  /// Masks that hide the comments of the page read last. The length of the vendor's name and the number of comments, at
  /// each of `starts` in the body, become 0, and the checksum is recomputed.
  private static func masks(of page: OggPage, in pages: OggPageReader, zeroing starts: [Int]) -> [ByteMask] {
    var (bytes, body) = pages.pageWithoutChecksum
    var masks: [ByteMask] = []
    for start in starts.map({ body + $0 }) where start + 8 <= bytes.count {
      bytes.replaceSubrange(start..<start + 8, with: repeatElement(0, count: 8))
      masks.append(ByteMask(at: page.offset + start, [UInt8](repeating: 0, count: 8)))
    }
    let checksum = bytes.withUnsafeBytes { OggChecksum.update(0, $0) }
    return [ByteMask(at: page.offset + OggPage.checksumPosition, checksum.littleEndianBytes)] + masks
  }

  /// `true` if two links have the same serial number, which must be unique (RFC 3533, section 4).
  var repeatsSerials: Bool {
    let serials = links.compactMap(\.audioSerial)
    return Set(serials).count < serials.count
  }

  /// Number of bytes in the audio streams after their headers.
  var audioByteCount: Int64 { links.reduce(0) { $0 + $1.audioByteCount } }

  /// `true` if all audio is Vorbis on a single page.
  var isVorbisOnOnePage: Bool {
    links.count == 1 && links[0].audioPageCount == 1 && links[0].codec == .vorbis
  }

  /// Number of frames that all links claim together, at the rate of the first; `nil` if one of them makes no claim.
  var claimedFrameCount: Int64? {
    guard let rate = links.first?.length?.sampleRate else { return nil }
    var sum = 0.0
    for link in links where link.streamCount > 0 {
      guard let length = link.length else { return nil }
      sum += Double(length.frameCount) / Double(length.sampleRate)
    }
    let frames = (sum * Double(rate)).rounded()
    return frames < 1e15 ? Int64(frames) : nil
  }

  /// The fault if pages are damaged or missing, including the last page, or there are too many links; otherwise `nil`.
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
    let openCount = links.dropLast().count { $0.audioSerial != nil && !$0.isEnded }
    if openCount > 0 {
      return DecodeError(
        .truncated,
        "\(openCount) of the \(links.count) streams in this chain stop\(openCount == 1 ? "s" : "") before the last page: "
          + "audio is lost there.")
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
  /// Range from the link's first page to the first page of the next link, or to the end of the file.
  var bytes: Range<Int>
  /// Serial number of the first audio stream; `nil` if no stream contains audio of a known kind.
  private(set) var audioSerial: UInt32?
  private(set) var codec: OggCodec?
  /// Headers of the audio stream; `nil` unless it is Vorbis or Opus.
  private(set) var headers: OggHeaders?
  private(set) var streamCount = 0
  /// `true` if the audio stream has a page marked as its last.
  private(set) var isEnded = false
  /// Number of gaps in the page numbers of the audio stream.
  private(set) var gapCount = 0
  /// Number of pages of the audio stream after the headers.
  private(set) var audioPageCount = 0
  private(set) var audioByteCount: Int64 = 0
  private var nextPageNumber: UInt32 = 0
  private var clock: OggClock?
  private var lastPosition: Int64 = 0
  /// Bytes to hide from FFmpeg: the comments of all streams.
  fileprivate(set) var masks: [ByteMask] = []
  /// Number of packets begun after the first in each Speex and FLAC stream, whose comment packets have no signature.
  private var packetCounts: [UInt32: (isSpeex: Bool, count: Int)] = [:]

  init(bytes: Range<Int>) { self.bytes = bytes }

  /// Maximum size of the comments shown to FFmpeg, in bytes; longer comments are left out where possible.
  private static let commentLimit = 1 << 16

  /// Adds the next page of the link.
  ///
  /// - Returns: `true` if its body identifies the audio.
  fileprivate mutating func take(
    _ page: OggPage, lacing: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer
  ) -> Bool {
    if page.isFirst {
      streamCount += 1
      guard audioSerial == nil else { return false }
      guard let codec = OggCodec(firstPacket: body) else { return false }
      audioSerial = page.serial
      self.codec = codec
      headers = OggHeaders(codec: codec, serial: page.serial)
      clock = OggClock(codec: codec, firstPacket: Array(body))
    } else {
      guard audioSerial == page.serial else { return false }
      if page.number != nextPageNumber { gapCount += 1 }
    }
    nextPageNumber = page.number &+ 1
    headers?.add(lacing: lacing, body: body, end: page.end)
    if page.isLast { isEnded = true }
    // Header pages have position 0, or -1 if no packet ends on them.
    guard page.position > 0 || audioPageCount > 0 else { return page.isFirst }
    if audioPageCount == 0 { clock?.start(at: page.position, packetCount: lacing.count { $0 < 255 }) }
    lastPosition = max(lastPosition, page.position)
    audioPageCount += 1
    audioByteCount += Int64(body.count)
    return true
  }

  /// Number of PCM frames according to the position of the last page, and their rate; `nil` if the positions do not
  /// reveal the number.
  var length: (frameCount: Int64, sampleRate: Int)? {
    guard let clock, clock.startsAtZero else { return nil }
    return (max(0, lastPosition - clock.preSkip), clock.sampleRate)
  }

  /// The parts of the link, other than the audio pages, that affect decoders.
  fileprivate var description: [UInt8] {
    Array("\(streamCount) \(audioPageCount) ".utf8) + (headers?.setup ?? [])
  }

  /// The link as input for FFmpeg's demuxer.
  func input(from file: ByteSource) -> LibAVInput {
    if let headers, headers.commentByteCount > Self.commentLimit, streamCount == 1, let start = headers.audioStart,
      start <= bytes.upperBound, let prefix = headers.bareHeader
    {
      return LibAVInput(file: file, bytes: start..<bytes.upperBound, prefix: prefix, demuxer: "ogg")
    }
    return LibAVInput(file: file, bytes: bytes, masks: masks, demuxer: "ogg")
  }

  /// Signatures of comment packets, which precede the vendor's name.
  private static let commentMarks =
    OggCodec.allCases.compactMap { $0.commentMark.map { Array($0.utf8) } } + [[0x81] + Array("theora".utf8)]

  /// Offsets of the comments (from the length of the vendor's name) in the body of a header page; `nil` if there are
  /// none.
  fileprivate mutating func commentStarts(
    _ page: OggPage, lacing: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer
  ) -> [Int]? {
    // Header pages have position 0, or -1 if no packet ends on them.
    guard page.position <= 0 else { return nil }
    var starts: [Int] = []
    var position = 0
    var begins = !page.isContinued
    for length in lacing {
      if begins {
        let packet = body[position...]
        if let mark = Self.commentMarks.first(where: { packet.starts(with: $0) }) {
          starts.append(position + mark.count)
        } else if page.isFirst {
          let codec = OggCodec(firstPacket: packet)
          if codec == .speex || codec == .flac { packetCounts[page.serial] = (codec == .speex, 0) }
        } else if let stream = packetCounts[page.serial] {
          packetCounts[page.serial]?.count += 1
          if stream.isSpeex {
            if stream.count == 0 { starts.append(position) }
          } else if let kind = packet.first, kind & 0x7f == FLACBlockReader.vorbisComment {
            // The comment metadata block (RFC 9639, section 8), after its header.
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

/// The units of page positions (Vorbis I specification, section 4.2.2 and appendix A; RFC 7845, section 4).
private struct OggClock {
  /// Units per second; a unit is a frame of PCM.
  let sampleRate: Int
  /// Number of frames to discard at the start.
  let preSkip: Int64
  /// Maximum number of frames in a packet.
  private let packetLimit: Int64
  /// `true` if the first audio page is the first of the stream. Recordings of radio streams begin anywhere.
  private(set) var startsAtZero = false

  /// `nil` for codecs whose positions are not tracked.
  init?(codec: OggCodec, firstPacket: [UInt8]) {
    switch codec {
    case .vorbis:
      guard let rate = firstPacket.littleEndian(UInt32.self, at: 12), rate > 0, firstPacket.count > 28 else {
        return nil
      }
      (sampleRate, preSkip) = (Int(rate), 0)
      packetLimit = 1 << Int64(firstPacket[28] >> 4)
    case .opus:
      guard let skipped = firstPacket.littleEndian(UInt16.self, at: 10) else { return nil }
      // Positions count at 48 kHz; a packet has at most 120 ms.
      (sampleRate, preSkip, packetLimit) = (48_000, Int64(skipped), 5_760)
    default: return nil
    }
  }

  /// Sets `startsAtZero` from the position of the first audio page, and the number of packets that end on it.
  mutating func start(at position: Int64, packetCount: Int) {
    startsAtZero = position <= packetLimit * Int64(packetCount)
  }
}
