extension ContainerExtent {
  /// Musepack, stream version 8 (SV8 specification): packets with a key of two letters, and a size that includes the
  /// whole packet. The last packet is `SE`.
  mutating func readMusepack8(_ source: ByteSource, at start: Int, before limit: Int) throws(FileReadError) {
    var position = start + 4
    var byteCount: Int64 = 0
    var hasEnded = false
    var isBroken = false
    for _ in 0..<Self.packetLimit where position < limit && !hasEnded && flaw == nil {
      let head = try source.bytes(at: position, count: 12)
      guard head.count > 2, head[..<2].allSatisfy({ (0x41...0x5A).contains($0) }),
        let (size, sizeLength) = Self.number(head.dropFirst(2)), size >= 2 + sizeLength
      else {
        isBroken = true
        break
      }
      guard size <= limit - position else {
        flaw = .cutOff("The last packet claims \(size - (limit - position)) bytes more than there are.")
        break
      }
      if head.has("SH"), claimedFrameCount == nil { try readStreamHeader(source, position + 2 + sizeLength, size) }
      if head.has("AP") { byteCount += Int64(size - 2 - sizeLength) }
      hasEnded = head.has("SE")
      position += size
    }
    audioByteCount = byteCount
    if isBroken {
      flaw = .disordered("The chain of Musepack packets breaks at byte \(position).")
    } else if flaw == nil, !hasEnded, position >= limit {
      flaw = .cutOff("The stream stops before its last packet: the file was cut off.")
    }
    end = flaw == nil ? min(position, limit) : limit
  }

  /// Maximum number of packets examined; at 64 frames per packet, ten days of music contain fewer.
  private static let packetLimit = 1 << 20
  /// Maximum number of frames examined.
  private static let frameLimit = 1 << 24

  /// Reads a stream header: checksum and version, then the number of samples, and the number of silent samples at the
  /// start that were left out.
  private mutating func readStreamHeader(_ source: ByteSource, _ body: Int, _ size: Int) throws(FileReadError) {
    let header = try source.bytes(at: body + 5, count: min(24, size))
    guard let (samples, length) = Self.number(header[...]),
      let (silence, _) = Self.number(header.dropFirst(length)), samples > silence
    else { return }
    claimedFrameCount = Int64(samples - silence)
  }

  /// Decodes a number in groups of seven bits, most significant first; the highest bit means that another group
  /// follows. `nil` if the number does not end within eight bytes.
  private static func number(_ bytes: ArraySlice<UInt8>) -> (value: Int, length: Int)? {
    var value = 0
    for (index, byte) in bytes.prefix(8).enumerated() {
      value = value << 7 | Int(byte & 0x7F)
      if byte & 0x80 == 0 { return (value, index + 1) }
    }
    return nil
  }

  /// Musepack, stream version 7: 32-bit words, in which each frame begins with its 20-bit length.
  mutating func readMusepack7(_ source: ByteSource, at start: Int, before limit: Int) throws(FileReadError) {
    let head = try source.bytes(at: start, count: 28)
    guard head.count == 28, head[3] & 0x0F == 7, let frameCount = head.littleEndian(UInt32.self, at: 4),
      (1...UInt32(Self.frameLimit)).contains(frameCount),
      let lengths = head.littleEndian(UInt32.self, at: 20)
    else { return }
    // If the first bit is set, the next eleven bits are the number of samples in the last frame.
    let lastLength = lengths >> 31 != 0 ? Int64(lengths >> 20 & 0x7FF) : 1_152
    claimedFrameCount = (Int64(frameCount) - 1) * 1_152 + (lastLength == 0 ? 1_152 : lastLength)
    let wordStart = start + 24
    // Eight bits of the encoder's version come first.
    var bit = 8
    for _ in 0..<frameCount {
      let offset = wordStart + bit / 32 * 4
      let words = try source.bytes(at: offset, count: 8)
      guard words.count == 8, offset + 8 <= limit else {
        // The last frame may end in the first of the two words.
        flaw = .cutOff("The header claims \(frameCount) frames, but the file ends before the last one.")
        end = limit
        return
      }
      let pair =
        UInt64(words.littleEndian(UInt32.self) ?? 0) << 32 | UInt64(words.littleEndian(UInt32.self, at: 4) ?? 0)
      bit += 20 + Int(pair >> UInt64(44 - bit % 32) & 0xFFFFF)
    }
    // Encoders repeat the length of the last frame after it, in eleven bits; no audio is lost if these bits are
    // missing.
    let framesEnd = wordStart + (bit + 31) / 32 * 4
    claim(end: limit == framesEnd ? limit : wordStart + (bit + 11 + 31) / 32 * 4, before: limit, "Musepack")
    audioByteCount = Int64(limit - wordStart)
  }
}
