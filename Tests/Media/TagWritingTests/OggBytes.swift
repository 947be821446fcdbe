import MediaContainers

/// Ogg pages, made byte by byte.
enum OggBytes {
  static func page(
    _ serial: UInt32, _ number: UInt32, flags: UInt8 = 0, granule: Int64 = 0, lacing: [UInt8], _ body: [UInt8]
  ) -> [UInt8] {
    var page = Array("OggS".utf8) + [0, flags] + granule.littleEndianBytes + serial.littleEndianBytes
    page += number.littleEndianBytes + [0, 0, 0, 0, UInt8(lacing.count)] + lacing + body
    let checksum = page.withUnsafeBytes { OggChecksum.update(0, $0) }
    page.replaceSubrange(22..<26, with: checksum.littleEndianBytes)
    return page
  }
}
