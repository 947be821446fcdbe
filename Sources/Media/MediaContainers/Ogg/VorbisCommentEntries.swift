/// The entries of a Vorbis comment, each in the form `KEY=value` (Vorbis I specification, section 5), as in FLAC and
/// Ogg.
package struct VorbisCommentEntries {
  private let bytes: [UInt8]
  private var position: Int
  /// Number of remaining entries, according to the comment.
  private var remaining: UInt32
  /// `true` if the bytes end before the last entry does.
  package private(set) var isCutShort = false

  /// `nil` if the bytes end before the entries begin.
  ///
  /// - Parameter bytes: The comment, starting with the length of the vendor's name.
  package init?(_ bytes: [UInt8]) {
    guard let vendorLength = bytes.littleEndian(UInt32.self),
      let count = bytes.littleEndian(UInt32.self, at: 4 + Int(vendorLength))
    else { return nil }
    self.bytes = bytes
    position = 8 + Int(vendorLength)
    remaining = count
  }

  /// Returns the next entry; `nil` at the end.
  package mutating func next() -> ArraySlice<UInt8>? {
    guard remaining > 0 else { return nil }
    guard let length = bytes.littleEndian(UInt32.self, at: position), Int(length) <= bytes.count - position - 4 else {
      isCutShort = true
      remaining = 0
      return nil
    }
    remaining -= 1
    let start = position + 4
    position = start + Int(length)
    return bytes[start..<position]
  }
}
