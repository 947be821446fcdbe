internal import Analysis
internal import Landmarks
internal import SystemPackage

/// Writes a segment, section by section, into memory or a new file.
struct SegmentWriter: ~Copyable {
  private typealias Format = SegmentFormat

  private let file: FileDescriptor?
  private let path: String
  private var buffer: [UInt8]
  /// Number of bytes written so far, including the header.
  private var offset = Format.headerSize
  private var sectionStart = Format.headerSize
  private var hasher = ContentHasher()
  private var entries: [(offset: Int, length: Int, checksum: UInt64)] = []
  private var unhashed = 0

  private static let bufferSize = 1 << 20

  /// - Parameter file: An empty file; `nil` to write into memory.
  init(file: FileDescriptor? = nil, path: String = "catalog in memory") {
    self.file = file
    self.path = path
    buffer = [UInt8](repeating: 0, count: Format.headerSize)
    unhashed = buffer.count
  }

  mutating func append(_ bytes: [UInt8]) throws(CatalogError) {
    buffer.append(contentsOf: bytes)
    offset += bytes.count
    if file != nil, buffer.count >= Self.bufferSize { try flush() }
  }

  private mutating func hashBuffer() {
    buffer.withUnsafeBytes { hasher.update(UnsafeRawBufferPointer(rebasing: $0[unhashed...])) }
    unhashed = buffer.count
  }

  private mutating func flush() throws(CatalogError) {
    hashBuffer()
    if let file {
      do { try file.writeAll(buffer) } catch { throw .unwritable(path: path, reason: "\(error)") }
      buffer.removeAll(keepingCapacity: true)
      unhashed = 0
    }
  }

  /// Ends the current section. Sections must be written in the order of the format.
  private mutating func endSection() {
    hashBuffer()
    entries.append((sectionStart, offset - sectionStart, hasher.finish().low))
    hasher = ContentHasher()
    sectionStart = offset
  }

  /// Writes a whole segment.
  /// - Parameters:
  ///   - tracks: Records that contain the columns. This method fills in the offsets of landmarks, blocks and items.
  ///   - codes: Returns the codes of a track.
  ///   - items: Returns the identifier and the media items of a track, as JSON.
  ///   - contextBits: See `InvertedFile`.
  /// - Returns: The bytes when writing to memory; an empty array when writing to a file.
  consuming func write(
    tracks: [SegmentFormat.Track], codes: (_ track: Int) -> [UInt8], items: (_ track: Int) -> [UInt8],
    contextBits: Int? = nil
  ) throws(CatalogError) -> [UInt8] {
    var tracks = tracks
    var blocks: [UInt8] = []
    var landmarkOffset = 0
    for index in tracks.indices {
      let bytes = codes(index)
      tracks[index].landmarkOffset = UInt64(landmarkOffset)
      tracks[index].codeCount = UInt32(bytes.count / 2)
      tracks[index].firstBlock = UInt32(blocks.count / Format.blockSize)
      tracks[index].landmarkCount = Self.appendBlocks(
        of: bytes, columnCount: Int(tracks[index].columnCount), to: &blocks)
      try append(bytes)
      landmarkOffset += bytes.count
    }
    endSection()

    let inverted = InvertedFile(tracks, codes: codes, contextBits: contextBits)
    let listCount = LandmarkPair.keyCount << inverted.contextBits
    let landmarkCount = tracks.reduce(0) { $0 + Int($1.landmarkCount) }
    // There are about as many postings as landmarks, so most lists are empty if there are few landmarks.
    var table = ListTable(listCount: landmarkCount < listCount / 2 ? listCount : nil)
    var offsets: [UInt32] = []
    var bases: [UInt8] = []
    var base = 0
    var postingCount = 0
    /// Records the start of the next list.
    func beginList() throws(CatalogError) {
      let start = offset - sectionStart
      if offsets.count % Format.listGroup == 0 {
        base = start
        bases.append(littleEndian: UInt64(base))
      }
      guard let relative = UInt32(exactly: start - base) else { throw .tooLarge }
      offsets.append(relative)
    }
    var encoded: [UInt8] = []
    for bands in inverted.slices {
      let slice = inverted.slice(ofBands: bands, codes: codes)
      for list in slice.lists {
        let postings = slice.postings(ofList: list)
        guard table.add(list, isEmpty: postings.isEmpty) else { continue }
        try beginList()
        encoded.removeAll(keepingCapacity: true)
        var last: UInt32 = 0
        for posting in postings {
          var difference = posting - last
          last = posting
          while difference >= 0x80 {
            encoded.append(UInt8(truncatingIfNeeded: difference) | 0x80)
            difference >>= 7
          }
          encoded.append(UInt8(difference))
          postingCount += 1
        }
        try append(encoded)
      }
    }
    try beginList()
    endSection()
    try append(bases)
    endSection()

    let width = (offsets.max() ?? 0) <= UInt16.max ? 2 : 4
    var packed = table.bytes
    packed.reserveCapacity(packed.count + width * offsets.count)
    for offset in offsets {
      for byte in 0..<width { packed.append(UInt8(truncatingIfNeeded: offset >> (8 * UInt32(byte)))) }
    }
    try append(packed)
    endSection()
    try append(blocks)
    endSection()

    var records: [UInt8] = []
    records.reserveCapacity(tracks.count * Format.Track.size)
    var itemOffset = 0
    for index in tracks.indices {
      let length = items(index).count
      tracks[index].itemOffset = UInt64(itemOffset)
      tracks[index].itemLength = UInt32(length)
      itemOffset += length
      records.append(tracks[index])
    }
    try append(records)
    endSection()
    for index in tracks.indices { try append(items(index)) }
    endSection()

    let columnCount = tracks.last.map { Int($0.firstColumn) + Int($0.columnCount) + Format.trackGap } ?? 0
    let header = header(
      trackCount: tracks.count, columnCount: columnCount, landmarkCount: landmarkCount, postingCount: postingCount,
      listOffsetWidth: width, contextBits: inverted.contextBits,
      storedListCount: table.isSparse ? offsets.count - 1 : nil)
    if let file {
      try flush()
      do {
        try file.writeAll(toAbsoluteOffset: 0, header)
      } catch {
        throw .unwritable(path: path, reason: "\(error)")
      }
      return []
    }
    buffer.replaceSubrange(0..<Format.headerSize, with: header)
    return buffer
  }

  /// Appends the blocks of a track.
  /// - Returns: The number of landmarks.
  private static func appendBlocks(
    of codes: [UInt8], columnCount: Int, to blocks: inout [UInt8]
  ) -> UInt32 {
    var column = 0
    var count: UInt32 = 0
    var block = 0
    for index in 0..<codes.count / 2 {
      let before = column
      let code = UInt16(codes[2 * index]) | UInt16(codes[2 * index + 1]) << 8
      if SignatureCoding.decode(code, column: &column) != nil { count += 1 }
      while block * Format.blockColumns <= column, block * Format.blockColumns < columnCount {
        blocks.append(littleEndian: UInt32(index))
        blocks.append(littleEndian: UInt32(before))
        block += 1
      }
    }
    while block * Format.blockColumns < columnCount {
      blocks.append(littleEndian: UInt32(codes.count / 2))
      blocks.append(littleEndian: UInt32(column))
      block += 1
    }
    return count
  }

  private func header(
    trackCount: Int, columnCount: Int, landmarkCount: Int, postingCount: Int, listOffsetWidth: Int,
    contextBits: Int, storedListCount: Int?
  ) -> [UInt8] {
    var header = Format.magic
    header.append(littleEndian: Format.version)
    header.append(littleEndian: UInt32(Signature.version))
    header.append(littleEndian: UInt64(trackCount))
    header.append(littleEndian: UInt64(columnCount))
    header.append(littleEndian: UInt64(landmarkCount))
    header.append(littleEndian: UInt64(postingCount))
    header.append(littleEndian: UInt32(listOffsetWidth))
    header.append(littleEndian: UInt32(contextBits))
    header.append(littleEndian: UInt64(offset))
    for entry in entries {
      header.append(littleEndian: UInt64(entry.offset))
      header.append(littleEndian: UInt64(entry.length))
      header.append(littleEndian: entry.checksum)
    }
    header.append(littleEndian: UInt32(storedListCount == nil ? 0 : 1))
    header.append(littleEndian: UInt32(storedListCount ?? 0))
    header += [UInt8](repeating: 0, count: Format.Header.checksum - header.count)
    header.append(littleEndian: ContentID(hashing: header).low)
    return header
  }
}

/// The presence bits and ranks of the stored lists.
private struct ListTable {
  private var words: [UInt64]
  let isSparse: Bool

  /// - Parameter listCount: Number of lists; `nil` if all are stored.
  init(listCount: Int?) {
    words = [UInt64](repeating: 0, count: ((listCount ?? 0) + 63) / 64)
    isSparse = listCount != nil
  }

  /// Records the next list. Returns `true` if it is stored.
  mutating func add(_ list: Int, isEmpty: Bool) -> Bool {
    guard isSparse else { return true }
    if !isEmpty { words[list / 64] |= 1 << UInt64(list % 64) }
    return !isEmpty
  }

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    for word in words { bytes.append(littleEndian: word) }
    var rank: UInt32 = 0
    for (index, word) in words.enumerated() {
      if index * 64 % SegmentFormat.rankGroup == 0 { bytes.append(littleEndian: rank) }
      rank += UInt32(word.nonzeroBitCount)
    }
    return bytes
  }
}

extension [UInt8] {
  fileprivate mutating func append(littleEndian value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }

  fileprivate mutating func append(_ track: SegmentFormat.Track) {
    append(littleEndian: track.firstColumn)
    append(littleEndian: track.columnCount)
    append(littleEndian: track.landmarkOffset)
    append(littleEndian: track.codeCount)
    append(littleEndian: track.landmarkCount)
    append(littleEndian: track.firstBlock)
    append(littleEndian: track.itemLength)
    append(littleEndian: track.itemOffset)
    append(littleEndian: track.identifierHigh)
    append(littleEndian: track.identifierLow)
    append(littleEndian: track.reserved)
  }
}
