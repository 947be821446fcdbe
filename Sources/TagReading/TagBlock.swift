internal import Analysis
internal import CTagLib

/// The bytes of one tag, cut out of its file, for TagLib to parse.
struct TagBlock {
  var kind: ctaglib_kind
  var bytes: [UInt8]

  /// The longest tag that is read, in bytes.
  static let maximumSize = 16 * 1024 * 1024
  /// The most text taken from one tag, in bytes; TagLib needs about twelve times as much memory for it.
  static let maximumTextSize = 4 * 1024 * 1024
  /// Values taken from one tag. Tags of real files have a few hundred at most.
  static let maximumValueCount = 10_000

  /// False for the text of a field with more values, separated by NULs, than any real one has: each takes memory,
  /// however short it is.
  /// - Parameter isWide: the text is in UTF-16.
  static func isPlausible(_ text: ArraySlice<UInt8>, isWide: Bool = false) -> Bool {
    var count = 0
    if isWide {
      for index in stride(from: text.startIndex, to: text.endIndex - 1, by: 2) {
        if text[index] == 0, text[index + 1] == 0 { count += 1 }
      }
    } else {
      for byte in text where byte == 0 { count += 1 }
    }
    return count <= maximumValueCount
  }

  /// Adds what the block holds to `tag`.
  func parse(into tag: inout RawTag) {
    var content = Content()
    let status = unsafe withUnsafeMutablePointer(to: &content) { content in
      var sink = unsafe ctaglib_sink(
        context: content,
        text: { context, key, keyLength, value, valueLength in
          guard let content = unsafe context?.assumingMemoryBound(to: Content.self) else { return }
          unsafe content.pointee.addText(key: string(key, keyLength), value: string(value, valueLength))
        },
        picture: { context, type, mime, mimeLength, data, length in
          guard let content = unsafe context?.assumingMemoryBound(to: Content.self) else { return }
          let start = unsafe Array(UnsafeBufferPointer(start: data, count: min(length, Picture.signatureLength)))
          unsafe content.pointee.pictures.append(
            Picture.described(type: Int(type), mime: string(mime, mimeLength), start: start, size: length))
        })
      return unsafe bytes.withUnsafeBufferPointer { ctaglib_read(kind, $0.baseAddress, $0.count, &sink) }
    }
    tag.entries += content.entries
    tag.pictures += content.pictures
    if content.dropped > 0 {
      tag.remarks.append("The \(tag.format.name) tag has \(content.dropped) values too many; they were left out.")
    }
    if status == CTAGLIB_OUT_OF_MEMORY {
      tag.remarks.append("The \(tag.format.name) tag needs more memory than there is; it was left out.")
    } else if status != CTAGLIB_OK {
      tag.remarks.append("The \(tag.format.name) tag is damaged and could not be read.")
    }
  }

  private struct Content {
    var entries: [RawTag.Entry] = []
    var pictures: [TagFinding.Picture] = []
    var dropped = 0

    mutating func addText(key: String, value: String) {
      if value.isEmpty { return }
      if entries.count < TagBlock.maximumValueCount {
        entries.append(RawTag.Entry(key: key, value: value))
      } else {
        dropped += 1
      }
    }
  }
}

/// UTF-8, with damage repaired.
private func string(_ start: UnsafePointer<CChar>?, _ count: Int) -> String {
  unsafe UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count).withMemoryRebound(to: UInt8.self) {
    unsafe String(decoding: $0, as: UTF8.self)
  }
}
