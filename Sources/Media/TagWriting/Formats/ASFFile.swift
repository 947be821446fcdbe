internal import MediaContainers
internal import TagReading

/// An ASF (WMA) file whose tags are the attributes in its extended content description (Advanced Systems Format
/// Specification 1.20, section 3.11).
struct ASFFile: TagContainer {
  var tags: [EditableTag]
  private let header: [UInt8]
  private let start: Int
  private let size: Int
  /// The range of the extended content description in the header; `nil` if there is none.
  private let description: Range<Int>?
  private let fileProperties: Int

  private static let sizeLimit = 64 << 20
  private static let filePropertiesGUID: [UInt8] = [
    0xA1, 0xDC, 0xAB, 0x8C, 0x47, 0xA9, 0xCF, 0x11, 0x8E, 0xE4, 0x00, 0xC0, 0x0C, 0x20, 0x53, 0x65,
  ]
  /// Offset of the file size in the file properties.
  private static let fileSizeOffset = 40
  private static let textType: UInt16 = 0

  init(_ source: ByteSource, at start: Int) throws {
    self.start = start
    size = source.size
    guard let end = try ASFObject.headerEnd(in: source, at: start), end - start <= Self.sizeLimit else {
      throw Self.odd("The header is cut off")
    }
    let bytes = try source.bytes(at: start, count: end - start)
    header = bytes
    let content = ByteSource(bytes)
    guard let count = bytes.littleEndian(UInt32.self, at: 24) else { throw Self.odd("The header is cut off") }
    var position = ASFObject.fileHeaderSize
    var descriptions: [Range<Int>] = []
    var properties: Int?
    for _ in 0..<count {
      guard let object = try ASFObject(at: position, end: bytes.count, in: content) else {
        throw Self.odd("The header is damaged")
      }
      if object.kind == .extendedContentDescription { descriptions.append(object.start..<object.end) }
      if bytes.has(Self.filePropertiesGUID, at: object.start) { properties = object.start }
      position = object.end
    }
    guard position == bytes.count, descriptions.count <= 1, let properties,
      bytes.littleEndian(UInt64.self, at: properties + Self.fileSizeOffset) != nil
    else { throw Self.odd("The header is damaged") }
    fileProperties = properties
    description = descriptions.first
    var attributes: [EditableTag.Entry] = []
    if let description { attributes = try Self.attributes(Array(bytes[description])) }
    tags = [EditableTag(.asf, attributes) { key, values throws(TagWriteError) in try Self.attribute(key, values) }]
  }

  private static func odd(_ what: String) -> TagWriteError {
    TagWriteError(.oddStructure, "\(what); such ASF files are not changed.")
  }

  /// Reads the attributes. Each consists of a name, a type and a value; the name and the value are preceded by their
  /// sizes.
  private static func attributes(_ object: [UInt8]) throws(TagWriteError) -> [EditableTag.Entry] {
    guard let count = object.littleEndian(UInt16.self, at: ASFObject.headerSize) else { throw odd("A list is cut off") }
    var attributes: [EditableTag.Entry] = []
    var position = ASFObject.headerSize + 2
    for _ in 0..<count {
      guard let nameSize = object.littleEndian(UInt16.self, at: position),
        let type = object.littleEndian(UInt16.self, at: position + 2 + Int(nameSize)),
        let valueSize = object.littleEndian(UInt16.self, at: position + 4 + Int(nameSize))
      else { throw odd("A list is cut off") }
      let valueStart = position + 6 + Int(nameSize)
      let end = valueStart + Int(valueSize)
      guard end <= object.count else { throw odd("A list is cut off") }
      var attribute = EditableTag.Entry(isText: true, content: .bytes(Array(object[position..<end])))
      attribute.key = text(object[position + 2..<position + 2 + Int(nameSize)])
      let value = object[valueStart..<end]
      switch type {
      case textType: attribute.values = [text(value)]
      // A Boolean, or a number of four, eight or two bytes.
      case 2...5 where value.count <= 8: attribute.values = [String(Array(value.reversed()).bigEndianNumber)]
      default: attribute.key = ""
      }
      attributes.append(attribute)
      position = end
    }
    guard position == object.count else { throw odd("There is something after a list of attributes") }
    return attributes
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    let text = TagText.utf16(bytes, isBigEndian: false)
    return String(text.unicodeScalars.prefix { $0 != "\0" }.map(Character.init))
  }

  private static func attribute(_ key: String, _ values: [String]) throws(TagWriteError) -> [[UInt8]] {
    func text(_ text: String) -> [UInt8] { (Array(text.utf16) + [0]).flatMap(\.littleEndianBytes) }
    var attributes: [[UInt8]] = []
    for value in values {
      let (name, content) = (text(key), text(value))
      guard let nameSize = UInt16(exactly: name.count), let size = UInt16(exactly: content.count) else {
        throw TagWriteError(.noRoom, "The attribute \(key) is too long for an ASF file.")
      }
      attributes.append(
        nameSize.littleEndianBytes + name + textType.littleEndianBytes + size.littleEndianBytes + content)
    }
    return attributes
  }

  func splice() throws(TagWriteError) -> FileSplice {
    let content = tags[0].content.ownBytes
    guard let count = UInt16(exactly: tags[0].entries.count) else {
      throw TagWriteError(.noRoom, "An ASF file can have at most 65,535 attributes.")
    }
    let object =
      ASFObject.Kind.extendedContentDescription.guid
      + UInt64(ASFObject.headerSize + 2 + content.count).littleEndianBytes + count.littleEndianBytes + content
    let replaced = description ?? header.count..<header.count
    let growth = object.count - replaced.count
    var new = header
    // An incorrect size must stay incorrect: decoders trust the duration in the same object only if the size is
    // correct.
    let place = fileProperties + Self.fileSizeOffset
    if header.littleEndian(UInt64.self, at: place) == UInt64(size) {
      new.replaceSubrange(place..<place + 8, with: UInt64(size + growth).littleEndianBytes)
    }
    new.replaceSubrange(replaced, with: object)
    new.replaceSubrange(16..<24, with: UInt64(new.count).littleEndianBytes)
    if description == nil {
      let old = header.littleEndian(UInt32.self, at: 24) ?? 0
      new.replaceSubrange(24..<28, with: (old + 1).littleEndianBytes)
    }
    var splice = FileSplice()
    splice.add(0..<start)
    splice.add(new)
    splice.add(start + header.count..<size)
    return splice
  }
}
