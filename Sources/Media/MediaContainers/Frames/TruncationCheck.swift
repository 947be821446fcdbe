/// Checks whether a stream of frames is truncated, and what follows its last frame.
package struct TruncationCheck: Hashable, Sendable {
  /// End of the last frame; if that frame is cut off, the end of the stream.
  package let offset: Int
  /// `true` if the last frame is cut off.
  package let isCut: Bool
  /// Number of zeros, spaces and line ends after the last frame, which writers add to fill up a block.
  package private(set) var paddingByteCount = 0
  /// Number of bytes after the last frame that are neither padding nor a tag.
  package private(set) var junkByteCount = 0

  /// Checks the end of a stream that consists only of frames of a known kind.
  ///
  /// - Parameters:
  ///   - start: Start of the first frame.
  ///   - end: End of the file, or start of the tags at its end.
  /// - Returns: `nil` for other containers, or if there are no two consecutive frames at `start`.
  package static func of(
    _ container: Container, from start: Int, to end: Int, in source: ByteSource
  ) throws(FileReadError) -> TruncationCheck? {
    func ending<Header: FrameHeader>(_ type: Header.Type) throws(FileReadError) -> TruncationCheck? {
      let chain = FrameChain<Header>(source: source, end: end)
      guard let first = try chain.header(at: start), let next = try chain.header(at: start + first.length),
        next.continues(first)
      else { return nil }
      return try chain.ending(from: start, first)
    }
    switch container {
    case .ac3, .eac3: return try ending(AC3FrameHeader.self)
    case .dts: return try ending(DTSFrameHeader.self)
    case .loas: return try ending(LOASFrameHeader.self)
    default: return nil
    }
  }

  init(cutAt end: Int) {
    offset = end
    isCut = true
  }

  /// Maximum number of bytes classified one by one; a longer stretch counts as padding or junk according to its first
  /// bytes.
  private static let window = 1 << 18

  /// Examines the bytes after a complete last frame.
  ///
  /// - Parameters:
  ///   - offset: End of that frame.
  ///   - end: End of the file, or start of the tags at its end.
  init(behind offset: Int, to end: Int, in source: ByteSource) throws(FileReadError) {
    self.offset = offset
    isCut = false
    var position = offset
    while position < end {
      let bytes = try source.bytes(at: position, count: min(Self.window, end - position))
      guard let content = bytes.firstIndex(where: { !Self.isPadding($0) }) else {
        paddingByteCount += end - position
        return
      }
      paddingByteCount += content
      position += content
      guard let tagEnd = try Self.endOfTag(at: position, bytes[content...], in: source), tagEnd <= source.size else {
        junkByteCount = end - position
        if junkByteCount < Self.window, let last = bytes.lastIndex(where: { !Self.isPadding($0) }) {
          junkByteCount = last + 1 - content
        }
        return
      }
      position = tagEnd
    }
  }

  private static func isPadding(_ byte: UInt8) -> Bool { byte == 0 || byte == 0x0A || byte == 0x0D || byte == 0x20 }

  /// End of the tag that starts at `offset`; `nil` if there is none. A search from the end of the file misses such a
  /// tag if other data follows.
  private static func endOfTag(
    at offset: Int, _ bytes: ArraySlice<UInt8>, in source: ByteSource
  ) throws(FileReadError) -> Int? {
    if bytes.has("TAG+") { return offset + 227 }
    if bytes.has("TAG") { return offset + 128 }
    if let header = APEFooter(Array(bytes.prefix(APEFooter.size))) {
      return offset + header.itemByteCount + 2 * APEFooter.size
    }
    if let header = try ID3v2Header(at: offset, in: source), header.isKnown { return header.end }
    guard bytes.has("LYRICSBEGIN") else { return nil }
    return bytes.indices.first { bytes[$0] == 0x4C && (bytes[$0...].has("LYRICSEND") || bytes[$0...].has("LYRICS200")) }
      .map { offset + $0 - bytes.startIndex + 9 }
  }
}
