extension ContainerExtent {
  /// The blocks of a WavPack file ("WavPack 4 & 5 Binary File / Block Format"), each with the range of its samples.
  mutating func readWavPack(_ source: ByteSource, at start: Int, before limit: Int) throws(FileReadError) {
    var position = start
    var total: Int64?
    /// The samples of the last block, and so of the last group of blocks (one block for each pair of channels).
    var last: Range<Int64>?
    var gapCount = 0
    var junkCount = 0
    var byteCount: Int64 = 0
    while position < limit {
      guard let block = try WavPackBlock(at: position, in: source) else {
        if let total, let last, last.upperBound == total { break }
        guard let next = try WavPackBlock.next(after: position, before: limit, in: source) else { break }
        junkCount += 1
        position = next
        continue
      }
      guard block.byteCount <= limit - position else {
        flaw = .cutOff(
          "The last WavPack block claims \(block.byteCount - (limit - position)) bytes more than there are.")
        break
      }
      if !block.samples.isEmpty {
        if let last, block.isInitial, block.samples.lowerBound == 0, last.upperBound >= total ?? 0 {
          // Start of another file.
          break
        }
        let expected = block.isInitial ? last?.upperBound ?? 0 : last?.lowerBound
        if expected != block.samples.lowerBound { gapCount += 1 }
        if last == nil { total = block.total }
        last = block.samples
      }
      byteCount += Int64(block.byteCount)
      position += block.byteCount
    }
    guard let last else { return }
    end = flaw == nil ? position : limit
    audioByteCount = byteCount
    flaw = flaw ?? .disordered("WavPack blocks", missing: gapCount, damaged: junkCount)
    if flaw == nil, let total, last.upperBound < total {
      flaw = .cutOff(
        "The header claims \(total) samples, but the blocks hold \(last.upperBound): the file was cut off.")
    }
  }
}

/// The header of a block.
private struct WavPackBlock {
  /// Size of the whole block in bytes.
  var byteCount: Int
  /// The range of the block's samples per channel; empty for blocks without audio.
  var samples: Range<Int64>
  /// Number of samples in the whole file; `nil` if unknown, or if the block is not the first one.
  var total: Int64?
  /// `true` for the first block in a group of blocks for the same samples.
  var isInitial: Bool

  private static let headerSize = 32
  /// Maximum number of bytes searched for the next block.
  private static let searchLimit = 1 << 22

  init?(at position: Int, in source: ByteSource) throws(FileReadError) {
    let header = try source.bytes(at: position, count: Self.headerSize)
    guard header.count == Self.headerSize, header.has("wvpk"), let size = header.littleEndian(UInt32.self, at: 4),
      let version = header.littleEndian(UInt16.self, at: 8), (0x402...0x410).contains(version), size >= 24,
      size < 1 << 26, let index = header.littleEndian(UInt32.self, at: 16),
      let total = header.littleEndian(UInt32.self, at: 12), let count = header.littleEndian(UInt32.self, at: 20),
      let flags = header.littleEndian(UInt32.self, at: 24)
    else { return nil }
    byteCount = Int(size) + 8
    // Both the index and the total have 40 bits.
    let first = Int64(header[10]) << 32 | Int64(index)
    samples = first..<first + Int64(count)
    self.total = total == .max || first != 0 ? nil : (Int64(header[11]) << 32) + Int64(total) - Int64(header[11])
    isInitial = flags & 0x800 != 0
  }

  /// Returns the start of the next block after `start`; `nil` if none is found.
  static func next(after start: Int, before limit: Int, in source: ByteSource) throws(FileReadError) -> Int? {
    var position = start + 1
    while position < min(limit, start + searchLimit) {
      let bytes = try source.bytes(at: position, count: min(ByteSource.windowSize / 2, limit - position))
      guard bytes.count >= headerSize else { return nil }
      for index in bytes.indices where bytes[index] == 0x77 && bytes.has("wvpk", at: index) {
        if try WavPackBlock(at: position + index, in: source) != nil { return position + index }
      }
      position += bytes.count - 3
    }
    return nil
  }
}
