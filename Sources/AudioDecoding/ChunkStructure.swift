internal import Analysis

/// The parts of further containers that FFmpeg must not see, because they hold tags, markers or pictures.
enum ChunkStructure {
  /// Objects, chunks or lines that are looked at.
  private static let limit = 1 << 20

  // MARK: ASF

  /// The content description, the extended one, metadata, the metadata library, and markers, by their GUIDs (ASF
  /// specification 1.20, section 10).
  private static let hiddenObjects: [[UInt8]] = [
    [0x33, 0x26, 0xb2, 0x75, 0x8e, 0x66, 0xcf, 0x11, 0xa6, 0xd9, 0x00, 0xaa, 0x00, 0x62, 0xce, 0x6c],
    [0x40, 0xa4, 0xd0, 0xd2, 0x07, 0xe3, 0xd2, 0x11, 0x97, 0xf0, 0x00, 0xa0, 0xc9, 0x5e, 0xa8, 0x50],
    [0xea, 0xcb, 0xf8, 0xc5, 0xaf, 0x5b, 0x77, 0x48, 0x84, 0x67, 0xaa, 0x8c, 0x44, 0xfa, 0x4c, 0xca],
    [0x94, 0x1c, 0x23, 0x44, 0x98, 0x94, 0xd1, 0x49, 0xa1, 0x41, 0x1d, 0x13, 0x4e, 0x45, 0x70, 0x54],
    [0x01, 0xcd, 0x87, 0xf4, 0x51, 0xa9, 0xcf, 0x11, 0x8e, 0xe6, 0x00, 0xc0, 0x0c, 0x20, 0x53, 0x65],
  ]
  private static let headerExtension: [UInt8] = [
    0xb5, 0x03, 0xbf, 0x5f, 0x2e, 0xa9, 0xcf, 0x11, 0x8e, 0xe3, 0x00, 0xc0, 0x0c, 0x20, 0x53, 0x65,
  ]

  /// - Parameter start: Where the header object stands.
  static func asf(in file: InputFile, at start: Int64) throws(DecodeError) -> [ByteMask] {
    var masks: [ByteMask] = []
    var reader = HeaderReader(file)
    guard let size = try reader.bytes(at: start, count: 30).littleEndian(Int64.self, at: 16), size >= 30 else {
      return []
    }
    let end = start + min(size, file.size - start)
    var position = start + 30
    for _ in 0..<limit where position < end {
      let header = try reader.bytes(at: position, count: 24)
      guard let size = header.littleEndian(Int64.self, at: 16), size >= 24, size <= end - position else { break }
      if header.has(headerExtension) {
        // Objects like those around it, behind 22 bytes of its own.
        position += 46
        continue
      }
      // A GUID that nobody has given to anything.
      if hiddenObjects.contains(where: { header.has($0) }) { masks.append(ByteMask(at: position, "skipskip")) }
      position += size
    }
    return masks
  }

  // MARK: DSD

  /// DSDIFF (Philips, version 1.5): ID3v2, comments, edited master information.
  static func dsdiff(in file: InputFile, at start: Int64) throws(DecodeError) -> [ByteMask] {
    var masks: [ByteMask] = []
    var reader = HeaderReader(file)
    var position = start + 16
    for _ in 0..<limit {
      let header = try reader.bytes(at: position, count: 12)
      guard let size = header.bigEndian(Int64.self, at: 4), size >= 0, size <= file.size - position else { break }
      if header.has("ID3 ") || header.has("COMT") || header.has("DIIN") { masks.append(ByteMask(at: position, "skip")) }
      position += 12 + size + size % 2
    }
    return masks
  }

  // MARK: NIST SPHERE

  /// Bytes of a header that FFmpeg is shown: it keeps each line as a tag.
  private static let sphereLimit: Int64 = 8_192

  static func sphere(in file: InputFile, at start: Int64) throws(DecodeError) -> [ByteMask] {
    let text = try file.bytes(at: start + sphereLimit, count: 1_024)
    let size = try file.bytes(at: start + 8, count: 8).latin1(0..<8).filter { $0 != " " && $0 != "\n" }
    guard let size = Int64(size), size > sphereLimit + 1_024, let newline = text.values.firstIndex(of: 0x0a) else {
      return []
    }
    return [ByteMask(at: start + sphereLimit + Int64(newline) + 1, "end_head")]
  }
}

extension Bytes {
  /// Bytes as characters of ISO 8859-1; those beyond the end are left out.
  func latin1(_ range: Range<Int>) -> String {
    String(String.UnicodeScalarView(values[range.clamped(to: values.indices)].map { Unicode.Scalar($0) }))
  }
}
