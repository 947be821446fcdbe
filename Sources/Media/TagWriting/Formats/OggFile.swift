internal import MediaContainers

/// An Ogg file whose tag is the comment packet of its first audio stream (RFC 3533; RFC 7845; Vorbis I specification,
/// annex A).
///
/// The pages from that packet to the end of the stream's headers are rewritten. If the number of pages changes, all
/// later pages of the stream get new numbers and checksums.
struct OggFile: TagContainer {
  var tags: [EditableTag]
  let isOpus: Bool
  private let comment: VorbisCommentBody
  private let codec: OggCodec
  private let serial: UInt32
  /// Page number of the first rewritten page.
  private let firstNumber: UInt32
  private let oldPageCount: Int
  private let laterHeaders: [[UInt8]]
  /// Pages of other streams, located between the rewritten pages.
  private let between: [Range<Int>]
  private let headersStart: Int
  private let headersEnd: Int
  private let size: Int

  /// Size of a page header in bytes, without lacing values.
  static let headerSize = 27
  /// Maximum size of the headers of the stream in bytes.
  static let headerLimit = 64 << 20
  private static let pageLimit = 10_000

  init(_ source: ByteSource, at start: Int, headerLimit: Int = OggFile.headerLimit) throws {
    size = source.size
    let odd = TagWriteError(
      .oddStructure, "The headers of the Ogg stream have an invalid layout; such files are not changed.")
    var pages = OggPageReader(source, at: start)
    var stream: (codec: OggCodec, serial: UInt32)?
    var packets: [[UInt8]] = []
    var packet: [UInt8] = []
    var byteCount = 0
    var pageCount = 0
    var own: [OggPage] = []
    var others: [OggPage] = []
    while true {
      guard let page = try pages.next(), pages.junkByteCount == 0, pages.damagedPageCount == 0,
        pageCount < Self.pageLimit
      else { throw odd }
      pageCount += 1
      if page.isFirst {
        if stream == nil, let codec = pages.withContents({ _, body in OggCodec(firstPacket: body) }) {
          stream = (codec, page.serial)
        }
        guard own.isEmpty else { throw odd }
        continue
      }
      guard let stream else {
        throw TagWriteError(.unsupportedFormat, "Tags cannot be written to Ogg files with this codec.")
      }
      guard page.serial == stream.serial else {
        if !own.isEmpty { others.append(page) }
        continue
      }
      // Header pages have position 0, or -1 if no packet ends on them.
      guard page.position == 0 || page.position == -1, page.isContinued == !packet.isEmpty, !page.isLast else {
        throw odd
      }
      own.append(page)
      let (lacing, body) = pages.withContents { (Array($0), Array($1)) }
      var rest = body[...]
      for length in lacing {
        packet += rest.prefix(Int(length))
        rest = rest.dropFirst(Int(length))
        if length < 255 {
          packets.append(packet)
          packet = []
        }
      }
      byteCount += body.count
      guard byteCount <= headerLimit else { throw odd }
      if packet.isEmpty, !packets.isEmpty, lacing.last != 255 { break }
    }
    guard let stream, let first = own.first, let last = own.last, let commentPacket = packets.first else { throw odd }
    (codec, serial, firstNumber, oldPageCount) = (stream.codec, stream.serial, first.number, own.count)
    isOpus = codec == .opus
    laterHeaders = Array(packets.dropFirst())
    (headersStart, headersEnd) = (first.offset, last.end)
    between = others.filter { $0.offset < last.offset }.map { $0.offset..<$0.end }
    let body: ArraySlice<UInt8>
    switch codec {
    case .vorbis, .opus:
      let mark = codec.commentMark ?? ""
      guard commentPacket.has(mark) else { throw odd }
      body = commentPacket.dropFirst(mark.utf8.count)
    case .speex: body = commentPacket[...]
    case .flac:
      guard let header = commentPacket.first, header & 0x7F == FLACBlockReader.vorbisComment else { throw odd }
      body = commentPacket.dropFirst(4)
    case .bareFLAC, .pcm, .celt:
      throw TagWriteError(.unsupportedFormat, "Tags cannot be written to Ogg files with this codec.")
    }
    isLastFLACBlock = codec == .flac && commentPacket[0] & 0x80 != 0
    var entries: [EditableTag.Entry] = []
    comment = try VorbisCommentBody(Array(body), entries: &entries)
    tags = [.vorbis(entries)]
  }

  private let isLastFLACBlock: Bool

  func splice() throws(TagWriteError) -> FileSplice {
    let body = comment.bytes(tags[0])
    var packet: [UInt8]
    if codec == .flac {
      guard body.count < 1 << 24 else {
        throw TagWriteError(.noRoom, "The Vorbis comment would become larger than a block of FLAC can be.")
      }
      packet =
        [FLACBlockReader.vorbisComment | (isLastFLACBlock ? 0x80 : 0)] + UInt32(body.count).bigEndianBytes.dropFirst()
    } else {
      packet = Array((codec.commentMark ?? "").utf8)
    }
    packet += body
    let (pages, count) = pages([packet] + laterHeaders)
    var splice = FileSplice()
    splice.add(0..<headersStart)
    splice.add(pages)
    for range in between { splice.add(range) }
    if count == oldPageCount {
      splice.add(headersEnd..<size)
    } else {
      splice.add(
        pages: headersEnd..<size, serial: serial,
        numberShift: UInt32(truncatingIfNeeded: count - oldPageCount))
    }
    return splice
  }

  private func pages(_ packets: [[UInt8]]) -> (bytes: [UInt8], count: Int) {
    var segments: [(length: UInt8, endsPacket: Bool)] = []
    for packet in packets {
      segments += [(UInt8, Bool)](repeating: (255, false), count: packet.count / 255)
      segments.append((UInt8(packet.count % 255), true))
    }
    let content = packets.flatMap(\.self)
    var bytes: [UInt8] = []
    var position = 0
    var count = 0
    var isContinued = false
    for start in stride(from: 0, to: segments.count, by: 255) {
      let own = segments[start..<min(start + 255, segments.count)]
      let length = own.reduce(0) { $0 + Int($1.length) }
      let granule: Int64 = own.contains { $0.endsPacket } ? 0 : -1
      var page = Array("OggS".utf8) + [0, isContinued ? 1 : 0] + granule.littleEndianBytes
      page += serial.littleEndianBytes + (firstNumber &+ UInt32(count)).littleEndianBytes + [0, 0, 0, 0]
      page += [UInt8(own.count)] + own.map(\.length) + content[position..<position + length]
      Self.sign(&page)
      bytes += page
      position += length
      count += 1
      isContinued = own.last?.endsPacket == false
    }
    return (bytes, count)
  }

  /// Sets the checksum of a page.
  static func sign(_ page: inout [UInt8]) {
    let place = OggPage.checksumPosition..<OggPage.checksumPosition + 4
    page.replaceSubrange(place, with: repeatElement(0, count: 4))
    let checksum = page.withUnsafeBytes { OggChecksum.update(0, $0) }
    page.replaceSubrange(place, with: checksum.littleEndianBytes)
  }
}
