/// Zeros at the end of a file or of its audio: space that a download or copy reserved and never wrote, silence, or
/// padding.
package struct EmptyTail: Hashable, Sendable {
  /// Offset of the first zero in the file.
  package let start: Int
  package let byteCount: Int
  /// `true` if the tail is too long to be the padding of a block, or is longer than an eighth of the bytes before it.
  package let isLong: Bool

  /// Minimum number of zeros; a shorter tail is padding.
  private static let minByteCount = 4_097
  /// Maximum padding at the end of a recovered file, in bytes: the largest block of FAT and NTFS.
  private static let maxPadding = 1 << 16

  /// `nil` if `range` does not end with more than 4 KiB of zeros, or consists entirely of zeros.
  package init?(in source: ByteSource, _ range: Range<Int>) throws(FileReadError) {
    var start = range.upperBound
    var length = Self.minByteCount
    while start > range.lowerBound {
      let from = max(range.lowerBound, start - length)
      length = min(length * 4, 1 << 20)
      // Holes of sparse files are not read.
      if try source.startOfData(from: from) < start {
        let bytes = try source.bytes(at: from, count: start - from)
        if let last = bytes.lastIndex(where: { $0 != 0 }) {
          start = from + last + 1
          break
        }
        guard bytes.count == start - from else { return nil }
      }
      start = from
    }
    self.start = start
    byteCount = range.upperBound - start
    isLong = byteCount > Self.maxPadding || byteCount > (start - range.lowerBound) / 8
    guard byteCount >= Self.minByteCount, start > range.lowerBound else { return nil }
  }
}
