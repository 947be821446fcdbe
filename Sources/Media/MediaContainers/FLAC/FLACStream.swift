/// The parts of a native FLAC file (RFC 9639).
package struct FLACStream {
  package private(set) var sampleRate: Int
  package private(set) var channelCount: Int
  package private(set) var bitDepth: Int
  /// Speaker positions as in WAVEFORMATEXTENSIBLE's `dwChannelMask`.
  package private(set) var channelMask: UInt64
  /// Number of frames that STREAMINFO claims; `nil` for 0, which means unknown.
  package private(set) var claimedFrameCount: Int64?
  /// MD5 of the samples; `nil` if the encoder did not store it.
  package private(set) var checksum: [UInt8]?
  /// The contradiction between the first frame and STREAMINFO, as a sentence; `nil` if they agree. The frame is trusted
  /// because it has a checksum.
  package private(set) var contradiction: String?
  /// The signature, with STREAMINFO as the only metadata block: a header for decoders that do not need the other
  /// blocks. FFmpeg takes a very long time to read 100,000 comments.
  package private(set) var bareHeader: [UInt8]
  /// Range from the first audio frame to the end of the last one or, if that is not found, to a second file or the tags
  /// of other formats at the end.
  package private(set) var audio: Range<Int>
  /// Start of the first audio frame. Other bytes may precede it in `audio`, such as metadata blocks behind one with a
  /// wrong length. FFmpeg 7 loses a frame that follows such bytes.
  package private(set) var firstFrame: Int

  /// `nil` if there is no FLAC stream at `offset`.
  package init?(in source: ByteSource, at offset: Int) throws(FileReadError) {
    let start = try source.bytes(at: offset, count: 42)
    guard start.has("fLaC"), start.count == 42, start[4] & 0x7F == 0 else { return nil }
    let packed = start.bigEndian(UInt64.self, at: 18) ?? 0
    sampleRate = Int(packed >> 44)
    channelCount = Int(packed >> 41 & 7) + 1
    bitDepth = Int(packed >> 36 & 31) + 1
    channelMask = Self.channelMask(channelCount: channelCount)
    let frames = Int64(packed & 0xf_ffff_ffff)
    claimedFrameCount = frames > 0 ? frames : nil
    checksum = Array(start[26..<42])
    if checksum?.allSatisfy({ $0 == 0 }) ?? true { checksum = nil }
    bareHeader = Array(start)
    bareHeader[4] = 0x80
    bareHeader.replaceSubrange(5..<8, with: [0, 0, 34])
    // Block sizes from 16 to 65,535, frame sizes unknown: FFmpeg rejects frames beyond limits that may be wrong.
    bareHeader.replaceSubrange(8..<18, with: [0, 16, 0xff, 0xff, 0, 0, 0, 0, 0, 0])

    var blocks = FLACBlockReader(source, at: offset)
    var audioStart = blocks.position
    // The first block always exists. A later block counts as audio if it claims more bytes than the file has.
    while let block = try blocks.next(),
      block.body.upperBound <= source.size || block.body.lowerBound == offset + 8
    {
      audioStart = min(block.body.upperBound, source.size)
      if channelCount > 2, block.kind == FLACBlockReader.vorbisComment {
        let comments = try source.bytes(at: block.body.lowerBound, count: min(block.body.count, 1 << 16))
        if let mask = Self.notedChannelMask(in: comments), mask.nonzeroBitCount == channelCount { channelMask = mask }
      }
    }
    firstFrame = try Self.firstFrame(in: source, from: audioStart)
    audio = audioStart..<(try TagRegions.startOfTrailing(in: source, behind: audioStart))
    if let second = try Self.secondStream(in: source, audio) { audio = audioStart..<second }
    // The first two of the zeros may belong to the checksum.
    let limit = try EmptyTail(in: source, audio).map { min(audio.upperBound, $0.start + 2) } ?? audio.upperBound
    let blockSize = Int64(start.bigEndian(UInt16.self, at: 10) ?? 0)
    if let end = try endOfLastFrame(in: source, before: limit, blockSize: blockSize) {
      audio = audioStart..<end
    }
    if let frame = FLACFrameHeader(try source.bytes(at: audioStart, count: 16)) { adopt(frame) }
  }

  // MARK: The start

  /// Number of bytes that are searched for the first frame if none is where the audio starts.
  private static let maxLeadingBytes = 1 << 16

  /// Returns the position of the first frame, which has the number 0, at or after `start`; `start` if there is none.
  private static func firstFrame(in source: ByteSource, from start: Int) throws(FileReadError) -> Int {
    if FLACFrameHeader(try source.bytes(at: start, count: 16)) != nil { return start }
    let bytes = try source.bytes(at: start, count: maxLeadingBytes)
    let place = bytes.indices.dropLast(16).first { index in
      bytes[index] == 0xFF && FLACFrameHeader(Array(bytes[index..<index + 16]))?.number == 0
    }
    return start + (place ?? 0)
  }

  // MARK: The end

  /// Number of bytes at the end that are searched for the last frame.
  private static let lastFrameSize = 1 << 17

  /// Finds the end of the last frame, so that bytes after it do not count as part of it. The checksum of a whole frame
  /// with its stored checksum is 0 (RFC 9639, section 9.3). `nil` if the number of that frame is unknown, or no intact
  /// frame with this number is found.
  private func endOfLastFrame(
    in source: ByteSource, before limit: Int, blockSize: Int64
  ) throws(FileReadError) -> Int? {
    guard let claimedFrameCount, blockSize > 0 else { return nil }
    let number = UInt64((claimedFrameCount - 1) / blockSize)
    let first = try source.bytes(at: audio.lowerBound, count: 4)
    guard first.count == 4, first[1] & 1 == 0 else { return nil }
    let start = max(audio.lowerBound, limit - Self.lastFrameSize)
    let bytes = try source.bytes(at: start, count: limit - start)
    guard bytes.count > 16 else { return nil }
    let frame = bytes.indices.dropLast(9).last { index in
      // Blocking strategy, sample rate and bit depth are the same in all frames.
      bytes[index] == 0xFF && bytes[index + 1] == first[1] && bytes[index + 2] & 0x0F == first[2] & 0x0F
        && bytes[index + 3] & 0x0E == first[3] & 0x0E
        && FLACFrameHeader(Array(bytes[index..<min(index + 16, bytes.count)]))?.number == number
    }
    guard let frame else { return nil }
    var checksum: UInt16 = 0
    var end: Int?
    for index in frame..<bytes.count {
      let before = checksum
      checksum = checksum << 8 ^ Self.checksums[Int(checksum >> 8 ^ UInt16(bytes[index]))]
      // Zeros after the end keep the checksum at 0.
      if checksum == 0, before != 0 { end = start + index + 1 }
    }
    // If the low byte or both bytes of the stored checksum are 0, the end found is too early. Decoders ignore zeros
    // after the frame.
    return end.map { $0 + bytes[($0 - start)...].prefix(2).prefix { $0 == 0 }.count }
  }

  /// CRC-16 of each byte, with the polynomial 0x8005.
  private static let checksums: [UInt16] = (0..<256).map { byte in
    (0..<8).reduce(UInt16(byte) << 8) { value, _ in value << 1 ^ (value & 0x8000 != 0 ? 0x8005 : 0) }
  }

  // MARK: A second file

  /// Number of offsets at which frame numbers are compared; the last offset is near the end.
  private static let probeCount = 9
  /// Number of bytes searched for a frame from each offset on; frames of music are smaller.
  private static let probeSize = 1 << 16

  /// Start of a second FLAC file in the audio; `nil` if there is none. Frame numbers increase within a file; the whole
  /// audio is searched only if they do not.
  private static func secondStream(in source: ByteSource, _ audio: Range<Int>) throws(FileReadError) -> Int? {
    var last: UInt64 = 0
    var grows = true
    for index in 1...probeCount where grows {
      let isEnd = index == probeCount
      let place = isEnd ? audio.upperBound - probeSize : audio.lowerBound + audio.count / probeCount * index
      let bytes = try source.bytes(at: max(audio.lowerBound, place), count: min(probeSize, audio.upperBound - place))
      guard let number = frameNumber(in: bytes, isLast: isEnd) else { continue }
      grows = number >= last
      last = number
    }
    return grows ? nil : try startOfStream(in: source, audio)
  }

  /// Number of the first or last frame that starts in `bytes`; `nil` if none is found.
  private static func frameNumber(in bytes: [UInt8], isLast: Bool) -> UInt64? {
    var result: UInt64?
    for index in bytes.indices.dropLast(16) where bytes[index] == 0xFF && bytes[index + 1] & 0xFE == 0xF8 {
      guard let frame = FLACFrameHeader(Array(bytes[index..<index + 16])) else { continue }
      result = frame.number
      if !isLast { break }
    }
    return result
  }

  /// Position of a signature that is followed by a STREAMINFO header; `nil` if there is none.
  private static func startOfStream(in source: ByteSource, _ range: Range<Int>) throws(FileReadError) -> Int? {
    var position = range.lowerBound
    while position < range.upperBound {
      let bytes = try source.bytes(at: position, count: min(1 << 18, range.upperBound - position))
      guard bytes.count > 8 else { return nil }
      for index in bytes.indices.dropLast(7) where bytes[index] == 0x66 && bytes.has("fLaC", at: index) {
        if bytes[index + 4] & 0x7F == 0, bytes.has([0, 0, 34], at: index + 5) { return position + index }
      }
      position += bytes.count - 7
    }
    return nil
  }

  private mutating func adopt(_ frame: FLACFrameHeader) {
    var claims: [String] = []
    if let rate = frame.sampleRate, rate != sampleRate {
      claims.append("\(sampleRate) Hz where the frames have \(rate)")
      sampleRate = rate
    }
    if frame.channelCount != channelCount {
      claims.append(
        "\(channelCount) channel\(channelCount == 1 ? "" : "s") where the frames have \(frame.channelCount)")
      channelCount = frame.channelCount
      channelMask = Self.channelMask(channelCount: channelCount)
    }
    if let depth = frame.bitDepth, depth != bitDepth {
      claims.append("\(bitDepth) bits where the frames have \(depth)")
      bitDepth = depth
    }
    guard !claims.isEmpty else { return }
    contradiction = "The header claims \(claims.joined(separator: ", ")); the frames take precedence."
    let length = UInt64(claimedFrameCount ?? 0)
    let packed =
      UInt64(sampleRate) << 44 | UInt64(channelCount - 1) << 41 | UInt64(bitDepth - 1) << 36 | length
    bareHeader.replaceSubrange(18..<26, with: packed.bigEndianBytes)
  }

  /// Speaker positions given in a Vorbis comment, which replace the default ones (RFC 9639, section 8.6.2); `nil` if it
  /// gives none.
  private static func notedChannelMask(in comments: [UInt8]) -> UInt64? {
    let key = "WAVEFORMATEXTENSIBLE_CHANNEL_MASK=0x"
    var entries = VorbisCommentEntries(comments)
    while let entry = entries?.next() {
      if entry.has(key) { return UInt64(String(decoding: entry.dropFirst(key.utf8.count), as: UTF8.self), radix: 16) }
    }
    return nil
  }

  /// Speaker positions for a channel count, according to RFC 9639, section 9.1.3, in FFmpeg's form.
  package static func channelMask(channelCount: Int) -> UInt64 {
    let masks: [UInt64] = [0x4, 0x3, 0x7, 0x33, 0x607, 0x60f, 0x70f, 0x63f]
    return masks.indices.contains(channelCount - 1) ? masks[channelCount - 1] : 0
  }
}
