/// The header of a container that mostly contains PCM: WAV (also RIFX, RF64 and BW64), Wave64, AIFF and AIFF-C, AU,
/// CAF.
///
/// Decoders silently accept or correct wrong lengths; this type reports the claims, and the position of the audio.
package struct PCMHeader {
  package let container: Container
  /// The start of the container.
  package let start: Int
  /// Frames per second.
  package private(set) var sampleRate = 0
  package private(set) var channelCount = 0
  /// Speaker positions as in WAVEFORMATEXTENSIBLE's `dwChannelMask`; 0 if not given.
  package private(set) var channelMask: UInt64 = 0
  /// Raw content of the chunk that describes the encoding (at most 40 bytes); empty if it is missing.
  package private(set) var description: [UInt8] = []
  /// First 64 bytes of the codec's own header in a CAF file (`kuki`).
  package private(set) var codecHeader: [UInt8] = []
  /// Size of a frame in bytes; `nil` if frames differ in size.
  package private(set) var bytesPerFrame: Int?
  /// The range of the audio, clamped to the file; `nil` if the header does not lead to any.
  package private(set) var audio: Range<Int>?
  /// Number of bytes of audio that the header claims; `nil` if unknown.
  package private(set) var claimedByteCount: Int64?
  /// `true` if the length is a placeholder for "unknown", because the writer was stopped, or wrote to a pipe.
  package private(set) var lengthIsUnknown = false
  /// `true` if the length is the actual one modulo 2³²: WAV files may grow beyond what their header can express.
  package private(set) var lengthIsWrapped = false
  /// `true` if the sizes of samples and frames are inconsistent, or samples do not take whole bytes.
  package private(set) var contradictsItself = false
  /// `true` for a compressed encoding with a block size of 0.
  package private(set) var hasEmptyBlocks = false
  /// `true` for a compressed encoding whose damage FFmpeg's decoders detect: ADPCM, MPEG audio.
  package private(set) var hasPackets = false
  /// Offsets of the chunks with tags and markers up to the audio; in CAF files, of all `info` chunks.
  package private(set) var tagChunks: [Int] = []
  /// End of the bytes that decoders need; only tags follow.
  package private(set) var end: Int
  /// Extent of all chunks, including those after the audio.
  package private(set) var extent = ContainerExtent()
  private var isLittleEndian = false

  /// Frame count that AIFF stores in addition to the number of bytes.
  private var notedFrameCount: Int64?

  /// Number of frames that the header claims; `nil` if unknown, or if frames differ in size.
  package var claimedFrameCount: Int64? {
    if let notedFrameCount { return notedFrameCount }
    guard let claimedByteCount, let bytesPerFrame, bytesPerFrame > 0 else { return nil }
    return claimedByteCount / Int64(bytesPerFrame)
  }

  /// `true` if the header claims more audio than the file contains.
  package var isCutOff: Bool {
    guard let claimedByteCount, let audio else { return false }
    return claimedByteCount > audio.count
  }

  /// `nil` for containers without such a header.
  package init?(in source: ByteSource, _ container: Container, at start: Int) throws(FileReadError) {
    self.container = container
    self.start = start
    end = source.size
    switch container {
    case .wav, .rifx, .rf64: try readRIFF(source)
    case .wave64: try readWave64(source)
    case .aiff: try readAIFF(source)
    case .caf: try readCAF(source)
    case .au: try readAU(source)
    default: return nil
    }
  }

  /// `true` for lengths left by writers that cannot go back to fill in the actual length.
  private static func isPlaceholder(_ length: Int) -> Bool {
    length == 0 || length >= 0xFFFF_0000 || (0x7FFF_0000...0x8000_0000).contains(length)
  }

  /// - Parameter claimed: The claimed number of bytes; `nil` if it is unknown.
  private mutating func setAudio(from start: Int, claimed: Int?, in source: ByteSource) {
    let available = max(0, source.size - start)
    claimedByteCount = claimed.map { Int64($0) }
    lengthIsUnknown = claimed == nil
    audio = min(start, source.size)..<min(start, source.size) + max(0, min(claimed ?? available, available))
  }

  /// Sets `end` to the end of the audio or of the last chunk that decoders need, whichever is later.
  private mutating func cutTags(behind position: Int) {
    if let audio, !description.isEmpty { end = min(end, max(audio.upperBound, position)) }
  }

  /// Size of a sample in bytes, and the index of the byte with the sign bit; `nil` if samples have no fixed size.
  package var sampleLayout: (byteCount: Int, signIndex: Int)? {
    guard let bytesPerFrame, channelCount > 0, bytesPerFrame >= channelCount else { return nil }
    let count = bytesPerFrame / channelCount
    return (count, isLittleEndian ? count - 1 : 0)
  }

  // MARK: Chunks after the audio

  /// Reads the chunks after the audio.
  ///
  /// - Parameter formEnd: The end of all chunks according to the enclosing form; `nil` if unknown.
  private mutating func readTrailingChunks(
    _ chunks: inout ChunkReader, formEnd: Int?, in source: ByteSource
  ) throws(FileReadError) {
    guard let audio, !lengthIsUnknown, !lengthIsWrapped, !isCutOff else { return }
    var end: Int?
    while end == nil, let chunk = try chunks.next() {
      guard chunk.hasName, try Container(of: source, at: chunk.start) == .unknown else {
        end = chunk.start
        break
      }
      guard chunk.end > source.size else { continue }
      end = chunk.start
      // A wrong length alone proves nothing: the chunk may be a tag after the form, or anything else.
      if let formEnd, formEnd > source.size, chunk.start < formEnd {
        extent.flaw = .cutOff(
          "The file ends inside the chunk `\(chunk.id)`, \(chunk.end - source.size) bytes early; the audio is complete."
        )
        return
      }
    }
    extent.end = max(audio.upperBound, min(end ?? chunks.position, source.size))
    if let formEnd, formEnd > source.size + Self.formTolerance {
      extent.contradiction =
        "The header claims \(formEnd - source.size) bytes more than the file has. The audio is whole; data after "
        + "it may be missing."
    }
  }

  /// Tolerance for the end of the form: some writers count the form's own header, or padding that they do not write.
  private static let formTolerance = 16

  /// End of the form, according to the 32-bit length at its start; `nil` if the length is a placeholder.
  private func formEnd(_ source: ByteSource) throws(FileReadError) -> Int? {
    let field = try source.bytes(at: start + 4, count: 4)
    let isBigEndian = container == .aiff || container == .rifx
    guard let size = isBigEndian ? field.bigEndian(UInt32.self) : field.littleEndian(UInt32.self),
      !Self.isPlaceholder(Int(size))
    else { return nil }
    return start + 8 + Int(size)
  }

  private static let tagIDs: Set<String> = ["LIST", "list", "ID3 ", "id3 ", "cue ", "bext"]

  // MARK: WAV

  private mutating func readRIFF(_ source: ByteSource) throws(FileReadError) {
    guard var chunks = ChunkReader(source, container, at: start) else { return }
    let isBigEndian = container == .rifx
    isLittleEndian = !isBigEndian
    var data: ChunkReader.Chunk?
    var position = start
    while data == nil || description.isEmpty, let chunk = try chunks.next() {
      position = chunk.end
      if chunk.id == "fmt " {
        readWaveFormat(try source.bytes(at: chunk.body, count: min(chunk.size, 40)), isBigEndian: isBigEndian)
      } else if chunk.id == "data" {
        data = data ?? chunk
      }
      if Self.tagIDs.contains(chunk.id) { tagChunks.append(chunk.start) }
    }
    defer { cutTags(behind: position) }
    guard let data else { return }
    let available = source.size - data.body
    if data.isLong {
      setAudio(from: data.body, claimed: data.size, in: source)
    } else if Self.isPlaceholder(data.size) && data.size != available {
      setAudio(from: data.body, claimed: nil, in: source)
    } else {
      // If the length is wrapped, the file continues after it for a multiple of 2³² bytes, not counting a few chunks at
      // the end.
      let beyond = available - data.size
      let wraps = (beyond + 1 << 20) >> 32
      lengthIsWrapped = wraps > 0 && beyond - wraps << 32 < 1 << 20
      setAudio(from: data.body, claimed: lengthIsWrapped ? available : data.size, in: source)
    }
    try readTrailingChunks(&chunks, formEnd: formEnd(source), in: source)
  }

  private mutating func readWaveFormat(_ chunk: [UInt8], isBigEndian: Bool) {
    func value<Value: FixedWidthInteger>(_ type: Value.Type, at offset: Int) -> Value? {
      isBigEndian ? chunk.bigEndian(type, at: offset) : chunk.littleEndian(type, at: offset)
    }
    guard let tag = value(UInt16.self, at: 0), let channels = value(UInt16.self, at: 2),
      let rate = value(UInt32.self, at: 4), let align = value(UInt16.self, at: 12)
    else { return }
    description = chunk
    channelCount = Int(channels)
    sampleRate = Int(rate)
    let bits = value(UInt16.self, at: 14) ?? 0
    var kind = tag
    if tag == 0xFFFE {
      kind = value(UInt16.self, at: 24) ?? 0
      channelMask = UInt64(value(UInt32.self, at: 20) ?? 0)
    }
    // PCM, IEEE float, A-law, mu-law: all frames have `align` bytes, unless the header contradicts itself.
    guard [1, 3, 6, 7].contains(kind) else {
      hasEmptyBlocks = align == 0
      hasPackets = [0x02, 0x11, 0x50, 0x55].contains(kind)
      return
    }
    if align > 0, Int(align) == Int(channels) * ((Int(bits) + 7) / 8) { bytesPerFrame = Int(align) }
    contradictsItself = bytesPerFrame == nil || bits % 8 != 0
  }

  // MARK: Wave64

  private mutating func readWave64(_ source: ByteSource) throws(FileReadError) {
    guard var chunks = ChunkReader(source, container, at: start) else { return }
    while audio == nil, let chunk = try chunks.next() {
      if chunk.id == "fmt " {
        readWaveFormat(try source.bytes(at: chunk.body, count: min(chunk.size, 40)), isBigEndian: false)
      } else if chunk.id == "data" {
        setAudio(from: chunk.body, claimed: chunk.size > 0 && !chunk.isOpenEnded ? chunk.size : nil, in: source)
        cutTags(behind: chunk.start)
      }
    }
    isLittleEndian = true
    let size = try source.bytes(at: start + 16, count: 8).littleEndian(Int64.self) ?? 0
    try readTrailingChunks(&chunks, formEnd: size > 0 && size < 1 << 48 ? start + Int(size) : nil, in: source)
  }

  // MARK: AIFF

  private mutating func readAIFF(_ source: ByteSource) throws(FileReadError) {
    guard var chunks = ChunkReader(source, container, at: start) else { return }
    var position = start
    while audio == nil || description.isEmpty, let chunk = try chunks.next() {
      position = chunk.end
      if chunk.id == "COMM" {
        let common = try source.bytes(at: chunk.body, count: min(chunk.size, 22))
        guard let channels = common.bigEndian(UInt16.self), let frames = common.bigEndian(UInt32.self, at: 2),
          let exponent = common.bigEndian(UInt16.self, at: 8), let mantissa = common.bigEndian(UInt64.self, at: 10)
        else { break }
        description = common
        channelCount = Int(channels)
        // An 80-bit float: the top bits of the mantissa are the rate.
        let shift = 16_383 + 63 - Int(exponent & 0x7FFF)
        sampleRate = (0...63).contains(shift) ? Int(truncatingIfNeeded: mantissa >> UInt64(shift)) : 0
        isLittleEndian = common.count >= 22 && common.has("sowt", at: 18)
        let isLinear = common.count < 22 || Self.linearAIFF.contains(common[18..<22].latin1)
        hasPackets = common.has("ima4", at: 18)
        if isLinear && frames > 0 { notedFrameCount = Int64(frames) }
      } else if chunk.id == "SSND", audio == nil {
        let offset = Int(try source.bytes(at: chunk.body, count: 4).bigEndian(UInt32.self) ?? 0)
        let size = chunk.size - 8 - offset
        setAudio(from: chunk.body + 8 + offset, claimed: size > 0 ? size : nil, in: source)
      }
      if Self.tagIDs.contains(chunk.id) { tagChunks.append(chunk.start) }
    }
    cutTags(behind: position)
    try readTrailingChunks(&chunks, formEnd: formEnd(source), in: source)
  }

  /// AIFF-C compression types that count frames rather than packets.
  private static let linearAIFF: Set<String> = [
    "NONE", "sowt", "twos", "raw ", "in24", "in32", "42n1", "23n1", "fl32", "FL32", "fl64", "FL64", "ulaw", "ULAW",
    "alaw", "ALAW",
  ]

  // MARK: AU

  private mutating func readAU(_ source: ByteSource) throws(FileReadError) {
    let header = try source.bytes(at: start, count: 24)
    func word(_ index: Int) -> Int {
      let value =
        header.has(".snd")
        ? header.bigEndian(UInt32.self, at: 4 * index) : header.littleEndian(UInt32.self, at: 4 * index)
      return Int(value ?? 0)
    }
    description = Array(header.dropFirst(12))
    sampleRate = word(4)
    channelCount = word(5)
    let bytes: [Int: Int] = [1: 1, 2: 1, 3: 2, 4: 3, 5: 4, 6: 4, 7: 8, 27: 1]
    bytesPerFrame = bytes[word(3)].map { $0 * channelCount }
    isLittleEndian = header.has("dns.")
    setAudio(from: start + word(1), claimed: Self.isPlaceholder(word(2)) ? nil : word(2), in: source)
    if !lengthIsUnknown, !isCutOff { extent.end = audio?.upperBound }
  }

  // MARK: CAF

  private mutating func readCAF(_ source: ByteSource) throws(FileReadError) {
    guard var chunks = ChunkReader(source, container, at: start) else { return }
    var end: Int?
    while let chunk = try chunks.next() {
      let isKnown = Self.cafIDs.contains(chunk.id)
      let following = try Container(of: source, at: chunk.start)
      guard isKnown || chunk.hasName && following == .unknown && chunk.end <= source.size else {
        end = chunk.start
        break
      }
      if isKnown, chunk.end > source.size, chunk.id != "free", chunk.id != "data" {
        extent.flaw = .cutOff(
          "The file ends inside the chunk `\(chunk.id)`, \(chunk.end - source.size) bytes early; the audio is complete."
        )
      }
      if chunk.id == "desc" {
        let content = try source.bytes(at: chunk.body, count: 32)
        guard let rate = content.bigEndian(UInt64.self).map(Double.init(bitPattern:)),
          let bytesPerPacket = content.bigEndian(UInt32.self, at: 16),
          let framesPerPacket = content.bigEndian(UInt32.self, at: 20),
          let channels = content.bigEndian(UInt32.self, at: 24)
        else { break }
        description = content
        sampleRate = rate >= 0 && rate < 1e9 ? Int(rate) : 0
        channelCount = Int(channels)
        // kCAFLinearPCMFormatFlagIsLittleEndian.
        isLittleEndian = content[15] & 2 != 0
        hasPackets = content.has("ima4", at: 8)
        if framesPerPacket == 1 && bytesPerPacket > 0 { bytesPerFrame = Int(bytesPerPacket) }
      } else if chunk.id == "data", audio == nil {
        // The audio follows an edit count of four bytes.
        let isKnown = !chunk.isOpenEnded && chunk.size > 4
        setAudio(from: chunk.body + 4, claimed: isKnown ? chunk.size - 4 : nil, in: source)
      } else if chunk.id == "kuki" {
        codecHeader = try source.bytes(at: chunk.body, count: 64)
      } else if chunk.id == "info" {
        tagChunks.append(chunk.start)
      }
      if chunk.isOpenEnded { return }
    }
    guard let audio, !isCutOff, extent.flaw == nil else { return }
    extent.end = max(audio.upperBound, min(end ?? chunks.position, source.size))
  }

  /// Identifiers of the chunks that the CAF specification defines.
  private static let cafIDs: Set<String> = [
    "desc", "data", "kuki", "chan", "pakt", "info", "free", "strg", "mark", "regn", "inst", "midi", "ovvw", "peak",
    "umid", "uuid", "edct",
  ]
}
