/// The header of a frame of an audio sync stream, used for broadcasting AAC (ISO/IEC 14496-3, 1.7.2).
struct LOASFrameHeader: FrameHeader {
  static let size = 3
  let length: Int

  static func isSync(_ word: UInt16) -> Bool { word & 0xFFE0 == 0x56E0 }

  init?(_ bytes: ArraySlice<UInt8>) {
    guard let word = bytes.bigEndian(UInt16.self), Self.isSync(word), let last = bytes.dropFirst(2).first else {
      return nil
    }
    length = Self.size + (Int(word & 0x1F) << 8 | Int(last))
    guard length > Self.size else { return nil }
  }

  func continues(_ other: LOASFrameHeader) -> Bool { true }
}
