/// The frames of AAC in ADTS (ISO/IEC 13818-7), which say nothing of their number: they are counted.
package struct ADTSStream {
  /// From the first frame to the tags at the end.
  package let bytes: Range<Int>
  /// Length of the frames together.
  package private(set) var seconds = 0.0
  /// Where ID3v2 tags stand between the frames, as captures of radio streams have them.
  package private(set) var innerTags: [Int] = []

  private static let sampleRates: [Double] = [
    96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
  ]

  /// `nil` unless frames begin at `start`: two headers at the right distance, or one frame that is the file.
  ///
  /// - Parameter start: The offset after the tags in front.
  package init?(in source: ByteSource, from start: Int) throws(FileReadError) {
    guard let first = Frame(try source.bytes(at: start, count: 7)) else { return nil }
    bytes = start..<(try TagRegions.startOfTrailing(in: source, behind: start))
    let second = start + first.length
    let following = Frame(try source.bytes(at: second, count: 7))
    guard following != nil || second == bytes.upperBound else { return nil }
    var position = start
    while position < bytes.upperBound {
      let header = try source.bytes(at: position, count: 7)
      if let frame = Frame(header) {
        seconds += frame.seconds
        position += frame.length
      } else {
        if header.has("ID3") { innerTags.append(position) }
        position += 1
      }
    }
  }

  private struct Frame {
    /// Bytes, header included.
    var length: Int
    var seconds: Double

    init?(_ header: [UInt8]) {
      guard header.count == 7, header[0] == 0xff, header[1] & 0xf6 == 0xf0,
        let word = header.bigEndian(UInt32.self, at: 3)
      else { return nil }
      let rate = Int(header[2] >> 2 & 15)
      length = Int(word >> 13 & 0x1fff)
      guard length > 7, rate < ADTSStream.sampleRates.count else { return nil }
      // Blocks of 1,024 samples in the frame, counted from 0.
      seconds = Double(header[6] & 3 + 1) * 1_024 / ADTSStream.sampleRates[rate]
    }
  }
}
