internal import Analysis
internal import CTagLib

/// An APEv2 (or APEv1) tag (wiki.hydrogenaud.io: APEv2 specification). Pictures are measured in place; the items that
/// hold text go to TagLib as a tag of their own.
struct APEv2Tag {
  private let source: ByteSource
  private let itemsStart: Int
  private let itemsEnd: Int
  /// The 32 bytes of the header or footer; both look the same.
  private let footer: [UInt8]

  private static let footerSize = 32

  /// The tag whose footer ends at `end`; `nil` if there is none.
  init?(in source: ByteSource, endingAt end: Int) throws(TagReadError) {
    try self.init(in: source, footerAt: end - Self.footerSize)
  }

  /// The tag whose header starts at `offset`; `nil` if there is none.
  init?(in source: ByteSource, startingAt offset: Int) throws(TagReadError) {
    try self.init(in: source, footerAt: offset, isHeader: true)
  }

  private init?(in source: ByteSource, footerAt offset: Int, isHeader: Bool = false) throws(TagReadError) {
    footer = try source.bytes(at: offset, count: Self.footerSize)
    guard footer.count == Self.footerSize, footer.has("APETAGEX") else { return nil }
    // Items and footer, without the header.
    let size = Int(footer[12...].littleEndian())
    self.source = source
    itemsStart = isHeader ? offset + Self.footerSize : offset + Self.footerSize - size
    itemsEnd = itemsStart + size - Self.footerSize
  }

  func read() throws(TagReadError) -> RawTag {
    var tag = RawTag(.apev2)
    guard 0 <= itemsStart, itemsStart <= itemsEnd, itemsEnd <= source.size else {
      tag.remarks.append("The APEv2 tag claims an impossible size and was not read.")
      return tag
    }
    var texts: [UInt8] = []
    var textCount = 0
    var refusedCount = 0
    var position = itemsStart
    let itemCount = Int(footer[16...].littleEndian())
    for _ in 0..<min(itemCount, TagBlock.maximumValueCount) where position + 8 < itemsEnd {
      // Keys have at most 255 characters and end with a NUL.
      let head = try source.bytes(at: position, count: min(8 + 256, itemsEnd - position))
      guard let keyEnd = head.dropFirst(8).firstIndex(of: 0) else { break }
      let valueStart = position + keyEnd + 1
      let size = Int(head.littleEndian())
      guard valueStart + size <= itemsEnd else {
        tag.remarks.append("The APEv2 tag breaks off inside an item; what comes after it was not read.")
        break
      }
      let end = valueStart + size
      switch head[4] >> 1 & 3 {
      case 1:
        let key = String(decoding: head[8..<keyEnd], as: UTF8.self)
        if let picture = try picture(key, from: valueStart, to: end) { tag.pictures.append(picture) }
      case 0, 2:
        let item = try source.bytes(at: position, count: min(end - position, TagBlock.maximumTextSize + 1))
        // Not so if the budget is used up, or the file has become shorter meanwhile.
        guard item.count > keyEnd else {
          refusedCount += 1
          break
        }
        if texts.count + item.count <= TagBlock.maximumTextSize, TagBlock.isPlausible(item[(keyEnd + 1)...]) {
          texts += item
          textCount += 1
        } else {
          refusedCount += 1
        }
      default: break
      }
      position = end
    }
    if itemCount > TagBlock.maximumValueCount, position + 8 < itemsEnd {
      tag.remarks.append("The APEv2 tag has more than \(TagBlock.maximumValueCount) items; the rest was left out.")
    }
    if refusedCount > 0 {
      tag.remarks.append("\(refusedCount) APEv2 items were left out; they are larger than any real ones.")
    }
    if textCount > 0 {
      let size = littleEndian(texts.count + Self.footerSize)
      let plain = texts + footer[..<12] + size + littleEndian(textCount) + footer[20...]
      TagBlock(kind: CTAGLIB_APEV2, bytes: plain).parse(into: &tag)
    }
    return tag
  }

  private func littleEndian(_ value: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// The picture in a binary item such as `Cover Art (Front)`, which a file name and a NUL stand in front of.
  private func picture(_ key: String, from start: Int, to end: Int) throws(TagReadError) -> TagFinding.Picture? {
    let key = key.uppercased()
    guard key.hasPrefix("COVER ART") else { return nil }
    let head = try source.bytes(at: start, count: min(end - start, 1024))
    let nameLength = head.firstIndex(of: 0).map { $0 + 1 } ?? 0
    let size = end - start - nameLength
    guard size > 0 else { return nil }
    return Picture.described(
      type: Self.pictureTypes[key] ?? 0, mime: "", start: head.dropFirst(nameLength).prefix(Picture.signatureLength),
      size: size)
  }

  /// As in ID3v2's APIC.
  private static let pictureTypes = [
    "COVER ART (ICON)": 1, "COVER ART (OTHER ICON)": 2, "COVER ART (FRONT)": 3, "COVER ART (BACK)": 4,
    "COVER ART (LEAFLET)": 5, "COVER ART (MEDIA)": 6, "COVER ART (LEAD)": 7, "COVER ART (ARTIST)": 8,
    "COVER ART (CONDUCTOR)": 9, "COVER ART (BAND)": 10, "COVER ART (COMPOSER)": 11, "COVER ART (LYRICIST)": 12,
    "COVER ART (STUDIO)": 13, "COVER ART (RECORDING)": 14, "COVER ART (PERFORMANCE)": 15, "COVER ART (MOVIE SCENE)": 16,
    "COVER ART (COLORED FISH)": 17, "COVER ART (ILLUSTRATION)": 18, "COVER ART (BAND LOGO)": 19,
    "COVER ART (PUBLISHER LOGO)": 20,
  ]
}
