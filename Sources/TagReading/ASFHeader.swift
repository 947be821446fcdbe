internal import Analysis
internal import CTagLib

/// The tags in the header object of an ASF file (Advanced Systems Format Specification 1.20, sections 3.10, 3.11, 4.7,
/// 4.8), as a header of its own that holds nothing else.
enum ASFHeader {
  private enum Object: CaseIterable {
    case contentDescription, extendedContentDescription, headerExtension, metadata, metadataLibrary

    /// The GUID as it stands in files.
    var id: [UInt8] {
      switch self {
      case .contentDescription:
        [0x33, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11, 0xA6, 0xD9, 0x00, 0xAA, 0x00, 0x62, 0xCE, 0x6C]
      case .extendedContentDescription:
        [0x40, 0xA4, 0xD0, 0xD2, 0x07, 0xE3, 0xD2, 0x11, 0x97, 0xF0, 0x00, 0xA0, 0xC9, 0x5E, 0xA8, 0x50]
      case .headerExtension:
        [0xB5, 0x03, 0xBF, 0x5F, 0x2E, 0xA9, 0xCF, 0x11, 0x8E, 0xE3, 0x00, 0xC0, 0x0C, 0x20, 0x53, 0x65]
      case .metadata:
        [0xEA, 0xCB, 0xF8, 0xC5, 0xAF, 0x5B, 0x77, 0x48, 0x84, 0x67, 0xAA, 0x8C, 0x44, 0xFA, 0x4C, 0xCA]
      case .metadataLibrary:
        [0x94, 0x1C, 0x23, 0x44, 0x98, 0x94, 0xD1, 0x49, 0xA1, 0x41, 0x1D, 0x13, 0x4E, 0x45, 0x70, 0x54]
      }
    }

    var hasAttributeCount: Bool { self != .contentDescription && self != .headerExtension }
  }

  /// GUID and size in front of each object.
  private static let objectHeaderSize = 24
  /// The header object's own, with the number of objects and two reserved bytes.
  private static let headerSize = 30
  /// The header extension's own, with reserved bytes and the size of its data.
  private static let extensionHeaderSize = 46
  private static let maximumObjectCount = 10_000

  /// - Parameter offset: where the header object starts.
  static func read(from source: ByteSource, at offset: Int) throws(TagReadError) -> RawTag {
    var tag = RawTag(.asf)
    let header = try source.bytes(at: offset, count: headerSize)
    guard header.count == headerSize else {
      tag.remarks.append("The ASF header breaks off at its start.")
      return tag
    }
    let end = offset + Int(clamping: min(header[16...].littleEndian(8), UInt64(source.size - offset)))
    var objects = try self.objects(in: source, from: offset + headerSize, to: end, tag: &tag)
    var extended: [UInt8] = []
    if let place = objects.removeValue(forKey: .headerExtension) {
      let inner = try self.objects(
        in: source, from: place.lowerBound + extensionHeaderSize, to: place.upperBound, tag: &tag)
      for object in [Object.metadata, .metadataLibrary] {
        if let place = inner[object] { extended += try bytes(of: object, at: place, in: source, tag: &tag) }
      }
    }
    var plain: [UInt8] = []
    var count = 0
    for object in [Object.contentDescription, .extendedContentDescription] {
      guard let place = objects[object] else { continue }
      plain += try bytes(of: object, at: place, in: source, tag: &tag)
      count += 1
    }
    if !extended.isEmpty {
      plain += Object.headerExtension.id + littleEndian(extensionHeaderSize + extended.count, 8)
      // The reserved fields are of no use to TagLib.
      plain += [UInt8](repeating: 0, count: 18) + littleEndian(extended.count, 4) + extended
      count += 1
    }
    guard count > 0 else { return tag }
    plain = Container.asfHeader + littleEndian(headerSize + plain.count, 8) + littleEndian(count, 4) + [1, 2] + plain
    TagBlock(kind: CTAGLIB_ASF_HEADER, bytes: plain).parse(into: &tag)
    return tag
  }

  /// Where the objects of interest are; of each kind the first.
  private static func objects(
    in source: ByteSource, from start: Int, to end: Int, tag: inout RawTag
  ) throws(TagReadError) -> [Object: Range<Int>] {
    var places: [Object: Range<Int>] = [:]
    var position = start
    for _ in 0..<maximumObjectCount where position + objectHeaderSize <= end {
      let header = try source.bytes(at: position, count: objectHeaderSize)
      guard header.count == objectHeaderSize else { break }
      let size = Int(clamping: header[16...].littleEndian(8))
      guard size >= objectHeaderSize, size <= end - position else {
        tag.remarks.append("The ASF header is damaged at byte \(position); the rest was not read.")
        break
      }
      if let object = Object.allCases.first(where: { header.starts(with: $0.id) }), places[object] == nil {
        places[object] = position..<position + size
      }
      position += size
    }
    return places
  }

  private static func bytes(
    of object: Object, at place: Range<Int>, in source: ByteSource, tag: inout RawTag
  ) throws(TagReadError) -> [UInt8] {
    guard place.count <= TagBlock.maximumSize else {
      tag.remarks.append("A part of the ASF header is larger than any real one and was left out.")
      return []
    }
    var bytes = try source.bytes(at: place.lowerBound, count: place.count)
    if object.hasAttributeCount, bytes.count >= objectHeaderSize + 2 {
      let count = Int(bytes[objectHeaderSize...].littleEndian(2))
      bytes.replaceSubrange(
        objectHeaderSize..<objectHeaderSize + 2, with: littleEndian(min(count, TagBlock.maximumValueCount), 2))
    }
    return bytes
  }

  private static func littleEndian(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
}
