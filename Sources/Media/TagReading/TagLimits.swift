/// Limits that no real tag exceeds. Anything beyond is left out, with a remark.
enum TagLimits {
  /// The longest tag that is read, in bytes; also what a compressed frame may be unpacked to.
  static let size = 16 << 20
  /// The most text taken from one tag, in bytes.
  static let textSize = 4 << 20
  /// Values taken from one tag. Tags of real files have a few hundred at most.
  static let valueCount = 10_000
  /// Bytes that are read from one file. The largest pictures of Vorbis comments, which cannot be skipped, fit in.
  static let readBudget = 96 << 20

  /// False for the text of a field with more values, separated by NULs, than any real one has: each takes memory,
  /// however short it is.
  /// - Parameter isWide: the text is in UTF-16.
  static func isPlausible(_ text: ArraySlice<UInt8>, isWide: Bool = false) -> Bool {
    var count = 0
    if isWide {
      for index in stride(from: text.startIndex, to: text.endIndex - 1, by: 2) {
        if text[index] == 0, text[index + 1] == 0 { count += 1 }
      }
    } else {
      for byte in text where byte == 0 { count += 1 }
    }
    return count <= valueCount
  }
}
