/// Finds the bytes of old headers at other positions in new headers. Blocks of the new bytes are looked up by a rolling
/// checksum over the old bytes (after A. Tridgell and P. Mackerras, The rsync algorithm, 1996).
struct ByteMatcher {
  private static let blockSize = 48
  private static let base: UInt32 = 0x0100_0193
  /// `base` raised to the power of the block size.
  private static let leadingFactor: UInt32 = (0..<blockSize).reduce(1) { power, _ in power &* base }
  private static let minZeroRun = 32

  private let fresh: [(start: Int, bytes: [UInt8])]
  /// The index in `fresh`, and the position there, of the last block with each checksum.
  private var blocks: [UInt32: (part: Int, place: Int)] = [:]

  init(_ fresh: [(start: Int, bytes: [UInt8])]) {
    self.fresh = fresh
    for (part, (_, bytes)) in fresh.enumerated() {
      for place in stride(from: 0, through: bytes.count - Self.blockSize, by: Self.blockSize) {
        blocks[Self.sum(bytes[place..<place + Self.blockSize])] = (part, place)
      }
    }
  }

  private static func sum(_ block: ArraySlice<UInt8>) -> UInt32 { block.reduce(0) { $0 &* base &+ UInt32($1) } }

  func pieces(of old: [UInt8]) -> [FileReversal.Piece] {
    var pieces: [FileReversal.Piece] = []
    var literalStart = 0
    func addLiteral(upTo end: Int) { pieces += Self.literals(old[literalStart..<end]) }
    var place = 0
    var sum: UInt32?
    while place + Self.blockSize <= old.count {
      let current = sum ?? Self.sum(old[place..<place + Self.blockSize])
      if let found = blocks[current] {
        let bytes = fresh[found.part].bytes
        var count = 0
        while place + count < old.count, found.place + count < bytes.count,
          old[place + count] == bytes[found.place + count]
        {
          count += 1
        }
        var back = 0
        while back < place - literalStart, back < found.place, old[place - back - 1] == bytes[found.place - back - 1] {
          back += 1
        }
        if count >= Self.blockSize {
          addLiteral(upTo: place - back)
          let start = fresh[found.part].start + found.place
          pieces.append(.kept(start - back..<start + count))
          place += count
          literalStart = place
          sum = nil
          continue
        }
      }
      let next = place + Self.blockSize
      sum =
        next < old.count
        ? current &* Self.base &+ UInt32(old[next]) &- UInt32(old[place]) &* Self.leadingFactor : nil
      place += 1
    }
    addLiteral(upTo: old.count)
    return pieces
  }

  /// Splits bytes into literals and long runs of zeros (padding).
  private static func literals(_ bytes: ArraySlice<UInt8>) -> [FileReversal.Piece] {
    var pieces: [FileReversal.Piece] = []
    var start = bytes.startIndex
    var place = start
    while place < bytes.endIndex {
      guard bytes[place] == 0 else {
        place += 1
        continue
      }
      let end = bytes[place...].firstIndex { $0 != 0 } ?? bytes.endIndex
      if end - place >= minZeroRun {
        if start < place { pieces.append(.bytes(Array(bytes[start..<place]))) }
        pieces.append(.zeros(end - place))
        start = end
      }
      place = end
    }
    if start < bytes.endIndex { pieces.append(.bytes(Array(bytes[start...]))) }
    return pieces
  }
}
