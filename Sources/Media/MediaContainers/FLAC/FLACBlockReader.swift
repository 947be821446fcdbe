/// Reads the metadata blocks of a FLAC stream (RFC 9639, section 8).
package struct FLACBlockReader {
  package struct Block: Hashable, Sendable {
    package var kind: UInt8
    /// The claimed range, which may reach past the end of the file.
    package var body: Range<Int>
  }

  package static let vorbisComment: UInt8 = 4
  package static let picture: UInt8 = 6

  private let source: ByteSource
  /// Start of the next block; at the end, the start of the audio.
  package private(set) var position: Int
  private var isEnded = false
  private var count = 0

  /// Maximum number of blocks: real files have about ten.
  private static let limit = 1 << 17

  /// - Parameter start: Offset of `fLaC`.
  package init(_ source: ByteSource, at start: Int) {
    self.source = source
    position = start + 4
  }

  /// Returns the next block; `nil` at the end.
  package mutating func next() throws(FileReadError) -> Block? {
    guard !isEnded, count < Self.limit, let word = try source.bytes(at: position, count: 4).bigEndian(UInt32.self),
      // Audio frames start with 13 set bits, like the invalid block type 127. Here, they mean that the chain of blocks
      // ended without its flag.
      word >> 18 != 0x3FFF, word >> 24 & 0x7F != 127
    else { return nil }
    count += 1
    let body = position + 4
    position = body + Int(word & 0xFF_FFFF)
    isEnded = word >> 31 != 0
    return Block(kind: UInt8(word >> 24 & 0x7F), body: body..<position)
  }
}
