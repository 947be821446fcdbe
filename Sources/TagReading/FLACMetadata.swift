internal import Analysis

/// The metadata blocks of a FLAC stream (RFC 9639, section 8).
enum FLACMetadata {
  private static let vorbisComment: UInt8 = 4
  private static let picture: UInt8 = 6
  /// Blocks that are looked at; real files have about ten.
  private static let maximumBlockCount = 10_000

  /// - Parameter offset: where `fLaC` stands.
  static func read(from source: ByteSource, at offset: Int) throws(TagReadError) -> RawTag {
    var tag: RawTag?
    var pictures: [TagFinding.Picture] = []
    var hasSurplus = false
    var position = offset + 4
    for _ in 0..<maximumBlockCount {
      let header = try source.bytes(at: position, count: 4)
      guard header.count == 4 else { break }
      let size = Int(header[1...].bigEndian(3))
      let kind = header[0] & 0x7F
      if kind == vorbisComment, tag == nil {
        tag = VorbisComment.read(try source.bytes(at: position + 4, count: size))
      } else if kind == vorbisComment {
        hasSurplus = true
      } else if kind == picture {
        // Longer MIME types and descriptions than this are nonsense; the picture itself is not read.
        let head = try source.bytes(at: position + 4, count: min(size, ByteSource.windowSize / 2))
        if let picture = Picture.flac(head, size: min(size, source.size - position - 4)) { pictures.append(picture) }
      }
      position += 4 + size
      if header[0] & 0x80 != 0 { break }
    }
    var result = tag ?? RawTag(.vorbis)
    result.pictures += pictures
    if hasSurplus { result.remarks.append("There is more than one Vorbis comment; only the first one was read.") }
    return result
  }
}
