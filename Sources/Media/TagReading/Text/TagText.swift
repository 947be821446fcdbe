internal import MediaContainers

/// Decodes text in tags.
package enum TagText {
  /// Decodes UTF-8. Invalid UTF-8 is decoded as Latin-1, which it usually is.
  package static func utf8(_ bytes: ArraySlice<UInt8>) -> String {
    String(validating: bytes, as: UTF8.self) ?? bytes.latin1
  }

  /// Decodes UTF-16 without a byte order mark. An unpaired surrogate becomes U+FFFD, and an odd byte at the end is
  /// dropped.
  package static func utf16(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) -> String {
    let units = stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2).map { index in
      let unit = UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1])
      return isBigEndian ? unit : unit.byteSwapped
    }
    return String(decoding: units, as: UTF16.self)
  }
}
