extension ContainerExtent {
  /// 8SVX and 16SV of the Amiga (EA IFF 85): a form with a size, which contains the chunks.
  mutating func readAmigaVoice(_ source: ByteSource, at start: Int) throws(FileReadError) {
    guard let size = try source.bytes(at: start + 4, count: 4).bigEndian(UInt32.self), size > 0 else { return }
    // The byte that pads a form of odd size may be missing.
    claim(end: start + 8 + Int(size), before: source.size, "8SVX")
  }

  /// Creative Voice (VOC, version 1.20): blocks with a type and a size of three bytes, up to a block of type 0.
  mutating func readCreativeVoice(_ source: ByteSource, at start: Int) throws(FileReadError) {
    guard let headerSize = try source.bytes(at: start + 20, count: 2).littleEndian(UInt16.self) else { return }
    var position = start + Int(headerSize)
    for _ in 0..<Self.voiceBlockLimit {
      let head = try source.bytes(at: position, count: 4)
      // Some writers omit the last block.
      guard let kind = head.first, kind <= 9 else { break }
      guard kind != 0 else {
        position += 1
        break
      }
      guard head.count == 4 else { break }
      let size = Int(head[1]) | Int(head[2]) << 8 | Int(head[3]) << 16
      // Programs that write to pipes leave the size of the only block unset.
      guard size > 0, size < 0xFF_FFFF else { return }
      position += 4 + size
      guard position <= source.size else {
        flaw = .cutOff(
          "The last block of the VOC file ends \(position - source.size) bytes after the end of the file.")
        return
      }
    }
    end = source.size - position <= Self.voiceSlack ? source.size : position
  }

  /// Tolerance for the end, in bytes: SoX counts only 4 of the 12 bytes that describe the audio at the start of a
  /// block.
  private static let voiceSlack = 9
  private static let voiceBlockLimit = 1 << 20

  /// NIST SPHERE: lines of text with the number and size of the samples, and the number of channels. Compressed samples
  /// are not checked.
  mutating func readSphere(_ source: ByteSource, at start: Int) throws(FileReadError) {
    let sizeField = try source.bytes(at: start + 8, count: 8).latin1.filter { $0 != " " && $0 != "\n" }
    guard let headerSize = Int(sizeField), (16...1 << 20).contains(headerSize) else { return }
    var values: [String: String] = [:]
    for line in try source.bytes(at: start, count: headerSize).split(separator: 0x0A) {
      let parts = line.latin1.split(separator: " ", maxSplits: 2)
      if parts.count == 3 { values[String(parts[0])] = String(parts[2]) }
    }
    guard let samples = values["sample_count"].flatMap({ Int($0) }),
      let width = values["sample_n_bytes"].flatMap({ Int($0) }),
      (1...8).contains(width), (1..<1 << 40).contains(samples), !(values["sample_coding"]?.contains("shorten") ?? false)
    else { return }
    let channels = values["channel_count"].flatMap { Int($0) } ?? 1
    guard (1...256).contains(channels) else { return }
    claimedFrameCount = Int64(samples)
    claim(end: start + headerSize + samples * width * channels, before: source.size, "NIST SPHERE")
    audioByteCount = Int64(min(samples * width * channels, source.size - start - headerSize))
  }
}
