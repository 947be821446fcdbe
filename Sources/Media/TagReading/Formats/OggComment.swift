internal import MediaContainers

/// The comment packet of the first audio stream in an Ogg file, even if it is interleaved with other streams.
struct OggComment {
  private var pages: OggPageReader
  private var pageCount = 0

  /// Maximum number of pages examined. Header packets come first, and even a header with a picture of 10 MB takes only
  /// about 210 pages.
  private static let pageLimit = 4_000
  /// Maximum number of junk bytes between two pages.
  private static let junkLimit = 64 * 1024
  /// Maximum size of the packet in bytes. Comments store pictures as Base64 text, which is a third longer.
  private static let packetLimit = 2 * TagLimits.size

  /// - Parameter offset: Offset of the first page.
  static func read(from source: ByteSource, at offset: Int) throws(FileReadError) -> RawTag {
    var reader = OggComment(pages: OggPageReader(leniently: source, at: offset, junkLimit: junkLimit))
    while let page = try reader.nextPage(), page.isFirst {
      guard let codec = reader.pages.withContents({ _, body in OggCodec(firstPacket: body) }) else { continue }
      return try reader.comment(of: codec, serial: page.serial)
    }
    return RawTag(.vorbis)
  }

  private mutating func nextPage() throws(FileReadError) -> OggPage? {
    guard pageCount < Self.pageLimit else { return nil }
    pageCount += 1
    return try pages.next()
  }

  private mutating func comment(of codec: OggCodec, serial: UInt32) throws(FileReadError) -> RawTag {
    var tag = RawTag(.vorbis)
    // The identification packet fills its page, so the comment starts on the next page.
    var packet: [UInt8] = []
    var hasComment = false
    while let page = try nextPage() {
      guard page.serial == serial, !page.isFirst else { continue }
      let (lacing, body) = pages.withContents { (Array($0), Array($1)) }
      var rest = body[...]
      for length in lacing {
        packet += rest.prefix(Int(length))
        rest = rest.dropFirst(Int(length))
        guard length < 255 else { continue }
        defer { packet = [] }
        if codec == .flac {
          // Each packet is one metadata block (RFC 9639, section 10.1). The comment comes first; a flag marks the last
          // block.
          guard let header = packet.first, header != 0xFF else { return tag }
          let body = Array(packet.dropFirst(4))
          if header & 0x7F == FLACBlockReader.vorbisComment, !hasComment {
            tag = VorbisComment.read(body)
            hasComment = true
          } else if header & 0x7F == FLACBlockReader.picture, hasComment,
            let picture = Picture.flac(body, size: body.count)
          {
            tag.pictures.append(picture)
          }
          if header & 0x80 != 0 { return tag }
          continue
        }
        let mark = codec.commentMark ?? ""
        return VorbisComment.read(packet.has(mark) ? Array(packet.dropFirst(mark.utf8.count)) : [])
      }
      if packet.count > Self.packetLimit {
        tag.remarks.append("The comment header is longer than any real one and was not read.")
        return tag
      }
    }
    if pageCount >= Self.pageLimit {
      tag.remarks.append("The comment header does not end within \(Self.pageLimit) pages; it was not read.")
    }
    return tag
  }
}
