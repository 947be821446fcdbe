internal import Analysis

/// What the header of a container of (mostly) PCM says: WAV with RIFX, RF64 and BW64, Wave64, AIFF and AIFF-C, AU, CAF.
///
/// Decoders believe or mend lying lengths in silence; this says what was claimed, and where the audio lies.
struct PCMContainer {
  /// `wav`, `rf64`, `w64`, `aiff`, `au`, `caf`.
  var name: String
  /// Where the container begins.
  let start: Int64
  var sampleRate = 0
  var channelCount = 0
  /// Speaker positions, see `SampleEncoding.channelMask`; 0 if not given.
  var channelMask: UInt64 = 0
  /// The chunk that describes the encoding, as it stands.
  var description: [UInt8] = []
  /// Bytes of one frame, if all frames have the same.
  var bytesPerFrame: Int?
  /// The audio, as far as the file reaches; `nil` if the header leads to none.
  var audio: Range<Int64>?
  /// Bytes of audio the header claims; `nil` if it does not say.
  var claimedByteCount: Int64?
  /// A length that says "unknown" where a length should be: the writer was stopped, or wrote to a pipe.
  var lengthIsUnknown = false
  /// The length is that of the audio modulo 2³²: WAV files may grow longer than their header can say.
  var lengthIsWrapped = false
  /// The sizes of samples and frames do not go together.
  var contradictsItself = false
  /// A compressed encoding whose blocks would have no bytes.
  var hasEmptyBlocks = false
  /// A CAF file of ALAC has a header of that codec that cannot be right.
  private(set) var hasAbsurdCookie = false
  /// Chunks of tags and markers that FFmpeg's demuxer must not see.
  private(set) var masks: [ByteMask] = []
  /// Where what decoders need ends: behind it are tags at most.
  private(set) var end: Int64

  /// Frames that AIFF notes beside the number of bytes.
  private var notedFrameCount: Int64?

  /// Frames that the header claims; `nil` if it does not say or the encoding has frames of different sizes.
  var claimedFrameCount: Int64? {
    if let notedFrameCount { return notedFrameCount }
    guard let claimedByteCount, let bytesPerFrame, bytesPerFrame > 0 else { return nil }
    return claimedByteCount / Int64(bytesPerFrame)
  }

  /// The header claims more audio than the file can hold.
  var isCutOff: Bool {
    guard let claimedByteCount, let audio else { return false }
    return claimedByteCount > audio.upperBound - audio.lowerBound
  }

  /// FFmpeg's name for the demuxer.
  var demuxer: String { name == "rf64" ? "wav" : name }

  /// The header of a WAV file of the same encoding that goes on for ever.
  var endlessHeader: [UInt8] {
    let unknown: [UInt8] = [0xff, 0xff, 0xff, 0xff]
    return Array("RIFF".utf8) + unknown + Array("WAVEfmt ".utf8) + [UInt8(description.count), 0, 0, 0] + description
      + Array("data".utf8) + unknown
  }

  /// More chunks than any real file has.
  private static let chunkLimit = 1 << 17

  /// `nil` if none of the containers begins at `start`.
  init?(in file: InputFile, at start: Int64) throws(DecodeError) {
    self.start = start
    end = file.size
    let magic = try file.bytes(at: start, count: 40)
    if magic.has("RIFF") && magic.has("WAVE", at: 8) {
      name = "wav"
      try readRIFF(file, from: start + 12, isBigEndian: false)
    } else if magic.has("RIFX") && magic.has("WAVE", at: 8) {
      name = "wav"
      try readRIFF(file, from: start + 12, isBigEndian: true)
    } else if (magic.has("RF64") || magic.has("BW64")) && magic.has("WAVE", at: 8) {
      name = "rf64"
      try readRIFF(file, from: start + 12, isBigEndian: false)
    } else if magic.has(Self.wave64("riff")) {
      name = "w64"
      try readWave64(file, from: start + 40)
    } else if magic.has("FORM") && (magic.has("AIFF", at: 8) || magic.has("AIFC", at: 8)) {
      name = "aiff"
      try readAIFF(file, from: start + 12)
    } else if magic.has(".snd") || magic.has("dns.") {
      name = "au"
      readAU(magic, file, at: start)
    } else if magic.has("caff") {
      name = "caf"
      try readCAF(file, from: start + 8)
    } else {
      return nil
    }
  }

  /// Lengths which writers leave that cannot go back to write the true one.
  private static func isPlaceholder(_ length: UInt32) -> Bool {
    length == 0 || length >= 0xffff_0000 || (0x7fff_0000...0x8000_0000).contains(length)
  }

  private mutating func setAudio(from start: Int64, claimed: Int64?, in file: InputFile) {
    let available = max(0, file.size - start)
    claimedByteCount = claimed
    lengthIsUnknown = claimed == nil
    audio = min(start, file.size)..<min(start, file.size) + min(claimed ?? available, available)
  }

  /// Where a chunk starts whose predecessor ends at `end`. Odd sizes have a padding byte, which some writers forget.
  private static func nextChunk(
    after end: Int64, isOdd: Bool, isBigEndian: Bool, in file: InputFile
  ) throws(DecodeError) -> Int64 {
    /// Whether a name and a size stand there that fits in the file.
    func isChunk(at position: Int64) throws(DecodeError) -> Bool {
      let header = try file.bytes(at: position, count: 8)
      guard let raw = header.bigEndian(UInt32.self, at: 4) else { return false }
      return header.values.prefix(4).allSatisfy { (0x20...0x7e).contains($0) }
        && Int64(isBigEndian ? raw : raw.byteSwapped) <= file.size - position - 8
    }
    guard isOdd else { return end }
    let isUnpadded = try isChunk(at: end + 1) ? false : isChunk(at: end)
    return isUnpadded ? end : end + 1
  }

  /// Lets `end` be that of the audio, or where the header goes on behind it.
  private mutating func cutTags(behind position: Int64) {
    if let audio, !description.isEmpty { end = min(end, max(audio.upperBound, position)) }
  }

  private static let tagChunks = ["LIST", "list", "ID3 ", "id3 ", "cue ", "bext"].map { Array($0.utf8) }

  // MARK: WAV

  private mutating func readRIFF(_ file: InputFile, from start: Int64, isBigEndian: Bool) throws(DecodeError) {
    var position = start
    var length64: Int64?
    var data: (start: Int64, length: UInt32)?
    for _ in 0..<Self.chunkLimit {
      let header = try file.bytes(at: position, count: 8)
      guard let raw = header.bigEndian(UInt32.self, at: 4) else { break }
      let length = isBigEndian ? raw : raw.byteSwapped
      let body = position + 8
      if header.has("fmt ") {
        readWaveFormat(try file.bytes(at: body, count: Int(min(length, 40))), isBigEndian: isBigEndian)
      } else if header.has("ds64") {
        length64 = try file.bytes(at: body, count: 16).littleEndian(Int64.self, at: 8)
      } else if header.has("data"), data == nil {
        data = (body, length)
      }
      if Self.tagChunks.contains(where: { header.has($0) }) { masks.append(ByteMask(at: position, "JUNK")) }
      if data != nil && !description.isEmpty { break }
      position = try Self.nextChunk(
        after: body + Int64(length), isOdd: length & 1 != 0, isBigEndian: isBigEndian, in: file)
    }
    defer { cutTags(behind: position) }
    guard let data else { return }
    let available = file.size - data.start
    if data.length == .max, let length64, length64 > 0 {
      setAudio(from: data.start, claimed: length64, in: file)
    } else if Self.isPlaceholder(data.length) && Int64(data.length) != available {
      setAudio(from: data.start, claimed: nil, in: file)
    } else {
      // What is left of the file behind a wrapped length is a multiple of 2³² but for some chunks at the end.
      let beyond = available - Int64(data.length)
      let wraps = (beyond + 1 << 20) >> 32
      lengthIsWrapped = wraps > 0 && beyond - wraps << 32 < 1 << 20
      setAudio(from: data.start, claimed: lengthIsWrapped ? available : Int64(data.length), in: file)
    }
  }

  private mutating func readWaveFormat(_ chunk: Bytes, isBigEndian: Bool) {
    func value<Value: FixedWidthInteger>(_ type: Value.Type, at offset: Int) -> Value? {
      isBigEndian ? chunk.bigEndian(type, at: offset) : chunk.littleEndian(type, at: offset)
    }
    guard let tag = value(UInt16.self, at: 0), let channels = value(UInt16.self, at: 2),
      let rate = value(UInt32.self, at: 4), let align = value(UInt16.self, at: 12)
    else { return }
    description = chunk.values
    channelCount = Int(channels)
    sampleRate = Int(rate)
    let bits = value(UInt16.self, at: 14) ?? 0
    var kind = tag
    if tag == 0xfffe {
      kind = value(UInt16.self, at: 24) ?? 0
      channelMask = UInt64(value(UInt32.self, at: 20) ?? 0)
    }
    // PCM, IEEE float, A-law, mu-law: all frames are `align` bytes, unless the header contradicts itself.
    guard [1, 3, 6, 7].contains(kind) else {
      hasEmptyBlocks = align == 0
      return
    }
    if align > 0, Int(align) == Int(channels) * ((Int(bits) + 7) / 8) { bytesPerFrame = Int(align) }
    contradictsItself = bytesPerFrame == nil || bits % 8 != 0
  }

  // MARK: Wave64

  /// Sony's GUIDs share their last 12 bytes but for that of `riff`.
  private static func wave64(_ name: StaticString) -> [UInt8] {
    let text = UnsafeBufferPointer(start: name.utf8Start, count: 4)
    let isOuter = text.elementsEqual("riff".utf8)
    return Array(text)
      + (isOuter
        ? [0x2e, 0x91, 0xcf, 0x11, 0xa5, 0xd6, 0x28, 0xdb, 0x04, 0xc1, 0x00, 0x00]
        : [0xf3, 0xac, 0xd3, 0x11, 0x8c, 0xd1, 0x00, 0xc0, 0x4f, 0x8e, 0xdb, 0x8a])
  }

  private mutating func readWave64(_ file: InputFile, from start: Int64) throws(DecodeError) {
    var position = start
    for _ in 0..<Self.chunkLimit {
      let header = try file.bytes(at: position, count: 24)
      // The size includes the header of 24 bytes; chunks are aligned to 8.
      guard let size = header.littleEndian(Int64.self, at: 16), size >= 24, size < Int64.max / 2 else { break }
      if header.has(Self.wave64("fmt ")) {
        readWaveFormat(try file.bytes(at: position + 24, count: Int(min(size - 24, 40))), isBigEndian: false)
      } else if header.has(Self.wave64("data")) {
        setAudio(from: position + 24, claimed: size > 24 ? size - 24 : nil, in: file)
        cutTags(behind: position)
        break
      }
      position += (size + 7) / 8 * 8
    }
  }

  // MARK: AIFF

  private mutating func readAIFF(_ file: InputFile, from start: Int64) throws(DecodeError) {
    var position = start
    for _ in 0..<Self.chunkLimit {
      let header = try file.bytes(at: position, count: 8)
      guard let length = header.bigEndian(UInt32.self, at: 4) else { break }
      let body = position + 8
      if header.has("COMM") {
        let common = try file.bytes(at: body, count: Int(min(length, 22)))
        guard let channels = common.bigEndian(UInt16.self, at: 0), let frames = common.bigEndian(UInt32.self, at: 2),
          let exponent = common.bigEndian(UInt16.self, at: 8), let mantissa = common.bigEndian(UInt64.self, at: 10)
        else { break }
        description = common.values
        channelCount = Int(channels)
        // An 80-bit float: the rate is the mantissa's top bits.
        let shift = 16_383 + 63 - Int(exponent & 0x7fff)
        sampleRate = (0...63).contains(shift) ? Int(truncatingIfNeeded: mantissa >> UInt64(shift)) : 0
        let isLinear = common.count < 22 || Self.linearAIFF.contains { common.has($0, at: 18) }
        if isLinear && frames > 0 { notedFrameCount = Int64(frames) }
      } else if header.has("SSND"), audio == nil {
        let offset = Int64(try file.bytes(at: body, count: 4).bigEndian(UInt32.self, at: 0) ?? 0)
        let length = Int64(length) - 8 - offset
        setAudio(from: body + 8 + offset, claimed: length > 0 ? length : nil, in: file)
      }
      if Self.tagChunks.contains(where: { header.has($0) }) { masks.append(ByteMask(at: position, "JUNK")) }
      position = try Self.nextChunk(
        after: body + Int64(length), isOdd: length & 1 != 0, isBigEndian: true, in: file)
      if audio != nil && !description.isEmpty { break }
    }
    cutTags(behind: position)
  }

  /// Compression types of AIFF-C that count frames and not packets.
  private static let linearAIFF = [
    "NONE", "sowt", "twos", "raw ", "in24", "in32", "42n1", "23n1", "fl32", "FL32", "fl64", "FL64", "ulaw", "ULAW",
    "alaw", "ALAW",
  ].map { Array($0.utf8) }

  // MARK: AU

  private mutating func readAU(_ header: Bytes, _ file: InputFile, at start: Int64) {
    func word(_ index: Int) -> UInt32 {
      let value = header.bigEndian(UInt32.self, at: 4 * index) ?? 0
      return header.has(".snd") ? value : value.byteSwapped
    }
    description = Array(header.values.dropFirst(12).prefix(12))
    sampleRate = Int(word(4))
    channelCount = Int(word(5))
    let bytes: [UInt32: Int] = [1: 1, 2: 1, 3: 2, 4: 3, 5: 4, 6: 4, 7: 8, 27: 1]
    bytesPerFrame = bytes[word(3)].map { $0 * channelCount }
    setAudio(
      from: start + Int64(word(1)), claimed: Self.isPlaceholder(word(2)) ? nil : Int64(word(2)), in: file)
  }

  // MARK: CAF

  private mutating func readCAF(_ file: InputFile, from start: Int64) throws(DecodeError) {
    var position = start
    for _ in 0..<Self.chunkLimit {
      let header = try file.bytes(at: position, count: 12)
      guard let length = header.bigEndian(Int64.self, at: 4) else { break }
      let body = position + 12
      if header.has("desc") {
        let chunk = try file.bytes(at: body, count: 32)
        guard let rate = chunk.bigEndian(UInt64.self, at: 0).map(Double.init(bitPattern:)),
          let bytesPerPacket = chunk.bigEndian(UInt32.self, at: 16),
          let framesPerPacket = chunk.bigEndian(UInt32.self, at: 20),
          let channels = chunk.bigEndian(UInt32.self, at: 24)
        else { break }
        description = chunk.values
        sampleRate = rate >= 0 && rate < 1e9 ? Int(rate) : 0
        channelCount = Int(channels)
        if framesPerPacket == 1 && bytesPerPacket > 0 { bytesPerFrame = Int(bytesPerPacket) }
      } else if header.has("data"), audio == nil {
        // Four bytes of edit count come first; -1 means "to the end of the file".
        setAudio(from: body + 4, claimed: length > 4 ? length - 4 : nil, in: file)
      } else if header.has("kuki"), Bytes(description).has("alac", at: 8) {
        hasAbsurdCookie = ALACCookie.isAbsurd(try file.bytes(at: body, count: 64))
      } else if header.has("info") {
        masks.append(ByteMask(at: position, "free"))
      }
      guard length >= 0, length < Int64.max / 2 else { break }
      position = body + length
    }
  }
}
