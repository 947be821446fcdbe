/// Reads the chunks of a file: RIFF (WAV, RIFX, RF64 and BW64), AIFF, Sony Wave64, CAF, DSDIFF.
package struct ChunkReader {
  package struct Chunk: Hashable, Sendable {
    /// The identifier: four characters; in Wave64, the first four bytes of the GUID.
    package var id: String
    /// Offset of the chunk's header.
    package var start: Int
    /// Offset of the chunk's content.
    package var body: Int
    /// Claimed size of the content in bytes, which may reach past the end of the file.
    package var size: Int
    /// `true` if the size comes from the chunk `ds64` of long files (EBU Tech 3306).
    package var isLong = false
    /// `true` in CAF and Wave64 if the size is unknown: the chunk then ends at the end of the file.
    package var isOpenEnded = false

    package var end: Int { body + size }
    /// `true` if the identifier is printable, like all defined identifiers.
    package var hasName: Bool { id.unicodeScalars.allSatisfy { (0x20...0x7E).contains($0.value) } }
  }

  private struct Layout {
    /// Number of bytes that the identifier takes at the start of a chunk.
    var idLength = 4
    /// Number of bytes that the size takes after the identifier.
    var sizeLength = 4
    var isBigEndian = false
    /// `true` if the size includes the chunk's own header.
    var countsHeader = false
    /// Chunks are padded so that their content takes a multiple of this many bytes.
    var alignment = 2
    /// Number of bytes before the first chunk.
    var headerSize = 12

    init?(_ container: Container) {
      switch container {
      case .wav, .rf64: break
      case .aiff, .rifx: isBigEndian = true
      case .wave64:
        (idLength, sizeLength, countsHeader, alignment, headerSize) = (16, 8, true, 8, 40)
      case .dsdiff: (sizeLength, isBigEndian, headerSize) = (8, true, 16)
      case .caf: (sizeLength, isBigEndian, alignment, headerSize) = (8, true, 1, 8)
      default: return nil
      }
    }
  }

  private let source: ByteSource
  private let layout: Layout
  /// Offset at which `next` last looked for a chunk; once it has returned `nil`, the end of the last chunk.
  package private(set) var position: Int
  private var previous: Chunk?
  private var count = 0
  private var longDataSize: Int?

  /// Maximum number of chunks: more than any real file has.
  private static let limit = 1 << 17

  /// `nil` for containers that do not consist of chunks.
  ///
  /// - Parameter start: The start of the container.
  package init?(_ source: ByteSource, _ container: Container, at start: Int) {
    guard let layout = Layout(container) else { return nil }
    self.source = source
    self.layout = layout
    position = start + layout.headerSize
  }

  /// Returns a reader for the chunks inside another chunk, which have the same layout.
  package func chunks(from start: Int) -> ChunkReader {
    var inner = self
    (inner.position, inner.previous, inner.count) = (start, nil, 0)
    return inner
  }

  /// Returns the next chunk; `nil` at the end.
  package mutating func next() throws(FileReadError) -> Chunk? {
    if let previous { position = try start(after: previous) }
    previous = nil
    guard count < Self.limit, let chunk = try chunk(at: position) else { return nil }
    count += 1
    previous = chunk
    if chunk.id == "ds64" {
      // The size of the whole file precedes that of the audio.
      longDataSize = try source.bytes(at: chunk.body, count: 16).littleEndian(Int64.self, at: 8).map { Int($0) }
    }
    return chunk
  }

  private func chunk(at position: Int) throws(FileReadError) -> Chunk? {
    let headerSize = layout.idLength + layout.sizeLength
    let header = try source.bytes(at: position, count: headerSize)
    guard header.count == headerSize else { return nil }
    let field = header.dropFirst(layout.idLength)
    let claimed = layout.isBigEndian ? field.bigEndianNumber : ArraySlice(field.reversed()).bigEndianNumber
    var chunk = Chunk(id: header.prefix(4).latin1, start: position, body: position + headerSize, size: 0)
    if layout.alignment == 1 && Int64(bitPattern: claimed) < 0 || layout.countsHeader && claimed >= UInt64(Int64.max) {
      chunk.isOpenEnded = true
      chunk.size = max(0, source.size - chunk.body)
      return chunk
    }
    // Larger sizes reach far past the end of any file; sums of sizes within this limit cannot overflow.
    guard let size = Int(exactly: claimed), size <= Int.max / 4 else { return nil }
    chunk.size = layout.countsHeader ? size - headerSize : size
    if chunk.id == "data", layout.sizeLength == 4, claimed == UInt32.max, let longDataSize,
      (1...Int.max / 4).contains(longDataSize)
    {
      chunk.size = longDataSize
      chunk.isLong = true
    }
    return chunk.size >= 0 ? chunk : nil
  }

  /// Returns the start of the next chunk. Some writers forget the byte that pads a chunk of odd size.
  private func start(after chunk: Chunk) throws(FileReadError) -> Int {
    let excess = chunk.size % layout.alignment
    guard excess > 0 else { return chunk.end }
    let padded = chunk.end + layout.alignment - excess
    guard layout.alignment == 2, try !isChunk(at: padded), try isChunk(at: chunk.end) else { return padded }
    return chunk.end
  }

  /// `true` if a chunk with a printable name, and a size that fits in the file, is at `position`.
  private func isChunk(at position: Int) throws(FileReadError) -> Bool {
    guard let chunk = try chunk(at: position) else { return false }
    return chunk.hasName && chunk.end <= source.size
  }
}
