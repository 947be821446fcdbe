internal import Analysis
internal import MediaContainers
internal import SystemPackage

/// The pieces of a file with new tags: ranges of the old file, and new bytes. Pictures and audio are never loaded into
/// memory as a whole.
struct FileSplice {
  enum Piece: Hashable {
    case original(Range<Int>)
    case bytes([UInt8])
    case zeros(Int)
    /// New bytes, followed by a range of the old file.
    case joined([UInt8], Range<Int>)
    /// Ogg pages. The pages of the stream `serial` are renumbered, until that stream ends.
    case pages(Range<Int>, serial: UInt32, numberShift: UInt32)
  }

  private(set) var pieces: [Piece] = []

  private static let blockSize = 1 << 20

  mutating func add(_ range: Range<Int>) {
    if !range.isEmpty { pieces.append(.original(range)) }
  }

  mutating func add(_ bytes: [UInt8]) {
    if !bytes.isEmpty { pieces.append(.bytes(bytes)) }
  }

  mutating func add(zeros count: Int) {
    if count > 0 { pieces.append(.zeros(count)) }
  }

  mutating func add(_ piece: Piece) {
    if case .joined(let bytes, let range) = piece {
      add(bytes)
      add(range)
    } else if piece.size > 0 {
      pieces.append(piece)
    }
  }

  mutating func add(_ other: FileSplice) { pieces += other.pieces }

  /// Adds a part of the old file in which some ranges are replaced.
  ///
  /// - Parameter patches: Disjoint ranges within `range`; empty ranges at the same position keep their order, and come
  ///   before a patch that begins there.
  mutating func add(_ range: Range<Int>, replacing patches: [(range: Range<Int>, new: FileSplice)]) {
    var position = range.lowerBound
    for patch in patches.enumerated().sorted(by: {
      ($0.element.range.lowerBound, $0.element.range.upperBound, $0.offset)
        < ($1.element.range.lowerBound, $1.element.range.upperBound, $1.offset)
    }) {
      add(position..<patch.element.range.lowerBound)
      add(patch.element.new)
      position = patch.element.range.upperBound
    }
    add(position..<range.upperBound)
  }

  mutating func add(pages range: Range<Int>, serial: UInt32, numberShift: UInt32) {
    pieces.append(.pages(range, serial: serial, numberShift: numberShift))
  }

  /// Size of the new file in bytes.
  var size: Int { pieces.reduce(0) { $0 + $1.size } }

  /// The bytes of the new file that do not come from the old file.
  var ownBytes: [UInt8] {
    pieces.flatMap { piece -> [UInt8] in
      switch piece {
      case .bytes(let bytes): bytes
      case .zeros(let count): [UInt8](repeating: 0, count: count)
      case .original, .pages, .joined: []
      }
    }
  }

  /// Writes the new file.
  ///
  /// - Returns: Digest of the written bytes.
  @discardableResult
  func write(from source: ByteSource, to file: FileDescriptor) throws(TagWriteError) -> ContentID {
    var hasher = ContentHasher()
    try forEachBlock(of: source) { block throws(TagWriteError) in
      block.withUnsafeBytes { hasher.update($0) }
      do {
        _ = try file.writeAll(block)
      } catch {
        throw TagWriteError(.inputOutput, "The new file could not be written: \(error).")
      }
    }
    return hasher.finish()
  }

  /// Computes the digest of the new file without writing it.
  func digest(from source: ByteSource) throws(TagWriteError) -> ContentID {
    var hasher = ContentHasher()
    try forEachBlock(of: source) { block throws(TagWriteError) in block.withUnsafeBytes { hasher.update($0) } }
    return hasher.finish()
  }

  private func forEachBlock(
    of source: ByteSource, _ take: ([UInt8]) throws(TagWriteError) -> Void
  ) throws(TagWriteError) {
    for piece in pieces {
      switch piece {
      case .bytes(let bytes): try take(bytes)
      case .zeros(var count):
        while count > 0 {
          let block = [UInt8](repeating: 0, count: min(count, Self.blockSize))
          try take(block)
          count -= block.count
        }
      case .original(let range):
        var position = range.lowerBound
        while position < range.upperBound {
          let block = try Self.read(position..<min(position + Self.blockSize, range.upperBound), of: source)
          try take(block)
          position += block.count
        }
      // `add` has split such pieces.
      case .joined: continue
      case .pages(let range, let serial, let shift):
        try Self.forEachBlock(ofPages: range, serial: serial, numberShift: shift, in: source, take)
      }
    }
  }

  private static func forEachBlock(
    ofPages range: Range<Int>, serial: UInt32, numberShift: UInt32, in source: ByteSource,
    _ take: ([UInt8]) throws(TagWriteError) -> Void
  ) throws(TagWriteError) {
    var waiting: [UInt8] = []
    var hasEnded = false
    var position = range.lowerBound
    while position < range.upperBound {
      let lacing = try Self.bytes(position, count: OggFile.headerSize + 255, of: source)
      guard lacing.has("OggS"), lacing.count > 26, lacing.count >= OggFile.headerSize + Int(lacing[26]) else {
        throw TagWriteError(.oddStructure, "There is something other than an Ogg page at byte \(position).")
      }
      let headerSize = OggFile.headerSize + Int(lacing[26])
      let size = lacing[OggFile.headerSize..<headerSize].reduce(headerSize) { $0 + Int($1) }
      guard position + size <= range.upperBound else {
        throw TagWriteError(.oddStructure, "The last Ogg page is cut off.")
      }
      var page = try Self.read(position..<position + size, of: source)
      if !hasEnded, page.littleEndian(UInt32.self, at: 14) == serial {
        let number = page.littleEndian(UInt32.self, at: 18) ?? 0
        page.replaceSubrange(18..<22, with: (number &+ numberShift).littleEndianBytes)
        OggFile.sign(&page)
        hasEnded = page[5] & 4 != 0
      }
      waiting += page
      position += size
      if waiting.count >= blockSize || position == range.upperBound {
        try take(waiting)
        waiting = []
      }
    }
  }

  private static func bytes(_ position: Int, count: Int, of source: ByteSource) throws(TagWriteError) -> [UInt8] {
    do throws(FileReadError) {
      return try source.bytes(at: position, count: count)
    } catch {
      throw TagWriteError(.inputOutput, error.message)
    }
  }

  private static func read(_ range: Range<Int>, of source: ByteSource) throws(TagWriteError) -> [UInt8] {
    let bytes = try bytes(range.lowerBound, count: range.count, of: source)
    guard bytes.count == range.count else {
      throw TagWriteError(.changed, "The file was truncated while it was being copied.")
    }
    return bytes
  }
}

extension FileSplice.Piece {
  var size: Int {
    switch self {
    case .original(let range), .pages(let range, _, _): range.count
    case .bytes(let bytes): bytes.count
    case .zeros(let count): count
    case .joined(let bytes, let range): bytes.count + range.count
    }
  }
}
