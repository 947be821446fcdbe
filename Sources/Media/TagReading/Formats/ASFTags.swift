internal import Analysis
internal import MediaContainers

/// The tags in the header object of an ASF file: the content description, and named attributes in three other objects
/// (Advanced Systems Format Specification 1.20, sections 3.10, 3.11, 4.7, 4.8).
struct ASFTags {
  private var tag = RawTag(.asf)
  private let source: ByteSource

  private static let objectLimit = 10_000

  /// - Parameter offset: Offset of the header object.
  static func read(from source: ByteSource, at offset: Int) throws(FileReadError) -> RawTag {
    var reader = ASFTags(source: source)
    guard let end = try ASFObject.headerEnd(in: source, at: offset) else {
      reader.tag.remarks.append("The ASF header breaks off at its start.")
      return reader.tag
    }
    let objects = try reader.objects(from: offset + ASFObject.fileHeaderSize, to: end)
    if let object = objects[.contentDescription] { try reader.readDescription(object) }
    if let object = objects[.extendedContentDescription] { try reader.readAttributes(object, isExtended: true) }
    if let header = objects[.headerExtension] {
      let inner = try reader.objects(from: header.start + ASFObject.extensionHeaderSize, to: header.end)
      for kind in [ASFObject.Kind.metadata, .metadataLibrary] {
        if let object = inner[kind] { try reader.readAttributes(object, isExtended: false) }
      }
    }
    return reader.tag
  }

  private init(source: ByteSource) {
    self.source = source
  }

  /// Returns the first object of each known kind.
  private mutating func objects(from start: Int, to end: Int) throws(FileReadError) -> [ASFObject.Kind: ASFObject] {
    var objects: [ASFObject.Kind: ASFObject] = [:]
    var position = start
    for _ in 0..<Self.objectLimit {
      guard let object = try ASFObject(at: position, end: end, in: source) else { break }
      if let kind = object.kind, objects[kind] == nil { objects[kind] = object }
      position = object.end
    }
    if position + ASFObject.headerSize <= end, try source.bytes(at: position, count: 1).count == 1 {
      tag.remarks.append("The ASF header is damaged at byte \(position); the rest was not read.")
    }
    return objects
  }

  private mutating func content(of object: ASFObject) throws(FileReadError) -> [UInt8] {
    let start = object.start + ASFObject.headerSize
    guard object.end - start <= TagLimits.size else {
      tag.remarks.append("A part of the ASF header is larger than any real one and was left out.")
      return []
    }
    return try source.bytes(at: start, count: object.end - start)
  }

  /// Reads a content description: five sizes in bytes, then the five texts.
  private mutating func readDescription(_ object: ASFObject) throws(FileReadError) {
    let content = try content(of: object)
    var rest = content.dropFirst(10)
    for (index, key) in ["Title", "Author", "Copyright", "Description", "Rating"].enumerated() {
      guard let length = content.littleEndian(UInt16.self, at: 2 * index) else { return }
      tag.add(key, terminated: TagText.utf16(rest.prefix(Int(length)), isBigEndian: false))
      rest = rest.dropFirst(Int(length))
    }
  }

  /// Reads attributes: their number, then each attribute with its name.
  ///
  /// - Parameter isExtended: `true` for the layout of the extended content description. Its attributes apply to the
  ///   whole file.
  private mutating func readAttributes(_ object: ASFObject, isExtended: Bool) throws(FileReadError) {
    let content = try content(of: object)
    guard let count = content.littleEndian(UInt16.self) else { return }
    var rest = content.dropFirst(2)
    for _ in 0..<count where !tag.isFull {
      let nameLength: Int
      let type: UInt16
      let size: Int
      if isExtended {
        // The name comes between its length and the type.
        guard let length = rest.littleEndian(UInt16.self).map({ Int($0) }),
          let kind = rest.littleEndian(UInt16.self, at: 2 + length),
          let bytes = rest.littleEndian(UInt16.self, at: 4 + length)
        else { return }
        (nameLength, type, size) = (length, kind, Int(bytes))
      } else {
        // The indices of the language and the stream come first; the name follows all the numbers.
        guard let length = rest.littleEndian(UInt16.self, at: 4), let kind = rest.littleEndian(UInt16.self, at: 6),
          let bytes = rest.littleEndian(UInt32.self, at: 8)
        else { return }
        (nameLength, type, size) = (Int(length), kind, Int(bytes))
      }
      let name = rest.dropFirst(isExtended ? 2 : 12).prefix(nameLength)
      let value = rest.dropFirst((isExtended ? 6 : 12) + nameLength).prefix(size)
      rest = rest.dropFirst((isExtended ? 6 : 12) + nameLength + size)
      let key = TagText.utf16(name, isBigEndian: false)
      add(key.prefix { $0 != "\0" }.description, type, value)
    }
  }

  private mutating func add(_ key: String, _ type: UInt16, _ value: ArraySlice<UInt8>) {
    switch type {
    case 0: tag.add(key, terminated: TagText.utf16(value, isBigEndian: false))
    // A byte array.
    case 1: if key == "WM/Picture", let picture = Self.picture(value) { tag.pictures.append(picture) }
    // A Boolean, of four or two bytes.
    case 2: if !value.isEmpty { tag.add(key, value.contains { $0 != 0 } ? "1" : "0") }
    case 3: if let number = value.littleEndian(UInt32.self) { tag.add(key, String(number)) }
    case 4: if let number = value.littleEndian(UInt64.self) { tag.add(key, String(number)) }
    case 5: if let number = value.littleEndian(UInt16.self) { tag.add(key, String(number)) }
    default: break
    }
  }

  /// Parses a picture: its type, size, MIME type and description in UTF-16, and its data; `nil` if it is damaged.
  private static func picture(_ value: ArraySlice<UInt8>) -> TagFinding.Picture? {
    guard let type = value.first, let size = value.littleEndian(UInt32.self, at: 1) else { return nil }
    let texts = value.dropFirst(5)
    guard let mimeEnd = ID3v2Text.terminator(in: texts, isWide: true),
      let end = ID3v2Text.terminator(in: texts[(mimeEnd + 2)...], isWide: true)
    else { return nil }
    let data = texts[(end + 2)...]
    guard !data.isEmpty else { return nil }
    return Picture.described(
      type: Int(type), mime: TagText.utf16(texts[..<mimeEnd], isBigEndian: false),
      start: data.prefix(Picture.signatureLength), size: min(Int(size), data.count))
  }
}
