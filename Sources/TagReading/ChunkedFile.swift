internal import Analysis
internal import CTagLib

/// Files made of chunks: RIFF (WAV, RF64, BW64, RIFX), AIFF and AIFF-C, Sony Wave64, DSDIFF.
struct ChunkedFile {
  private struct Layout {
    /// Bytes of identifier and of size in front of a chunk.
    var idLength = 4
    var sizeLength = 4
    var isBigEndian = false
    /// The size counts the chunk's own header.
    var countsHeader = false
    /// Chunks start at multiples of this.
    var alignment = 2
    /// Where the first chunk stands, counted from the start of the file.
    var firstChunk = 12
  }

  private struct Chunk {
    var id: String
    var bodyStart: Int
    var size: Int
  }

  private let source: ByteSource
  private let offset: Int
  private let layout: Layout
  private let isAIFF: Bool
  /// Where the last chunk ends, once they were read.
  private(set) var end: Int
  /// RF64: the size of the `data` chunk, which does not fit in its header (EBU Tech 3306).
  private var longDataSize: Int?

  private static let maximumChunkCount = 200_000

  init(_ source: ByteSource, at offset: Int, container: Container) {
    self.source = source
    self.offset = offset
    end = offset
    isAIFF = container == .aiff
    layout =
      switch container {
      case .aiff, .rifx: Layout(isBigEndian: true)
      case .wave64: Layout(idLength: 16, sizeLength: 8, countsHeader: true, alignment: 8, firstChunk: 40)
      case .dsdiff: Layout(sizeLength: 8, isBigEndian: true, firstChunk: 16)
      default: Layout()
      }
  }

  /// The tags in their order of precedence: ID3v2, then RIFF INFO or the text chunks of AIFF or DSDIFF.
  mutating func read() throws(TagReadError) -> [RawTag] {
    var id3: [RawTag] = []
    var info: [RawTag] = []
    var texts = RawTag(.aiff)
    var edited = RawTag(.dsdiff)
    var position = offset + layout.firstChunk
    for _ in 0..<Self.maximumChunkCount {
      guard let chunk = try chunk(at: position) else { break }
      switch chunk.id {
      case "ID3 ", "id3 ":
        if let tag = try ID3v2Tag(in: source, at: chunk.bodyStart) {
          id3.append(try tag.read())
        } else if chunk.size > 0 {
          texts.remarks.append(
            "The chunk for ID3v2 at byte \(chunk.bodyStart) holds no tag of a known version; it was not read.")
        }
      case "LIST":
        let kind = try source.bytes(at: chunk.bodyStart, count: 4)
        if kind.has("INFO"), let tag = try readInfo(chunk) { info.append(tag) }
      case "ds64":
        longDataSize = Int(exactly: try source.bytes(at: chunk.bodyStart + 8, count: 8).littleEndian(8))
      case "NAME" where isAIFF: try addText("title", chunk, to: &texts)
      case "AUTH" where isAIFF: try addText("artist", chunk, to: &texts)
      case "ANNO" where isAIFF: try addText("comment", chunk, to: &texts)
      case "(c) " where isAIFF: try addText("copyright", chunk, to: &texts)
      case "DIIN": try readEditedMaster(chunk, into: &edited)
      default: break
      }
      position = try next(after: chunk)
      end = min(position, source.size)
    }
    return (id3 + info + [texts, edited]).filter { !$0.isEmpty || !$0.remarks.isEmpty }
  }

  private func chunk(at position: Int) throws(TagReadError) -> Chunk? {
    let headerSize = layout.idLength + layout.sizeLength
    let header = try source.bytes(at: position, count: headerSize)
    guard header.count == headerSize else { return nil }
    let sizeBytes = header.dropFirst(layout.idLength)
    let claimed =
      layout.isBigEndian ? sizeBytes.bigEndian(layout.sizeLength) : sizeBytes.littleEndian(layout.sizeLength)
    guard var size = Int(exactly: claimed) else { return nil }
    if layout.countsHeader { size -= headerSize }
    // In Wave64 the first four bytes of the GUIDs spell the names of RIFF.
    let id = String(decoding: header.prefix(4), as: UTF8.self)
    if id == "data", size == 0xFFFF_FFFF, let longDataSize { size = longDataSize }
    guard size >= 0, size <= source.size else { return nil }
    return Chunk(id: id, bodyStart: position + headerSize, size: size)
  }

  private func next(after chunk: Chunk) throws(TagReadError) -> Int {
    let end = chunk.bodyStart + chunk.size
    let excess = (end - offset) % layout.alignment
    guard excess > 0 else { return end }
    let padded = end + layout.alignment - excess
    // Some writers forget the padding byte.
    guard layout.alignment == 2, try !isChunk(at: padded), try isChunk(at: end) else { return padded }
    return end
  }

  /// Whether a name and a size stand there that fits in the file.
  private func isChunk(at position: Int) throws(TagReadError) -> Bool {
    guard let chunk = try chunk(at: position) else { return false }
    return chunk.id.utf8.count == 4 && chunk.id.utf8.allSatisfy { (0x20...0x7E).contains($0) }
      && chunk.size <= source.size - chunk.bodyStart
  }

  private func readInfo(_ chunk: Chunk) throws(TagReadError) -> RawTag? {
    var tag = RawTag(.riffInfo)
    guard chunk.size <= TagBlock.maximumTextSize / 4 else {
      tag.remarks.append("The RIFF INFO list is larger than any real one and was not read.")
      return tag
    }
    let body = try source.bytes(at: chunk.bodyStart, count: chunk.size)
    if body.count > 4 { TagBlock(kind: CTAGLIB_RIFF_INFO, bytes: body).parse(into: &tag) }
    return tag
  }

  private static let maximumTextSize = 64 * 1024

  private func addText(_ key: String, _ chunk: Chunk, to tag: inout RawTag) throws(TagReadError) {
    guard chunk.size <= Self.maximumTextSize, tag.entries.count < TagBlock.maximumValueCount else {
      tag.remarks.append("A text chunk is larger than any real one, or one too many, and was left out.")
      return
    }
    let text = try source.bytes(at: chunk.bodyStart, count: chunk.size)
    tag.entries.append(RawTag.Entry(key: key, value: String(decoding: text, as: UTF8.self)))
  }

  /// DSDIFF 1.5, section 3.3: artist and title in chunks of their own, a count in front of the text.
  private func readEditedMaster(_ master: Chunk, into tag: inout RawTag) throws(TagReadError) {
    var position = master.bodyStart
    for _ in 0..<TagBlock.maximumValueCount where position < master.bodyStart + master.size {
      guard let chunk = try chunk(at: position) else { break }
      position = try next(after: chunk)
      guard chunk.id == "DIAR" || chunk.id == "DITI", (4...Self.maximumTextSize).contains(chunk.size) else { continue }
      let count = Int(try source.bytes(at: chunk.bodyStart, count: 4).bigEndian())
      let text = try source.bytes(at: chunk.bodyStart + 4, count: min(count, chunk.size - 4))
      let key = chunk.id == "DIAR" ? "artist" : "title"
      tag.entries.append(RawTag.Entry(key: key, value: String(decoding: text, as: UTF8.self)))
    }
  }
}
