internal import AudioAnalysis

/// Where the MPEG audio (ISO/IEC 11172-3, 13818-3; layers I to III) of a file begins and ends.
struct MPEGStream {
  /// From the first frame to the tags at the end.
  var audio: Range<Int64>
  /// `audio` without a first frame that carries only a table of contents (Xing, Info, VBRI): retagging tools rewrite it.
  var payload: Range<Int64>
  /// The first frame carries the length of the stream.
  var hasLength: Bool
  /// Bytes before the first frame that belong to no tag.
  var junkByteCount: Int64

  /// A frame header.
  struct Header {
    var word: UInt32
    /// Bytes, header included.
    var length: Int

    /// `nil` for what no encoder writes. Free format is among it.
    init?(_ word: UInt32) {
      let version = word >> 19 & 3
      let layer = 4 - (word >> 17 & 3)
      let bitRateIndex = Int(word >> 12 & 15)
      let rateIndex = Int(word >> 10 & 3)
      guard word >> 21 == 0x7ff, version != 1, layer != 4, bitRateIndex != 0, bitRateIndex != 15, rateIndex != 3,
        word & 3 != 2
      else { return nil }
      let isFirstVersion = version == 3
      let kilobits = Self.bitRates[isFirstVersion ? Int(layer) - 1 : layer == 1 ? 3 : 4][bitRateIndex]
      let rate = [44_100, 48_000, 32_000][rateIndex] >> (isFirstVersion ? 0 : version == 2 ? 1 : 2)
      let padding = Int(word >> 9 & 1)
      switch layer {
      case 1: length = (12_000 * kilobits / rate + padding) * 4
      case 3 where !isFirstVersion: length = 72_000 * kilobits / rate + padding
      default: length = 144_000 * kilobits / rate + padding
      }
      self.word = word
    }

    /// Version, layer and rate never change within a stream; bit rate, padding and stereo mode do.
    func continues(_ other: Header) -> Bool { word & 0xfffe_0c00 == other.word & 0xfffe_0c00 }

    /// Bytes from the header to where Xing or Info may stand: the side information is skipped.
    var tableOffset: Int {
      let isMono = word >> 6 & 3 == 3
      let isFirstVersion = word >> 19 & 3 == 3
      return 4 + (isFirstVersion ? (isMono ? 17 : 32) : (isMono ? 9 : 17))
    }

    /// kbit/s by index: layers I, II, III of version 1; layer I, then II and III of versions 2 and 2.5.
    private static let bitRates = [
      [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
      [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
      [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
      [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
      [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    ]
  }

  /// Junk in front is searched for this many bytes: more than any picture or page that got there by accident.
  private static let searchLimit: Int64 = 16 << 20

  /// Looks for the first of several frames in a row.
  ///
  /// - Parameter start: The offset after the tags in front.
  init?(in file: InputFile, from start: Int64) throws(DecodeError) {
    let end = try TagRegions.startOfTrailingTags(in: file)
    guard let first = try Self.firstFrame(in: file, from: start, to: end) else { return nil }
    audio = first.offset..<end
    payload = audio
    junkByteCount = first.offset - start
    hasLength = false
    let frame = try file.bytes(at: first.offset, count: 64)
    let table = first.header.tableOffset
    if frame.has("Xing", at: table) || frame.has("Info", at: table) || frame.has("VBRI", at: 36) {
      payload = min(end, first.offset + Int64(first.header.length))..<end
      hasLength = true
    }
  }

  private static func firstFrame(
    in file: InputFile, from start: Int64, to end: Int64
  ) throws(DecodeError) -> (offset: Int64, header: Header)? {
    let chunkLength = 1 << 18
    var chunkStart = start
    while chunkStart < min(end, start + searchLimit) {
      let chunk = try file.bytes(at: chunkStart, count: chunkLength + 3)
      guard chunk.count >= 4 else { return nil }
      var index = 0
      while index + 4 <= chunk.count {
        if chunk.values[index] == 0xff, chunk.values[index + 1] & 0xe0 == 0xe0 {
          let offset = chunkStart + Int64(index)
          if let word = chunk.bigEndian(UInt32.self, at: index), let header = Header(word),
            try isFollowed(header, at: offset, in: file, to: end, isAtStart: offset == start)
          {
            return (offset, header)
          }
        }
        index += 1
      }
      chunkStart += Int64(chunkLength)
    }
    return nil
  }

  /// Whether `header` begins a run of frames: three more, or fewer that end exactly where the stream ends. Where a stream is
  /// expected, one more is enough.
  private static func isFollowed(
    _ header: Header, at offset: Int64, in file: InputFile, to end: Int64, isAtStart: Bool
  ) throws(DecodeError) -> Bool {
    var offset = offset + Int64(header.length)
    var following = 0
    while following < 3 {
      if offset == end { return following > 0 || isAtStart }
      guard let word = try file.bytes(at: offset, count: 4).bigEndian(UInt32.self, at: 0), let next = Header(word),
        next.continues(header)
      else { return isAtStart && following > 0 }
      following += 1
      offset += Int64(next.length)
    }
    return true
  }
}
