/// Free-format MPEG audio (ISO/IEC 11172-3, 2.4.2.3): headers state no bit rate, and all frames are as long as the
/// first one, except for padding.
package struct FreeFormatStream {
  /// Range from the first frame to the end of the last.
  package let audio: Range<Int>
  /// Number of PCM frames.
  package let frameCount: Int64
  /// The end of the stream: its offset, whether the last frame is cut off, and what follows.
  package let ending: TruncationCheck

  /// Maximum length of a frame in bytes: more than at 640 kbit/s, the highest rate that decoders support.
  private static let maxFrameLength = 1 << 13
  private static let minFrameLength = 48
  /// Number of consecutive headers required, including the first one.
  private static let proof = 5

  /// `nil` unless such frames begin at `start`.
  package init?(in source: ByteSource, from start: Int) throws(FileReadError) {
    guard FreeFormatHeader(try source.bytes(at: start, count: 4)[...]) != nil else { return nil }
    let end = try TagRegions.startOfTrailing(in: source, behind: start)
    let head = try source.bytes(at: start, count: min(Self.maxFrameLength, end - start))
    guard let first = FreeFormatHeader(head[...]) else { return nil }
    func header(at offset: Int) throws(FileReadError) -> FreeFormatHeader? {
      guard offset + 4 <= end else { return nil }
      let header = FreeFormatHeader(try source.bytes(at: offset, count: 4)[...])
      return header.flatMap { $0.continues(first) ? $0 : nil }
    }
    var length: Int?
    search: for distance in stride(from: 4, to: head.count - 4, by: 1) {
      guard head[distance] == 0xFF, FreeFormatHeader(head[distance...])?.continues(first) ?? false else { continue }
      let candidate = distance - first.padding
      var position = start + distance
      for _ in 1..<Self.proof {
        guard let next = try header(at: position) else { continue search }
        position += candidate + next.padding
      }
      length = candidate
      break
    }
    // Tables in programs look like consecutive headers.
    guard let length, length >= Self.minFrameLength else { return nil }
    var position = start
    var count: Int64 = 0
    var isCut = false
    while !isCut, let next = try header(at: position) {
      isCut = length + next.padding > end - position
      if !isCut {
        position += length + next.padding
        count += 1
      }
    }
    ending = isCut ? TruncationCheck(cutAt: end) : try TruncationCheck(behind: position, to: end, in: source)
    audio = start..<ending.offset
    frameCount = count * first.samplesPerFrame
  }
}

/// The header of a free-format frame.
private struct FreeFormatHeader {
  private let word: UInt32

  init?(_ bytes: ArraySlice<UInt8>) {
    guard let word = bytes.bigEndian(UInt32.self), word >> 21 == 0x7FF, word >> 19 & 3 != 1, word >> 17 & 3 != 0,
      word >> 12 & 15 == 0, word >> 10 & 3 != 3, word & 3 != 2
    else { return nil }
    self.word = word
  }

  /// Number of bytes added to the common length.
  var padding: Int { word >> 9 & 1 == 0 ? 0 : word >> 17 & 3 == 3 ? 4 : 1 }

  func continues(_ other: FreeFormatHeader) -> Bool { word & 0xFFFE_FC00 == other.word & 0xFFFE_FC00 }

  var samplesPerFrame: Int64 {
    switch word >> 17 & 3 {
    case 3: 384
    case 2: 1_152
    default: word >> 19 & 3 == 3 ? 1_152 : 576
    }
  }
}
