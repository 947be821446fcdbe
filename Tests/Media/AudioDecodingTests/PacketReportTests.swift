import AnalysisTesting
import CLibAV
import Glibc
import SystemPackage
import Testing

/// The input of a reader: a file, or the part of it that the reader sees.
private struct ReaderInput {
  var bytes: [UInt8]
  var range: Range<Int>?
  var prefix: [UInt8] = []
  var masks: [LAVMask] = []
  var demuxer: String? = "matroska"
  var sampleRate = 0
  var channelCount = 0
  var sumsPackets = false

  func open(
    _ file: FileDescriptor, isStream: Bool = false
  ) -> (status: LAVStatus, reader: OpaquePointer?, readErrno: CInt) {
    let range = range ?? 0..<bytes.count
    return prefix.withUnsafeBufferPointer { prefix in
      masks.withUnsafeBufferPointer { masks in
        func open(_ demuxer: UnsafePointer<CChar>?) -> (LAVStatus, OpaquePointer?, CInt) {
          var reader: OpaquePointer?
          var readErrno: CInt = 0
          var input = LAVInput()
          input.descriptor = file.rawValue
          input.start = Int64(range.lowerBound)
          input.end = Int64(range.upperBound)
          input.prefix = prefix.baseAddress
          input.prefixCount = CInt(prefix.count)
          input.masks = masks.baseAddress
          input.maskCount = CInt(masks.count)
          input.demuxer = demuxer
          input.isStream = isStream
          input.sumsPackets = sumsPackets
          input.sampleRate = CInt(sampleRate)
          input.channelCount = CInt(channelCount)
          let status = lav_open(&input, &reader, &readErrno)
          return (status, reader, readErrno)
        }
        guard let demuxer else { return open(nil) }
        return demuxer.withCString { open($0) }
      }
    }
  }

  /// Calls `body` with a reader of a file that contains the bytes.
  func read<Result>(_ scratch: Scratch, _ body: (OpaquePointer) throws -> Result) throws -> Result {
    let file = try FileDescriptor.open(scratch.write(bytes, "input"), .readOnly)
    defer { try? file.close() }
    let (status, reader, _) = open(file)
    #expect(status == LAVStatusOK)
    let opened = try #require(reader)
    defer { lav_close(opened) }
    return try body(opened)
  }

  /// The report after all packets were read.
  func report(_ scratch: Scratch) throws -> LAVReport {
    try read(scratch) { reader in
      var packet = LAVPacket()
      while lav_next_packet(reader, &packet) {}
      return lav_report(reader)
    }
  }

  /// The report after everything was decoded.
  func decodingReport(_ scratch: Scratch) throws -> LAVReport {
    try read(scratch) { reader in
      #expect(lav_start(reader, nil) == LAVStatusOK)
      var samples = [Float](repeating: 0, count: 2 * 4_096)
      while lav_read(reader, &samples, 4_096, 4_096) > 0 {}
      return lav_report(reader)
    }
  }
}

private func big(_ value: Int, _ count: Int) -> [UInt8] {
  (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}

/// Matroska files with one track, whose packets may contain anything.
private enum Matroska {
  static func element(_ id: [UInt8], _ body: [UInt8]) -> [UInt8] { id + [1] + big(body.count, 7) + body }

  /// - Parameter times: The starts of the packets in milliseconds; `nil` for every 20 ms.
  static func file(
    _ codec: String, rate: Double = 48_000, channelCount: UInt8 = 2, bitDepth: UInt8? = nil, setup: [UInt8] = [],
    _ packets: [[UInt8]], times: [Int]? = nil
  ) -> [UInt8] {
    var audio = element([0xB5], big(Int(rate.bitPattern), 8))
    audio += element([0x9F], [channelCount])
    if let bitDepth { audio += element([0x62, 0x64], [bitDepth]) }
    var track = element([0xD7], [1])
    track += element([0x73, 0xC5], [1])
    track += element([0x83], [2])
    track += element([0x86], Array(codec.utf8))
    if !setup.isEmpty { track += element([0x63, 0xA2], setup) }
    track += element([0xE1], audio)
    var cluster = element([0xE7], [0])
    for (index, packet) in packets.enumerated() {
      cluster += element([0xA3], [0x81] + big(times?[index] ?? 20 * index, 2) + [0x80] + packet)
    }
    var segment = element([0x15, 0x49, 0xA9, 0x66], element([0x2A, 0xD7, 0xB1], big(1_000_000, 3)))
    segment += element([0x16, 0x54, 0xAE, 0x6B], element([0xAE], track))
    segment += element([0x1F, 0x43, 0xB6, 0x75], cluster)
    let header = element([0x1A, 0x45, 0xDF, 0xA3], element([0x42, 0x82], Array("matroska".utf8)))
    return header + element([0x18, 0x53, 0x80, 0x67], segment)
  }
}

private struct BitWriter {
  private var bits: [Bool] = []

  mutating func append(_ value: Int, _ count: Int) {
    for shift in (0..<count).reversed() { bits.append(value >> shift & 1 == 1) }
  }

  mutating func fill(_ bit: Bool, _ count: Int) { bits += [Bool](repeating: bit, count: count) }

  var bytes: [UInt8] {
    var bytes = [UInt8](repeating: 0, count: (bits.count + 7) / 8)
    for (index, bit) in bits.enumerated() where bit { bytes[index / 8] |= 0x80 >> UInt8(index % 8) }
    return bytes
  }
}

/// Reports on single packets.
@Suite(.bounded) struct PacketReportTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  // MARK: Layer III

  /// A kind of layer III frame with 96 bytes.
  struct LayerIII: CustomTestStringConvertible, Sendable {
    /// MPEG-1, not MPEG-2.
    var isFirst: Bool
    var isMono: Bool
    var isProtected: Bool

    static let all = [true, false].flatMap { isFirst in
      [true, false].flatMap { isMono in
        [true, false].map { LayerIII(isFirst: isFirst, isMono: isMono, isProtected: $0) }
      }
    }

    var testDescription: String {
      "MPEG-\(isFirst ? 1 : 2), \(isMono ? "mono" : "stereo")\(isProtected ? ", with a checksum" : "")"
    }

    var header: [UInt8] {
      var bytes: [UInt8] = [0xFF, isFirst ? 0xFB : 0xF3, isFirst ? 0x14 : 0x44, isMono ? 0xC0 : 0]
      if isProtected {
        bytes[1] -= 1
        bytes += [0, 0]
      }
      return bytes
    }
    var sideSize: Int { isFirst ? (isMono ? 17 : 32) : (isMono ? 9 : 17) }
    var granuleCount: Int { (isFirst ? 2 : 1) * (isMono ? 1 : 2) }
    /// Bytes for the main data.
    var room: Int { 96 - header.count - sideSize }

    /// - Parameters:
    ///   - back: Number of bytes of earlier frames that the main data begins with.
    ///   - lengths: Bits of each granule.
    ///   - filler: The bits of other fields.
    func frame(back: Int = 0, lengths: [Int] = [], filler: Bool = false) -> [UInt8] {
      var side = BitWriter()
      side.append(back, isFirst ? 9 : 8)
      side.fill(filler, isFirst ? (isMono ? 5 + 4 : 3 + 8) : (isMono ? 1 : 2))
      for granule in 0..<granuleCount {
        side.append(granule < lengths.count ? lengths[granule] : 0, 12)
        side.fill(filler, (isFirst ? 59 : 63) - 12)
      }
      let bytes = side.bytes
      return header + bytes + [UInt8](repeating: 0, count: 96 - header.count - bytes.count)
    }

    func file(_ frames: [[UInt8]]) -> [UInt8] {
      Matroska.file("A_MPEG/L3", rate: isFirst ? 48_000 : 24_000, channelCount: isMono ? 1 : 2, frames)
    }
  }

  private func report(on file: [UInt8]) throws -> LAVReport { try ReaderInput(bytes: file).report(scratch) }

  /// Granules may use all bits of their frame, and no more.
  @Test(arguments: LayerIII.all) func granulesHaveTheBitsOfTheirFrame(kind: LayerIII) throws {
    #expect(kind.frame().count == 96)
    var good: [[UInt8]] = []
    var bad: [[UInt8]] = []
    for granule in 0..<kind.granuleCount {
      var lengths = [Int](repeating: 0, count: kind.granuleCount)
      lengths[granule] = 8 * kind.room
      good.append(kind.frame(lengths: lengths, filler: true))
      lengths[granule] += 1
      bad.append(kind.frame(lengths: lengths, filler: false))
      // The bits of all granules count together.
      guard kind.granuleCount > 1 else { continue }
      lengths[granule] = 8 * kind.room - 5
      lengths[(granule + 1) % kind.granuleCount] = 5
      good.append(kind.frame(lengths: lengths, filler: true))
      lengths[granule] += 1
      bad.append(kind.frame(lengths: lengths, filler: false))
    }
    let fine = try report(on: kind.file(good))
    #expect(fine.packetCount == Int64(good.count) && fine.flawedPacketCount == 0 && !fine.startsMidStream)
    let flawed = try report(on: kind.file(bad))
    #expect(flawed.packetCount == Int64(bad.count) && flawed.flawedPacketCount == Int64(bad.count))
    #expect(flawed.lastPacketIsFlawed && flawed.badPacketCount == 0)
    let mixed = try report(on: kind.file(bad + good))
    #expect(mixed.flawedPacketCount == Int64(bad.count) && !mixed.lastPacketIsFlawed)
  }

  /// Main data may begin in earlier frames, but not before the first one.
  @Test func mainDataBeginsInEarlierFrames() throws {
    let kind = LayerIII(isFirst: true, isMono: false, isProtected: false)
    let plain = kind.frame()
    func frame(_ back: Int, _ bits: Int) -> [UInt8] { kind.frame(back: back, lengths: [bits / 2, bits - bits / 2]) }
    func expect(_ frames: [[UInt8]], flawed: Int64, isCut: Bool = false, _ comment: Comment) throws {
      let found = try report(on: kind.file(frames))
      #expect(found.packetCount == Int64(frames.count), comment)
      #expect(found.flawedPacketCount == flawed && found.startsMidStream == isCut, comment)
    }
    #expect(kind.room == 60)
    try expect([plain, frame(60, 8 * 120)], flawed: 0, "all bytes of both frames")
    try expect([plain, frame(60, 8 * 120 + 1)], flawed: 1, "one bit more")
    try expect([plain, frame(61, 8 * 121 + 1)], flawed: 0, "from a byte that is not there")
    try expect([plain, plain, frame(120, 8 * 180 + 1)], flawed: 1, "three frames")
    try expect([plain, plain, frame(121, 8 * 181 + 1)], flawed: 0, "from before three frames")
    try expect([frame(1, 4_000)], flawed: 0, isCut: true, "a first frame that continues another")
    try expect([frame(1, 4_000), frame(60, 8 * 120 + 1)], flawed: 1, isCut: true, "bytes of a cut frame")
    let many = [[UInt8]](repeating: plain, count: 9)
    try expect(many + [frame(511, 8 * 571)], flawed: 0, "the largest distance")
    try expect(many + [frame(511, 8 * 571 + 1)], flawed: 1, "the largest distance, and a bit more")

    let second = LayerIII(isFirst: false, isMono: true, isProtected: false)
    #expect(second.room == 83)
    for excess in 0...1 {
      let last = second.frame(back: 255, lengths: [8 * (255 + 83) + excess])
      let found = try report(on: second.file([[UInt8]](repeating: second.frame(), count: 4) + [last]))
      #expect(found.flawedPacketCount == Int64(excess))
    }
  }

  /// The rest of a frame that was cut off is compared from 40 bytes on.
  @Test(arguments: [(39, 0), (40, 1)]) func framesAreComparedFromALength(count: Int, flawed: Int64) throws {
    let kind = LayerIII(isFirst: false, isMono: true, isProtected: false)
    let full = kind.frame(lengths: [8 * kind.room])
    let found = try report(on: kind.file([full, Array(full.prefix(count))]))
    #expect(found.packetCount == 2 && found.flawedPacketCount == flawed)
  }

  // MARK: DTS

  /// A frame of the core substream, whose header claims `claimed` bytes.
  private static func core(_ count: Int, claimed: Int? = nil) -> [UInt8] {
    let size = (claimed ?? count) - 1
    let head: [UInt8] = [
      0x7F, 0xFE, 0x80, 0x01, 0xFF, 0xFC | UInt8(size >> 12 & 3), UInt8(size >> 4 & 0xFF), UInt8(size & 15) << 4 | 15,
    ]
    return Array((head + [UInt8](repeating: 0x11, count: max(0, count - 8))).prefix(count))
  }

  /// A frame of the extension substream.
  private static func extended(_ count: Int, claimed: Int? = nil, isWide: Bool) -> [UInt8] {
    var fields = BitWriter()
    fields.append(3, 2)
    fields.append(isWide ? 1 : 0, 1)
    fields.append(isWide ? 0xFFF : 0xFF, isWide ? 12 : 8)
    fields.append((claimed ?? count) - 1, isWide ? 20 : 16)
    fields.fill(true, 13)
    let head = [0x64, 0x58, 0x20, 0x25, 0x77] + fields.bytes
    return Array((head + [UInt8](repeating: 0x11, count: max(0, count - head.count))).prefix(count))
  }

  private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

  /// A frame with its first word replaced.
  private static func renamed(_ word: UInt32, _ frame: [UInt8]) -> [UInt8] { big(Int(word), 4) + frame.dropFirst(4) }

  private static let whole: [[[UInt8]]] = [
    [core(96)], [core(14)], [core(10_843)],
    // Zeros may follow, and nothing else.
    [core(96), zeros(1)], [core(96), zeros(50)], [zeros(20)],
    // Several frames, each of which starts at a whole word.
    [core(96), core(40)], [core(97), zeros(3), core(40)], [core(98), zeros(2), core(40)],
    [core(99), zeros(1), core(40)], [core(96), extended(14, isWide: false)], [core(96), extended(64, isWide: false)],
    [core(96), extended(64, isWide: true)], [extended(41_000, isWide: false), core(20)],
    [extended(70_000, isWide: true), core(20)],
    // Other words are no frames, so their lengths are unknown, as are those of headers that were cut off.
    [renamed(0x7FFE_8000, core(60, claimed: 96))], [renamed(0x6458_2024, extended(60, claimed: 96, isWide: false))],
    [renamed(0x1FFF_E800, core(60, claimed: 96))], [core(13, claimed: 96)],
  ]

  private static let cut: [[[UInt8]]] = [
    [core(95, claimed: 96)], [core(14, claimed: 15)], [core(10_842, claimed: 10_843)], [core(96), [1]],
    [core(96), zeros(3), [1]], [core(97), [1]], [core(96), core(39, claimed: 40)], [core(96), zeros(1), core(40)],
    [core(97), zeros(4), core(40)], [core(96), extended(13, isWide: false)],
    [core(96), extended(64, claimed: 65, isWide: false)], [core(96), extended(64, claimed: 65, isWide: true)],
    [core(96), extended(65, claimed: 64, isWide: true)], [extended(70_000, claimed: 70_001, isWide: true)],
  ]

  @Test func packetsOfDTSConsistOfFrames() throws {
    for (packets, flawed): ([[[UInt8]]], Int64) in [(Self.whole, 0), (Self.cut, 1)] {
      for (index, parts) in packets.enumerated() {
        let packet = Array(parts.joined())
        let found = try report(on: Matroska.file("A_DTS", [packet]))
        #expect(found.packetCount == 1 && found.demuxedByteCount == Int64(packet.count))
        #expect(found.flawedPacketCount == flawed, "packet \(index) of \(packet.count) bytes")
      }
    }
    let all = (Self.whole + Self.cut).map { Array($0.joined()) }
    #expect(try report(on: Matroska.file("A_DTS", all)).flawedPacketCount == Int64(Self.cut.count))
  }

  // MARK: Checksums of MPEG audio

  /// Frames with a checksum, and how many bits after it the checksum covers if these bits are all zeros, or all ones.
  struct Covered: CustomTestStringConvertible, Sendable {
    var layer: Int
    var header: [UInt8]
    var size: Int
    var zeros: Int
    var ones: Int

    var testDescription: String { "layer \(layer), \(header), \(size) bytes" }

    init(layer: Int, _ header: [UInt8], _ size: Int, _ zeros: Int, _ ones: Int? = nil) {
      (self.layer, self.header, self.size, self.zeros, self.ones) = (layer, [0xFF] + header, size, zeros, ones ?? zeros)
    }

    /// The sample rate in Hz.
    var rate: Double {
      let rates: [Double] = [44_100, 48_000, 32_000]
      return rates[Int(header[2] >> 2 & 3)] / (header[1] & 8 == 0 ? 2 : 1)
    }
  }

  static let covered: [Covered] = [
    // Layer I: four bits per subband and channel, or both channels from the bound on.
    Covered(layer: 1, [0xFE, 0x24, 0xC0], 64, 128), Covered(layer: 1, [0xFE, 0x24, 0x00], 64, 256),
    Covered(layer: 1, [0xFE, 0x24, 0x80], 64, 256), Covered(layer: 1, [0xFE, 0x24, 0x40], 64, 144),
    Covered(layer: 1, [0xFE, 0x24, 0x50], 64, 160), Covered(layer: 1, [0xFE, 0x24, 0x70], 64, 192),
    Covered(layer: 1, [0xF6, 0x14, 0xC0], 64, 128),
    // Layer II: allocations, and two bits for each that is not zero. Mono at 48, 56, 80 and 96 kbit/s.
    Covered(layer: 2, [0xFC, 0x20, 0xC0], 156, 26, 42), Covered(layer: 2, [0xFC, 0x30, 0xC0], 182, 88, 142),
    Covered(layer: 2, [0xFC, 0x50, 0xC0], 261, 88, 142), Covered(layer: 2, [0xFC, 0x60, 0xC0], 313, 94, 154),
    Covered(layer: 2, [0xFC, 0x24, 0xC0], 144, 26, 42), Covered(layer: 2, [0xFC, 0x64, 0xC0], 288, 88, 142),
    Covered(layer: 2, [0xFC, 0x28, 0xC0], 216, 38, 62), Covered(layer: 2, [0xFC, 0x38, 0xC0], 252, 88, 142),
    Covered(layer: 2, [0xFC, 0x68, 0xC0], 432, 94, 154),
    // Stereo at 96, 112, 160 and 192 kbit/s, and two channels of their own.
    Covered(layer: 2, [0xFC, 0x60, 0x00], 313, 52, 84), Covered(layer: 2, [0xFC, 0x70, 0x00], 365, 176, 284),
    Covered(layer: 2, [0xFC, 0x90, 0x00], 522, 176, 284),
    Covered(layer: 2, [0xFC, 0xA0, 0x00], 626, 188, 308),
    Covered(layer: 2, [0xFC, 0x90, 0x80], 522, 176, 284),
    // Joint stereo: allocations from subband 4 or 16 on are those of both channels.
    Covered(layer: 2, [0xFC, 0x90, 0x40], 522, 104, 212),
    Covered(layer: 2, [0xFC, 0x90, 0x70], 522, 147, 255),
    Covered(layer: 2, [0xF4, 0x24, 0xC0], 96, 75, 135), Covered(layer: 2, [0xF4, 0x24, 0x00], 96, 150, 270),
    // Layer III: the side information.
    Covered(layer: 3, [0xFA, 0x14, 0xC0], 96, 136), Covered(layer: 3, [0xFA, 0x14, 0x00], 96, 256),
    Covered(layer: 3, [0xF2, 0x44, 0xC0], 96, 72), Covered(layer: 3, [0xF2, 0x44, 0x00], 96, 136),
  ]

  private func file(_ kind: Covered, _ frames: [[UInt8]]) -> [UInt8] {
    Matroska.file("A_MPEG/L\(kind.layer)", rate: kind.rate, channelCount: kind.header[3] >> 6 == 3 ? 1 : 2, frames)
  }

  private func frame(_ kind: Covered, filler: UInt8, coveredBitCount: Int) -> [UInt8] {
    let body = [UInt8](repeating: filler, count: kind.size - 6)
    let bits = FrameStreamTests.bits(Array(kind.header[2...])) + FrameStreamTests.bits(body).prefix(coveredBitCount)
    let sum = FrameStreamTests.checksum(bits)
    return kind.header + [UInt8(sum >> 8), UInt8(sum & 0xFF)] + body
  }

  @Test(arguments: covered) func checksumsCoverTheirBits(kind: Covered) throws {
    for (filler, count): (UInt8, Int) in [(0, kind.zeros), (0xFF, kind.ones)] {
      let right = frame(kind, filler: filler, coveredBitCount: count)
      func flipped(_ bit: Int) -> [UInt8] {
        var frame = right
        frame[bit / 8] ^= 0x80 >> UInt8(bit % 8)
        return frame
      }
      let first = 6 * 8
      // A bit of the header that is free, the first and the last bit covered, and the next one, which is not.
      let frames = [right, flipped(23), flipped(first), flipped(first + count - 1), flipped(first + count), right]
      let found = try report(on: file(kind, frames))
      #expect(found.packetCount == 6 && found.checksumCount == 6 && found.wrongChecksumCount == 3, "\(filler)")
      let plain = frames.map { [$0[0], $0[1] | 1] + $0[2...] }
      let unprotected = try report(on: file(kind, plain))
      #expect(unprotected.packetCount == 6 && unprotected.checksumCount == 0 && unprotected.wrongChecksumCount == 0)
    }
  }

  /// A frame that was cut off right after the bits that the checksum covers is not compared.
  @Test(arguments: [(24, 2), (23, 1)]) func checksumsOfCutFramesDoNotCount(count: Int, checksumCount: Int64) throws {
    let kind = Covered(layer: 3, [0xF2, 0x14, 0x00], 24, 8 * 17)
    let right = frame(kind, filler: 0, coveredBitCount: kind.zeros)
    let found = try report(on: file(kind, [right, Array(right.prefix(count))]))
    #expect(found.packetCount == 2 && found.checksumCount == checksumCount && found.wrongChecksumCount == 0)
  }

  // MARK: Numbers of FLAC frames

  /// A number as in UTF-8, with up to seven bytes.
  private static func coded(_ number: Int) -> [UInt8] {
    if number < 0x80 { return [UInt8(number)] }
    let limits = [0x800, 0x1_0000, 0x20_0000, 0x400_0000, 0x8000_0000]
    let more = 1 + (limits.firstIndex { number < $0 } ?? limits.count)
    let lead = UInt8(truncatingIfNeeded: 0xFF << (7 - more) | number >> (6 * more))
    return [lead] + (0..<more).reversed().map { 0x80 | UInt8(number >> (6 * $0) & 0x3F) }
  }

  private static func flac(_ number: [UInt8], isVariable: Bool = false, size: Int = 20) -> [UInt8] {
    let head = [0xFF, isVariable ? 0xF9 : 0xF8, 0xC9, 0x18] + number
    return Array((head + [UInt8](repeating: 0x2A, count: 20)).prefix(size))
  }

  private func gapCount(_ packets: [[UInt8]]) throws -> Int64 {
    var setup = Array("fLaC".utf8) + [0x80, 0, 0, 34, 0x10, 0, 0x10, 0, 0, 0, 0, 0, 0, 0]
    setup += [0x0B, 0xB8, 0x02, 0xF0] + [UInt8](repeating: 0, count: 20)
    let report = try ReaderInput(bytes: Matroska.file("A_FLAC", setup: setup, packets)).report(scratch)
    #expect(report.packetCount == Int64(packets.count))
    return report.gapCount
  }

  @Test func codedNumbersAreThoseOfUTF8() {
    for scalar: Unicode.Scalar in [
      "a", "\u{7F}", "\u{80}", "\u{7FF}", "\u{800}", "\u{FFFD}", "\u{10000}", "\u{10FFFF}",
    ] {
      #expect(Self.coded(Int(scalar.value)) == Array(String(scalar).utf8))
    }
    #expect(Self.coded(0x7FFF_FFFF) == [0xFD] + [UInt8](repeating: 0xBF, count: 5))
    #expect(Self.coded(0x8000_0000) == [0xFE, 0x82] + [UInt8](repeating: 0x80, count: 5))
  }

  @Test func numbersOfFramesFollowEachOther() throws {
    for limit in [1, 64, 128, 2_048, 65_536, 1 << 21, 1 << 26, 1 << 31, 1 << 35] {
      let three = (limit - 1...limit + 1).map { Self.flac(Self.coded($0)) }
      #expect(try gapCount(three) == 0, "\(limit)")
      #expect(try gapCount([three[0], three[2]]) == 1, "\(limit)")
      #expect(try gapCount([three[0], three[0], three[1]]) == 1, "\(limit)")
      #expect(try gapCount([three[1], three[0], three[1], three[2]]) == 1, "\(limit)")
      #expect(try gapCount([three[0], three[2], three[1]]) == 2, "\(limit)")
    }
  }

  /// In a stream whose blocks vary, numbers are those of samples, which only have to grow.
  @Test func numbersOfSamplesGrow() throws {
    func packets(_ numbers: [Int]) -> [[UInt8]] { numbers.map { Self.flac(Self.coded($0), isVariable: true) } }
    #expect(try gapCount(packets([0, 16, 4_112, 4_113, 1 << 31])) == 0)
    #expect(try gapCount(packets([16, 16, 17])) == 1)
    #expect(try gapCount(packets([16, 15, 16])) == 1)
  }

  @Test func onlyHeadersOfFramesAreRead() throws {
    let first = Self.flac([5])
    #expect(try gapCount([first, Self.flac([9], size: 9)]) == 1)
    #expect(try gapCount([first, Self.flac([9], size: 8)]) == 0)
    for header: [UInt8] in [[0xFE, 0xF8], [0xFF, 0xFA], [0xFF, 0xF0], [0x00, 0x00]] {
      #expect(try gapCount([first, header + Self.flac([9])[2...], Self.flac([6])]) == 0)
    }
    // A number that the packet does not hold as a whole is not compared.
    let large = Self.coded(1 << 31)
    #expect(try gapCount([first, Self.flac(large, size: 11)]) == 1)
    #expect(try gapCount([first, Self.flac(large, size: 10), Self.flac([6])]) == 0)
    // A number may have more bytes than it needs, but no more than seven.
    #expect(try gapCount([first, Self.flac([0xC0, 0x86])]) == 0)
    let endless = { (number: UInt8) in Self.flac([0xFF] + [UInt8](repeating: 0x80, count: 5) + [0x80 | number]) }
    #expect(try gapCount([endless(1), endless(2)]) == 0)
    #expect(try gapCount([endless(1), endless(3)]) == 1)
  }

  // MARK: Times

  /// Packets of PCM, 48 kHz, with the given starts and lengths in milliseconds.
  private func pcm(_ times: [Int], length: Int = 20) -> ReaderInput {
    let packets = times.map { _ in [UInt8](repeating: 1, count: 48 * length * 4) }
    return ReaderInput(bytes: Matroska.file("A_PCM/INT/LIT", bitDepth: 16, packets, times: times))
  }

  @Test(
    arguments: [
      ([0, 20, 40, 60, 80], 20, 0, 0, 0), ([0, 20, 55, 75], 20, 0, 720, 0), ([0, 20, 56, 76], 20, 1, 768, 0),
      ([0, 36, 56, 76], 20, 1, 768, 0), ([0, 36, 56, 92], 20, 2, 1_536, 0), ([0, 4, 13, 17], 4, 0, 240, 0),
      ([0, 4, 14, 18], 4, 1, 288, 0), ([0, 20, 20, 40], 20, 0, 0, 0), ([0, 20, 40, 30, 60], 20, 0, 480, 1),
      ([0, 20, 40, 30, 25, 60], 20, 0, 720, 2), ([500, 520, 540], 20, 0, 0, 0),
    ] as [([Int], Int, Int64, Int64, Int64)])
  func timestampsAreCompared(times: [Int], length: Int, missing: Int64, gap: Int64, disorder: Int64) throws {
    let report = try pcm(times, length: length).decodingReport(scratch)
    #expect(report.packetCount == Int64(times.count) && report.badPacketCount == 0)
    #expect(report.missingCount == missing && report.timestampGap == gap && report.disorderCount == disorder)
    #expect(report.shortPacketCount == 0 && !report.endedByError)
  }

  /// Packets of Opus that hold 20, 12.5 and 10 ms.
  @Test(
    arguments: [
      (["20", "20", "20", "10", "20"], 20, 1), (["20", "20", "20", "12", "20"], 20, 0),
      (["20", "20", "10", "20", "10", "20"], 20, 2), (["20", "10", "20", "20"], 20, 0),
      (["20", "20", "20", "20", "10"], 20, 0), (["20", "20", "20", "10", "20"], 10, 0),
    ] as [([String], Int, Int64)])
  func packetsOfOpusAreAsLongAsTheirTime(kinds: [String], last: Int, short: Int64) throws {
    let packets: [String: [UInt8]] = [
      "20": [0xF8, 0xFF, 0xFE], "10": [0xF0, 0xFF, 0xFE],
      "12": [0xE3, 5] + (0..<5).flatMap { _ in [0xFF, 0xFE] as [UInt8] },
    ]
    var setup = Array("OpusHead".utf8) + [1, 1, 0, 0]
    setup += [0x80, 0xBB, 0, 0, 0, 0, 0]
    // The last start follows after `last` milliseconds.
    let times = kinds.indices.map { $0 < kinds.count - 1 ? 20 * $0 : 20 * ($0 - 1) + last }
    let file = Matroska.file(
      "A_OPUS", channelCount: 1, setup: setup, kinds.compactMap { packets[$0] }, times: times)
    let report = try ReaderInput(bytes: file).decodingReport(scratch)
    #expect(report.packetCount == Int64(kinds.count) && report.shortPacketCount == short)
  }

  /// The totals of packets and bytes leave out packets that the decoder refuses.
  @Test(arguments: [2, 4]) func badPacketsAreCounted(place: Int) throws {
    var packets = [[UInt8]](repeating: [UInt8](repeating: 1, count: 3_840), count: 5)
    packets[place] = [1]
    let report = try ReaderInput(bytes: Matroska.file("A_PCM/INT/LIT", bitDepth: 16, packets)).decodingReport(scratch)
    #expect(report.packetCount == 5 && report.badPacketCount == 1 && report.lastPacketIsBad == (place == 4))
    #expect(report.demuxedByteCount == 4 * 3_840 + 1 && report.packetByteCount == 4 * 3_840)
  }

  // MARK: Bytes

  /// CRC-16 with the reflected polynomial 0x8005, bit by bit.
  private func checksum(_ bytes: [UInt8]) -> UInt16 {
    bytes.reduce(0) { sum, byte in
      (0..<8).reduce(sum ^ UInt16(byte)) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0xA001 : sum >> 1 }
    }
  }

  private static func masks(_ range: Range<Int>, _ random: inout SplitMix64) -> [LAVMask] {
    var masks: [LAVMask] = []
    var offset = range.lowerBound
    while offset < range.upperBound {
      var mask = LAVMask()
      mask.offset = Int64(offset)
      mask.count = CInt.random(in: 1...8, using: &random)
      mask.bytes = (1, 2, 3, 4, 5, 6, 7, 8)
      masks.append(mask)
      offset += Int(mask.count) + Int.random(in: 0...9, using: &random)
    }
    return masks
  }

  private static func masked(_ bytes: [UInt8], _ masks: [LAVMask]) -> [UInt8] {
    var masked = bytes
    for mask in masks {
      for index in 0..<Int(mask.count) { masked[Int(mask.offset) + index] = UInt8(index + 1) }
    }
    return masked
  }

  /// A reader sees the prefix, and then its range of the file with the masks.
  @Test func aReaderSeesItsRangeWithMasks() throws {
    var random = SplitMix64.fresh()
    let bytes = (0..<200_000).map { _ in UInt8.random(in: 0...255, using: &random) }
    let range = 1_001..<190_001
    // The first mask begins before the range, and the last ones are behind it.
    let masks = Self.masks(range.lowerBound - 3..<bytes.count - 8, &random)
    let masked = Self.masked(bytes, masks)
    var size = 4
    for prefixCount in [0, 4, -1, 70_000] {
      let prefix = (0..<(prefixCount < 0 ? size : prefixCount)).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      let seen = prefix + masked[range]
      let input = ReaderInput(
        bytes: bytes, range: range, prefix: prefix, masks: masks, demuxer: "s16le", sampleRate: 44_100,
        channelCount: 2, sumsPackets: prefixCount == 0)
      size = try input.read(scratch) { reader in
        var found: [UInt8] = []
        var first = 0
        var packet = LAVPacket()
        var areTimed = true
        var arePlaced = true
        while lav_next_packet(reader, &packet) {
          if found.isEmpty { first = Int(packet.count) }
          let place = found.count - prefix.count
          if packet.offset != (place < 0 ? -1 : Int64(range.lowerBound + place)) { arePlaced = false }
          if abs(packet.start - Double(found.count) / 4 / 44_100) > 1e-6 { areTimed = false }
          if abs(packet.duration - Double(packet.count) / 4 / 44_100) > 1e-6 { areTimed = false }
          found += UnsafeBufferPointer(start: packet.bytes, count: Int(packet.count))
        }
        let isSame = found == seen
        #expect(isSame && areTimed && arePlaced, "\(prefix.count) bytes before the range")
        let report = lav_report(reader)
        #expect(report.demuxedByteCount == Int64(seen.count) && report.packetByteCount == Int64(seen.count))
        #expect(report.packetChecksum == (prefixCount == 0 ? checksum(seen) : 0))
        #expect(!report.endedByError && report.readErrno == 0 && !report.lostSync && report.demuxerErrorCount == 0)
        return first
      }
    }
  }

  /// Times count from the first packet.
  @Test func startsAreRelativeToTheFirst() throws {
    let starts = try pcm([500, 520, 560]).read(scratch) { reader in
      var starts: [Double] = []
      var packet = LAVPacket()
      while lav_next_packet(reader, &packet) {
        starts.append(packet.start)
        #expect(packet.droppedAtStart == 0 && packet.droppedAtEnd == 0 && packet.parameterCount == 0)
      }
      return starts
    }
    #expect(starts.count == 3 && zip(starts, [0, 0.02, 0.06]).allSatisfy { abs($0 - $1) < 1e-9 })
  }

  @Test(arguments: [(1, 1), (7, 7), (100, 1_000), (44_100, 44_100)]) func samplesAreReadInAnyPieces(
    capacity: Int, stride: Int
  ) throws {
    let values = (0..<2 * 5_000).map { Int16(truncatingIfNeeded: $0 &* 12_345) }
    let bytes = values.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
    let input = ReaderInput(bytes: bytes, demuxer: "s16le", sampleRate: 44_100, channelCount: 2)
    try input.read(scratch) { reader in
      #expect(lav_start(reader, nil) == LAVStatusOK)
      var planes: [[Float]] = [[], []]
      while true {
        var samples = [Float](repeating: 9, count: 2 * stride)
        let count = Int(lav_read(reader, &samples, CInt(stride), CInt(capacity)))
        if count == 0 { break }
        #expect(count == min(capacity, 5_000 - planes[0].count))
        for channel in 0..<2 { planes[channel] += samples[channel * stride..<channel * stride + count] }
        #expect(samples[stride + count..<2 * stride].allSatisfy { $0 == 9 })
      }
      for channel in 0..<2 {
        let isExact = planes[channel] == (0..<5_000).map { Float(values[2 * $0 + channel]) / 32_768 }
        #expect(isExact)
      }
    }
  }

  // MARK: Limits and errors

  @Test(arguments: [
    (999, 2, false), (1_000, 2, true), (1_536_000, 2, true), (1_536_001, 2, false), (48_000, 1, true),
    (48_000, 64, true), (48_000, 65, false),
  ]) func streamsHaveLimits(rate: Int, channelCount: Int, isAccepted: Bool) throws {
    let bytes = [UInt8](repeating: 0, count: 65 * 2 * 4_000)
    let input = ReaderInput(bytes: bytes, demuxer: "s16le", sampleRate: rate, channelCount: channelCount)
    try input.read(scratch) { reader in
      #expect(lav_start(reader, nil) == (isAccepted ? LAVStatusOK : LAVStatusAbsurdHeader))
      let format = lav_format(reader)
      #expect(Int(format.sampleRate) == rate && Int(format.channelCount) == channelCount)
    }
  }

  @Test func rangesThatCannotBe() throws {
    let file = try FileDescriptor.open(scratch.write([UInt8](repeating: 1, count: 4_000), "input"), .readOnly)
    defer { try? file.close() }
    for (start, end): (Int64, Int64) in [(-1, 100), (101, 100), (-2, -1)] {
      var input = LAVInput()
      (input.descriptor, input.start, input.end) = (file.rawValue, start, end)
      var reader: OpaquePointer?
      var readErrno: CInt = 7
      #expect(lav_open(&input, &reader, &readErrno) == LAVStatusNoAudio && reader == nil && readErrno == 0)
    }
    // An empty range is no error of the caller.
    var input = ReaderInput(bytes: [], demuxer: nil)
    #expect(input.open(file).status == LAVStatusUnknownFormat)
    input.demuxer = "wav"
    #expect(input.open(file).status == LAVStatusCorrupt)
    input.demuxer = "nonsense"
    #expect(input.open(file).status == LAVStatusUnsupportedCodec)
  }

  @Test(arguments: [nil, "s16le", "wav"] as [String?], [false, true]) func errorsOfReadingAreReported(
    demuxer: String?, isStream: Bool
  ) throws {
    // A folder can be opened, but not read.
    let folder = try FileDescriptor.open(scratch.path("."), .readOnly)
    defer { try? folder.close() }
    var input = ReaderInput(bytes: [UInt8](repeating: 0, count: 10_000), demuxer: demuxer)
    (input.sampleRate, input.channelCount) = demuxer == "s16le" ? (44_100, 2) : (0, 0)
    let (status, reader, readErrno) = input.open(folder, isStream: isStream)
    #expect(status == LAVStatusReadError && reader == nil && readErrno == EISDIR)
  }

  /// A packet that cannot be decoded, and an error of the system within the next one.
  @Test func errorsOfReadingComeBeforeDamage() throws {
    let bytes = Matroska.file("A_PCM/INT/LIT", bitDepth: 16, [[1], [UInt8](repeating: 1, count: 300_000)])
    let file = try FileDescriptor.open(scratch.write(bytes, "input"), .readOnly)
    let folder = try FileDescriptor.open(scratch.path("."), .readOnly)
    defer {
      try? file.close()
      try? folder.close()
    }
    let (status, opened, _) = ReaderInput(bytes: bytes).open(file)
    #expect(status == LAVStatusOK)
    let reader = try #require(opened)
    defer { lav_close(reader) }
    #expect(dup2(folder.rawValue, file.rawValue) == file.rawValue)
    #expect(lav_start(reader, nil) == LAVStatusReadError)
    let report = lav_report(reader)
    #expect(report.readErrno == EISDIR && report.badPacketCount == 1 && report.packetCount == 1)
  }

  /// Without an error of the system, the same file is damaged.
  @Test func filesWithoutAGoodPacketAreDamaged() throws {
    try ReaderInput(bytes: Matroska.file("A_PCM/INT/LIT", bitDepth: 16, [[1], [1]])).read(scratch) { reader in
      #expect(lav_start(reader, nil) == LAVStatusCorrupt)
    }
  }

  @Test func onlySomeDemuxersMayBeUsed() {
    for name in ["wav", "flac", "mov", "matroska", "mp3", "aac", "s16le", "mulaw", "u8", "ac3", "wv"] {
      #expect(lav_reads_format(name), "\(name)")
    }
    for name in ["hls", "concat", "image2", "dash", "nonsense", "avi"] { #expect(!lav_reads_format(name), "\(name)") }
    #expect(lav_has_decoder("flac") && !lav_has_decoder("nonsense"))
  }
}
