internal import MediaContainers

/// The tags in chunk-based files: ID3v2, RIFF INFO, and the text chunks of AIFF and DSDIFF.
struct ChunkTags {
  private let source: ByteSource
  private let isAIFF: Bool
  private var chunks: ChunkReader
  private var texts = RawTag(.aiff)
  private var edited = RawTag(.dsdiff)
  /// End of the last chunk; set when `read` returns.
  private(set) var end: Int

  private static let listLimit = 1 << 20
  private static let textLimit = 64 * 1024

  /// Returns `nil` for containers that are not chunk-based.
  init?(_ source: ByteSource, _ container: Container, at offset: Int) {
    guard let chunks = ChunkReader(source, container, at: offset) else { return nil }
    self.source = source
    self.chunks = chunks
    isAIFF = container == .aiff
    end = offset
  }

  /// Reads the tags in order of precedence: ID3v2, then RIFF INFO or the text chunks of AIFF or DSDIFF.
  mutating func read() throws(FileReadError) -> [RawTag] {
    var id3: [RawTag] = []
    var info: [RawTag] = []
    while let chunk = try chunks.next(), chunk.size <= source.size {
      switch chunk.id {
      case "ID3 ", "id3 ":
        if let tag = try ID3v2Tag(in: source, at: chunk.body) {
          id3.append(try tag.read())
        } else if chunk.size > 0 {
          texts.remarks.append(
            "The chunk for ID3v2 at byte \(chunk.body) holds no tag of a known version; it was not read.")
        }
      case "LIST":
        if try source.bytes(at: chunk.body, count: 4).has("INFO") { info.append(try readInfo(chunk)) }
      case "NAME" where isAIFF: try addText("title", chunk)
      case "AUTH" where isAIFF: try addText("artist", chunk)
      case "ANNO" where isAIFF: try addText("comment", chunk)
      case "(c) " where isAIFF: try addText("copyright", chunk)
      case "DIIN": try readEditedMaster(chunk)
      default: break
      }
    }
    end = min(chunks.position, source.size)
    return (id3 + info + [texts, edited]).filter { !$0.isEmpty || !$0.remarks.isEmpty }
  }

  private func readInfo(_ list: ChunkReader.Chunk) throws(FileReadError) -> RawTag {
    var tag = RawTag(.riffInfo)
    guard list.size <= Self.listLimit else {
      tag.remarks.append("The RIFF INFO list is larger than any real one and was not read.")
      return tag
    }
    // A repeated chunk replaces the earlier one.
    var values: [(key: String, value: String)] = []
    var places: [String: Int] = [:]
    var inner = chunks.chunks(from: list.body + 4)
    while let chunk = try inner.next(), chunk.end <= list.end {
      guard chunk.id.unicodeScalars.allSatisfy({ (0x20...0x7E).contains($0.value) }) else { continue }
      let text = TagText.utf8(try source.bytes(at: chunk.body, count: chunk.size).prefix { $0 != 0 })
      if let place = places[chunk.id] {
        values[place].value = text
      } else {
        places[chunk.id] = values.count
        values.append((chunk.id, text))
      }
    }
    for (key, value) in values { tag.add(key, value) }
    return tag
  }

  private mutating func addText(_ key: String, _ chunk: ChunkReader.Chunk) throws(FileReadError) {
    guard chunk.size <= Self.textLimit, !texts.isFull else {
      texts.remarks.append("A text chunk is larger than any real one, or one too many, and was left out.")
      return
    }
    texts.add(key, TagText.utf8(try source.bytes(at: chunk.body, count: chunk.size)[...]))
  }

  /// Reads the artist and the title, which are in separate chunks, each text preceded by its length (DSDIFF 1.5,
  /// section 3.3).
  private mutating func readEditedMaster(_ master: ChunkReader.Chunk) throws(FileReadError) {
    var inner = chunks.chunks(from: master.body)
    while !edited.isFull, let chunk = try inner.next(), chunk.start < master.end {
      guard chunk.id == "DIAR" || chunk.id == "DITI", (4...Self.textLimit).contains(chunk.size) else { continue }
      let count = Int(try source.bytes(at: chunk.body, count: 4).bigEndian(UInt32.self) ?? 0)
      let text = try source.bytes(at: chunk.body + 4, count: min(count, chunk.size - 4))
      edited.add(chunk.id == "DIAR" ? "artist" : "title", TagText.utf8(text[...]))
    }
  }
}
