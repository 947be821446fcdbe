internal import MediaContainers

/// Text in tags, of whatever encoding.
package enum TagText {
  /// Text that is not the UTF-8 it should be mostly is Latin-1.
  package static func utf8(_ bytes: ArraySlice<UInt8>) -> String {
    String(validating: bytes, as: UTF8.self) ?? bytes.latin1
  }

  /// UTF-16 without a byte order mark; half of a pair of surrogates becomes U+FFFD, and an odd byte at the end is none.
  package static func utf16(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) -> String {
    let units = stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2).map { index in
      let unit = UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1])
      return isBigEndian ? unit : unit.byteSwapped
    }
    return String(decoding: units, as: UTF16.self)
  }
}
