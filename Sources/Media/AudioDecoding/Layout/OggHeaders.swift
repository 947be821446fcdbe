internal import MediaContainers

/// The header packets of a Vorbis or Opus stream in Ogg (Vorbis I specification, section 4.2.1; RFC 7845, section 5).
/// Of the comments, only the size is kept.
struct OggHeaders {
  private let isVorbis: Bool
  /// A comment packet without comments.
  private let emptyComments: [UInt8]
  let serial: UInt32
  private(set) var commentByteCount = 0
  /// Start of the page after the headers; `nil` until it is reached.
  private(set) var audioStart: Int?
  private var packets: [[UInt8]] = [[]]

  /// Maximum number of bytes kept of a packet. Codebook tables take a few kilobytes; a page cannot contain much more
  /// than this limit.
  private static let packetLimit = 60_000

  /// `nil` for codecs whose headers are shown to FFmpeg unchanged.
  init?(codec: OggCodec, serial: UInt32) {
    guard let mark = codec.commentMark else { return nil }
    isVorbis = codec == .vorbis
    emptyComments = Array(mark.utf8) + [0, 0, 0, 0, 0, 0, 0, 0] + (isVorbis ? [1] : [])
    self.serial = serial
  }

  /// Adds the stream's next page, which ends at `end` in the file.
  mutating func add(lacing: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer, end: Int) {
    guard audioStart == nil else { return }
    var position = 0
    for segment in lacing {
      let isComment = packets.count == 2
      if isComment {
        commentByteCount += Int(segment)
      } else if packets.count <= packetCount, packets[packets.count - 1].count < Self.packetLimit {
        packets[packets.count - 1] += body[position..<position + Int(segment)]
      }
      position += Int(segment)
      if segment < 255 { packets.append([]) }
    }
    if packets.count > packetCount { audioStart = end }
  }

  private var packetCount: Int { isVorbis ? 3 : 2 }

  /// The setup header of Vorbis, cut off near `packetLimit`; empty for Opus.
  var setup: [UInt8] { isVorbis && packets.count > 2 ? packets[2] : [] }

  /// Pages with the same headers but no comments, to insert before the page at `audioStart`; `nil` if the headers do
  /// not end at a page boundary, or are too large.
  var bareHeader: [UInt8]? {
    guard audioStart != nil, packets.count == packetCount + 1, packets[packetCount].isEmpty,
      packets.allSatisfy({ $0.count < Self.packetLimit })
    else { return nil }
    var others = [emptyComments]
    if isVorbis { others.append(packets[2]) }
    return page(number: 0, isFirst: true, [packets[0]]) + page(number: 1, isFirst: false, others)
  }

  private func page(number: UInt32, isFirst: Bool, _ packets: [[UInt8]]) -> [UInt8] {
    let lacing = packets.flatMap {
      [UInt8](repeating: 255, count: $0.count / 255) + [UInt8($0.count % 255)]
    }
    var page = Array("OggS".utf8) + [0, isFirst ? 2 : 0] + [UInt8](repeating: 0, count: 8)
    page +=
      serial.littleEndianBytes + number.littleEndianBytes + [0, 0, 0, 0, UInt8(lacing.count)] + lacing
      + packets.joined()
    let checksum = page.withUnsafeBytes { OggChecksum.update(0, $0) }
    page.replaceSubrange(OggPage.checksumPosition..<OggPage.checksumPosition + 4, with: checksum.littleEndianBytes)
    return page
  }
}
