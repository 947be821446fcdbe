/// The range of the MPEG audio (ISO/IEC 11172-3, 13818-3; layers I to III) in a file.
package struct MPEGStream {
  /// Range from the first frame to the end of the last.
  package private(set) var audio: Range<Int>
  /// The end of the stream: its offset, whether the last frame is cut off, and what follows.
  package private(set) var ending: TruncationCheck
  /// `audio` without a first frame that contains only a table of contents (Xing, Info, VBRI), because retagging tools
  /// rewrite that frame.
  package private(set) var payload: Range<Int>
  /// Number of PCM samples per channel in a frame of the stream.
  package private(set) var samplesPerFrame: Int
  /// Number of PCM frames that a table of contents claims, without the encoder's delay and padding; `nil` if no table
  /// contains the number.
  package private(set) var claimedFrameCount: Int64?
  /// `claimedFrameCount` plus the delay and padding, as FFmpeg counts frames.
  package private(set) var untrimmedFrameCount: Int64?
  /// Delay and padding in a table of contents: 12 bits each, followed by 8 unrelated bits; `nil` if the table does not
  /// contain them.
  package private(set) var trimming: UInt32?
  /// `true` if the table was written by LAME, and its checksum is right.
  package private(set) var hasIntactLAMETag = false
  /// CRC-16 of `payload` at the time of encoding, according to an intact table of LAME or FFmpeg; `nil` if the table
  /// does not contain it, or belongs to a stream of another size, or the tags mention a change of the volume by
  /// mp3gain.
  package private(set) var musicChecksum: UInt16?
  /// Number of PCM frames of a stream without `claimedFrameCount`, estimated from the size of `payload` and the mean
  /// size of its first frames; `nil` for other streams.
  package private(set) var estimatedFrameCount: Int64?
  /// Number of bytes before the first frame that do not belong to a tag.
  package private(set) var junkByteCount: Int

  /// Maximum number of bytes of junk before the first frame: more than any picture or page that got there by accident.
  private static let searchLimit = 16 << 20

  /// Searches for the first of several consecutive frames; `nil` if there is none.
  ///
  /// - Parameter start: The end of the tags at the start of the file.
  package init?(in source: ByteSource, from start: Int) throws(FileReadError) {
    let chain = FrameChain<MPEGFrameHeader>(
      source: source, end: try TagRegions.startOfTrailing(in: source, behind: start))
    guard let first = try Self.firstFrame(of: chain, from: start) else { return nil }
    ending = try chain.ending(from: first.offset, first.header)
    let end = ending.offset
    audio = first.offset..<end
    samplesPerFrame = first.header.samplesPerFrame
    payload = audio
    junkByteCount = first.offset - start
    let frame = try source.bytes(at: first.offset, count: 256)
    let table = first.header.tableOffset
    let isXing = frame.has("Xing", at: table) || frame.has("Info", at: table)
    guard isXing || frame.has("VBRI", at: 36) else {
      estimatedFrameCount = try Self.estimate(payload, first.header, in: source)
      return
    }
    payload = min(end, first.offset + first.header.length)..<end
    claimedFrameCount = (isXing ? Self.xingLength(frame, at: table) : frame.bigEndian(UInt32.self, at: 50)).flatMap {
      $0 > 0 ? Int64($0) * Int64(first.header.samplesPerFrame) : nil
    }
    untrimmedFrameCount = claimedFrameCount
    if isXing {
      trimming = Self.trimming(frame, at: table)
      let encoder = Self.intactEncoder(frame, at: table)
      hasIntactLAMETag = encoder.map { frame.has("LAME", at: $0) } ?? false
      if let encoder, claimedFrameCount != nil,
        frame.bigEndian(UInt32.self, at: encoder + 28) == UInt32(exactly: audio.count),
        try !Self.isChangedByMP3Gain(source, start: start, end: end)
      {
        musicChecksum = frame.bigEndian(UInt16.self, at: encoder + 32)
      }
      if let length = claimedFrameCount, let trimming {
        claimedFrameCount = max(0, length - Int64(trimming >> 20) - Int64(trimming >> 8 & 0xfff))
      }
    }
    if claimedFrameCount == nil { estimatedFrameCount = try Self.estimate(payload, first.header, in: source) }
  }

  /// Number of frames used for an estimate: about half a minute, in which a variable bit rate covers most of its range.
  private static let estimationLength = 1_024

  /// Number of PCM frames in `payload`, extrapolated from its start; `nil` if no frame starts there.
  private static func estimate(
    _ payload: Range<Int>, _ first: MPEGFrameHeader, in source: ByteSource
  ) throws(FileReadError) -> Int64? {
    let chain = FrameChain<MPEGFrameHeader>(source: source, end: payload.upperBound)
    var position = payload.lowerBound
    var count: Int64 = 0
    while count < estimationLength, let header = try chain.header(at: position), header.continues(first) {
      position += header.length
      count += 1
    }
    guard count > 0 else { return nil }
    let meanLength = Double(position - payload.lowerBound) / Double(count)
    let frames = Double(payload.upperBound - payload.lowerBound) / meanLength
    return Int64(frames.rounded()) * Int64(first.samplesPerFrame)
  }

  /// Number of frames that a Xing table states; bit 0 of the flags shows whether the number is present.
  private static func xingLength(_ frame: [UInt8], at table: Int) -> UInt32? {
    guard let flags = frame.bigEndian(UInt32.self, at: table + 4), flags & 1 != 0 else { return nil }
    return frame.bigEndian(UInt32.self, at: table + 8)
  }

  /// Numbers of samples to cut from the start and the end, as LAME and FFmpeg store them: 12 bits each, 21 bytes into
  /// their extension, which follows the optional parts of the table. `nil` for other encoders.
  private static func trimming(_ frame: [UInt8], at table: Int) -> UInt32? {
    guard let position = encoderPosition(frame, at: table),
      frame.has("LAME", at: position) || frame.has("Lavf", at: position) || frame.has("Lavc", at: position)
    else { return nil }
    return frame.bigEndian(UInt32.self, at: position + 21)
  }

  /// Start of the encoder's extension to a Xing table, which begins with the encoder's name.
  private static func encoderPosition(_ frame: [UInt8], at table: Int) -> Int? {
    guard let flags = frame.bigEndian(UInt32.self, at: table + 4) else { return nil }
    return [(1, 4), (2, 4), (4, 100), (8, 4)].reduce(table + 8) { Int(flags) & $1.0 != 0 ? $0 + $1.1 : $0 }
  }

  /// Position of the encoder's extension; `nil` unless its last 2 of 36 bytes are right. These 2 bytes are a checksum
  /// of the frame before them: CRC-16 with the polynomial 0x8005, reflected bits and an initial value of 0 (the Xing
  /// and LAME tag specification, "Info Tag CRC").
  private static func intactEncoder(_ frame: [UInt8], at table: Int) -> Int? {
    guard let position = encoderPosition(frame, at: table),
      frame.has("LAME", at: position) || frame.has("Lavf", at: position) || frame.has("Lavc", at: position),
      let checksum = frame.bigEndian(UInt16.self, at: position + 34)
    else { return nil }
    let found = frame[..<(position + 34)].reduce(0 as UInt16) { sum, byte in
      (0..<8).reduce(sum ^ UInt16(byte)) { sum, _ in sum & 1 == 0 ? sum >> 1 : sum >> 1 ^ 0xA001 }
    }
    return checksum == found ? position : nil
  }

  /// Maximum number of bytes of tags searched for the mark of mp3gain at each end of the file.
  private static let tagLimit = 1 << 16

  private static func isChangedByMP3Gain(_ source: ByteSource, start: Int, end: Int) throws(FileReadError) -> Bool {
    let mark = Array("MP3GAIN_UNDO".utf8)
    for (offset, count) in [(0, start), (end, source.size - end)] {
      let bytes = try source.bytes(at: offset, count: min(count, tagLimit))
      if bytes.indices.contains(where: { bytes[$0] == 0x4D && bytes[$0...].starts(with: mark) }) { return true }
    }
    return false
  }

  /// Finds the first frame; `nil` if there is none. At the expected start, it needs only one frame after it, or none if
  /// it is the whole stream.
  private static func firstFrame(
    of chain: FrameChain<MPEGFrameHeader>, from start: Int
  ) throws(FileReadError) -> (offset: Int, header: MPEGFrameHeader)? {
    if let header = try chain.header(at: start) {
      let next = start + header.length
      if next == chain.end { return (start, header) }
      if let following = try chain.header(at: next), following.continues(header) { return (start, header) }
    }
    return try chain.firstFrame(from: start, limit: searchLimit)
  }
}
