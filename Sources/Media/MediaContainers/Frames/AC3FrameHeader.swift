/// The header of an AC-3 or E-AC-3 frame (ETSI TS 102 366).
struct AC3FrameHeader: FrameHeader {
  static let size = 6
  let length: Int
  /// `true` for E-AC-3, which has a different header.
  private let isEnhanced: Bool
  private let rateIndex: UInt8

  static func isSync(_ word: UInt16) -> Bool { word == 0x0B77 }

  init?(_ bytes: ArraySlice<UInt8>) {
    guard bytes.count >= Self.size, bytes.has([0x0B, 0x77]) else { return nil }
    let start = bytes.startIndex
    let identification = bytes[start + 5] >> 3
    rateIndex = bytes[start + 4] >> 6
    isEnhanced = identification > 10
    guard identification <= 16 else { return nil }
    if isEnhanced {
      length = ((Int(bytes[start + 2] & 7) << 8 | Int(bytes[start + 3])) + 1) * 2
      guard length >= 8 else { return nil }
    } else {
      let sizeCode = Int(bytes[start + 4] & 0x3F)
      guard rateIndex != 3, sizeCode < 2 * Self.bitRates.count else { return nil }
      let kilobits = Self.bitRates[sizeCode / 2]
      // A frame of 1,536 samples takes whole two-byte words; at 44.1 kHz, about every second frame has one more word.
      switch rateIndex {
      case 0: length = kilobits * 4
      case 1: length = (kilobits * 96_000 / 44_100 + sizeCode % 2) * 2
      default: length = kilobits * 6
      }
    }
  }

  func continues(_ other: AC3FrameHeader) -> Bool { isEnhanced == other.isEnhanced && rateIndex == other.rateIndex }

  /// Bit rates in kbit/s; the index is half the size code.
  private static let bitRates = [
    32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640,
  ]
}
