internal import Analysis
internal import MediaContainers

/// An APEv2 or APEv1 tag (wiki.hydrogenaud.io: APEv2 specification). The sizes of pictures are determined without
/// reading them.
struct APEv2Tag {
  private let source: ByteSource
  private let items: Range<Int>
  private let itemCount: Int

  /// - Parameters:
  ///   - region: Range of the tag, including its footer and, if there is one, its header.
  ///   - isLeading: `true` if the tag is at the start of the file, and so begins with a header.
  init?(in source: ByteSource, _ region: Range<Int>, isLeading: Bool) throws(FileReadError) {
    let place = isLeading ? region.lowerBound : region.upperBound - APEFooter.size
    guard let footer = APEFooter(try source.bytes(at: place, count: APEFooter.size)) else { return nil }
    let start = isLeading ? place + APEFooter.size : place - footer.itemByteCount
    self.source = source
    items = start..<start + footer.itemByteCount
    itemCount = footer.itemCount
  }

  func read() throws(FileReadError) -> RawTag {
    var tag = RawTag(.apev2)
    // A repeated key replaces the earlier one.
    var texts: [(key: String, values: [String])] = []
    var places: [String: Int] = [:]
    var textSize = 0
    var refusedCount = 0
    var position = items.lowerBound
    for _ in 0..<min(itemCount, TagLimits.valueCount) where position + 8 < items.upperBound {
      // Keys have at most 255 characters and end with a NUL.
      let head = try source.bytes(at: position, count: min(8 + 256, items.upperBound - position))
      guard let keyEnd = head.dropFirst(8).firstIndex(of: 0), let size = head.littleEndian(UInt32.self) else { break }
      let start = position + keyEnd + 1
      guard Int(size) <= items.upperBound - start else {
        tag.remarks.append("The APEv2 tag breaks off inside an item; the rest was not read.")
        break
      }
      let value = start..<start + Int(size)
      position = value.upperBound
      let key = head[8..<keyEnd].latin1.uppercased()
      switch head[4] >> 1 & 3 {
      case 1:
        if let picture = try picture(key, value) { tag.pictures.append(picture) }
      case 0, 2:
        guard Self.isKey(head[8..<keyEnd]) else { continue }
        let text =
          textSize + value.count <= TagLimits.textSize
          ? try source.bytes(at: value.lowerBound, count: value.count) : []
        // Fewer bytes are returned if the budget is used up, or if the file has been shortened in the meantime.
        guard text.count == value.count, TagLimits.isPlausible(text[...]) else {
          refusedCount += 1
          continue
        }
        textSize += text.count
        let values = text.split(separator: 0).map { TagText.utf8($0) }
        if let place = places[key] {
          texts[place].values = values
        } else {
          places[key] = texts.count
          texts.append((key, values))
        }
      default: break
      }
    }
    for (key, values) in texts {
      for value in values { tag.add(key, value) }
    }
    if itemCount > TagLimits.valueCount, position + 8 < items.upperBound {
      tag.remarks.append("The APEv2 tag has more than \(TagLimits.valueCount) items; the rest was left out.")
    }
    if refusedCount > 0 {
      tag.remarks.append("\(refusedCount) APEv2 items were left out; they are larger than any real ones.")
    }
    return tag
  }

  /// Keys have 2 to 255 characters of printable ASCII, and must not be the signature of another format.
  private static func isKey(_ bytes: ArraySlice<UInt8>) -> Bool {
    (2...255).contains(bytes.count) && bytes.allSatisfy { (0x20...0x7E).contains($0) }
      && !["ID3", "TAG", "OGGS", "MP+"].contains(bytes.latin1.uppercased())
  }

  /// Returns the picture in a binary item such as `Cover Art (Front)`, where it follows a file name and a NUL; `nil`
  /// for other items.
  private func picture(_ key: String, _ value: Range<Int>) throws(FileReadError) -> TagFinding.Picture? {
    guard let type = APEv2Pictures.type(ofKey: key) else { return nil }
    let head = try source.bytes(at: value.lowerBound, count: min(value.count, 1024))
    let nameLength = head.firstIndex(of: 0).map { $0 + 1 } ?? 0
    let size = value.count - nameLength
    guard size > 0 else { return nil }
    return Picture.described(
      type: type, mime: "", start: head.dropFirst(nameLength).prefix(Picture.signatureLength),
      size: size)
  }
}

/// The keys of pictures in APEv2 tags.
package enum APEv2Pictures {
  /// Number of bytes at the start of a picture that identify its format.
  package static let signatureLength = Picture.signatureLength

  /// Returns the corresponding type in ID3v2's APIC frame; `nil` if the key does not name a picture.
  package static func type(ofKey key: String) -> Int? {
    let key = key.uppercased()
    return key.hasPrefix("COVER ART") ? types[key] ?? 0 : nil
  }

  package static func key(ofType type: Int) -> String {
    let key = types.first { $0.value == type }?.key ?? "COVER ART (OTHER)"
    return key.split(separator: " ").map { word in
      let start = word.hasPrefix("(") ? 2 : 1
      return word.prefix(start) + word.dropFirst(start).lowercased()
    }.joined(separator: " ")
  }

  /// - Parameter start: First bytes of the picture.
  package static func mime(ofPicture start: [UInt8]) -> String { Picture.recognized(start) ?? "image/jpeg" }

  private static let types = [
    "COVER ART (ICON)": 1, "COVER ART (OTHER ICON)": 2, "COVER ART (FRONT)": 3, "COVER ART (BACK)": 4,
    "COVER ART (LEAFLET)": 5, "COVER ART (MEDIA)": 6, "COVER ART (LEAD)": 7, "COVER ART (ARTIST)": 8,
    "COVER ART (CONDUCTOR)": 9, "COVER ART (BAND)": 10, "COVER ART (COMPOSER)": 11, "COVER ART (LYRICIST)": 12,
    "COVER ART (STUDIO)": 13, "COVER ART (RECORDING)": 14, "COVER ART (PERFORMANCE)": 15, "COVER ART (MOVIE SCENE)": 16,
    "COVER ART (COLORED FISH)": 17, "COVER ART (ILLUSTRATION)": 18, "COVER ART (BAND LOGO)": 19,
    "COVER ART (PUBLISHER LOGO)": 20,
  ]
}
