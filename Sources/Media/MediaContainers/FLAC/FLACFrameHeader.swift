/// The header of a FLAC frame (RFC 9639, section 9.1).
struct FLACFrameHeader {
  /// `nil` if the header refers to STREAMINFO.
  var sampleRate: Int?
  var channelCount: Int
  /// `nil` if the header refers to STREAMINFO.
  var bitDepth: Int?
  /// Number of the frame, or of its first sample.
  var number: UInt64

  private static let sampleRates = [
    nil, 88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000,
  ]
  private static let bitDepths = [nil, 8, 12, nil, 16, 20, 24, 32]

  /// `nil` if `bytes` do not begin with a header, or its checksum is wrong.
  init?(_ bytes: [UInt8]) {
    guard let word = bytes.bigEndian(UInt32.self), word >> 17 == 0x7ffc, word & 1 == 0 else { return nil }
    let blockSize = word >> 12 & 15
    let rate = Int(word >> 8 & 15)
    let channels = Int(word >> 4 & 15)
    let depth = Int(word >> 1 & 7)
    guard blockSize != 0, rate != 15, channels < 11, depth != 3, bytes.count >= 5 else { return nil }
    // The number of the frame or sample, coded like UTF-8, and then the values that do not fit into the codes above.
    let numberLength = max(1, (~bytes[4]).leadingZeroBitCount)
    let blockLength = blockSize == 6 ? 1 : blockSize == 7 ? 2 : 0
    let rateStart = 4 + numberLength + blockLength
    let end = rateStart + (rate == 12 ? 1 : rate > 12 ? 2 : 0)
    guard end < bytes.count, Self.checksum(bytes[..<end]) == bytes[end] else { return nil }
    switch rate {
    case 12: sampleRate = Int(bytes[rateStart]) * 1_000
    case 13, 14:
      sampleRate = bytes.bigEndian(UInt16.self, at: rateStart).map { Int($0) * (rate == 13 ? 1 : 10) }
    default: sampleRate = Self.sampleRates[rate]
    }
    number = UInt64(bytes[4]) & (numberLength == 1 ? 0x7F : 0x7F >> UInt64(numberLength))
    for byte in bytes[5..<4 + numberLength] { number = number << 6 | UInt64(byte & 0x3F) }
    channelCount = channels < 8 ? channels + 1 : 2
    bitDepth = Self.bitDepths[depth]
  }

  /// CRC-8 with the polynomial 0x07.
  private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt8 {
    bytes.reduce(0) { sum, byte in
      (0..<8).reduce(sum ^ byte) { value, _ in value << 1 ^ (value & 0x80 != 0 ? 0x07 : 0) }
    }
  }
}
