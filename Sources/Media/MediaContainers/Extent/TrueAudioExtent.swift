extension ContainerExtent {
  /// TTA (True Audio file format, version 1): a header of 22 bytes with the number of samples, then the size of each
  /// frame.
  mutating func readTrueAudio(_ source: ByteSource, at start: Int, before limit: Int) throws(FileReadError) {
    let head = try source.bytes(at: start, count: 22)
    guard head.count == 22, let rate = head.littleEndian(UInt32.self, at: 10),
      let samples = head.littleEndian(UInt32.self, at: 14), rate > 0, samples > 0
    else { return }
    let samplesPerFrame = Int64(rate) * 256 / 245
    guard samplesPerFrame > 0 else { return }
    let count = Int((Int64(samples) + samplesPerFrame - 1) / samplesPerFrame)
    let tableStart = start + 22
    // The table is followed by its checksum.
    let tableEnd = tableStart + 4 * count + 4
    guard tableEnd <= limit else {
      flaw = .cutOff("The TTA file ends inside its table of frames.")
      return
    }
    var byteCount: Int64 = 0
    var position = tableStart
    while position < tableEnd - 4 {
      let bytes = try source.bytes(at: position, count: min(ByteSource.windowSize / 2, tableEnd - 4 - position))
      guard bytes.count >= 4 else { return }
      for offset in stride(from: 0, through: bytes.count - 4, by: 4) {
        byteCount += Int64(bytes.littleEndian(UInt32.self, at: offset) ?? 0)
      }
      position += bytes.count / 4 * 4
    }
    claim(end: tableEnd + Int(byteCount), before: limit, "TTA")
    audioByteCount = min(byteCount, Int64(limit - tableEnd))
  }
}
