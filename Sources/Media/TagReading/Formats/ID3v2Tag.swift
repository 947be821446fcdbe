internal import MediaContainers

/// An ID3v2 tag (id3.org: ID3v2.2, 2.3, 2.4).
package struct ID3v2Tag {
  private let source: ByteSource
  private let offset: Int
  private let header: ID3v2Header
  private var version: Int { header.version }
  private var isUnsynchronized: Bool { header.flags & 0x80 != 0 }
  /// In version 2.2, the same bit indicates compression of the whole tag, for which no method was ever defined.
  private var hasExtendedHeader: Bool { version > 2 && header.flags & 0x40 != 0 }
  /// Number of bytes after the header, without the footer.
  private let bodySize: Int
  /// End of the tag according to its header.
  let end: Int

  /// Returns `nil` if there is no tag of a known version at `offset`.
  init?(in source: ByteSource, at offset: Int) throws(FileReadError) {
    guard let header = try ID3v2Header(at: offset, in: source), header.isKnown, header.version >= 2 else { return nil }
    self.source = source
    self.offset = offset
    self.header = header
    bodySize = header.bodySize
    end = header.end
  }

  func read() throws(FileReadError) -> RawTag {
    var frames = ID3v2FrameReader(version: version)
    let start = offset + ID3v2Header.size
    if header.hasOddSize {
      frames.tag.remarks.append(
        "The size of the ID3v2 tag has bits set that must be zero; the tag was read as one of \(bodySize) bytes.")
    }
    if end > source.size {
      frames.tag.remarks.append("The ID3v2 tag claims to be longer than the file; the existing part was read.")
    }
    if isUnsynchronized, version < 4 {
      // In unsynchronized tags before version 2.4, sizes count decoded bytes, so the tag must be decoded as a whole.
      if bodySize > TagLimits.size {
        frames.tag.remarks.append("The ID3v2 tag claims \(bodySize) bytes; only the start of it was read.")
      }
      let body = try source.bytes(at: start, count: min(bodySize, TagLimits.size))
      let decoded = ByteSource(Self.resynchronized(body))
      try frames.read(of: decoded, from: extendedHeaderSize(in: decoded, at: 0), to: decoded.size)
    } else {
      frames.allFramesAreUnsynchronized = isUnsynchronized
      let end = min(start + bodySize, source.size)
      try frames.read(of: source, from: start + extendedHeaderSize(in: source, at: start), to: end)
    }
    return frames.finished()
  }

  private func extendedHeaderSize(in source: ByteSource, at offset: Int) throws(FileReadError) -> Int {
    guard hasExtendedHeader else { return 0 }
    let bytes = try source.bytes(at: offset, count: 4)
    // Some programs set the flag without writing an extended header.
    if ID3v2FrameReader.isFrameID(bytes[...]) { return 0 }
    // In version 2.4, the size includes its own four bytes; in 2.3, it does not.
    return version == 4 ? Self.syncsafe(bytes[...]) ?? 0 : Int(bytes.bigEndianNumber) + 4
  }

  /// Decodes four bytes of seven bits each; `nil` if an eighth bit is set.
  static func syncsafe(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard bytes.count == 4, bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
    return ID3v2Header.syncsafe(bytes)
  }

  /// Undoes unsynchronization by removing the zero after each 0xFF. In unsynchronized data, 0xFF is never followed by a
  /// byte of 0xE0 or more. If it is, the flag is wrong, and the data is returned unchanged.
  package static func resynchronized(_ bytes: [UInt8]) -> [UInt8] {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var previous: UInt8 = 0
    for byte in bytes {
      if previous == 0xFF {
        if byte >= 0xE0 { return bytes }
        if byte == 0 {
          previous = 0
          continue
        }
      }
      decoded.append(byte)
      previous = byte
    }
    return decoded
  }
}
