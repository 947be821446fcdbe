/// A stream of AAC frames in ADTS (ISO/IEC 13818-7). No header contains the number of frames, so they are counted.
package struct ADTSStream {
  /// Range from the first frame to the end of the last.
  package let bytes: Range<Int>
  /// The end of the stream: its offset, whether the last frame is cut off, and what follows.
  package let ending: TruncationCheck
  /// Total duration of the frames.
  package private(set) var seconds = 0.0
  /// Offsets of ID3v2 tags between the frames, as in recordings of radio streams.
  package private(set) var innerTags: [Int] = []
  /// Number of bytes before the first frame that do not belong to a tag.
  package let junkByteCount: Int

  /// Maximum number of bytes of junk before the first frame: recordings of radio streams begin within a frame, or with
  /// the response that preceded the stream.
  private static let searchLimit = 1 << 20

  /// `nil` unless frames begin at `start`: two headers at the right distance, or a single frame that is the whole
  /// stream.
  ///
  /// - Parameters:
  ///   - start: The end of the tags at the start of the file.
  ///   - isSearched: `true` if frames may also start later, provided that more of them follow.
  package init?(in source: ByteSource, from start: Int, isSearched: Bool = false) throws(FileReadError) {
    let file = FrameChain<ADTSFrameHeader>(source: source, end: source.size)
    if !isSearched, try file.header(at: start) == nil { return nil }
    let chain = FrameChain<ADTSFrameHeader>(
      source: source, end: try TagRegions.startOfTrailing(in: source, behind: start))
    guard let first = try Self.firstFrame(of: chain, from: start, isSearched: isSearched) else { return nil }
    var seconds = 0.0
    var innerTags: [Int] = []
    ending = try chain.walk(
      from: first.offset, first.header, visit: { seconds += $0.seconds },
      skip: { (gap) throws(FileReadError) in try Self.findTags(in: gap, of: source, &innerTags) })
    bytes = first.offset..<ending.offset
    junkByteCount = first.offset - start
    self.seconds = seconds
    self.innerTags = innerTags
  }

  private static func firstFrame(
    of chain: FrameChain<ADTSFrameHeader>, from start: Int, isSearched: Bool
  ) throws(FileReadError) -> (offset: Int, header: ADTSFrameHeader)? {
    if let header = try chain.header(at: start) {
      let next = try chain.header(at: start + header.length)
      if next != nil || start + header.length == chain.end { return (start, header) }
    }
    return isSearched ? try chain.firstFrame(from: start, limit: searchLimit) : nil
  }

  private static func findTags(
    in gap: Range<Int>, of source: ByteSource, _ tags: inout [Int]
  ) throws(FileReadError) {
    let bytes = try source.bytes(at: gap.lowerBound, count: gap.count)
    for index in bytes.indices where bytes[index] == 0x49 && bytes.has("ID3", at: index) {
      tags.append(gap.lowerBound + index)
    }
  }
}

/// The header of an AAC frame in ADTS.
struct ADTSFrameHeader: FrameHeader {
  static let size = 7
  let length: Int
  private let sync: UInt16
  let seconds: Double
  private let rateIndex: Int

  private static let sampleRates: [Double] = [
    96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
  ]

  static func isSync(_ word: UInt16) -> Bool { word & 0xFFF6 == 0xFFF0 }

  init?(_ bytes: ArraySlice<UInt8>) {
    guard let word = bytes.bigEndian(UInt32.self, at: 3), let sync = bytes.bigEndian(UInt16.self), Self.isSync(sync)
    else { return nil }
    let start = bytes.startIndex
    self.sync = sync
    rateIndex = Int(bytes[start + 2] >> 2 & 15)
    length = Int(word >> 13 & 0x1FFF)
    guard length > 7, rateIndex < Self.sampleRates.count else { return nil }
    // The number of blocks of 1,024 samples in the frame; the field counts from 0.
    seconds = Double(bytes[start + 6] & 3 + 1) * 1_024 / Self.sampleRates[rateIndex]
  }

  /// Ignores the last of the 16 bits, which shows whether there is a checksum.
  func isContinued(by word: UInt16) -> Bool { word | 1 == sync | 1 }

  func continues(_ other: ADTSFrameHeader) -> Bool { sync | 1 == other.sync | 1 && rateIndex == other.rateIndex }
}
