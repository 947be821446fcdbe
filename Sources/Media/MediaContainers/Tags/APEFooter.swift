/// The footer or header of an APE tag, version 1 or 2 (wiki.hydrogenaud.io: APEv2 specification). Both have the same
/// form.
package struct APEFooter: Hashable, Sendable {
  /// Size of all items in bytes.
  package var itemByteCount: Int
  package var itemCount: Int
  /// `true` if the tag also has a header.
  package var hasHeader: Bool
  /// `true` if this is the header.
  package var isHeader: Bool

  /// Size of a footer or a header in bytes.
  package static let size = 32

  /// `nil` if `bytes` are neither a footer nor a header, or claim less than their own size.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.size, bytes.has("APETAGEX"), let tagSize = bytes.littleEndian(UInt32.self, at: 12),
      let count = bytes.littleEndian(UInt32.self, at: 16), tagSize >= Self.size
    else { return nil }
    // The size includes the footer, but not the header.
    itemByteCount = Int(tagSize) - Self.size
    itemCount = Int(count)
    hasHeader = bytes[23] & 0x80 != 0
    isHeader = bytes[23] & 0x20 != 0
  }
}
