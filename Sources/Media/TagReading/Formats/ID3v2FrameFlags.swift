internal import CZlib

/// The second byte of a frame's flags, which describes the encoding of its content.
package struct ID3v2FrameFlags {
  package var isCompressed = false
  package var isEncrypted = false
  package var isGrouped = false
  var isUnsynchronized = false
  var hasDataLength = false

  package init() {}

  package init(_ byte: UInt8, version: Int) {
    if version == 4 {
      isGrouped = byte & 0x40 != 0
      isCompressed = byte & 0x08 != 0
      isEncrypted = byte & 0x04 != 0
      isUnsynchronized = byte & 0x02 != 0
      hasDataLength = byte & 0x01 != 0
    } else {
      isCompressed = byte & 0x80 != 0
      isEncrypted = byte & 0x40 != 0
      isGrouped = byte & 0x20 != 0
      // Compressed frames start with the length of the decompressed content.
      hasDataLength = isCompressed
    }
  }

  var isEncoded: Bool { isCompressed || isEncrypted || isGrouped || isUnsynchronized || hasDataLength }

  /// Returns the plain content; `nil` if it cannot be decoded.
  package func decoded(_ body: [UInt8], unsynchronized: Bool) -> [UInt8]? {
    let extra = (isGrouped ? 1 : 0) + (hasDataLength ? 4 : 0)
    guard !isEncrypted, body.count >= extra else { return nil }
    var content = Array(body.dropFirst(extra))
    if isUnsynchronized || unsynchronized { content = ID3v2Tag.resynchronized(content) }
    guard isCompressed else { return content }
    // Deflate never compresses by more than a factor of 1032 (zlib technical details).
    let capacity = min(content.count * 1032, TagLimits.size)
    var length = uLong(capacity)
    var isWhole = false
    let inflated = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, filled in
      isWhole = uncompress(buffer.baseAddress, &length, content, uLong(content.count)) == Z_OK
      filled = isWhole ? Int(length) : 0
    }
    return isWhole ? inflated : nil
  }
}
