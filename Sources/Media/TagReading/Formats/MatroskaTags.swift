internal import Analysis
internal import MediaContainers

/// The tags, chapters and attached pictures of Matroska and WebM files (RFC 9559; matroska.org: Tagging).
///
/// Some names, such as `TITLE` and `ARTIST`, mean something else at the album level; this reader then prefixes them
/// with `ALBUM:`.
struct MatroskaTags {
  private typealias ID = EBMLElement.ID

  private let source: ByteSource
  private var tag = RawTag(.matroska)
  private var textSize = 0
  private var droppedCount = 0

  /// Maximum number of elements examined on one level.
  private static let maximumElementCount = 20_000
  /// Names with different meanings at the album and track levels.
  private static let albumNames: Set<String> = [
    "TITLE", "ARTIST", "PART_NUMBER", "TOTAL_PARTS", "REPLAYGAIN_GAIN", "REPLAYGAIN_PEAK",
  ]
  /// The target type of an album (RFC 9559, section 5.1.8.1.1.1); the type of a track is 30.
  private static let albumLevel: UInt64 = 50

  /// - Parameter offset: Offset of the EBML header.
  static func read(from source: ByteSource, at offset: Int) throws(FileReadError) -> RawTag? {
    var reader = MatroskaTags(source: source)
    guard let header = try reader.element(at: offset, end: source.size),
      let segment = try reader.element(at: header.body.upperBound, end: source.size), segment.id == ID.segment
    else { return nil }
    for place in try reader.places(in: segment) {
      guard let element = try reader.element(at: place, end: segment.body.upperBound) else { continue }
      switch element.id {
      case ID.info: try reader.readInfo(element)
      case ID.tags: try reader.readTags(element)
      case ID.chapters: try reader.readChapters(element)
      case ID.attachments: try reader.readAttachments(element)
      default: break
      }
    }
    if reader.droppedCount > 0 {
      reader.tag.remarks.append(
        "The Matroska tags are more numerous or larger than any real ones; \(reader.droppedCount) were left out.")
    }
    return reader.tag
  }

  private init(source: ByteSource) {
    self.source = source
  }

  /// Returns the offsets of the relevant elements that precede the audio or are listed in a seek head; without a seek
  /// head, of all of them.
  private func places(in segment: EBMLElement) throws(FileReadError) -> [Int] {
    let wanted = [ID.info, ID.tags, ID.chapters, ID.attachments]
    var places: Set<Int> = []
    var position = segment.body.lowerBound
    var hasIndex = false
    for _ in 0..<Self.maximumElementCount {
      guard let element = try element(at: position, end: segment.body.upperBound) else { break }
      if element.id == ID.seekHead {
        hasIndex = true
        for seek in try children(of: element) where seek.id == 0x4DBB {
          let parts = try children(of: seek)
          guard let id = parts.first(where: { $0.id == 0x53AB }), let offset = parts.first(where: { $0.id == 0x53AC }),
            wanted.contains(try number(id)), let place = Int(exactly: try number(offset)), place < segment.body.count
          else { continue }
          places.insert(segment.body.lowerBound + place)
        }
      } else if wanted.contains(element.id) {
        places.insert(position)
      } else if element.id == ID.cluster, hasIndex {
        break
      }
      position = element.body.upperBound
    }
    return places.sorted()
  }

  private func element(at position: Int, end: Int) throws(FileReadError) -> EBMLElement? {
    try EBMLElement(at: position, end: end, in: source)
  }

  private func children(of parent: EBMLElement) throws(FileReadError) -> [EBMLElement] {
    var children: [EBMLElement] = []
    var position = parent.body.lowerBound
    while children.count < Self.maximumElementCount,
      let child = try element(at: position, end: parent.body.upperBound)
    {
      children.append(child)
      position = child.body.upperBound
    }
    return children
  }

  private func number(_ element: EBMLElement) throws(FileReadError) -> UInt64 {
    try source.bytes(at: element.body.lowerBound, count: min(element.body.count, 8)).bigEndianNumber
  }

  /// Returns a text; `nil` if all texts together would exceed the limit for the tag.
  private mutating func text(_ element: EBMLElement) throws(FileReadError) -> String? {
    guard textSize + element.body.count <= TagLimits.textSize else { return nil }
    textSize += element.body.count
    let bytes = try source.bytes(at: element.body.lowerBound, count: element.body.count)
    return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }

  // MARK: Content

  private mutating func readInfo(_ info: EBMLElement) throws(FileReadError) {
    for child in try children(of: info) where child.id == 0x7BA9 {
      if let title = try text(child) { tag.add("SEGMENT:TITLE", title) }
    }
  }

  private mutating func readTags(_ tags: EBMLElement) throws(FileReadError) {
    for group in try children(of: tags) where group.id == 0x7373 {
      let parts = try children(of: group)
      var isAlbum = false
      var isOfFile = true
      for targets in parts where targets.id == 0x63C0 {
        for target in try children(of: targets) {
          switch target.id {
          case 0x68CA: isAlbum = try number(target) == Self.albumLevel
          // The tag applies to a chapter, an edition or an attachment.
          case 0x63C4, 0x63C9, 0x63C6: if try number(target) != 0 { isOfFile = false }
          default: break
          }
        }
      }
      guard isOfFile else { continue }
      for simple in parts where simple.id == 0x67C8 {
        guard !tag.isFull else {
          droppedCount += 1
          continue
        }
        let fields = try children(of: simple)
        guard let nameField = fields.first(where: { $0.id == 0x45A3 }),
          let valueField = fields.first(where: { $0.id == 0x4487 })
        else { continue }
        guard let name = try text(nameField)?.uppercased(), let value = try text(valueField) else {
          droppedCount += 1
          continue
        }
        let isAlbumName = isAlbum && Self.albumNames.contains(name)
        tag.add(isAlbumName ? "ALBUM:" + name : name, value)
      }
    }
  }

  private mutating func readChapters(_ chapters: EBMLElement) throws(FileReadError) {
    // Other editions contain the same chapters in a different order.
    guard let edition = try children(of: chapters).first(where: { $0.id == 0x45B9 }) else { return }
    for atom in try children(of: edition) where atom.id == 0xB6 {
      guard tag.chapters.count < TagLimits.valueCount else {
        droppedCount += 1
        continue
      }
      var chapter = TagFinding.Chapter(startSeconds: 0)
      for part in try children(of: atom) {
        switch part.id {
        // Times are in nanoseconds.
        case 0x91: chapter.startSeconds = Double(try number(part)) / 1e9
        case 0x92: chapter.endSeconds = Double(try number(part)) / 1e9
        case 0x80 where chapter.title == nil:
          if let title = try children(of: part).first(where: { $0.id == 0x85 }), let text = try text(title),
            !text.isEmpty
          {
            chapter.title = text
          }
        default: break
        }
      }
      tag.chapters.append(chapter)
    }
  }

  private mutating func readAttachments(_ attachments: EBMLElement) throws(FileReadError) {
    for file in try children(of: attachments) where file.id == 0x61A7 {
      var name = ""
      var mime = ""
      var data: EBMLElement?
      for part in try children(of: file) {
        switch part.id {
        case 0x466E: name = try text(part) ?? ""
        case 0x4660: mime = try text(part) ?? ""
        case 0x465C: data = part
        default: break
        }
      }
      guard let data, mime.lowercased().hasPrefix("image/"), !data.body.isEmpty else { continue }
      let start = try source.bytes(at: data.body.lowerBound, count: min(data.body.count, Picture.signatureLength))
      // Names of covers usually start with `cover` (matroska.org: Cover Art).
      let type = name.lowercased().hasPrefix("cover") ? 3 : 0
      tag.pictures.append(Picture.described(type: type, mime: mime, start: start, size: data.body.count))
    }
  }
}
