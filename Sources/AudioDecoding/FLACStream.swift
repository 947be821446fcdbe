internal import Analysis

/// The parts of a native FLAC file (RFC 9639).
struct FLACStream {
  /// What FFmpeg 5.1 and libsndfile 1.2 read, of the 32 bits per sample that RFC 9639 allows.
  static let decodableBitDepth = 24

  var sampleRate: Int
  var channelCount: Int
  var bitDepth: Int
  /// See `SampleEncoding.channelMask`.
  var channelMask: UInt64
  /// Frames that STREAMINFO claims; `nil` for 0, which means unknown.
  var claimedFrameCount: Int64?
  /// MD5 of the samples; `nil` if the encoder left none.
  var checksum: [UInt8]?
  /// Where the first frame says otherwise than STREAMINFO, what each says, in a sentence. The frame is believed: it has
  /// a checksum.
  private(set) var contradiction: String?
  /// The marker and STREAMINFO as the only metadata block: a header for a decoder that need not see the rest. FFmpeg
  /// takes very long to read 100,000 comments.
  var bareHeader: [UInt8]
  /// From the first audio frame to the tags of other formats at the end.
  var audio: Range<Int64>

  /// `nil` if there is no FLAC stream at `offset`.
  init?(in file: InputFile, at offset: Int64) throws(DecodeError) {
    let start = try file.bytes(at: offset, count: 42)
    guard start.has("fLaC"), start.count == 42, start.values[4] & 0x7f == 0 else { return nil }
    let packed = start.bigEndian(UInt64.self, at: 18) ?? 0
    sampleRate = Int(packed >> 44)
    channelCount = Int(packed >> 41 & 7) + 1
    bitDepth = Int(packed >> 36 & 31) + 1
    channelMask = Self.channelMask(channelCount: channelCount)
    let frames = Int64(packed & 0xf_ffff_ffff)
    claimedFrameCount = frames > 0 ? frames : nil
    checksum = Array(start.values[26..<42])
    if checksum?.allSatisfy({ $0 == 0 }) ?? true { checksum = nil }
    bareHeader = Array(start.values)
    bareHeader[4] = 0x80
    bareHeader.replaceSubrange(5..<8, with: [0, 0, 34])
    // Block sizes from 16 to 65,535, frame sizes unknown: FFmpeg refuses frames beyond limits that may be wrong.
    bareHeader.replaceSubrange(8..<18, with: [0, 16, 0xff, 0xff, 0, 0, 0, 0, 0, 0])

    var isLast = start.values[4] & 0x80 != 0
    var position = offset + 8 + Int64(start.bigEndian(UInt32.self, at: 4).map { $0 & 0xff_ffff } ?? 34)
    while !isLast {
      let header = try file.bytes(at: position, count: 4)
      // Audio frames start with 14 set bits: the chain of blocks ended without its flag.
      guard let word = header.bigEndian(UInt32.self, at: 0), word >> 18 != 0x3fff else { break }
      let next = position + 4 + Int64(word & 0xff_ffff)
      guard next <= file.size, word >> 24 & 0x7f != 127 else { break }
      isLast = word >> 31 != 0
      if channelCount > 2, word >> 24 & 0x7f == 4 {
        let comments = try file.bytes(at: position + 4, count: Int(min(word & 0xff_ffff, 1 << 16)))
        if let mask = Self.notedChannelMask(in: comments), mask.nonzeroBitCount == channelCount { channelMask = mask }
      }
      position = next
    }
    // The last block may claim more than there is.
    let audioStart = min(position, file.size)
    audio = audioStart..<(try TagRegions.startOfTrailingTags(in: file, behind: audioStart))
    if let frame = FLACFrameHeader(try file.bytes(at: audioStart, count: 16)) { believe(frame) }
  }

  private mutating func believe(_ frame: FLACFrameHeader) {
    var claims: [String] = []
    if let rate = frame.sampleRate, rate != sampleRate {
      claims.append("\(sampleRate) Hz where the frames have \(rate)")
      sampleRate = rate
    }
    if frame.channelCount != channelCount {
      claims.append("\(channelCount) channel\(channelCount == 1 ? "" : "s") where the frames have \(frame.channelCount)")
      channelCount = frame.channelCount
      channelMask = Self.channelMask(channelCount: channelCount)
    }
    if let depth = frame.bitDepth, depth != bitDepth {
      claims.append("\(bitDepth) bits where the frames have \(depth)")
      bitDepth = depth
    }
    guard !claims.isEmpty else { return }
    contradiction = "The header claims \(claims.joined(separator: ", ")); the frames were believed."
    let length = UInt64(claimedFrameCount ?? 0)
    let packed =
      UInt64(sampleRate) << 44 | UInt64(channelCount - 1) << 41 | UInt64(bitDepth - 1) << 36 | length
    bareHeader.replaceSubrange(18..<26, with: withUnsafeBytes(of: packed.bigEndian) { Array($0) })
  }

  /// The speaker positions a Vorbis comment may give instead (RFC 9639, section 8.6.2).
  private static func notedChannelMask(in comments: Bytes) -> UInt64? {
    let key = Array("WAVEFORMATEXTENSIBLE_CHANNEL_MASK=0x".utf8)
    guard let vendorLength = comments.littleEndian(UInt32.self, at: 0) else { return nil }
    var position = 4 + Int(vendorLength) + 4
    while let length = comments.littleEndian(UInt32.self, at: position) {
      position += 4
      if comments.has(key, at: position) {
        let digits = comments.values[(position + key.count)...].prefix(max(0, Int(length) - key.count))
        return UInt64(String(decoding: digits, as: UTF8.self), radix: 16)
      }
      position += Int(length)
    }
    return nil
  }

  /// Speaker positions that RFC 9639, section 9.1.3, assigns to a channel count, as FFmpeg writes them.
  static func channelMask(channelCount: Int) -> UInt64 {
    let masks: [UInt64] = [0x4, 0x3, 0x7, 0x33, 0x607, 0x60f, 0x70f, 0x63f]
    return masks.indices.contains(channelCount - 1) ? masks[channelCount - 1] : 0
  }
}

/// The header of a FLAC frame (RFC 9639, section 9.1).
private struct FLACFrameHeader {
  /// `nil`: as in STREAMINFO.
  var sampleRate: Int?
  var channelCount: Int
  /// `nil`: as in STREAMINFO.
  var bitDepth: Int?

  private static let sampleRates = [
    nil, 88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000,
  ]
  private static let bitDepths = [nil, 8, 12, nil, 16, 20, 24, 32]

  /// `nil` if `bytes` do not begin with a header, or its checksum is wrong.
  init?(_ bytes: Bytes) {
    guard let word = bytes.bigEndian(UInt32.self, at: 0), word >> 17 == 0x7ffc, word & 1 == 0 else { return nil }
    let blockSize = word >> 12 & 15
    let rate = Int(word >> 8 & 15)
    let channels = Int(word >> 4 & 15)
    let depth = Int(word >> 1 & 7)
    guard blockSize != 0, rate != 15, channels < 11, depth != 3, bytes.count >= 5 else { return nil }
    // The number of the frame or sample, coded as UTF-8 is; then what the codes could not say.
    let numberLength = max(1, (~bytes.values[4]).leadingZeroBitCount)
    let blockLength = blockSize == 6 ? 1 : blockSize == 7 ? 2 : 0
    let rateStart = 4 + numberLength + blockLength
    let end = rateStart + (rate == 12 ? 1 : rate > 12 ? 2 : 0)
    guard end < bytes.count, Self.checksum(bytes.values[..<end]) == bytes.values[end] else { return nil }
    switch rate {
    case 12: sampleRate = Int(bytes.values[rateStart]) * 1_000
    case 13, 14:
      sampleRate = bytes.bigEndian(UInt16.self, at: rateStart).map { Int($0) * (rate == 13 ? 1 : 10) }
    default: sampleRate = Self.sampleRates[rate]
    }
    channelCount = channels < 8 ? channels + 1 : 2
    bitDepth = Self.bitDepths[depth]
  }

  /// CRC-8 with the polynomial 0x07.
  private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt8 {
    bytes.reduce(0) { sum, byte in
      (0..<8).reduce(sum ^ byte) { value, _ in value << 1 ^ (value & 0x80 != 0 ? 0x07 : 0) }
    }
  }
}
