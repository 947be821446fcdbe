internal import CLibAV

/// Bytes that FFmpeg sees in place of the bytes in the file.
///
/// FFmpeg keeps tags in lists that it searches from the start for each new tag, and keeps complete tables of edits and
/// chapters, so 100,000 tags take it minutes. The tags that FFmpeg reads are not used, so each is turned into an
/// element of the same length that every demuxer skips.
typealias ByteMask = LAVMask

extension ByteMask {
  /// - Parameter text: At most eight bytes of ASCII.
  init(at offset: Int, _ text: StaticString) {
    self.init(at: offset, Array(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)))
  }

  /// - Parameter bytes: At most eight bytes.
  init(at offset: Int, _ bytes: [UInt8]) {
    self.init()
    self.offset = Int64(offset)
    count = CInt(bytes.count)
    withUnsafeMutableBytes(of: &self.bytes) { $0.copyBytes(from: bytes) }
  }
}
