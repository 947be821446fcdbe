/// The checksum of Ogg pages (RFC 3533): CRC-32 with the polynomial 0x04c11db7, neither reflected nor inverted, eight
/// bytes at a time ("slicing-by-8": Kounavis & Berry, IEEE Transactions on Computers 2008).
package enum OggChecksum {
  /// Eight tables of 256 values; table `k` is for a byte followed by `k` more bytes.
  private static let tables: [UInt32] = {
    var tables = [UInt32](repeating: 0, count: 8 * 256)
    for byte in 0..<256 {
      var value = UInt32(byte) << 24
      for _ in 0..<8 { value = value << 1 ^ (value & 0x8000_0000 != 0 ? 0x04c1_1db7 : 0) }
      tables[byte] = value
    }
    for index in 256..<8 * 256 {
      let shorter = tables[index - 256]
      tables[index] = shorter << 8 ^ tables[Int(shorter >> 24)]
    }
    return tables
  }()

  /// Returns `true` if the checksum of a whole page is right. It is computed with zeros in place of the checksum.
  static func isRight(_ page: UnsafeRawBufferPointer) -> Bool {
    let place = OggPage.checksumPosition..<OggPage.checksumPosition + 4
    let noted = UInt32(littleEndian: page.loadUnaligned(fromByteOffset: place.lowerBound, as: UInt32.self))
    var checksum = update(0, UnsafeRawBufferPointer(rebasing: page[..<place.lowerBound]))
    checksum = withUnsafeBytes(of: UInt32(0)) { update(checksum, $0) }
    return update(checksum, UnsafeRawBufferPointer(rebasing: page[place.upperBound...])) == noted
  }

  /// Continues `checksum`, which is initially 0, over `bytes`.
  package static func update(_ checksum: UInt32, _ bytes: UnsafeRawBufferPointer) -> UInt32 {
    tables.withUnsafeBufferPointer { tables in
      var value = checksum
      var index = 0
      while index + 8 <= bytes.count {
        let high = value ^ UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt32.self))
        let low = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: index + 4, as: UInt32.self))
        let first =
          tables[7 * 256 + Int(high >> 24)] ^ tables[6 * 256 + Int(high >> 16 & 255)]
          ^ tables[5 * 256 + Int(high >> 8 & 255)] ^ tables[4 * 256 + Int(high & 255)]
        let second =
          tables[3 * 256 + Int(low >> 24)] ^ tables[2 * 256 + Int(low >> 16 & 255)]
          ^ tables[256 + Int(low >> 8 & 255)] ^ tables[Int(low & 255)]
        value = first ^ second
        index += 8
      }
      while index < bytes.count {
        value = value << 8 ^ tables[Int(value >> 24) ^ Int(bytes[index])]
        index += 1
      }
      return value
    }
  }
}
