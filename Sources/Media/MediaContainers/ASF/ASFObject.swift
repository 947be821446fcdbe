/// An object of an ASF file, and the kinds of objects that contain tags or markers (Advanced Systems Format
/// Specification 1.20, sections 3, 4, 10).
package struct ASFObject: Hashable, Sendable {
  /// `nil` for objects of other kinds.
  package var kind: Kind?
  package var start: Int
  package var end: Int

  /// Number of bytes that the GUID and the size take at the start of each object.
  package static let headerSize = 24
  /// Number of bytes at the start of the header object: GUID and size, the number of objects, and two reserved bytes.
  package static let fileHeaderSize = 30
  /// Number of bytes at the start of the header extension: GUID and size, reserved bytes, and the size of the objects
  /// in it.
  package static let extensionHeaderSize = 46

  package enum Kind: Hashable, Sendable, CaseIterable {
    case contentDescription, extendedContentDescription, headerExtension, metadata, metadataLibrary, marker

    /// The GUID, in file byte order.
    package var guid: [UInt8] {
      switch self {
      case .contentDescription:
        [0x33, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11, 0xA6, 0xD9, 0x00, 0xAA, 0x00, 0x62, 0xCE, 0x6C]
      case .extendedContentDescription:
        [0x40, 0xA4, 0xD0, 0xD2, 0x07, 0xE3, 0xD2, 0x11, 0x97, 0xF0, 0x00, 0xA0, 0xC9, 0x5E, 0xA8, 0x50]
      case .headerExtension:
        [0xB5, 0x03, 0xBF, 0x5F, 0x2E, 0xA9, 0xCF, 0x11, 0x8E, 0xE3, 0x00, 0xC0, 0x0C, 0x20, 0x53, 0x65]
      case .metadata:
        [0xEA, 0xCB, 0xF8, 0xC5, 0xAF, 0x5B, 0x77, 0x48, 0x84, 0x67, 0xAA, 0x8C, 0x44, 0xFA, 0x4C, 0xCA]
      case .metadataLibrary:
        [0x94, 0x1C, 0x23, 0x44, 0x98, 0x94, 0xD1, 0x49, 0xA1, 0x41, 0x1D, 0x13, 0x4E, 0x45, 0x70, 0x54]
      case .marker:
        [0x01, 0xCD, 0x87, 0xF4, 0x51, 0xA9, 0xCF, 0x11, 0x8E, 0xE6, 0x00, 0xC0, 0x0C, 0x20, 0x53, 0x65]
      }
    }
  }

  /// GUID of the header object, the first object of a file.
  package static let header: [UInt8] = [
    0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11, 0xA6, 0xD9, 0x00, 0xAA, 0x00, 0x62, 0xCE, 0x6C,
  ]

  /// GUID of the data object.
  package static let data: [UInt8] = [
    0x36, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11, 0xA6, 0xD9, 0x00, 0xAA, 0x00, 0x62, 0xCE, 0x6C,
  ]
  /// Number of bytes at the start of the data object: GUID and size, file identifier, number of packets, and two
  /// reserved bytes.
  package static let dataHeaderSize = 50

  /// Reads the object at `position` inside an object that ends at `end`; `nil` if no object fits there.
  package init?(at position: Int, end: Int, in source: ByteSource) throws(FileReadError) {
    guard position <= end - Self.headerSize else { return nil }
    let header = try source.bytes(at: position, count: Self.headerSize)
    guard let size = header.littleEndian(Int64.self, at: 16), size >= Self.headerSize, size <= end - position else {
      return nil
    }
    kind = Kind.allCases.first { header.has($0.guid) }
    start = position
    self.end = position + Int(size)
  }

  /// End of the header object at `start`, clamped to the file; `nil` if its fixed part is incomplete.
  package static func headerEnd(in source: ByteSource, at start: Int) throws(FileReadError) -> Int? {
    let header = try source.bytes(at: start, count: fileHeaderSize)
    guard header.count == fileHeaderSize, let size = header.littleEndian(UInt64.self, at: 16) else { return nil }
    return start + Int(min(size, UInt64(source.size - start)))
  }
}
