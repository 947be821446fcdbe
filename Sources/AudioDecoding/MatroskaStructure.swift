internal import Analysis

/// The elements of a Matroska file (RFC 9559) that FFmpeg must not see: tags, chapters, attachments, and the tables for
/// seeking.
struct MatroskaStructure {
  /// In the order of their offsets.
  private(set) var masks: [ByteMask] = []

  private static let segment: UInt64 = 0x1853_8067
  private static let cluster: UInt64 = 0x1f43_b675
  /// Tags, Chapters, Attachments, Cues.
  private static let hidden: Set<UInt64> = [0x1254_c367, 0x1043_a770, 0x1941_a469, 0x1c53_bb6b]
  private static let seekHead: UInt64 = 0x114d_9b74
  /// FFmpeg follows each entry, of which real files have fewer than ten, of some twenty bytes.
  private static let seekHeadLimit: Int64 = 4_096
  private static let elementLimit = 1 << 21

  init(in file: InputFile, from start: Int64) throws(DecodeError) {
    var reader = HeaderReader(file)
    var position = start
    for _ in 0..<Self.elementLimit {
      let header = try reader.bytes(at: position, count: 12)
      guard let id = Self.number(header.values[...], keepsMarker: true),
        let size = Self.number(header.values.dropFirst(id.length), keepsMarker: false)
      else { break }
      let headerLength = id.length + size.length
      let body = position + Int64(headerLength)
      // All bits set: the element goes on until one follows that cannot be inside it.
      let isEndless = size.value == 1 << UInt64(7 * size.length) - 1
      if id.value == Self.segment || id.value == Self.cluster && isEndless {
        position = body
        continue
      }
      guard !isEndless, let length = Int64(exactly: size.value), length <= file.size - body else { break }
      let isLongSeekHead = id.value == Self.seekHead && length > Self.seekHeadLimit
      if Self.hidden.contains(id.value) || isLongSeekHead {
        masks.append(Self.void(at: position, headerLength: headerLength, length: length))
      }
      position = body + length
    }
  }

  /// An element Void in the place of another one, whose identifier has four bytes.
  private static func void(at position: Int64, headerLength: Int, length: Int64) -> ByteMask {
    // What the shorter header leaves becomes a part of the body.
    let sizeLength = min(7, headerLength - 1)
    let size = UInt64(length) + UInt64(headerLength - 1 - sizeLength) | 1 << UInt64(7 * sizeLength)
    let bytes = (0..<sizeLength).reversed().map { UInt8(truncatingIfNeeded: size >> UInt64(8 * $0)) }
    return ByteMask(at: position, [0xec] + bytes)
  }

  /// A number of variable length (RFC 8794, section 4): as many zero bits as bytes follow stand in front of a marker.
  private static func number(_ bytes: ArraySlice<UInt8>, keepsMarker: Bool) -> (value: UInt64, length: Int)? {
    guard let first = bytes.first, first > 0 else { return nil }
    let length = first.leadingZeroBitCount + 1
    guard bytes.count >= length else { return nil }
    let value = bytes.prefix(length).reduce(0) { $0 << 8 | UInt64($1) }
    return (keepsMarker ? value : value & (1 << UInt64(7 * length) - 1), length)
  }
}
