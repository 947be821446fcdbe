/// The footer or header of an APE tag, version 1 or 2 (wiki.hydrogenaud.io: APEv2 specification). Both have the same
/// form.
package struct APEFooter: Hashable, Sendable {
  /// Bytes of all items.
  package var itemByteCount: Int
  package var itemCount: Int
  /// The tag also has a header.
  package var hasHeader: Bool
  /// This is the header.
  package var isHeader: Bool

  /// Bytes of a footer, and of a header.
  package static let size = 32

  /// `nil` if `bytes` are no footer, or it claims less than its own size.
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
