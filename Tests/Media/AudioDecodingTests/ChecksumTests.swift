import Analysis
import AnalysisTesting
import CSndfile
import SystemPackage
import Testing

@testable import AudioDecoding

/// FLAC audio is compared with the claims of its header.
@Suite(.bounded) struct ChecksumTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func flac(_ format: Int = SF_FORMAT_PCM_16, channels: Int = 2, bits: Int = 16) throws -> [UInt8] {
    let signal = makeSignal(frames: 30_000, channels: channels, bits: bits)
    return try scratch.bytes(scratch.writeSound(signal, "x.flac", format: SF_FORMAT_FLAC | format, rate: 44_100))
  }

  private func problem(_ bytes: [UInt8], verifies: Bool = true) throws -> DecodeError.Code? {
    var source = try AudioSource(path: scratch.write(bytes, "x.flac"), verifiesChecksum: verifies)
    var block = AudioBlock(channelCount: 1)
    while source.read(into: &block) {}
    return source.summary.problem?.code
  }

  @Test(arguments: [(SF_FORMAT_PCM_S8, 8), (SF_FORMAT_PCM_16, 16), (SF_FORMAT_PCM_24, 24)], [1, 2, 3])
  func audioIsComparedWithItsMD5(depth: (format: Int, bits: Int), channels: Int) throws {
    var bytes = try flac(depth.format, channels: channels, bits: depth.bits)
    #expect(bytes[26..<42].contains { $0 != 0 })
    #expect(try problem(bytes) == nil)
    bytes[30] ^= 1
    #expect(try problem(bytes) == .checksumMismatch)
    #expect(try problem(bytes, verifies: false) == nil)
    bytes.replaceSubrange(26..<42, with: repeatElement(0, count: 16))
    #expect(try problem(bytes) == nil)
  }

  @Test(arguments: [12, 20])
  func oddDepths(bits: Int) throws {
    let signal = makeSignal(frames: 30_000, bits: bits)
    let wav = try scratch.writeSound(signal, "x.wav", format: SF_FORMAT_WAV | SF_FORMAT_PCM_24, rate: 44_100)
    let raw = bits > 16 ? ["-sample_fmt", "s32", "-bits_per_raw_sample", "\(bits)"] : ["-sample_fmt", "s16"]
    let bytes = try scratch.bytes(scratch.ffmpeg(wav, raw, "odd.flac"))
    #expect(try problem(bytes) == nil)
  }

  /// A missing part is reported as missing.
  @Test func damageComesFirst() throws {
    let bytes = try flac()
    #expect(try problem(Array(bytes.prefix(bytes.count / 2))) == .truncated)
    var flipped = bytes
    flipped[bytes.count / 2] ^= 1
    #expect(try problem(flipped) != .checksumMismatch)
    #expect(try problem(flipped) != nil)
  }

  /// Frame numbers reveal the order even without a checksum.
  @Test func framesInAnotherOrder() throws {
    let bytes = try flac()
    let starts = bytes.indices.dropFirst(42).filter {
      $0 + 4 < bytes.count && bytes[$0] == 0xff && bytes[$0 + 1] == 0xf8 && bytes[$0 + 3] & 1 == 0
    }
    #expect(starts.count > 5)
    let frames = zip(starts, starts.dropFirst() + [bytes.count]).map { Array(bytes[$0..<$1]) }
    let swapped = [frames[0], frames[2], frames[1]] + frames.dropFirst(3)
    #expect(try problem(Array(bytes[..<starts[0]]) + swapped.joined(), verifies: false) == .corrupt)
    #expect(try problem(Array(bytes[..<starts[0]]) + frames.joined(), verifies: false) == nil)
  }

  /// Rate, channels and depth in STREAMINFO, 20, 3 and 5 bits from its tenth byte on.
  @Test func framesContradictTheHeader() throws {
    let bytes = try flac()
    let plain = try decode(scratch.write(bytes, "plain.flac"))
    let packed = bytes[18..<26].reduce(0) { $0 << 8 | UInt64($1) }
    let lies: [(UInt64, String)] = [
      (packed & ~(0xf_ffff << 44) | 48_000 << 44, "48000 Hz"), (packed & ~(7 << 41), "1 channel"),
      (packed | 7 << 41, "8 channels"), (packed & ~(31 << 36) | 23 << 36, "24 bits"), (packed | 31 << 36, "32 bits"),
    ]
    for (value, words) in lies {
      var lying = bytes
      lying.replaceSubrange(18..<26, with: withUnsafeBytes(of: value.bigEndian) { Array($0) })
      let decoded = try decode(scratch.write(lying, "lying.flac"))
      #expect(decoded.planes == plain.planes)
      #expect(decoded.format.sampleRate == 44_100 && decoded.format.bitDepth == 16)
      let remark = decoded.summary.remarks.first { $0.code == "contradicting_header" }
      #expect(remark?.message.contains(words) == true)
      #expect(try problem(lying) == nil)
    }
    #expect(plain.summary.remarks.isEmpty)
  }

  /// 32 bits per sample in the frames, too: no decoder here supports that, and a message says so.
  @Test func depthsThatNobodyDecodes() throws {
    var bytes = try flac()
    let packed = bytes[18..<26].reduce(0) { $0 << 8 | UInt64($1) } | 31 << 36
    bytes.replaceSubrange(18..<26, with: withUnsafeBytes(of: packed.bigEndian) { Array($0) })
    // The depth is in the fourth byte of a frame, which is covered by the checksum of its header.
    let frame = try #require(bytes.indices.dropFirst(42).first { bytes[$0] == 0xff && bytes[$0 + 1] & 0xfe == 0xf8 })
    bytes[frame + 3] = bytes[frame + 3] & 0xf0 | 7 << 1
    let path = try scratch.write(Array(bytes[..<(frame + 4)]), "x.flac")
    do throws(DecodeError) {
      _ = try AudioSource(path: path)
      Issue.record("decoded")
    } catch {
      #expect(error.code == .unsupportedCodec)
      #expect(error.message.contains("32 bits"))
    }
  }
}
