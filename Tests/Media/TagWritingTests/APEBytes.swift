import MediaContainers

/// APE tags, made byte by byte.
enum APEBytes {
  static func item(_ key: String, flags: UInt8 = 0, _ value: [UInt8]) -> [UInt8] {
    UInt32(value.count).littleEndianBytes + [flags, 0, 0, 0] + Array(key.utf8) + [0] + value
  }

  static func item(_ key: String, _ text: String) -> [UInt8] { item(key, Array(text.utf8)) }

  /// A header or a footer.
  static func frame(_ version: UInt32, size: Int, count: Int, flags: UInt32) -> [UInt8] {
    var frame = Array("APETAGEX".utf8)
    for number in [version, UInt32(size), UInt32(count), flags, 0, 0] { frame += number.littleEndianBytes }
    return frame
  }

  /// A tag, with a header if its flags say so.
  static func tag(version: UInt32 = 2_000, flags: UInt32 = 1 << 31, _ items: [[UInt8]]) -> [UInt8] {
    let content = items.flatMap(\.self)
    func frame(_ flags: UInt32) -> [UInt8] {
      Self.frame(version, size: content.count + 32, count: items.count, flags: flags)
    }
    return (flags >> 31 == 1 ? frame(flags | 1 << 29) : []) + content + frame(flags)
  }
}
