/// Bytes after the end of a container.
package struct Excess: Hashable, Sendable {
  /// Number of bytes of unexpected data after any tags and padding, and before the tags at the end of the file. It
  /// includes the tags at the end of a second file, and is 0 if there is only padding.
  package var byteCount = 0
  /// Container of a second file that starts after the end; `nil` if there is none.
  package var container: Container?
  /// Number of bytes missing from an APE tag that starts after the end.
  package var missingTagByteCount = 0
  /// Number of bytes of padding, if nothing else follows.
  package var paddingByteCount = 0

  /// Maximum number of bytes of padding without a remark.
  package static let maxPadding = 4_096

  /// Maximum number of bytes of padding examined; anything longer does not count as padding.
  private static let paddingLimit = 1 << 24
  /// Maximum length of padding that repeats a single byte other than a blank.
  private static let maxRunLength = 4_096

  /// `nil` if the file ends at `end`, or only tags of other formats and up to `maxPadding` bytes of padding follow.
  ///
  /// - Parameters:
  ///   - end: End of the container.
  ///   - limit: Start of the tags at the end of the file.
  package init?(in source: ByteSource, from end: Int, before limit: Int) throws(FileReadError) {
    let start = try Self.endOfTags(in: source, from: end, to: limit)
    // A second file may itself begin with zeros, like MP4, or padding may precede it.
    for position in [start, try Self.endOfPadding(in: source, from: start, to: limit)] where position < limit {
      // The second file may start with tags.
      let found = try Container(of: source, at: Self.endOfTags(in: source, from: position, to: limit))
      if found != .unknown {
        container = found
        byteCount = source.size - position
        return
      }
      byteCount = limit - position
    }
    guard try Self.endOfPadding(in: source, from: start, to: limit) < limit else {
      byteCount = 0
      paddingByteCount = limit - start
      if paddingByteCount > Self.maxPadding { return }
      return nil
    }
    if let header = APEFooter(try source.bytes(at: start, count: APEFooter.size)), header.isHeader {
      missingTagByteCount = header.itemByteCount + 2 * APEFooter.size - (source.size - start)
    }
  }

  /// Returns the end of any tags at `start` of other formats whose length is known from their first bytes.
  private static func endOfTags(in source: ByteSource, from start: Int, to limit: Int) throws(FileReadError) -> Int {
    var position = start
    while position < limit {
      let head = try source.bytes(at: position, count: APEFooter.size)
      if let tag = try ID3v2Header(at: position, in: source), tag.isKnown, tag.end <= limit {
        position = tag.end
      } else if let header = APEFooter(head), header.isHeader,
        header.itemByteCount + 2 * APEFooter.size <= limit - position
      {
        position += header.itemByteCount + 2 * APEFooter.size
      } else if head.has("TAG"), !head.has("TAG+"), limit - position > TagRegions.id3v1Size {
        position += TagRegions.id3v1Size
      } else {
        break
      }
    }
    return position
  }

  /// Returns the end of any padding at `start`: zeros, spaces and line ends, as left by programs and transfers, or a
  /// run of one repeated byte.
  private static func endOfPadding(
    in source: ByteSource, from start: Int, to limit: Int
  ) throws(FileReadError) -> Int {
    var position = start
    let first = try source.bytes(at: start, count: 1).first
    while position < limit, position - start < paddingLimit {
      let bytes = try source.bytes(at: position, count: min(limit - position, ByteSource.windowSize / 2))
      guard !bytes.isEmpty else { return position }
      if let index = bytes.firstIndex(where: { $0 != first && !blanks.contains($0) }) {
        // A run of a byte that is not a blank is padding only if nothing else follows.
        return blanks.contains(first ?? 1) ? position + index : start
      }
      position += bytes.count
    }
    // A single byte is not a run.
    let isRun = (2...maxRunLength).contains(position - start)
    return isRun || blanks.contains(first ?? 1) ? position : start
  }

  /// NUL, line feed, carriage return, the end-of-file mark of CP/M and DOS, space.
  private static let blanks: Set<UInt8> = [0x00, 0x0A, 0x0D, 0x1A, 0x20]
}
