/// Limits that no real tag exceeds. Anything beyond is left out, with a remark.
enum TagLimits {
  /// Maximum number of bytes read from one tag, and of bytes decompressed from a frame.
  static let size = 16 << 20
  /// Maximum number of bytes of text read from one tag.
  static let textSize = 4 << 20
  /// Maximum number of values read from one tag. Real tags have at most a few hundred.
  static let valueCount = 10_000
  /// Maximum number of bytes read from one file. This is enough for the largest pictures in Vorbis comments, which
  /// cannot be skipped.
  static let readBudget = 96 << 20

  /// Returns `false` if the text of a field has more NUL-separated values than any real field. Each value takes memory,
  /// no matter how short it is.
  ///
  /// - Parameter isWide: `true` if the text is in UTF-16.
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
