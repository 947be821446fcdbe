internal import Analysis

/// The frames of AAC in ADTS (ISO/IEC 13818-7), which say nothing of their number: they are counted.
struct ADTSStream {
  /// Length of the frames together.
  private(set) var seconds = 0.0
  /// ID3v2 tags between the frames, as captures of radio streams have them: FFmpeg reads them slowly.
  private(set) var masks: [ByteMask] = []

  private static let sampleRates: [Double] = [
    96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
  ]

  /// `nil` unless frames begin at `range.lowerBound`: two headers at the right distance, or one frame that is the file.
  init?(in file: InputFile, _ range: Range<Int64>) throws(DecodeError) {
    var reader = HeaderReader(file)
    guard let first = Frame(try reader.bytes(at: range.lowerBound, count: 7)) else { return nil }
    let second = range.lowerBound + first.length
    let following = Frame(try reader.bytes(at: second, count: 7))
    guard following != nil || second == range.upperBound else { return nil }
    var position = range.lowerBound
    while position < range.upperBound {
      let header = try reader.bytes(at: position, count: 7)
      if let frame = Frame(header) {
        seconds += frame.seconds
        position += frame.length
      } else {
        if header.has("ID3") { masks.append(ByteMask(at: position, [0, 0, 0])) }
        position += 1
      }
    }
  }

  private struct Frame {
    /// Bytes, header included.
    var length: Int64
    var seconds: Double

    init?(_ header: Bytes) {
      guard header.count == 7, header.values[0] == 0xff, header.values[1] & 0xf6 == 0xf0,
        let word = header.bigEndian(UInt32.self, at: 3)
      else { return nil }
      let rate = Int(header.values[2] >> 2 & 15)
      length = Int64(word >> 13 & 0x1fff)
      guard length > 7, rate < ADTSStream.sampleRates.count else { return nil }
      // Blocks of 1,024 samples in the frame, counted from 0.
      seconds = Double(header.values[6] & 3 + 1) * 1_024 / ADTSStream.sampleRates[rate]
    }
  }
}
