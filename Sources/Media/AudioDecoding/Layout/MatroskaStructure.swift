internal import MediaContainers

/// The elements of a Matroska file (RFC 9559) to hide from FFmpeg: tags, chapters, attachments and seek tables.
struct MatroskaStructure {
  /// The masks in ascending order of their offsets.
  private(set) var masks: [ByteMask] = []

  private static let hidden: Set<UInt64> = [
    EBMLElement.ID.tags, EBMLElement.ID.chapters, EBMLElement.ID.attachments, EBMLElement.ID.cues,
  ]
  /// Maximum size of a seek head, in bytes. FFmpeg follows each entry; real files have fewer than ten, of about twenty
  /// bytes.
  private static let seekHeadLimit = 4_096
  private static let elementLimit = 1 << 21

  init(in file: ByteSource, from start: Int) throws(FileReadError) {
    var position = start
    for _ in 0..<Self.elementLimit {
      guard let element = try EBMLElement(at: position, end: file.size, in: file) else { break }
      if element.id == EBMLElement.ID.segment || element.id == EBMLElement.ID.cluster && element.isOpenEnded {
        position = element.body.lowerBound
        continue
      }
      guard !element.isOpenEnded, !element.isCutOff else { break }
      let isLongSeekHead = element.id == EBMLElement.ID.seekHead && element.body.count > Self.seekHeadLimit
      if Self.hidden.contains(element.id) || isLongSeekHead { masks.append(Self.void(element)) }
      position = element.body.upperBound
    }
  }

  /// A Void element in place of an element whose identifier has four bytes.
  private static func void(_ element: EBMLElement) -> ByteMask {
    // The bytes saved by the shorter header become part of the body.
    let sizeLength = min(7, element.headerSize - 1)
    let size = UInt64(element.body.upperBound - element.start - 1 - sizeLength) | 1 << UInt64(7 * sizeLength)
    return ByteMask(at: element.start, [0xec] + size.bigEndianBytes.suffix(sizeLength))
  }
}
