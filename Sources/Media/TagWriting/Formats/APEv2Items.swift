internal import MediaContainers
internal import TagReading

/// The header and footer of an APE tag, which enclose its items (wiki.hydrogenaud.io: APEv2 specification).
struct APEv2Items {
  private let version: UInt32
  private let flags: UInt32
  private let hasHeader: Bool

  private static let hasHeaderFlag: UInt32 = 1 << 31
  private static let isHeaderFlag: UInt32 = 1 << 29
  /// Maximum number of bytes from the start of an item to the end of its key.
  private static let headLimit = 8 + 1_024
  /// Maximum number of bytes read from a text item. Items written by this module are shorter.
  private static let textLimit = 1 << 20

  /// Creates a tag for a file that does not have one yet.
  init() {
    (version, flags, hasHeader) = (2_000, Self.hasHeaderFlag, true)
  }

  /// Parses a tag.
  ///
  /// - Parameter region: The whole tag, including the footer and, if there is one, the header.
  init(_ source: ByteSource, _ region: Range<Int>, items: inout [EditableTag.Entry]) throws {
    let place = region.upperBound - APEFooter.size
    let end = try source.bytes(at: place, count: APEFooter.size)
    guard place >= region.lowerBound, let footer = APEFooter(end),
      footer.itemByteCount + APEFooter.size * (footer.hasHeader ? 2 : 1) == region.count,
      let version = end.littleEndian(UInt32.self, at: 8), let flags = end.littleEndian(UInt32.self, at: 20)
    else { throw Self.odd("does not have the length that it claims") }
    (self.version, self.flags, hasHeader) = (version, flags, footer.hasHeader)
    var position = region.lowerBound + (hasHeader ? APEFooter.size : 0)
    for _ in 0..<footer.itemCount {
      let head = try source.bytes(at: position, count: min(Self.headLimit, place - position))
      guard let size = head.littleEndian(UInt32.self), head.count > 8, let keyEnd = head[8...].firstIndex(of: 0),
        position + keyEnd + 1 + Int(size) <= place
      else { throw Self.odd("breaks off inside an item") }
      let value = position + keyEnd + 1..<position + keyEnd + 1 + Int(size)
      let kind = head[4] >> 1 & 3
      // An item that is not binary data is text or a URL.
      var item = EditableTag.Entry(isText: kind != 1, content: .original(position..<value.upperBound))
      // Only text items that are not read-only can be edited.
      if head[4] & 7 == 0 {
        item.key = head[8..<keyEnd].latin1
        if value.count <= Self.textLimit {
          let text = try source.bytes(at: value.lowerBound, count: value.count)
          item.values = text.split(separator: 0).map { TagText.utf8($0) }
        }
      }
      items.append(item)
      position = value.upperBound
    }
    guard position == place else { throw Self.odd("has something between its last item and its end") }
  }

  private static func odd(_ what: String) -> TagWriteError {
    TagWriteError(.oddStructure, "The APE tag \(what); such tags are not changed.")
  }

  /// Keys have 2 to 255 characters of printable ASCII, and must not be the signature of another format.
  static func isKey(_ key: String) -> Bool {
    (2...255).contains(key.utf8.count) && key.utf8.allSatisfy { (0x20...0x7E).contains($0) }
      && !["ID3", "TAG", "OGGS", "MP+"].contains(key.uppercased())
  }

  static func item(_ key: String, _ values: [String]) throws(TagWriteError) -> [[UInt8]] {
    let value = Array(values.map { Array($0.utf8) }.joined(separator: [0]))
    return [UInt32(value.count).littleEndianBytes + [0, 0, 0, 0] + Array(key.utf8) + [0] + value]
  }

  /// Returns the tag with these items; empty if there are no items.
  func tag(_ items: EditableTag) throws(TagWriteError) -> FileSplice {
    var splice = FileSplice()
    guard !items.entries.isEmpty else { return splice }
    let content = items.content
    guard let size = UInt32(exactly: content.size + APEFooter.size) else {
      throw TagWriteError(.noRoom, "The APE tag would become too large.")
    }
    func frame(_ flags: UInt32) -> [UInt8] {
      Array("APETAGEX".utf8) + version.littleEndianBytes + size.littleEndianBytes
        + UInt32(items.entries.count).littleEndianBytes + flags.littleEndianBytes + [UInt8](repeating: 0, count: 8)
    }
    if hasHeader { splice.add(frame(flags | Self.isHeaderFlag)) }
    splice.add(content)
    splice.add(frame(flags))
    return splice
  }
}
