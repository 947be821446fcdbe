import Analysis
import AnalysisTesting
import AudioDecoding
import CSndfile
import Foundation
import MediaContainers
import SystemPackage
import Testing

/// Every container against every kind of structural damage, with the expected verdict for each.
///
/// A new container needs a row: `row(for:)` has no default.
@Suite(.bounded) struct StructuralDamageTests {
  enum Damage: String, CaseIterable {
    case whole, cutInHalf, cutByOneByte, cutByHundredBytes, cutBetweenPackets, swappedPackets, repeatedPacket
    case insertedBytes, secondFile, junkBehind, carriageReturns, strippedBits, emptyHalf
  }

  enum Verdict: Hashable, CustomStringConvertible {
    /// Whole, without a remark. For damaged files, only listening would reveal the damage.
    case fine
    case remark(String)
    case problem(DecodeError.Code)
    /// Cannot be opened, for any reason.
    case refused

    var description: String {
      switch self {
      case .fine: "fine"
      case .remark(let code): "remark \(code)"
      case .problem(let code): "problem \(code.rawValue)"
      case .refused: "refused"
      }
    }
  }

  struct Row {
    var bytes: [UInt8]
    /// Ranges of consecutive whole packets; empty if the container has no packets that can be found.
    var packets: [Range<Int>] = []
    /// Verdicts that differ from `usual(_:)`.
    var expected: [Damage: Set<Verdict>] = [:]
  }

  private static let cutOff: Set<Verdict> = [.problem(.truncated), .refused]
  private static let damaged: Set<Verdict> = [.problem(.truncated), .problem(.corrupt), .refused]

  private static func usual(_ damage: Damage) -> Set<Verdict> {
    switch damage {
    case .whole: [.fine]
    case .emptyHalf: cutOff
    case .cutInHalf, .cutByOneByte, .cutByHundredBytes, .cutBetweenPackets: cutOff
    case .swappedPackets, .repeatedPacket, .insertedBytes, .carriageReturns, .strippedBits: damaged
    case .secondFile: [.remark("second_file")]
    case .junkBehind: [.remark("junk")]
    }
  }

  private let scratch: Scratch
  private static let signal = makeSignal(frames: 100_000)

  init() throws { scratch = try Scratch() }

  private func encode(_ suffix: String, _ arguments: [String] = []) throws -> [UInt8] {
    let wav = try scratch.writeSound(Self.signal, "x.wav", format: SF_FORMAT_WAV | SF_FORMAT_PCM_16, rate: 44_100)
    return try scratch.bytes(scratch.ffmpeg(wav, ["-fflags", "+bitexact"] + arguments, "encoded.\(suffix)"))
  }

  /// PCM has no order; anything inserted or added appears as bytes after the end. Zeros may be silence.
  private static let pcm: [Damage: Set<Verdict>] = [
    .insertedBytes: [.remark("junk")], .emptyHalf: [.remark("empty_end")],
  ]

  /// `nil` for containers that no available program writes, and for streams without a structure around their frames.
  private func row(for container: Container) throws -> Row? {
    switch container {
    case .wav: return Row(bytes: try encode("wav"), expected: Self.pcm)
    case .rifx: return Row(bytes: Self.rifx, expected: Self.pcm)
    case .rf64: return Row(bytes: try encode("wav", ["-rf64", "always"]), expected: Self.pcm)
    case .wave64: return Row(bytes: try encode("w64"), expected: Self.pcm)
    case .aiff: return Row(bytes: try encode("aiff"), expected: Self.pcm)
    case .au: return Row(bytes: try encode("au"), expected: Self.pcm)
    case .caf: return Row(bytes: try encode("caf"), expected: Self.pcm)
    case .flac:
      let bytes = try encode("flac")
      return Row(bytes: bytes, packets: Packets.flac(bytes))
    case .ogg:
      let bytes = try encode("ogg", ["-c:a", "libvorbis", "-page_duration", "100000"])
      // Concatenated files form a chain, which is whole; only the serial number of a copy is wrong.
      return Row(
        bytes: bytes, packets: Packets.ogg(bytes),
        expected: [
          .secondFile: [.remark("repeated_serial")], .junkBehind: [.fine], .cutByOneByte: Self.damaged,
        ])
    case .mp4:
      // The order of the media is defined by tables, which stay unchanged.
      return Row(bytes: try encode("m4a", ["-metadata", "title=Base"]))
    case .asf:
      let bytes = try encode("wma")
      return Row(bytes: bytes, packets: Packets.asf(bytes))
    case .matroska:
      let bytes = try encode("mka", ["-c:a", "flac", "-cluster_time_limit", "200"])
      return Row(bytes: bytes, packets: Packets.matroska(bytes))
    case .wavPack:
      let bytes = try encode("wv")
      return Row(bytes: bytes, packets: Packets.wavPack(bytes))
    case .trueAudio:
      let bytes = try encode("tta")
      return Row(bytes: bytes, packets: Packets.trueAudio(bytes))
    case .monkeysAudio:
      // Frames of silence have no line feeds.
      return Row(
        bytes: Self.monkeysAudio,
        expected: [.carriageReturns: [.fine], .insertedBytes: Self.damaged.union([.remark("junk")])])
    case .musepack7:
      return Row(
        bytes: Self.musepack7,
        expected: [.carriageReturns: [.fine], .insertedBytes: Self.damaged.union([.remark("junk")])])
    case .musepack8:
      // Packets of silence are identical, and their order is not stored.
      return Row(
        bytes: Self.musepack8,
        expected: [
          .carriageReturns: [.fine], .cutInHalf: Self.damaged, .emptyHalf: Self.damaged,
        ])
    case .dsf: return Row(bytes: Self.dsf, expected: Self.oneBit)
    case .dsdiff: return Row(bytes: Self.dsdiff, expected: Self.oneBit)
    case .nistSphere: return Row(bytes: Self.sphere, expected: Self.pcm)
    case .creativeVoice:
      // The last byte is an end block, which may be missing.
      return Row(
        bytes: try encode("voc"),
        expected: [.cutByOneByte: [.fine], .insertedBytes: [.remark("junk")], .carriageReturns: [.remark("junk")]])
    case .amigaVoice:
      // Samples of one byte may all have the same sign.
      return Row(
        bytes: Self.amigaVoice,
        expected: Self.pcm.merging([.carriageReturns: [.remark("junk")], .strippedBits: [.fine]]) { $1 })
    case .realMedia:
      // The only check is FFmpeg's own check of the length.
      return nil
    case .trueHD:
      return Row(
        bytes: try encode("thd", ["-strict", "-2", "-ar", "48000"]),
        expected: [
          .secondFile: [.fine], .junkBehind: Self.damaged, .cutInHalf: Self.damaged, .cutByOneByte: Self.damaged,
          .cutByHundredBytes: Self.damaged,
        ])
    case .ac3, .eac3, .dts, .dtsHD, .loas, .mlp, .amr, .tak, .shorten, .openMG:
      // Consecutive frames up to the end of the file.
      return nil
    case .mod, .s3m, .it, .xm, .unknown:
      // Never decoded.
      return nil
    }
  }

  // MARK: Damage

  /// `nil` if this damage is not possible.
  private func apply(_ damage: Damage, to row: Row) -> [UInt8]? {
    let bytes = row.bytes
    let packets = row.packets
    let middle = packets.count / 2
    switch damage {
    case .whole: return bytes
    case .cutInHalf: return Array(bytes.prefix(bytes.count / 2))
    case .cutByOneByte: return bytes.dropLast(1)
    case .cutByHundredBytes: return bytes.dropLast(100)
    case .cutBetweenPackets: return packets.count > 4 ? Array(bytes[..<packets[middle].upperBound]) : nil
    case .swappedPackets:
      guard packets.count > 4 else { return nil }
      let (first, second) = (packets[middle], packets[middle + 1])
      return Array(bytes[..<first.lowerBound] + bytes[second] + bytes[first] + bytes[second.upperBound...])
    case .repeatedPacket:
      guard packets.count > 4 else { return nil }
      return Array(bytes[..<packets[middle].upperBound] + bytes[packets[middle].lowerBound...])
    case .insertedBytes:
      var result = bytes
      result.insert(contentsOf: Self.pattern(1_000), at: bytes.count / 2)
      return result
    case .secondFile: return bytes + bytes
    case .junkBehind: return bytes + Self.pattern(777)
    case .carriageReturns: return bytes.flatMap { byte -> [UInt8] in byte == 0x0A ? [0x0D, 0x0A] : [byte] }
    case .strippedBits: return bytes.map { $0 & 0x7F }
    case .emptyHalf: return bytes.prefix(bytes.count / 2) + [UInt8](repeating: 0, count: bytes.count - bytes.count / 2)
    }
  }

  /// Meaningless bytes.
  private static func pattern(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(($0 * 37 + 11) % 251) } }

  private func verdict(on bytes: [UInt8]) throws -> Verdict {
    let path = try scratch.write(bytes, "damaged")
    do throws(DecodeError) {
      var source = try AudioSource(path: path)
      var block = AudioBlock(channelCount: 1)
      while source.read(into: &block) {}
      if let problem = source.summary.problem { return .problem(problem.code) }
      return source.summary.remarks.first.map { .remark($0.code) } ?? .fine
    } catch {
      return .refused
    }
  }

  @Test(arguments: Container.allCases)
  func containers(container: Container) throws {
    guard let row = try row(for: container) else { return }
    #expect(try Container(of: ByteSource(row.bytes), at: 0) == container)
    for damage in Damage.allCases {
      guard let bytes = apply(damage, to: row) else { continue }
      let expected = row.expected[damage] ?? Self.usual(damage)
      let verdict = try verdict(on: bytes)
      if !expected.contains(verdict) { Issue.record("\(container), \(damage.rawValue): \(verdict)") }
    }
  }

  // MARK: Further tests of single containers

  /// Tags, pictures and index tables at the end count, too: the last byte belongs to a title.
  @Test func endsOfMP4() throws {
    let bytes = try encode("m4a", ["-metadata", "title=Base"])
    for count in [1, 2, 30, 125] { #expect(try verdict(on: bytes.dropLast(count)) == .problem(.truncated)) }
    #expect(try verdict(on: joined(bytes, [0, 0, 0, 16], text("free"), little(0, 8))) == .fine)
    // Truncated padding costs nothing.
    #expect(try verdict(on: joined(bytes, [0, 0, 1, 0], text("free"))) == .fine)
  }

  /// Padding and tags of other formats belong to a file.
  @Test(arguments: ["wav", "aiff", "m4a", "tta", "wv", "wma", "flac"])
  func whatMayFollow(suffix: String) throws {
    let bytes = try encode(suffix)
    let id3v1 = joined(text("TAG"), [UInt8](repeating: 0, count: 125))
    let ape = joined(text("APETAGEX"), [0xD0, 7, 0, 0, 32, 0, 0, 0], little(0, 16))
    let additions: [[UInt8]] = [[0], [UInt8](repeating: 0, count: 4_000), [0x0D, 0x0A], id3v1, ape + id3v1]
    for addition in additions {
      #expect(try verdict(on: bytes + addition) == .fine, "\(addition.count) bytes behind \(suffix)")
    }
    #expect(try verdict(on: bytes + [UInt8](repeating: 0, count: 5_000)) == .remark("padding"))
  }

  /// The first of two different files is read completely; the size of the second is reported.
  @Test(arguments: ["wav", "flac", "wv", "tta", "m4a", "wma"])
  func twoFiles(suffix: String) throws {
    let first = try encode(suffix)
    let short = try scratch.ffmpeg(scratch.path("x.wav"), ["-t", "1"], "short.\(suffix)")
    let second = try scratch.bytes(short)
    let alone = try decode(scratch.write(first, "alone"))
    let both = try decode(scratch.write(first + second, "both"))
    #expect(both.summary.problem == nil)
    #expect(both.frameCount == alone.frameCount)
    let remark = try #require(both.summary.remarks.first)
    #expect(remark.code == "second_file")
    #expect(remark.message.contains(" \(second.count) bytes"))
    #expect(try verdict(on: second + first) == .remark("second_file"))
  }

  /// A link that stops before its last page has lost its end, even if another link follows.
  @Test(arguments: ["ogg", "opus", "oga"])
  func chainsOfOgg(suffix: String) throws {
    let codecs = ["ogg": "libvorbis", "opus": "libopus", "oga": "flac"]
    let bytes = try encode(suffix, ["-c:a", codecs[suffix] ?? "", "-page_duration", "100000"])
    let pages = Packets.ogg(bytes)
    #expect(try verdict(on: bytes + bytes + bytes) == .remark("repeated_serial"))
    let cut = Array(bytes[..<pages[pages.count * 3 / 4].upperBound])
    #expect(try verdict(on: cut + bytes) == .problem(.truncated))
    #expect(try verdict(on: bytes + cut + bytes) == .problem(.truncated))
    let hole = Array(bytes[..<pages[2].lowerBound] + bytes[pages[pages.count / 2].lowerBound...])
    #expect([.problem(.truncated), .problem(.corrupt)].contains(try verdict(on: hole + bytes)))
  }

  /// Lengths left by writers to pipes are not damage.
  @Test(arguments: ["wav", "aiff", "au", "caf", "w64", "wv", "asf"])
  func pipes(format: String) throws {
    let wav = try scratch.writeSound(Self.signal, "x.wav", format: SF_FORMAT_WAV | SF_FORMAT_PCM_16, rate: 44_100)
    let path = scratch.path("piped")
    try ExternalProgram("sh").run(
      ["-c", "ffmpeg -v error -nostdin -i \(wav.string) -f \(format) - | cat > \(path.string)"])
    let verdict = try verdict(on: scratch.bytes(path))
    let hasFields = ["wav", "aiff", "au", "caf", "w64"].contains(format)
    #expect(verdict == (hasFields ? .remark("unknown_length") : .fine))
  }

  /// Samples that are all positive, or all line feeds, do not indicate a transfer in text mode.
  @Test func oddSignals() throws {
    for make: (Int) -> Float in [
      { Float($0 % 30_000) / 32_768 }, { _ in Float(0x0A0D) / 32_768 }, { Float($0 % 2) / 2 }, { _ in 0 },
    ] {
      let plane = (0..<40_000).map(make)
      for format in [SF_FORMAT_WAV, SF_FORMAT_AIFF] {
        let path = try scratch.writeSound([plane], "odd", format: format | SF_FORMAT_PCM_16, rate: 44_100)
        #expect(try verdict(on: scratch.bytes(path)) == .fine)
      }
    }
  }

  /// The timestamps that FFmpeg takes over from Ogg have gaps, so that the durations of an MP4 file add up to more than
  /// its samples.
  @Test(arguments: ["alac", "flac", "aac"]) func gapsInTimestamps(codec: String) throws {
    let bytes = try encode("mp4", ["-c:a", codec, "-strict", "-2"])
    let durations = try #require(bytes.firstRange(of: text("stts"))).upperBound + 8
    let length = try #require(bytes.firstRange(of: text("mdhd"))).upperBound + 16
    let entryCount = Int(try #require(bytes.bigEndian(UInt32.self, at: durations - 4)))
    func adding(_ added: UInt32, at place: Int) throws -> Decoded {
      var bytes = bytes
      for place in [place, length] {
        let value = try #require(bytes.bigEndian(UInt32.self, at: place)) + added
        bytes.replaceSubrange(place..<place + 4, with: big(Int(value), 4))
      }
      return try decode(scratch.write(bytes, "gap"))
    }
    let whole = try decode(scratch.write(bytes, "whole"))
    for gap: UInt32 in [1, 448, 2_000] {
      let decoded = try adding(gap, at: durations + 8 * (entryCount - 1) + 4)
      #expect(decoded.summary.problem == nil && decoded.summary.remarks.isEmpty, "a gap of \(gap)")
      #expect(decoded.planes == whole.planes)
    }
  }

  /// Space that was reserved and never written is called so, wherever audio should be.
  @Test(arguments: [
    ("mp3", ["-c:a", "libmp3lame", "-write_xing", "0"]), ("xing.mp3", ["-c:a", "libmp3lame"]), ("mp2", []), ("ac3", []),
    ("eac3", []), ("aac", []), ("dts", ["-strict", "-2"]), ("thd", ["-strict", "-2", "-ar", "48000"]), ("flac", []),
    ("ogg", []), ("m4a", []), ("faststart.m4a", ["-movflags", "+faststart"]), ("mka", ["-c:a", "flac"]), ("wv", []),
    ("tta", []), ("wma", []), ("voc", []), ("mulaw.wav", ["-c:a", "pcm_mulaw"]),
  ])
  func unfinishedDownloads(name: String, arguments: [String]) throws {
    var bytes = try encode(name, arguments)
    let start = bytes.count * 3 / 5
    bytes[start - 1] = 0x55
    for index in start..<bytes.count { bytes[index] = 0 }
    let path = try scratch.write(bytes, "unfinished")
    var problem: DecodeError?
    do { problem = try decode(path).summary.problem } catch let error as DecodeError { problem = error }
    #expect(problem?.code == .truncated)
    #expect(problem?.message.contains("zeros from byte \(start) on") == true, "\(problem?.message ?? "fine")")
  }

  /// Digital silence is no damage: after a fade, or in a small part of the file. Neither is padding.
  @Test func silentEnds() throws {
    let frames = 40_000
    func verdict(_ gain: (Int) -> Float, silence: Int) throws -> Verdict {
      let plane = (0..<frames).map { sin(Float($0) / 9) / 2 * gain($0) } + [Float](repeating: 0, count: silence)
      let path = try scratch.writeSound([plane], "silent.wav", format: SF_FORMAT_WAV | SF_FORMAT_PCM_16, rate: 44_100)
      return try self.verdict(on: scratch.bytes(path))
    }
    #expect(try verdict({ 1 - Float($0) / 40_000 }, silence: 40_000) == .fine)
    #expect(try verdict({ _ in 1 }, silence: 4_000) == .fine)
    #expect(try verdict({ _ in 1 }, silence: 40_000) == .remark("empty_end"))
    let padding = [UInt8](repeating: 0, count: 200_000)
    for name in ["x.flac", "x.mp3", "x.ogg", "x.m4a", "x.wv"] {
      let suffix = String(name.dropFirst(2))
      let verdict = try self.verdict(on: encode(suffix) + padding)
      let expected: Set<Verdict> = [.fine, .remark("padding"), .remark("junk")]
      #expect(expected.contains(verdict), "\(suffix): \(verdict)")
    }
  }

  /// Noise in the middle of compressed audio in containers of PCM, whose decoders in libsndfile accept anything.
  @Test(arguments: [
    ("wav", ["-c:a", "adpcm_ima_wav"]), ("wav", ["-c:a", "adpcm_ms"]), ("wav", ["-c:a", "libmp3lame"]),
    ("aifc", ["-f", "aiff", "-c:a", "adpcm_ima_qt"]),
  ])
  func noiseInPackets(suffix: String, arguments: [String]) throws {
    var random = SplitMix64.fresh()
    var bytes = try encode(suffix, arguments)
    #expect(try verdict(on: bytes) == .fine)
    for index in bytes.count / 2..<bytes.count / 2 + 4_096 { bytes[index] = UInt8(truncatingIfNeeded: random.next()) }
    #expect(try verdict(on: bytes) == .problem(.corrupt))
  }

  /// A decoder of TrueHD returns frames with wrong checksums, and only logs that.
  @Test func flippedBitsOfTrueHD() throws {
    var random = SplitMix64.fresh()
    let bytes = try encode("thd", ["-strict", "-2", "-ar", "48000"])
    #expect(try verdict(on: bytes) == .fine)
    #expect(try verdict(on: Array(bytes.dropFirst(bytes.count / 3))) == .problem(.corrupt))
    var foundCount = 0
    for _ in 0..<20 {
      var damaged = bytes
      let place = Int.random(in: bytes.count / 20..<bytes.count, using: &random)
      damaged[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
      if case .problem = try verdict(on: damaged) { foundCount += 1 }
    }
    #expect(foundCount >= 19)
  }

  /// Packets of zeros are valid Opus, but shorter than the container says.
  @Test(arguments: ["caf", "mp4"]) func emptyPacketsOfOpus(suffix: String) throws {
    var bytes = try encode(suffix, ["-c:a", "libopus", "-strict", "-2"])
    #expect(try verdict(on: bytes) == .fine)
    for index in bytes.count / 3..<bytes.count / 3 + 4_096 { bytes[index] = 0 }
    #expect(try verdict(on: bytes) == .problem(.corrupt))
  }

  @Test func lostByteOfDTS() throws {
    var random = SplitMix64.fresh()
    let bytes = try encode("dts", ["-strict", "-2"])
    #expect(try verdict(on: bytes) == .fine)
    for _ in 0..<5 {
      var damaged = bytes
      damaged.remove(at: Int.random(in: bytes.count / 5..<bytes.count * 4 / 5, using: &random))
      #expect(try verdict(on: damaged) == .problem(.corrupt))
    }
    // The start of the first frame is lost.
    #expect([.problem(.corrupt), .refused].contains(try verdict(on: Array(bytes.dropFirst(100)))))
  }

  /// Streams without a count of their frames tell by the first one that they had a beginning.
  @Test(arguments: ["mp3", "mp2", "aac"]) func cutAtTheStart(suffix: String) throws {
    let arguments = suffix == "mp3" ? ["-c:a", "libmp3lame", "-write_xing", "0", "-id3v2_version", "0"] : []
    let bytes = try encode(suffix, arguments)
    #expect(try verdict(on: Array(bytes.dropFirst(bytes.count / 3 + 7))) == .remark("cut_start"))
    #expect(try verdict(on: bytes) == .fine)
  }

  /// Frames of a bare MP3 file of 128 kbit/s at 44.1 kHz.
  private func layerIII() throws -> [[UInt8]] {
    let arguments = ["-c:a", "libmp3lame", "-b:a", "128k", "-write_xing", "0", "-id3v2_version", "0"]
    let bytes = try encode("mp3", arguments)
    var frames: [[UInt8]] = []
    var position = 0
    while position + 3 < bytes.count {
      let end = position + 417 + Int(bytes[position + 2] >> 1 & 1)
      frames.append(Array(bytes[position..<end]))
      position = end
    }
    return frames
  }

  /// A whole frame that continues others, and one that claims more bits than the frames up to it have.
  @Test func reservoirOfMP3() throws {
    var frames = try layerIII()
    let later = frames.firstIndex { $0[4] > 0 } ?? 0
    #expect(try verdict(on: frames[later...].flatMap { $0 }) == .remark("cut_start"))
    // Lengths of four granules, in the 12 bits from bit 20 of the side information on, and every 59 bits.
    for granule in 0..<4 {
      for bit in 0..<12 {
        let place = 32 + 20 + 59 * granule + bit
        frames[30][place / 8] |= 0x80 >> UInt8(place % 8)
      }
    }
    #expect(try verdict(on: frames.flatMap { $0 }) == .problem(.corrupt))
  }

  /// Headers without a bit rate are valid: the distance of the frames tells their length. Only libsndfile decodes them.
  @Test func freeFormat() throws {
    let frames = try layerIII()
    let usual = try scratch.write(frames.flatMap { $0 }, "usual.mp3")
    let free = frames.map { frame in [frame[0], frame[1], frame[2] & 0x0F] + Array(frame[3...]) }
    let path = try scratch.write(Array(free.joined()), "free.mp3")
    let decoded = try decode(path)
    #expect(decoded.planes == (try decode(usual, with: .libsndfile).planes))
    #expect(decoded.format.codec == "mp3" && decoded.summary.problem == nil && decoded.summary.remarks.isEmpty)
    #expect(try AudioContent(path: path).fault == nil)
    #expect(try verdict(on: Array(free.joined().dropLast(100))) == .problem(.truncated))
    let hole = Array(free[..<50].joined()) + [UInt8](repeating: 0x55, count: 70_000) + Array(free[50...].joined())
    #expect(try verdict(on: hole) == .problem(.corrupt))
  }

  /// LAME and FFmpeg store a checksum of the frames, which any changed bit contradicts.
  @Test func checksumOfMP3() throws {
    var random = SplitMix64.fresh()
    let bytes = try encode("mp3", ["-c:a", "libmp3lame", "-b:a", "128k", "-id3v2_version", "0"])
    #expect(try verdict(on: bytes) == .fine)
    for _ in 0..<20 {
      let place = Int.random(in: 417..<bytes.count, using: &random)
      let bit: UInt8 = 1 << UInt8.random(in: 0...7, using: &random)
      var damaged = bytes
      damaged[place] ^= bit
      #expect(try verdict(on: damaged) != .fine, "bit \(bit) of byte \(place)")
    }
    // Programs that change the volume leave the checksum as it was, and say what they did.
    var louder = bytes
    louder[bytes.count - 5] ^= 1
    #expect(try verdict(on: louder) == .remark("wrong_checksums"))
    let marked = try decode(scratch.write(louder + text("MP3GAIN_UNDO"), "louder.mp3"))
    #expect(marked.summary.remarks.map(\.code) == ["junk"])
  }

  /// The position of the last page is too large by 2^32, as FFmpeg leaves it.
  @Test func absurdPositionOfOgg() throws {
    var bytes = try encode("ogg", ["-c:a", "libvorbis"])
    let last = try #require(Packets.ogg(bytes).last)
    bytes[last.lowerBound + 10] += 1
    bytes.replaceSubrange(last.lowerBound + 22..<last.lowerBound + 26, with: [0, 0, 0, 0])
    let checksum = bytes[last].withUnsafeBytes { OggChecksum.update(0, $0) }
    bytes.replaceSubrange(last.lowerBound + 22..<last.lowerBound + 26, with: little(Int(checksum), 4))
    #expect(try verdict(on: bytes) == .remark("absurd_length"))
  }

  /// Bytes that no transfer changed include carriage returns.
  @Test func replacedCarriageReturns() throws {
    let wav = try scratch.writeSound(Self.signal, "x.wav", format: SF_FORMAT_WAV | SF_FORMAT_PCM_16, rate: 44_100)
    for (suffix, codec) in [("mp3", "libmp3lame"), ("m4a", "aac"), ("wma", "wmav2")] {
      let bytes = try scratch.bytes(scratch.ffmpeg(wav, ["-c:a", codec, "-b:a", "256k"], "x.\(suffix)"))
      let changed = bytes.map { $0 == 0x0D ? 0x0A : $0 }
      #expect(try [.problem(.corrupt), .refused].contains(verdict(on: changed)), "\(suffix)")
    }
  }

  /// In other containers, MP3 has no checksum. Its decoders notice most changes by the bits that are left.
  @Test func unusedBitsOfMP3() throws {
    var random = SplitMix64.fresh()
    let bytes = try encode("wav", ["-c:a", "libmp3lame", "-b:a", "128k"])
    #expect(try verdict(on: bytes) == .fine)
    var foundCount = 0
    for _ in 0..<10 {
      var damaged = bytes
      for _ in 0..<20 {
        let place = Int.random(in: bytes.count / 10..<bytes.count, using: &random)
        damaged[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
      }
      if try verdict(on: damaged) != .fine { foundCount += 1 }
    }
    #expect(foundCount >= 4)
  }

  /// Silence at the end of a file that was cut off is not space that was never written.
  @Test(arguments: ["wav", "aiff", "w64", "voc"]) func cutInSilence(suffix: String) throws {
    let signal = [Array(Self.signal[0].prefix(30_000)) + [Float](repeating: 0, count: 30_000)]
    let wav = try scratch.writeSound(signal, "silent.wav", format: SF_FORMAT_WAV | SF_FORMAT_PCM_16, rate: 44_100)
    let codec = suffix == "aiff" ? "pcm_s16be" : "pcm_s16le"
    let bytes = try scratch.bytes(scratch.ffmpeg(wav, ["-c:a", codec], "s.\(suffix)"))
    let cut = try decode(scratch.write(bytes.dropLast(200), "cut.\(suffix)")).summary.problem
    #expect(cut?.code == .truncated && cut?.message.contains("only zeros") == false)
  }

  /// Zeros that begin where a wave crosses zero are not the end of a fade, and those that begin between two frames of MP3
  /// are not padding if the header claims more.
  @Test func whereZerosBegin() throws {
    let wave = [(0..<60_000).map { index in sin(Float(index) / 50 * .pi) / 2 }]
    let wav = try scratch.bytes(
      scratch.writeSound(wave, "w.wav", format: SF_FORMAT_WAV | SF_FORMAT_PCM_16, rate: 44_100))
    let crossing = 44 + 2 * 30_001
    let emptied = wav.prefix(crossing) + [UInt8](repeating: 0, count: wav.count - crossing)
    #expect(try verdict(on: Array(emptied)) == .remark("empty_end"))
    let mp3 = try encode("mp3", ["-c:a", "libmp3lame", "-b:a", "128k", "-id3v2_version", "0"])
    var end = 0
    while end < mp3.count / 2 { end += 417 + Int(mp3[end + 2] >> 1 & 1) }
    let half = try decode(
      scratch.write(mp3.prefix(end) + [UInt8](repeating: 0, count: mp3.count - end), "half.mp3"))
    #expect(half.summary.problem?.message.contains("only zeros from byte") == true)
    #expect(half.summary.remarks.allSatisfy { $0.code != "padding" })
  }

  @Test func paddingOfTrueHD() throws {
    let bytes = try encode("thd", ["-strict", "-2", "-ar", "48000"])
    #expect(try verdict(on: bytes + [UInt8](repeating: 0, count: 2_000)) == .fine)
  }

  /// A file that is cut more than another one never looks better.
  @Test(arguments: Container.allCases) func cutsNeverHeal(container: Container) throws {
    // Streams without a length, and a file that ends with a tag of another format.
    let isExempt = [.trueHD, .creativeVoice, .musepack8].contains(container)
    guard !isExempt, let bytes = try row(for: container)?.bytes else { return }
    var random = SplitMix64.fresh()
    let sizes = (0..<6).map { _ in Int.random(in: bytes.count / 20..<bytes.count, using: &random) }
    var isDamaged = false
    for size in sizes.sorted(by: >) {
      switch try verdict(on: Array(bytes.prefix(size))) {
      case .problem, .refused: isDamaged = true
      case .fine, .remark: #expect(!isDamaged, "\(container) cut to \(size) of \(bytes.count) bytes")
      }
    }
  }

  /// A block whose element became another one is not decoded; the timestamps of the others tell that it is missing.
  @Test func lostBlockOfWebM() throws {
    var bytes = try encode("webm", ["-c:a", "libopus"])
    #expect(try verdict(on: bytes) == .fine)
    // SimpleBlock, a size of two bytes, track 1.
    let blocks = bytes.indices.dropLast(4).filter { index in
      guard bytes[index] == 0xA3, bytes[index + 1] >> 6 == 1, bytes[index + 3] == 0x81 else { return false }
      let next = index + 3 + Int(bytes[index + 1] & 0x3F) << 8 + Int(bytes[index + 2])
      return next < bytes.count && bytes[next] == 0xA3
    }
    // Void.
    bytes[try #require(blocks.dropFirst(blocks.count / 2).first)] = 0xEC
    #expect(try verdict(on: bytes) == .remark("timestamp_gaps"))
  }

  /// Bytes that no block of a VOC file explains.
  @Test func halfOfVOC() throws {
    let bytes = try encode("voc")
    let half = [UInt8](repeating: 0xFF, count: bytes.count / 2)
    #expect(try verdict(on: bytes.prefix(bytes.count - half.count) + half) == .remark("junk"))
  }

  /// The length in the header of a file that fails is left out if no file of this size is as long.
  @Test func absurdLengths() throws {
    var bytes = try encode("flac")
    bytes[21] |= 0x0F
    for index in 90..<bytes.count { bytes[index] = bytes[index] & 0x7F }
    let broken = try scratch.write(bytes, "broken.flac")
    do throws(DecodeError) {
      _ = try AudioSource(path: broken)
      Issue.record("It opens.")
    } catch {
      #expect(error.format?.claimedFrameCount == nil)
    }
  }

  /// The header of a Musepack file has its length in samples, which FFmpeg rounds to packets of 64 frames.
  @Test func lengthOfMusepack() throws {
    let decoded = try decode(scratch.write(Self.musepack8, "x.mpc"))
    #expect(decoded.summary.claimedFrameCount == 176_400)
    #expect(decoded.summary.remarks.isEmpty && decoded.summary.problem == nil)
    let older = try decode(scratch.write(Self.musepack7, "older.mpc"))
    #expect(older.summary.claimedFrameCount == 114_748)
    #expect(older.summary.remarks.isEmpty && older.summary.problem == nil)
  }

  /// The bit rate before decoding equals that after decoding.
  @Test(arguments: ["wav", "aiff", "caf", "w64", "flac", "ogg", "opus", "m4a", "wv", "tta", "wma", "mka"])
  func bitRates(suffix: String) throws {
    let path = try scratch.write(encode(suffix), "x")
    let content = try AudioContent(path: path)
    let format = try AudioSource(path: path).format
    let bitRate = try #require(content.bitRate(of: format))
    let decoded = try #require(try decode(path).format.bitRate)
    // The length claimed by ASF starts before the first sample.
    #expect(
      abs(Double(bitRate) / Double(decoded) - 1) < (suffix == "wma" ? 0.03 : 0.01),
      "\(bitRate) and \(decoded) bits per second")
  }
}

// MARK: Packets

private func little(_ value: Int, _ count: Int) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}

private func big(_ value: Int, _ count: Int) -> [UInt8] { little(value, count).reversed() }

private func text(_ text: String) -> [UInt8] { Array(text.utf8) }

private func joined(_ parts: [UInt8]...) -> [UInt8] { parts.flatMap { $0 } }

/// Positions of packets.
private enum Packets {
  static func ogg(_ bytes: [UInt8]) -> [Range<Int>] {
    var pages: [Range<Int>] = []
    var position = 0
    while position + 27 <= bytes.count {
      let body = position + 27 + Int(bytes[position + 26])
      let end = body + bytes[position + 27..<body].reduce(0) { $0 + Int($1) }
      pages.append(position..<end)
      position = end
    }
    return Array(pages.dropFirst(2))
  }

  static func wavPack(_ bytes: [UInt8]) -> [Range<Int>] {
    var blocks: [Range<Int>] = []
    var position = 0
    while let size = bytes[position...].littleEndian(UInt32.self, at: 4) {
      blocks.append(position..<position + Int(size) + 8)
      position += Int(size) + 8
    }
    return blocks
  }

  static func trueAudio(_ bytes: [UInt8]) -> [Range<Int>] {
    let count = (Int(bytes.littleEndian(UInt32.self, at: 14) ?? 0) - 1) / (44_100 * 256 / 245) + 1
    var position = 22 + 4 * count + 4
    return (0..<count).map { index in
      let size = Int(bytes.littleEndian(UInt32.self, at: 22 + 4 * index) ?? 0)
      defer { position += size }
      return position..<position + size
    }
  }

  static func asf(_ bytes: [UInt8]) -> [Range<Int>] {
    let start = Int(bytes.littleEndian(UInt64.self, at: 16) ?? 0) + 50
    guard let properties = bytes.firstRange(of: [0xA1, 0xDC, 0xAB, 0x8C, 0x47, 0xA9, 0xCF, 0x11])?.lowerBound,
      let count = bytes.littleEndian(UInt64.self, at: properties + 56),
      let size = bytes.littleEndian(UInt32.self, at: properties + 92)
    else { return [] }
    return (0..<Int(count)).map { start + $0 * Int(size)..<start + ($0 + 1) * Int(size) }
  }

  /// Clusters, without the last one.
  static func matroska(_ bytes: [UInt8]) -> [Range<Int>] {
    let starts = bytes.indices.filter { bytes[$0] == 0x1F && bytes.has([0x1F, 0x43, 0xB6, 0x75], at: $0) }
    return zip(starts, starts.dropFirst()).map { $0..<$1 }
  }

  /// Frames of 4,608 samples, found by the codes of size, rate and channels that FFmpeg gives all of them but the last.
  static func flac(_ bytes: [UInt8]) -> [Range<Int>] {
    guard let first = bytes.firstRange(of: [0xFF, 0xF8])?.lowerBound else { return [] }
    let mark = Array(bytes[first..<first + 4])
    let starts = bytes.indices.dropLast(4).filter { bytes[$0] == 0xFF && bytes.has(mark, at: $0) }
    return zip(starts, starts.dropFirst()).map { $0..<$1 }
  }
}

// MARK: Synthetic files

extension StructuralDamageTests {
  /// Two-byte samples that use all byte values.
  private static let noise: [UInt8] = {
    var state: UInt64 = 9
    return (0..<160_000).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 56)
    }
  }()

  /// One-bit samples have no order and no checksum.
  private static let oneBit: [Damage: Set<Verdict>] = [
    .insertedBytes: [.remark("junk"), .remark("second_file")],
    .carriageReturns: [.remark("junk"), .refused],
    .strippedBits: [.fine, .problem(.corrupt), .problem(.truncated), .refused],
  ]

  private static let rifx: [UInt8] = {
    let format = joined(big(1, 2), big(2, 2), big(44_100, 4), big(176_400, 4), big(4, 2), big(16, 2))
    let chunks = joined(
      text("WAVEfmt "), big(format.count, 4), format, text("data"), big(noise.count, 4), noise)
    return joined(text("RIFX"), big(chunks.count, 4), chunks)
  }()

  private static let sphere: [UInt8] = {
    let header = """
      NIST_1A
         1024
      sample_count -i \(noise.count / 2)
      sample_n_bytes -i 2
      channel_count -i 1
      sample_byte_format -s2 01
      sample_rate -i 16000
      sample_coding -s3 pcm
      end_head

      """
    return joined(text(header), [UInt8](repeating: 0x20, count: 1_024 - header.utf8.count), noise)
  }()

  private static let amigaVoice: [UInt8] = {
    let header = joined(big(noise.count, 4), big(0, 8), big(16_000, 2), [1, 0], big(0x1_0000, 4))
    let chunks = joined(
      text("8SVXVHDR"), big(header.count, 4), header, text("BODY"), big(noise.count, 4), noise)
    return joined(text("FORM"), big(chunks.count, 4), chunks)
  }()

  private static let dsf: [UInt8] = {
    // Blocks of 4,096 bytes, alternating between the channels.
    let audio = Array(noise[..<(32 * 4_096)])
    let size = 28 + 52 + 12 + audio.count
    let format = joined(
      little(1, 4), little(0, 4), little(2, 4), little(2, 4), little(2_822_400, 4), little(1, 4),
      little(audio.count / 2 * 8, 8), little(4_096, 4), little(0, 4))
    return joined(
      text("DSD "), little(28, 8), little(size, 8), little(0, 8), text("fmt "), little(52, 8), format, text("data"),
      little(audio.count + 12, 8), audio)
  }()

  private static let dsdiff: [UInt8] = {
    func chunk(_ id: String, _ body: [UInt8]) -> [UInt8] { joined(text(id), big(body.count, 8), body) }
    let properties = joined(
      text("SND "), chunk("FS  ", big(2_822_400, 4)), chunk("CHNL", joined(big(2, 2), text("SLFTSRGT"))),
      chunk("CMPR", joined(text("DSD "), [14], text("not compressed"), [0])))
    let version = chunk("FVER", big(0x0105_0000, 4))
    return chunk("FRM8", joined(text("DSD "), version, chunk("PROP", properties), chunk("DSD ", noise)))
  }()

  /// Version 3.99, compression "fast", two seconds of stereo silence: each frame is a flag that means silence.
  private static let monkeysAudio: [UInt8] = {
    let blocksPerFrame = 4_608
    let count = 20
    let table = (0..<count).flatMap { little(52 + 24 + 4 * count + 12 * $0, 4) }
    // Four-byte words are byte-swapped: the checksum, whose highest bit announces the flags, and the flags.
    let silence = (0..<blocksPerFrame * 4).reduce(0xFFFF_FFFF) { value, _ in
      (0..<8).reduce(value) { value, _ in value >> 1 ^ (value & 1 == 1 ? 0xEDB8_8320 : 0) }
    }
    let frame = joined(little((silence ^ 0xFFFF_FFFF) >> 1 | 1 << 31, 4), little(3, 4), little(0, 4))
    let frames = (0..<count).flatMap { _ in frame }
    let sizes = [52, 24, table.count, 0, frames.count, 0, 0].flatMap { little($0, 4) }
    let header = joined(
      little(1_000, 2), little(0, 2), little(blocksPerFrame, 4), little(blocksPerFrame, 4), little(count, 4),
      little(16, 2), little(2, 2), little(44_100, 4))
    let checksum = [UInt8](repeating: 0, count: 16)
    return joined(text("MAC "), little(3_990, 2), little(0, 2), sizes, checksum, header, table, frames)
  }()

  /// 100 frames of silence, the last with 700 samples: each has its length in 20 bits, and eight zeros.
  private static let musepack7: [UInt8] = {
    // Eight bits before the first frame, and eleven after the last.
    var bits: [Int] = Array(repeating: 0, count: 8)
    func append(_ value: Int, _ count: Int) { for shift in (0..<count).reversed() { bits.append(value >> shift & 1) } }
    for _ in 0..<100 {
      append(8, 20)
      append(0, 8)
    }
    append(700, 11)
    append(0, (32 - bits.count % 32) % 32)
    var words: [UInt8] = []
    for start in stride(from: 0, to: bits.count, by: 32) {
      words += little(bits[start..<start + 32].reduce(0) { $0 << 1 | $1 }, 4)
    }
    let lengths = little(1 << 31 | 700 << 20, 4)
    return joined(text("MP+"), [7], little(100, 4), little(0, 12), lengths, words)
  }()

  /// Four seconds of silence as mpcenc 1.30.1 writes them, with a title.
  static let musepack8: [UInt8] = {
    let text =
      "TVBDS1NIDrPCWhsIiuIQABULUkcMAQAAAAAAAAAARUkHkQEeAVNPCCcAAAAAQVAMD//////////gQVAMD//////////gQVAHD///"
      + "+FNUBwIS1FBTRQNBUEVUQUdFWNAHAAAyAAAAAQAAAAAAAKAAAAAAAAAAAAQAAAAAAAAAVGl0bGUAQmFzZUFQRVRBR0VY0AcAADIA"
      + "AAABAAAAAAAAgAAAAAAAAAAA"
    return Array(Data(base64Encoded: text) ?? Data())
  }()
}
