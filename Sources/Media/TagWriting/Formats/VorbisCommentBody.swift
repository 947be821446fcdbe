internal import MediaContainers
internal import TagReading

/// The parts of a Vorbis comment that enclose its entries (Vorbis I specification, section 5).
struct VorbisCommentBody {
  private let vendor: [UInt8]
  /// The bytes after the entries: the framing bit of Vorbis, or the padding of Opus.
  private let rest: [UInt8]

  private static let sizeLimit = 64 << 20

  /// Creates a comment for a file that does not have one yet.
  init() {
    (vendor, rest) = (Array("Nocturne".utf8), [])
  }

  /// Parses a comment.
  ///
  /// - Parameter bytes: The comment, starting with the length of the vendor's name.
  init(_ bytes: [UInt8], entries: inout [EditableTag.Entry]) throws(TagWriteError) {
    let odd = TagWriteError(.oddStructure, "The Vorbis comment is shorter than it claims; such files are not changed.")
    guard bytes.count <= Self.sizeLimit, let vendorSize = bytes.littleEndian(UInt32.self),
      let count = bytes.littleEndian(UInt32.self, at: 4 + Int(vendorSize))
    else { throw odd }
    vendor = Array(bytes[4..<4 + Int(vendorSize)])
    var position = 8 + Int(vendorSize)
    for _ in 0..<count {
      guard let size = bytes.littleEndian(UInt32.self, at: position), Int(size) <= bytes.count - position - 4 else {
        throw odd
      }
      let end = position + 4 + Int(size)
      let text = bytes[(position + 4)..<end]
      var entry = EditableTag.Entry(content: .bytes(Array(bytes[position..<end])))
      if let separator = text.prefix(256).firstIndex(of: 0x3D) {
        entry.key = text[..<separator].latin1
        if text.count < 1 << 20 { entry.values = [TagText.utf8(text[(separator + 1)...])] }
        entry.isText = TagKeys.isWrittenByPeople(entry.key, in: .vorbis)
      }
      entries.append(entry)
      position = end
    }
    rest = Array(bytes[position...])
  }

  /// Returns `true` if the key is valid: printable ASCII without `=` and `~`.
  static func isKey(_ key: String) -> Bool {
    !key.isEmpty && key.utf8.allSatisfy { (0x20...0x7D).contains($0) && $0 != 0x3D }
  }

  /// Returns one entry for each value.
  static func entries(_ key: String, _ values: [String]) throws(TagWriteError) -> [[UInt8]] {
    values.map { value in
      let text = Array("\(key.uppercased())=\(value)".utf8)
      return UInt32(text.count).littleEndianBytes + text
    }
  }

  func bytes(_ tag: EditableTag) -> [UInt8] {
    UInt32(vendor.count).littleEndianBytes + vendor + UInt32(tag.entries.count).littleEndianBytes + tag.content.ownBytes
      + rest
  }
}

extension EditableTag {
  static func vorbis(_ entries: [Entry]) -> EditableTag {
    EditableTag(.vorbis, entries) { key, values throws(TagWriteError) in
      try VorbisCommentBody.entries(key, values)
    }
  }
}
