import AnalysisTesting
import Testing

@testable import MediaContainers

/// Headers of frames, all values of their fields, against the tables of the standards.
@Suite(.bounded) struct FrameHeaderTests {
  // MARK: MPEG audio

  /// Bit rates in kbit/s (ISO/IEC 11172-3, table 2.4.2.3; ISO/IEC 13818-3, table 2.4.2.3).
  private static func bitRates(isFirstVersion: Bool, layer: Int) -> [Int] {
    switch (isFirstVersion, layer) {
    case (true, 1): (0...14).map { 32 * $0 }
    case (true, 2): [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384]
    case (true, _): [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
    case (false, 1): [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256]
    default: (0...8).map { 8 * $0 } + [80, 96, 112, 128, 144, 160]
    }
  }

  /// Length, samples, and position of the table of an MPEG frame; `nil` if nobody writes such a header.
  private static func expected(
    version: Int, layer: Int, bitRate: Int, rate: Int, isPadded: Bool, isMono: Bool, emphasis: Int
  ) -> (length: Int, samples: Int, table: Int)? {
    guard version != 1, layer != 4, (1...14).contains(bitRate), rate != 3, emphasis != 2, version != 0 || layer == 3
    else { return nil }
    let isFirst = version == 3
    let kilobits = bitRates(isFirstVersion: isFirst, layer: layer)[bitRate]
    let hertz = [44_100, 48_000, 32_000][rate] / (isFirst ? 1 : version == 2 ? 2 : 4)
    let samples = layer == 1 ? 384 : layer == 3 && !isFirst ? 576 : 1_152
    // Slots of four bytes in layer I, of one in the others.
    let slot = layer == 1 ? 4 : 1
    let length = (samples / 8 / slot * kilobits * 1_000 / hertz + (isPadded ? 1 : 0)) * slot
    return (length, samples, isFirst ? (isMono ? 21 : 36) : (isMono ? 13 : 21))
  }

  @Test func headersOfMPEG() {
    for version in 0...3 {
      for layer in 1...4 {
        for bitRate in 0...15 {
          for rate in 0...3 {
            for (padding, mode, emphasis) in [
              (0, 0, 0), (1, 0, 0), (0, 3, 1), (1, 3, 3), (0, 1, 3), (1, 2, 1), (0, 0, 2),
            ] {
              let word =
                0x7FF << 21 | version << 19 | (4 - layer) << 17 | 1 << 16 | bitRate << 12 | rate << 10 | padding << 9
                | mode << 6 | emphasis
              let header = MPEGFrameHeader(big(word)[...])
              let found = header.map { ($0.length, $0.samplesPerFrame, $0.tableOffset) }
              let expected = Self.expected(
                version: version, layer: layer, bitRate: bitRate, rate: rate, isPadded: padding == 1,
                isMono: mode == 3, emphasis: emphasis)
              let isEqual = found?.0 == expected?.length && found?.1 == expected?.samples && found?.2 == expected?.table
              if !isEqual { Issue.record("\(String(word, radix: 16))") }
              if let header, header.isDistinctive != (layer != 1) { Issue.record("layer \(layer)") }
            }
          }
        }
      }
    }
    #expect(MPEGFrameHeader([0xFF, 0xFB, 0x10]) == nil)
    for bit in 21..<32 { #expect(MPEGFrameHeader(big(0xFFFB_10C0 ^ 1 << bit)[...]) == nil) }
  }

  /// Version, layer and rate stay the same in a stream; checksum, bit rate, padding and stereo mode may change.
  @Test func continuationsOfMPEG() throws {
    let word = 0xFFFB_10C0
    let first = try #require(MPEGFrameHeader(big(word)[...]))
    for (bits, continues) in [
      (0x1_0000, true), (0x3000, true), (0x200, true), (0x100, true), (0x40, true), (0x400, false), (0x800, false),
      (0x6_0000, false), (0x8_0000, false),
    ] {
      let other = try #require(MPEGFrameHeader(big(word ^ bits)[...]))
      #expect(other.continues(first) == continues, "\(bits)")
      let isFirstWordSame = (word ^ bits) >> 17 == word >> 17
      #expect(first.isContinued(by: UInt16((word ^ bits) >> 16)) == isFirstWordSame, "\(bits)")
    }
    for (word, isSync) in [(0xFFE0, true), (0xFFFF, true), (0xFFDF, false), (0x7FFF, false), (0xFEFF, false)] {
      #expect(MPEGFrameHeader.isSync(UInt16(word)) == isSync)
    }
  }

  // MARK: AC-3

  @Test func headersOfAC3() {
    let bitRates = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640]
    for identification in 0...31 {
      for rate in 0...3 {
        for code in 0..<64 {
          let bytes: Bytes = [0x0B, 0x77, 0xF8, 0x04, UInt8(rate << 6 | code), UInt8(identification << 3)]
          var expected: Int?
          if (11...16).contains(identification) {
            expected = 10
          } else if identification <= 10, rate < 3, code < 38 {
            // Words of two bytes in a frame of 1,536 samples (ETSI TS 102 366, table 4.13).
            let bits = bitRates[code / 2] * 1_000 * 1_536
            expected = [bits / 48_000 / 16, bits / 44_100 / 16 + code % 2, bits / 32_000 / 16][rate] * 2
          }
          if AC3FrameHeader(bytes[...])?.length != expected {
            Issue.record("identification \(identification), rate \(rate), size \(code)")
          }
        }
      }
    }
  }

  @Test func lengthsOfEnhancedAC3() throws {
    func header(_ size: Int, rate: UInt8 = 0, identification: UInt8 = 16) -> AC3FrameHeader? {
      AC3FrameHeader([0x0B, 0x77, UInt8(size >> 8), UInt8(size & 0xFF), rate << 6, identification << 3])
    }
    for size in [3, 4, 255, 256, 2_047] { #expect(header(size)?.length == 2 * size + 2) }
    #expect(header(2) == nil && header(0) == nil)
    // The type and number of the substream come before the size.
    #expect(header(0xF8 << 8 | 3)?.length == 8)
    let first = try #require(header(99))
    #expect(try #require(header(50)).continues(first))
    #expect(try !#require(header(99, rate: 1)).continues(first))
    #expect(try #require(header(99, identification: 11)).continues(first))
    #expect(try !#require(header(99, identification: 10)).continues(first))
    #expect(AC3FrameHeader([0x0B, 0x77, 0, 9, 0]) == nil && AC3FrameHeader([0x0B, 0x76, 0, 9, 0, 0]) == nil)
    #expect(AC3FrameHeader.isSync(0x0B77) && !AC3FrameHeader.isSync(0x0B78) && !AC3FrameHeader.isSync(0x0C77))
  }

  // MARK: DTS

  private func swapped(_ bytes: Bytes) -> Bytes { bytes.indices.map { bytes[$0 ^ 1] } }

  @Test func headersOfDTS() {
    for length in [95, 96, 97, 1_000, 0x1000, 0x1001, 0x4000] {
      let field = length - 1
      let fields = [UInt8(0xFC | field >> 12), UInt8(field >> 4 & 0xFF), UInt8(field << 4 & 0xF0 | 7)]
      let head: Bytes = joined([0x7F, 0xFE, 0x80, 0x01, 0xFC] as Bytes, fields, zeros(6))
      let expected = length < 96 ? nil : length
      #expect(DTSFrameHeader(head[...])?.length == expected)
      #expect(DTSFrameHeader(swapped(head)[...])?.length == expected)
      #expect(DTSFrameHeader(head.dropLast()) == nil)
    }
    for (word, isSync) in [
      (0x7FFE, true), (0xFE7F, true), (0x6458, true), (0x5864, true), (0x7FFF, false), (0, false),
    ] { #expect(DTSFrameHeader.isSync(UInt16(word)) == isSync) }
  }

  /// The extension has sizes of 16 or 20 bits, after a size of 8 or 12 bits of its own header.
  @Test func headersOfDTSHD() {
    for isWide in [false, true] {
      for length in [9, 10, 11, 300, 0x1_0000, 0x1_0001, 0x10_0000] {
        guard isWide || length <= 0x1_0000 else { continue }
        // Two bits of an index, the width, the size of the header, the size of the frame.
        let fields = UInt64(isWide ? 1 : 0) << 61 | UInt64(length - 1) << (isWide ? 29 : 37) | 2 << 62 | 0x1FFF_FFFF
        let header: UInt64 = isWide ? 0xABC << 49 : 0xAB << 53
        let bytes = joined([0x64, 0x58, 0x20, 0x25, 0] as Bytes, (fields | header).bigEndianBytes, zeros(1))
        #expect(DTSFrameHeader(bytes[...])?.length == (length < 10 ? nil : length), "\(isWide) \(length)")
        #expect(DTSFrameHeader(swapped(bytes)[...])?.length == (length < 10 ? nil : length))
      }
    }
    #expect(DTSFrameHeader(joined([0x64, 0x58, 0x20, 0x26] as Bytes, ones(10))[...]) == nil)
  }

  // MARK: AAC

  @Test func headersOfLOAS() {
    for length in [0, 1, 2, 255, 256, 0x1FFF] {
      let bytes: Bytes = [0x56, UInt8(0xE0 | length >> 8), UInt8(length & 0xFF)]
      #expect(LOASFrameHeader(bytes[...])?.length == (length == 0 ? nil : length + 3))
    }
    #expect(LOASFrameHeader([0x56, 0xE0]) == nil && LOASFrameHeader([0x56, 0xC1, 9]) == nil)
    #expect(LOASFrameHeader.isSync(0x56FF) && !LOASFrameHeader.isSync(0x57E0) && !LOASFrameHeader.isSync(0x56DF))
  }

  @Test func headersOfADTS() throws {
    let rates = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350]
    func header(_ sync: Int, rate: Int, length: Int, blocks: Int = 0) -> ADTSFrameHeader? {
      let bytes = joined(
        big(sync, 2), [UInt8(0x43 | rate << 2)], big(0x80 << 24 | length << 13 | 0x1FFC | blocks))
      return ADTSFrameHeader(bytes[...])
    }
    for rate in 0..<16 {
      for blocks in 0..<4 {
        for length in [7, 8, 0x800, 0x1FFF] {
          let found = header(0xFFF1, rate: rate, length: length, blocks: blocks)
          guard rate < 13, length > 7 else {
            #expect(found == nil)
            continue
          }
          #expect(found?.length == length)
          let seconds = Double(blocks + 1) * 1_024 / Double(rates[rate])
          #expect(abs(try #require(found).seconds - seconds) < 1e-12)
        }
      }
    }
    let first = try #require(header(0xFFF1, rate: 4, length: 100))
    for (sync, rate, continues) in [
      (0xFFF1, 4, true), (0xFFF0, 4, true), (0xFFF9, 4, false), (0xFFF1, 5, false), (0xFFF8, 4, false),
    ] {
      let other = try #require(header(sync, rate: rate, length: 50))
      #expect(other.continues(first) == continues)
      #expect(first.isContinued(by: UInt16(sync)) == [0xFFF0, 0xFFF1].contains(sync))
    }
    for (sync, isSync) in [
      (0xFFF0, true), (0xFFF1, true), (0xFFF8, true), (0xFFF9, true), (0xFFF2, false), (0xFFF4, false), (0xFFE0, false),
    ] {
      #expect(ADTSFrameHeader.isSync(UInt16(sync)) == isSync)
      #expect((header(sync, rate: 4, length: 50) != nil) == isSync)
    }
    #expect(ADTSFrameHeader(Bytes(adtsFrames(1).prefix(6))[...]) == nil)
    #expect(ADTSFrameHeader(Bytes(adtsFrames(1).prefix(7))[...])?.length == 16)
  }

  // MARK: FLAC

  /// CRC-8 of the polynomial 0x07 (RFC 9639, section 9.1.8), bit by bit.
  private static func checksum(_ bytes: Bytes) -> UInt8 {
    var sum: UInt8 = 0
    for byte in bytes {
      for bit in (0..<8).reversed() {
        let isSet = (sum >> 7 ^ byte >> bit & 1) != 0
        sum = sum << 1 ^ (isSet ? 7 : 0)
      }
    }
    return sum
  }

  /// A number in the form of UTF-8, extended to 36 bits.
  private static func coded(_ number: UInt64) -> Bytes {
    guard number >= 0x80 else { return [UInt8(number)] }
    let bits = 64 - number.leadingZeroBitCount
    let count = (2...7).first { bits <= 5 * $0 + 1 } ?? 7
    let rest = (0..<count - 1).reversed().map { UInt8(0x80 | number >> (6 * UInt64($0)) & 0x3F) }
    return [UInt8(truncatingIfNeeded: 0xFF << (8 - count)) | UInt8(number >> (6 * UInt64(count - 1)))] + rest
  }

  private static func header(
    blocking: Int = 0xFFF8, size: Int = 12, rate: Int = 9, channels: Int = 1, depth: Int = 4, number: UInt64 = 5,
    values: Bytes = []
  ) -> Bytes {
    let head = joined(big(blocking << 16 | size << 12 | rate << 8 | channels << 4 | depth << 1), coded(number), values)
    return head + [checksum(head)]
  }

  @Test func numbersOfFLACFrames() {
    var numbers: [UInt64] = [0, 1]
    for bits in [7, 11, 16, 21, 26, 31, 36] as [UInt64] { numbers += [1 << bits - 1, 1 << bits] }
    for number in numbers.dropLast() {
      #expect(FLACFrameHeader(Self.header(number: number) + [1])?.number == number, "\(number)")
    }
  }

  @Test func fieldsOfFLACFrames() {
    let rates: [Int?] = [
      nil, 88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000, 37_000, 0x1234,
    ]
    for size in 0...15 {
      for rate in 0...15 {
        let sizes: Bytes = size == 6 ? [1] : size == 7 ? [1, 2] : []
        let rateValue: Bytes = rate == 12 ? [37] : rate > 12 ? [0x12, 0x34] : []
        let found = FLACFrameHeader(Self.header(size: size, rate: rate, values: sizes + rateValue))
        #expect((found != nil) == (size != 0 && rate != 15), "\(size) \(rate)")
        if let found { #expect(found.sampleRate == (rate == 14 ? 46_600 : rates[rate]) && found.number == 5) }
      }
    }
    for channels in 0...15 {
      let found = FLACFrameHeader(Self.header(channels: channels))?.channelCount
      #expect(found == (channels < 8 ? channels + 1 : channels < 11 ? 2 : nil))
    }
    let depths: [Int?] = [nil, 8, 12, nil, 16, 20, 24, 32]
    for depth in 0...7 {
      let found = FLACFrameHeader(Self.header(depth: depth))
      #expect((found == nil) == (depth == 3) && found?.bitDepth == depths[depth])
    }
    // The reserved bits, the checksum, and a header that is cut.
    let whole = Self.header()
    #expect(FLACFrameHeader(whole)?.number == 5 && FLACFrameHeader(Self.header(blocking: 0xFFF9))?.number == 5)
    #expect(FLACFrameHeader(Self.header(blocking: 0xFFFA)) == nil && FLACFrameHeader(Bytes(whole.dropLast())) == nil)
    for bit in 0..<8 * whole.count {
      var wrong = whole
      wrong[bit / 8] ^= 0x80 >> UInt8(bit % 8)
      #expect(FLACFrameHeader(wrong) == nil, "bit \(bit)")
    }
    var reserved = Bytes(whole.dropLast())
    reserved[3] |= 1
    #expect(FLACFrameHeader(reserved + [Self.checksum(reserved)]) == nil)
    #expect(FLACFrameHeader(Bytes(whole.prefix(4))) == nil)
  }
}
