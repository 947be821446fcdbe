internal import Analysis

/// Where the MPEG audio (ISO/IEC 11172-3, 13818-3; layers I to III) of a file begins and ends.
struct MPEGStream {
  /// From the first frame to the tags at the end.
  var audio: Range<Int64>
  /// `audio` without a first frame that carries only a table of contents (Xing, Info, VBRI): retagging tools rewrite
  /// it.
  var payload: Range<Int64>
  /// Frames of PCM that such a table claims, without the encoder's delay and padding; `nil` if there is none.
  var claimedFrameCount: Int64?
  /// What such a table says of that delay and padding: 12 bits each, and 8 of something else; `nil` if it does not.
  var trimming: UInt32?
  /// Where there is no such table: what the size of `payload` gives, taken that all its frames are as long as the first
  /// ones on average.
  private(set) var estimatedFrameCount: Int64?
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

    /// Frames of PCM in a frame of MPEG audio.
    var samplesPerFrame: Int {
      switch word >> 17 & 3 {
      case 3: 384
      case 2: 1_152
      default: word >> 19 & 3 == 3 ? 1_152 : 576
      }
    }

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
    let end = try TagRegions.startOfTrailingTags(in: file, behind: start)
    guard let first = try Self.firstFrame(in: file, from: start, to: end) else { return nil }
    audio = first.offset..<end
    payload = audio
    junkByteCount = first.offset - start
    let frame = try file.bytes(at: first.offset, count: 256)
    let table = first.header.tableOffset
    let isXing = frame.has("Xing", at: table) || frame.has("Info", at: table)
    guard isXing || frame.has("VBRI", at: 36) else {
      estimatedFrameCount = try Self.estimate(payload, first.header, in: file)
      return
    }
    payload = min(end, first.offset + Int64(first.header.length))..<end
    claimedFrameCount = (isXing ? Self.xingLength(frame, at: table) : frame.bigEndian(UInt32.self, at: 50)).flatMap {
      $0 > 0 ? Int64($0) * Int64(first.header.samplesPerFrame) : nil
    }
    if isXing {
      trimming = Self.trimming(frame, at: table)
      if let length = claimedFrameCount, let trimming {
        claimedFrameCount = max(0, length - Int64(trimming >> 20) - Int64(trimming >> 8 & 0xfff))
      }
    }
    if claimedFrameCount == nil { estimatedFrameCount = try Self.estimate(payload, first.header, in: file) }
  }

  /// Frames that an estimate is made from: half a minute, in which a variable bit rate has shown most of its range.
  private static let estimationLength = 1_024

  /// Frames of PCM in `payload` if it goes on as it begins.
  private static func estimate(
    _ payload: Range<Int64>, _ first: Header, in file: InputFile
  ) throws(DecodeError) -> Int64? {
    var reader = HeaderReader(file)
    var position = payload.lowerBound
    var count: Int64 = 0
    while count < estimationLength, position < payload.upperBound,
      let word = try reader.bytes(at: position, count: 4).bigEndian(UInt32.self, at: 0), let header = Header(word),
      header.continues(first)
    {
      position += Int64(header.length)
      count += 1
    }
    guard count > 0 else { return nil }
    let meanLength = Double(position - payload.lowerBound) / Double(count)
    let frames = Double(payload.upperBound - payload.lowerBound) / meanLength
    return Int64(frames.rounded()) * Int64(first.samplesPerFrame)
  }

  /// The number of frames in a Xing table: bit 0 of the flags says whether it is there.
  private static func xingLength(_ frame: Bytes, at table: Int) -> UInt32? {
    guard let flags = frame.bigEndian(UInt32.self, at: table + 4), flags & 1 != 0 else { return nil }
    return frame.bigEndian(UInt32.self, at: table + 8)
  }

  /// Samples that LAME and FFmpeg note to be cut from start and end: 12 bits each, 21 bytes into their extension, which
  /// stands behind the optional parts of the table.
  private static func trimming(_ frame: Bytes, at table: Int) -> UInt32? {
    guard let flags = frame.bigEndian(UInt32.self, at: table + 4) else { return nil }
    var position = table + 8
    for (bit, size) in [(1, 4), (2, 4), (4, 100), (8, 4)] where Int(flags) & bit != 0 { position += size }
    guard frame.has("LAME", at: position) || frame.has("Lavf", at: position) || frame.has("Lavc", at: position) else {
      return nil
    }
    return frame.bigEndian(UInt32.self, at: position + 21)
  }

  private static func firstFrame(
    in file: InputFile, from start: Int64, to end: Int64
  ) throws(DecodeError) -> (offset: Int64, header: Header)? {
    let chunkLength = 1 << 18
    var chunkStart = start
    while chunkStart < min(end, start + searchLimit) {
      let chunk = try file.bytes(at: chunkStart, count: Int(min(Int64(chunkLength) + 3, end - chunkStart)))
      guard chunk.count >= 4 else { return nil }
      var index = 0
      while let found = nextHeader(in: chunk.values, from: index) {
        let offset = chunkStart + Int64(found.index)
        if try isFollowed(found.header, at: offset, in: file, to: end, isAtStart: offset == start) {
          return (offset, found.header)
        }
        index = found.index + 1
      }
      chunkStart += Int64(chunkLength)
    }
    return nil
  }

  private static func nextHeader(in bytes: [UInt8], from start: Int) -> (index: Int, header: Header)? {
    guard start + 4 <= bytes.count else { return nil }
    return bytes.withUnsafeBufferPointer { bytes in
      var word = UInt32(bytes[start]) << 16 | UInt32(bytes[start + 1]) << 8 | UInt32(bytes[start + 2])
      for index in start..<bytes.count - 3 {
        word = word << 8 | UInt32(bytes[index + 3])
        if word >> 21 == 0x7ff, let header = Header(word) { return (index, header) }
      }
      return nil
    }
  }

  /// Whether `header` begins a run of frames: three more, or fewer that end exactly where the stream ends. Where a
  /// stream is expected, one more is enough.
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
