/// The header packets of a Vorbis or Opus stream in Ogg (Vorbis I specification, section 4.2.1; RFC 7845, section 5), but
/// for the comments, of which only the size is kept.
struct OggHeaders {
  enum Codec {
    case vorbis
    case opus

    /// What begins the first packet of a stream.
    var marker: [UInt8] {
      switch self {
      case .vorbis: Array("\u{1}vorbis".utf8)
      case .opus: Array("OpusHead".utf8)
      }
    }

    fileprivate var packetCount: Int { self == .vorbis ? 3 : 2 }

    /// A packet of comments without any.
    fileprivate var emptyComments: [UInt8] {
      switch self {
      case .vorbis: Array("\u{3}vorbis".utf8) + [0, 0, 0, 0, 0, 0, 0, 0, 1]
      case .opus: Array("OpusTags".utf8) + [0, 0, 0, 0, 0, 0, 0, 0]
      }
    }
  }

  let codec: Codec
  let serial: UInt32
  private(set) var commentByteCount = 0
  /// Where the page after the headers begins; `nil` until it is reached.
  private(set) var audioStart: Int64?
  private var packets: [[UInt8]] = [[]]

  /// Tables of codebooks are some kilobytes; a page holds no more than this.
  private static let packetLimit = 60_000

  init(codec: Codec, serial: UInt32) {
    self.codec = codec
    self.serial = serial
  }

  /// Takes the next page of the stream, which ends at `end`.
  mutating func add(lacing: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer, end: Int64) {
    guard audioStart == nil else { return }
    var position = 0
    for segment in lacing {
      let isComment = packets.count == 2
      if isComment {
        commentByteCount += Int(segment)
      } else if packets.count <= codec.packetCount, packets[packets.count - 1].count < Self.packetLimit {
        packets[packets.count - 1] += body[position..<position + Int(segment)]
      }
      position += Int(segment)
      if segment < 255 { packets.append([]) }
    }
    if packets.count > codec.packetCount { audioStart = end }
  }

  /// The codebooks of Vorbis, as far as they are kept.
  var setup: [UInt8] { codec == .vorbis && packets.count > 2 ? packets[2] : [] }

  /// Pages with the same headers and no comments, to stand before the page at `audioStart`; `nil` if the headers do not end
  /// where they must, or are too large.
  var bareHeader: [UInt8]? {
    guard audioStart != nil, packets.count == codec.packetCount + 1, packets[codec.packetCount].isEmpty,
      packets.allSatisfy({ $0.count < Self.packetLimit })
    else { return nil }
    var others = [codec.emptyComments]
    if codec == .vorbis { others.append(packets[2]) }
    return page(number: 0, isFirst: true, [packets[0]]) + page(number: 1, isFirst: false, others)
  }

  private func page(number: UInt32, isFirst: Bool, _ packets: [[UInt8]]) -> [UInt8] {
    func littleEndian(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    let lacing = packets.flatMap {
      [UInt8](repeating: 255, count: $0.count / 255) + [UInt8($0.count % 255)]
    }
    var page = Array("OggS".utf8) + [0, isFirst ? 2 : 0] + [UInt8](repeating: 0, count: 8)
    page += littleEndian(serial) + littleEndian(number) + [0, 0, 0, 0, UInt8(lacing.count)] + lacing + packets.joined()
    let checksum = page.withUnsafeBytes { OggChecksum.update(0, $0) }
    page.replaceSubrange(22..<26, with: littleEndian(checksum))
    return page
  }
}
