internal import Analysis

/// The header packets of the first audio stream in an Ogg file (RFC 3533), whatever other streams it is mixed with.
struct OggStream {
  private let source: ByteSource
  private var position: Int
  private var pageCount = 0

  /// Pages that are looked at before giving up: header packets stand at the start, and even one with a picture of 10 MB
  /// is spread over 160 pages.
  private static let maximumPageCount = 4_000
  /// Bytes of junk between pages that are searched for the next page.
  private static let maximumJunk = 64 * 1024

  private struct Page {
    var serial: UInt64
    var isFirst: Bool
    /// The end of a packet lies where a length is below 255 (one entry for each lacing value).
    var lacing: [UInt8]
    var bodyStart: Int
  }

  private enum Codec {
    case vorbis, opus, speex, flac

    init?(identification: [UInt8]) {
      if identification.has("\u{1}vorbis") {
        self = .vorbis
      } else if identification.has("OpusHead") {
        self = .opus
      } else if identification.has("Speex   ") {
        self = .speex
      } else if identification.has("\u{7F}FLAC") {
        self = .flac
      } else {
        return nil
      }
    }
  }

  private init(source: ByteSource, position: Int) {
    self.source = source
    self.position = position
  }

  static func read(from source: ByteSource, at offset: Int) throws(TagReadError) -> RawTag {
    var stream = OggStream(source: source, position: offset)
    return try stream.read()
  }

  private mutating func read() throws(TagReadError) -> RawTag {
    while let page = try nextPage(), page.isFirst {
      guard let codec = Codec(identification: try source.bytes(at: page.bodyStart, count: 8)) else { continue }
      return try comment(of: codec, serial: page.serial)
    }
    return RawTag(.vorbis)
  }

  private mutating func comment(of codec: Codec, serial: UInt64) throws(TagReadError) -> RawTag {
    // An identification packet fills its page, and the comment starts the next one.
    var packets = Packets()
    var result: RawTag?
    while let page = try nextPage() {
      guard page.serial == serial, !page.isFirst else { continue }
      var start = page.bodyStart
      for length in page.lacing {
        let isWhole = try packets.add(source.bytes(at: start, count: Int(length)), isLast: length < 255)
        start += Int(length)
        guard isWhole else { continue }
        let packet = packets.take()
        switch codec {
        case .vorbis: return VorbisComment.read(packet.has("\u{3}vorbis") ? Array(packet.dropFirst(7)) : [])
        case .opus: return VorbisComment.read(packet.has("OpusTags") ? Array(packet.dropFirst(8)) : [])
        case .speex: return VorbisComment.read(packet)
        case .flac:
          // Each packet is one metadata block (RFC 9639, section 10.1), the comment first, until the last-block flag.
          guard let header = packet.first, header != 0xFF else { return result ?? RawTag(.vorbis) }
          let body = Array(packet.dropFirst(4))
          if header & 0x7F == 4, result == nil {
            result = VorbisComment.read(body)
          } else if header & 0x7F == 6, let picture = Picture.flac(body, size: body.count) {
            result?.pictures.append(picture)
          }
          if header & 0x80 != 0 { return result ?? RawTag(.vorbis) }
        }
      }
      if packets.isTooLong {
        var tag = result ?? RawTag(.vorbis)
        tag.remarks.append("The comment header is longer than any real one and was not read.")
        return tag
      }
    }
    var tag = result ?? RawTag(.vorbis)
    if pageCount >= Self.maximumPageCount {
      tag.remarks.append("The comment header does not end within \(Self.maximumPageCount) pages; it was not read.")
    }
    return tag
  }

  /// Puts packets together from segments.
  private struct Packets {
    private var bytes: [UInt8] = []

    /// Pictures stand in comments as text, which makes them a third longer.
    private static let maximumSize = 2 * TagBlock.maximumSize

    var isTooLong: Bool { bytes.count > Self.maximumSize }

    /// True if the segment ends a packet.
    mutating func add(_ segment: [UInt8], isLast: Bool) -> Bool {
      bytes += segment
      return isLast
    }

    mutating func take() -> [UInt8] {
      defer { bytes = [] }
      return bytes
    }
  }

  private mutating func nextPage() throws(TagReadError) -> Page? {
    guard pageCount < Self.maximumPageCount else { return nil }
    pageCount += 1
    var header = try source.bytes(at: position, count: 27)
    if !header.has("OggS") {
      let junk = try source.bytes(at: position, count: Self.maximumJunk)
      let capture = Array("OggS".utf8)
      guard let found = junk.indices.first(where: { junk[$0] == 0x4F && junk[$0...].starts(with: capture) }) else {
        return nil
      }
      position += found
      header = try source.bytes(at: position, count: 27)
    }
    guard header.count == 27 else { return nil }
    let lacing = try source.bytes(at: position + 27, count: Int(header[26]))
    let bodyStart = position + 27 + lacing.count
    position = bodyStart + lacing.reduce(0) { $0 + Int($1) }
    return Page(
      serial: header[14...].littleEndian(), isFirst: header[5] & 0x02 != 0, lacing: lacing, bodyStart: bodyStart)
  }
}
