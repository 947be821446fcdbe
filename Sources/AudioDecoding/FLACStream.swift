internal import AudioAnalysis

/// The parts of a native FLAC file (RFC 9639).
struct FLACStream {
  var sampleRate: Int
  var channelCount: Int
  var bitDepth: Int
  /// See `SampleEncoding.channelMask`.
  var channelMask: UInt64
  /// Frames that STREAMINFO claims; `nil` for 0, which means unknown.
  var claimedFrameCount: Int64?
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
