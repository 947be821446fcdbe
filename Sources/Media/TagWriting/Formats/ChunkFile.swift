internal import MediaContainers
internal import TagReading

/// A WAV or AIFF file, whose ID3v2 tag, if it has one, is in a chunk.
struct ChunkFile: TagContainer {
  var tags: [EditableTag]
  private let isBigEndian: Bool
  private let start: Int
  private let size: Int
  private let envelope: ID3v2Envelope
  /// Range of the tag chunk, including its header and padding; `nil` if there is none.
  private let chunk: Range<Int>?
  private let id: [UInt8]
  /// Number of padding bytes that are missing after the last chunk.
  private let padding: Int

  /// Maximum number of zeros accepted after a tag.
  private static let fillLimit = 16 << 20

  init(_ source: ByteSource, _ container: Container, at start: Int) throws {
    isBigEndian = container == .aiff
    self.start = start
    size = source.size
    let field = try source.bytes(at: start + 4, count: 4)
    let claimed = isBigEndian ? field.bigEndian(UInt32.self) : field.littleEndian(UInt32.self)
    // Some programs omit the padding byte of a last chunk with an odd size. The claimed size may or may not include it.
    guard let claimed, [source.size, source.size + 1].contains(start + 8 + Int(claimed)),
      var chunks = ChunkReader(source, container, at: start)
    else { throw Self.odd("The file does not have the length that it claims") }
    var tags: [ChunkReader.Chunk] = []
    var end = start + 12
    var tagEnd = 0
    while let found = try chunks.next() {
      // The start of the chunk after the tag is known only now.
      if tags.last?.end == end { tagEnd = found.start }
      guard found.end <= source.size else { throw Self.odd("A chunk reaches past the end of the file") }
      end = found.end
      if ["ID3 ", "id3 "].contains(found.id) { tags.append(found) }
    }
    guard end == source.size || chunks.position == source.size, start + 8 + Int(claimed) <= chunks.position,
      tags.count <= 1
    else {
      throw Self.odd("The chunks do not fill the file, or there are several for tags")
    }
    // A chunk that is appended after a chunk of odd size must follow the padding byte.
    padding = chunks.position - source.size
    if tags.last?.end == end { tagEnd = source.size }
    var frames: [EditableTag.Entry] = []
    var envelope = ID3v2Envelope()
    if let tag = tags.first {
      let header = try source.bytes(at: tag.body, count: min(10, tag.size))
      // Some programs write zeros after the tag.
      let own = header.count == 10 ? min(tag.size, 10 + ID3v2Header.syncsafe(header[6..<10])) : 0
      let rest = try source.bytes(at: tag.body + own, count: min(tag.size - own, Self.fillLimit + 1))
      guard rest.count <= Self.fillLimit, rest.allSatisfy({ $0 == 0 }) else {
        throw Self.odd("There is something after the tag")
      }
      envelope = try ID3v2Envelope(source, tag.body..<tag.body + own, frames: &frames)
      id = try source.bytes(at: tag.start, count: 4)
      chunk = tag.start..<tagEnd
    } else {
      // Other programs spell the identifier of ID3v2 chunks in this way.
      id = Array((isBigEndian ? "ID3 " : "id3 ").utf8)
      chunk = nil
    }
    self.envelope = envelope
    self.tags = [
      EditableTag(.id3v2, frames) { key, values throws(TagWriteError) in try envelope.frame(key, values) }
    ]
  }

  private static func odd(_ what: String) -> TagWriteError {
    TagWriteError(.oddStructure, "\(what); such files are not changed.")
  }

  func splice() throws(TagWriteError) -> FileSplice {
    let tag = try envelope.tag(tags[0], isEven: true)
    var new = FileSplice()
    if tag.size > 0 {
      if chunk == nil { new.add(zeros: padding) }
      new.add(id + number(UInt32(clamping: tag.size)))
      new.add(tag)
    }
    let place = chunk ?? size..<size
    guard let claimed = UInt32(exactly: size - start - 8 + new.size - place.count), claimed < UInt32.max else {
      throw TagWriteError(.noRoom, "The file would become larger than its header allows.")
    }
    var splice = FileSplice()
    splice.add(0..<start + 4)
    splice.add(number(claimed))
    splice.add(start + 8..<size, replacing: [(place, new)])
    return splice
  }

  private func number(_ number: UInt32) -> [UInt8] {
    isBigEndian ? number.bigEndianBytes : number.littleEndianBytes
  }
}
