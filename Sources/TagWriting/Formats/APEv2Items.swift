internal import MediaContainers
internal import TagReading

/// What stands around the items of an APE tag (wiki.hydrogenaud.io: APEv2 specification).
struct APEv2Items {
  private let version: UInt32
  private let flags: UInt32
  private let hasHeader: Bool

  private static let hasHeaderFlag: UInt32 = 1 << 31
  private static let isHeaderFlag: UInt32 = 1 << 29
  private static let sizeLimit = 64 << 20

  /// A tag that is not there yet.
  init() {
    (version, flags, hasHeader) = (2_000, Self.hasHeaderFlag, true)
  }

  /// Takes a tag apart.
  /// - Parameter bytes: The whole tag, from the header, if there is one, to the footer.
  init(_ bytes: [UInt8], items: inout [EditableTag.Entry]) throws(TagWriteError) {
    let place = bytes.count - APEFooter.size
    guard bytes.count <= Self.sizeLimit, place >= 0, let footer = APEFooter(Array(bytes[place...])),
      footer.itemByteCount + APEFooter.size * (footer.hasHeader ? 2 : 1) == bytes.count,
      let version = bytes.littleEndian(UInt32.self, at: place + 8),
      let flags = bytes.littleEndian(UInt32.self, at: place + 20)
    else { throw Self.odd("does not have the length that it claims") }
    (self.version, self.flags, hasHeader) = (version, flags, footer.hasHeader)
    var position = hasHeader ? APEFooter.size : 0
    for _ in 0..<footer.itemCount {
      guard let size = bytes.littleEndian(UInt32.self, at: position), position + 8 < place,
        let keyEnd = bytes[(position + 8)..<place].firstIndex(of: 0), keyEnd + 1 + Int(size) <= place
      else { throw Self.odd("breaks off inside an item") }
      let end = keyEnd + 1 + Int(size)
      var item = EditableTag.Entry(bytes: Array(bytes[position..<end]))
      // Text that may be changed.
      if bytes[position + 4] & 7 == 0 {
        item.key = bytes[(position + 8)..<keyEnd].latin1
        item.values = bytes[(keyEnd + 1)..<end].split(separator: 0).map { TagText.utf8($0) }
      }
      items.append(item)
      position = end
    }
    guard position == place else { throw Self.odd("has something between its last item and its end") }
  }

  private static func odd(_ what: String) -> TagWriteError {
    TagWriteError(.oddStructure, "The APE tag \(what); such tags are not changed.")
  }

  static func item(_ key: String, _ values: [String]) throws(TagWriteError) -> [[UInt8]] {
    let value = Array(values.map { Array($0.utf8) }.joined(separator: [0]))
    return [UInt32(value.count).littleEndianBytes + [0, 0, 0, 0] + Array(key.utf8) + [0] + value]
  }

  /// The tag with these items; nothing if there are none.
  func tag(_ items: EditableTag) throws(TagWriteError) -> [UInt8] {
    guard !items.entries.isEmpty else { return [] }
    let content = items.bytes
    guard let size = UInt32(exactly: content.count + APEFooter.size) else {
      throw TagWriteError(.noRoom, "The APE tag would become too large.")
    }
    func frame(_ flags: UInt32) -> [UInt8] {
      Array("APETAGEX".utf8) + version.littleEndianBytes + size.littleEndianBytes
        + UInt32(items.entries.count).littleEndianBytes + flags.littleEndianBytes + [UInt8](repeating: 0, count: 8)
    }
    return (hasHeader ? frame(flags | Self.isHeaderFlag) : []) + content + frame(flags)
  }
}
