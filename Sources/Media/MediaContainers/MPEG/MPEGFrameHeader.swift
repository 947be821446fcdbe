/// The header of an MPEG audio frame (ISO/IEC 11172-3, 13818-3).
struct MPEGFrameHeader: FrameHeader {
  static let size = 4

  let word: UInt32
  let length: Int

  static func isSync(_ word: UInt16) -> Bool { word >> 5 == 0x7FF }

  /// `nil` for headers that no encoder writes, and for those of free format.
  init?(_ bytes: ArraySlice<UInt8>) {
    guard let word = bytes.bigEndian(UInt32.self) else { return nil }
    let version = word >> 19 & 3
    let layer = 4 - (word >> 17 & 3)
    let bitRateIndex = Int(word >> 12 & 15)
    let rateIndex = Int(word >> 10 & 3)
    guard word >> 21 == 0x7ff, version != 1, layer != 4, bitRateIndex != 0, bitRateIndex != 15, rateIndex != 3,
      word & 3 != 2
    else { return nil }
    // Version 2.5 has only layer III.
    guard version != 0 || layer == 3 else { return nil }
    let isFirstVersion = version == 3
    let kilobits = Self.bitRates[isFirstVersion ? Int(layer) - 1 : layer == 1 ? 3 : 4][bitRateIndex]
    let rate = [44_100, 48_000, 32_000][rateIndex] >> (isFirstVersion ? 0 : version == 2 ? 1 : 2)
    let padding = Int(word >> 9 & 1)
    switch layer {
    case 1: length = (12_000 * kilobits / rate + padding) * 4
    case 3 where !isFirstVersion: length = 72_000 * kilobits / rate + padding
    default: length = 144_000 * kilobits / rate + padding
    }
    self.word = word
  }

  /// Version, layer and rate never change within a stream; bit rate, padding and stereo mode do.
  func continues(_ other: MPEGFrameHeader) -> Bool { word & 0xfffe_0c00 == other.word & 0xfffe_0c00 }

  /// Ignores the last of the 16 bits, which shows whether there is a checksum.
  func isContinued(by word: UInt16) -> Bool { UInt32(word) | 1 == self.word >> 16 | 1 }

  /// Layer I headers consist almost entirely of ones: tables of small negative numbers in programs look like runs of up
  /// to 60 such headers.
  var isDistinctive: Bool { word >> 17 & 3 != 3 }

  /// Number of PCM samples per channel in a frame of MPEG audio.
  var samplesPerFrame: Int {
    switch word >> 17 & 3 {
    case 3: 384
    case 2: 1_152
    default: word >> 19 & 3 == 3 ? 1_152 : 576
    }
  }

  /// Offset of a Xing or Info table from the frame header, after the side information.
  var tableOffset: Int {
    let isMono = word >> 6 & 3 == 3
    let isFirstVersion = word >> 19 & 3 == 3
    return 4 + (isFirstVersion ? (isMono ? 17 : 32) : (isMono ? 9 : 17))
  }

  /// Bit rates in kbit/s by index: for layers I, II and III of version 1; then for layer I, and for layers II and III,
  /// of versions 2 and 2.5.
  private static let bitRates = [
    [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
    [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
    [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
    [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
    [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  ]
}
