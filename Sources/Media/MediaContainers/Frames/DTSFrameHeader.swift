/// The header of a DTS core frame in 16-bit words, or of the DTS-HD extension after it (ETSI TS 102 114, 5.3 and 7.4).
struct DTSFrameHeader: FrameHeader {
  static let size = 14
  let length: Int

  static func isSync(_ word: UInt16) -> Bool { [0x7FFE, 0xFE7F, 0x6458, 0x5864].contains(word) }

  init?(_ bytes: ArraySlice<UInt8>) {
    guard bytes.count >= Self.size else { return nil }
    var head = Array(bytes)
    if head.has([0xFE, 0x7F, 0x01, 0x80]) || head.has([0x58, 0x64, 0x25, 0x20]) {
      for index in stride(from: 0, to: head.count - 1, by: 2) { head.swapAt(index, index + 1) }
    }
    if head.has([0x7F, 0xFE, 0x80, 0x01]) {
      length = (Int(head[5] & 3) << 12 | Int(head[6]) << 4 | Int(head[7]) >> 4) + 1
      // Minimum frame size in the standard.
      guard length >= 96 else { return nil }
    } else if head.has([0x64, 0x58, 0x20, 0x25]), let fields = head.bigEndian(UInt64.self, at: 5) {
      // The sizes of header and frame follow two index bits, and a bit that selects their width.
      let isWide = fields >> 61 & 1 == 1
      length = Int(isWide ? fields >> 29 & 0xF_FFFF : fields >> 37 & 0xFFFF) + 1
      guard length >= 10 else { return nil }
    } else {
      return nil
    }
  }

  func continues(_ other: DTSFrameHeader) -> Bool { true }
}
