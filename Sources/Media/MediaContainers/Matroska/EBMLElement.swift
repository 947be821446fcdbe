/// An element of a Matroska or WebM file (RFC 8794, RFC 9559).
package struct EBMLElement: Hashable, Sendable {
  /// The identifier, including its length marker, as specifications print it.
  package var id: UInt64
  package var start: Int
  /// Range of the content, clamped to the enclosing element.
  package var body: Range<Int>
  /// `true` if the element claims to reach past the enclosing element.
  package var isCutOff: Bool
  /// `true` if the size is unknown. The element then ends before the next element that cannot be inside it.
  package var isOpenEnded: Bool

  package var headerSize: Int { body.lowerBound - start }

  /// Reads the element at `position` inside an element that ends at `end`; `nil` if there is none.
  package init?(at position: Int, end: Int, in source: ByteSource) throws(FileReadError) {
    guard position < end else { return nil }
    let bytes = try source.bytes(at: position, count: min(12, end - position))
    // The number of zero bits before the marker is the number of bytes after the first (RFC 8794, section 4).
    guard let first = bytes.first, first >= 0x10 else { return nil }
    let idLength = first.leadingZeroBitCount + 1
    guard bytes.count > idLength, bytes[idLength] != 0 else { return nil }
    let sizeLength = bytes[idLength].leadingZeroBitCount + 1
    guard bytes.count >= idLength + sizeLength else { return nil }
    let mask = UInt64(1) << UInt64(7 * sizeLength) - 1
    let size = bytes[idLength..<idLength + sizeLength].bigEndianNumber & mask
    let bodyStart = position + idLength + sizeLength
    id = bytes[..<idLength].bigEndianNumber
    start = position
    isOpenEnded = size == mask
    isCutOff = !isOpenEnded && size > UInt64(end - bodyStart)
    body = bodyStart..<(isOpenEnded || isCutOff ? end : bodyStart + Int(size))
  }

  /// Identifiers of a segment and its elements.
  package enum ID {
    package static let segment: UInt64 = 0x1853_8067
    package static let seekHead: UInt64 = 0x114D_9B74
    package static let info: UInt64 = 0x1549_A966
    package static let cluster: UInt64 = 0x1F43_B675
    /// Timestamp of a cluster.
    package static let timestamp: UInt64 = 0xE7
    package static let cues: UInt64 = 0x1C53_BB6B
    package static let chapters: UInt64 = 0x1043_A770
    package static let tags: UInt64 = 0x1254_C367
    package static let attachments: UInt64 = 0x1941_A469
  }
}
