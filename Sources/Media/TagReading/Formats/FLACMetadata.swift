internal import Analysis
internal import MediaContainers

/// Reads the Vorbis comment and the pictures in the metadata blocks of a FLAC stream (RFC 9639, section 8).
enum FLACMetadata {
  /// - Parameter offset: Offset of `fLaC`.
  static func read(from source: ByteSource, at offset: Int) throws(FileReadError) -> RawTag {
    var tag: RawTag?
    var pictures: [TagFinding.Picture] = []
    var hasSurplus = false
    var blocks = FLACBlockReader(source, at: offset)
    while let block = try blocks.next() {
      let start = block.body.lowerBound
      if block.kind == FLACBlockReader.vorbisComment, tag == nil {
        tag = VorbisComment.read(try source.bytes(at: start, count: block.body.count))
      } else if block.kind == FLACBlockReader.vorbisComment {
        hasSurplus = true
      } else if block.kind == FLACBlockReader.picture {
        // These bytes are enough for any real MIME type and description; the picture itself is not read.
        let head = try source.bytes(at: start, count: min(block.body.count, ByteSource.windowSize / 2))
        if let picture = Picture.flac(head, size: min(block.body.count, source.size - start)) {
          pictures.append(picture)
        }
      }
    }
    var result = tag ?? RawTag(.vorbis)
    result.pictures += pictures
    if hasSurplus { result.remarks.append("There is more than one Vorbis comment; only the first one was read.") }
    return result
  }
}
