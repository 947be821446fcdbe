extension ContainerExtent {
  /// Monkey's Audio, version 3.98 or later: the descriptor contains the size of each part of the file (MACLib.h,
  /// `APE_DESCRIPTOR`).
  mutating func readMonkeysAudio(_ source: ByteSource, at start: Int, before limit: Int) throws(FileReadError) {
    let head = try source.bytes(at: start, count: 52)
    guard let version = head.littleEndian(UInt16.self, at: 4), version >= 3_980, head.count == 52 else { return }
    // Descriptor, header, seek table, WAV header, frames, and the WAV data that followed the audio.
    let sizes = stride(from: 8, through: 32, by: 4).map { Int64(head.littleEndian(UInt32.self, at: $0) ?? 0) }
    guard sizes[5] < 1 << 16 else { return }
    let frames = sizes[4] + sizes[5] << 32
    let claimed = sizes[0] + sizes[1] + sizes[2] + sizes[3] + frames + sizes[6]
    guard frames > 0, claimed < 1 << 48 else { return }
    claim(end: start + Int(claimed), before: limit, "Monkey's Audio")
    audioByteCount = min(frames, Int64(limit - start))
  }
}
