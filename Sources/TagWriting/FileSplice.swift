internal import MediaContainers
internal import SystemPackage

/// What a file with new tags is made of: stretches of the old one, and new bytes.
struct FileSplice {
  enum Piece {
    case original(Range<Int>)
    case bytes([UInt8])
    /// Ogg pages; those of one stream, up to its end, get other numbers.
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

  mutating func add(pages range: Range<Int>, serial: UInt32, numberShift: UInt32) {
    pieces.append(.pages(range, serial: serial, numberShift: numberShift))
  }

  /// Bytes of the new file.
  var size: Int {
    pieces.reduce(0) { sum, piece in
      switch piece {
      case .original(let range), .pages(let range, _, _): sum + range.count
      case .bytes(let bytes): sum + bytes.count
      }
    }
  }

  func write(from source: ByteSource, to file: FileDescriptor) throws(TagWriteError) {
    for piece in pieces {
      switch piece {
      case .bytes(let bytes): try Self.write(bytes, to: file)
      case .original(let range):
        var position = range.lowerBound
        while position < range.upperBound {
          let block = try Self.read(position..<min(position + Self.blockSize, range.upperBound), of: source)
          try Self.write(block, to: file)
          position += block.count
        }
      case .pages(let range, let serial, let shift):
        try Self.write(pages: range, serial: serial, numberShift: shift, from: source, to: file)
      }
    }
  }

  private static func write(
    pages range: Range<Int>, serial: UInt32, numberShift: UInt32, from source: ByteSource, to file: FileDescriptor
  ) throws(TagWriteError) {
    var waiting: [UInt8] = []
    var hasEnded = false
    var position = range.lowerBound
    while position < range.upperBound {
      let lacing = try Self.bytes(position, count: OggFile.headerSize + 255, of: source)
      guard lacing.has("OggS"), lacing.count > 26, lacing.count >= OggFile.headerSize + Int(lacing[26]) else {
        throw TagWriteError(.oddStructure, "Something other than an Ogg page stands at byte \(position).")
      }
      let headerSize = OggFile.headerSize + Int(lacing[26])
      let size = lacing[OggFile.headerSize..<headerSize].reduce(headerSize) { $0 + Int($1) }
      guard position + size <= range.upperBound else {
        throw TagWriteError(.oddStructure, "The last Ogg page breaks off.")
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
        try Self.write(waiting, to: file)
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
      throw TagWriteError(.changed, "The file became shorter while it was copied.")
    }
    return bytes
  }

  private static func write(_ bytes: [UInt8], to file: FileDescriptor) throws(TagWriteError) {
    do {
      _ = try file.writeAll(bytes)
    } catch {
      throw TagWriteError(.inputOutput, "The new file could not be written: \(error).")
    }
  }
}
