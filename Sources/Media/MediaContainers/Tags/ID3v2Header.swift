/// The header of an ID3v2 tag, with the end of the tag (id3.org: ID3v2.4, section 3.1).
package struct ID3v2Header: Hashable, Sendable {
  /// The minor version, as stored; 2, 3 and 4 are defined.
  package var version: Int
  package var flags: UInt8
  /// Number of bytes after the header, without the footer.
  package var bodySize: Int
  /// Offset of the end of the tag, including its footer; may be past the end of the file.
  package var end: Int
  /// `true` if bits of the size are set that must be zero.
  package var hasOddSize = false
  /// `false` if the version is later than 2.4, or the revision is invalid.
  package var isKnown: Bool

  /// Size of the header or the footer in bytes.
  package static let size = 10

  /// Reads the header at `offset`; `nil` if there is none.
  package init?(at offset: Int, in source: ByteSource) throws(FileReadError) {
    let header = try source.bytes(at: offset, count: Self.size)
    guard header.count == Self.size, header.has("ID3") else { return nil }
    version = Int(header[3])
    flags = header[5]
    isKnown = version <= 4 && header[4] != 0xFF
    let sizes = header[6..<10]
    bodySize = Self.syncsafe(sizes)
    if sizes.contains(where: { $0 >= 0x80 }) {
      hasOddSize = true
      // Either the writer ignored the rule of seven bits per byte, or the eighth bits are meaningless. The data after
      // the tag shows which is the case.
      let plain = Int(sizes.bigEndianNumber)
      let plainEnd = offset + Self.size + plain
      if plainEnd == source.size {
        bodySize = plain
      } else if Self.isStart(try source.bytes(at: plainEnd, count: 16)) {
        bodySize = plain
      }
    }
    end = offset + Self.size + bodySize
    // The footer itself is more reliable than the flag that announces it.
    if try source.bytes(at: end, count: 3).has("3DI") { end = min(end + Self.size, source.size) }
  }

  /// Decodes seven bits per byte and ignores the eighth.
  package static func syncsafe(_ bytes: some Collection<UInt8>) -> Int {
    bytes.prefix(4).reduce(0) { $0 << 7 | Int($1 & 0x7F) }
  }

  /// `true` if audio or another tag may start with these bytes.
  private static func isStart(_ bytes: [UInt8]) -> Bool {
    if bytes.count > 1, bytes[0] == 0xFF, bytes[1] >= 0xE0 { return true }
    let marks = [
      "ID3", "APETAGEX", "fLaC", "OggS", "RIFF", "RF64", "BW64", "FORM", "FRM8", "DSD ", "MAC ", "wvpk", "TTA1", "MP+",
      "MPCK", "tBaK", "OFR ",
    ]
    return marks.contains { bytes.has($0) } || bytes.has("ftyp", at: 4)
  }
}
