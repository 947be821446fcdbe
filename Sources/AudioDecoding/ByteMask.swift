internal import Analysis
internal import CLibAV

/// Bytes that FFmpeg sees in place of those in the file.
///
/// FFmpeg keeps tags in lists that it searches from the start for each new one, and tables of edits and chapters as
/// they stand: 100,000 tags take it minutes. Nobody asks FFmpeg for tags, so what holds them is shown to it as a part
/// that every demuxer skips, of the same length.
typealias ByteMask = LAVMask

extension ByteMask {
  /// - Parameter text: At most eight bytes of ASCII.
  init(at offset: Int64, _ text: StaticString) {
    self.init(at: offset, Array(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)))
  }

  /// - Parameter bytes: At most eight.
  init(at offset: Int64, _ bytes: [UInt8]) {
    self.init()
    self.offset = offset
    count = CInt(bytes.count)
    withUnsafeMutableBytes(of: &self.bytes) { $0.copyBytes(from: bytes) }
  }
}

/// Reads many small pieces of a file one after the other without asking the system for each.
struct HeaderReader {
  let file: InputFile
  private var window = Bytes([])
  private var windowStart: Int64 = 0

  /// Small, since what stands between two headers is mostly skipped.
  private static let windowSize = 1 << 12

  init(_ file: InputFile) { self.file = file }

  /// Up to `count` bytes from `offset` on, few; fewer at the end of the file.
  mutating func bytes(at offset: Int64, count: Int) throws(DecodeError) -> Bytes {
    guard offset >= 0, offset < file.size else { return Bytes([]) }
    if offset < windowStart || offset + Int64(count) > windowStart + Int64(window.count) {
      window = try file.bytes(at: offset, count: max(Self.windowSize, count))
      windowStart = offset
    }
    let start = Int(offset - windowStart)
    return Bytes(Array(window.values[min(start, window.count)..<min(start + count, window.count)]))
  }
}
