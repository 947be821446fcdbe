import Analysis
import AnalysisTesting
import AudioDecoding
import CSndfile
import SystemPackage
import Testing

/// Streams that consist only of frames (MP3, MP2, AC-3, AAC in ADTS, DTS): reports on their ends, on bytes after them,
/// and on their checksums.
@Suite(.bounded) struct FrameStreamTests {
  /// Encoders that do not write the length.
  private static let encoders: [String: [String]] = [
    "mp3": ["-c:a", "libmp3lame", "-write_xing", "0", "-id3v2_version", "0"],
    "vbr.mp3": ["-c:a", "libmp3lame", "-q:a", "2", "-write_xing", "0", "-id3v2_version", "0"],
    "mp2": ["-c:a", "mp2"], "ac3": ["-c:a", "ac3"], "eac3": ["-c:a", "eac3"], "aac": ["-c:a", "aac"],
    "dts": ["-c:a", "dca", "-strict", "-2"],
  ]

  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func encode(_ suffix: String) throws -> [UInt8] {
    let wav = try scratch.writeSound(
      makeSignal(frames: 90_000), "x.wav", format: SF_FORMAT_WAV | SF_FORMAT_PCM_16, rate: 44_100)
    return try scratch.bytes(scratch.ffmpeg(wav, Self.encoders[suffix] ?? [], "good.\(suffix)"))
  }

  @Test(arguments: ["mp3", "vbr.mp3", "mp2", "ac3", "eac3", "aac", "dts"])
  func cutWithinAFrame(suffix: String) throws {
    let bytes = try encode(suffix)
    for missing in [5, 9, 17, 33, 41] {
      let cut = try scratch.write(Array(bytes.dropLast(missing)), "cut")
      #expect(try decode(cut).summary.problem?.code == .truncated, "\(missing) bytes are missing")
      #expect(try AudioContent(path: cut).fault?.code == .truncated)
    }
  }

  @Test(arguments: ["mp3", "vbr.mp3", "mp2", "ac3", "eac3", "aac", "dts"])
  func bytesBehindTheLastFrame(suffix: String) throws {
    let bytes = try encode(suffix)
    let whole = try decode(scratch.write(bytes, "whole"))
    #expect(whole.summary.problem == nil && whole.summary.remarks.isEmpty)
    for padding in [[0], [0x0A], [UInt8](repeating: 0, count: 4_096), [UInt8](repeating: 0x20, count: 300)] {
      let padded = try decode(scratch.write(bytes + padding, "padded"))
      #expect(padded.summary.problem == nil && padded.summary.remarks.isEmpty, "\(padding.count) bytes")
      let isSame = padded.planes == whole.planes
      #expect(isSame)
      #expect(try contentID(scratch.path("padded")) == contentID(scratch.path("whole")))
    }
    let junk = try decode(scratch.write(bytes + Array("and so on".utf8), "junk"))
    #expect(junk.summary.problem == nil)
    #expect(junk.summary.remarks.map(\.code) == ["junk"])
    #expect(junk.summary.remarks.first?.message.hasPrefix("9 bytes") == true)

    // Space that was reserved and never written.
    let unwritten = try decode(scratch.write(bytes + [UInt8](repeating: 0, count: 500_000), "unwritten"))
    #expect(unwritten.summary.problem?.code == .truncated)
    let lost = try decode(scratch.write(bytes + [UInt8](repeating: 0x55, count: 500_000), "lost"))
    #expect(lost.summary.problem?.code == .corrupt)
  }

  /// A recording of an AAC stream that starts within a frame.
  @Test func capturedAAC() throws {
    let bytes = try encode("aac")
    let capture = try decode(scratch.write(Array(bytes.dropFirst(10)), "capture"))
    #expect(capture.format.container == "adts" && capture.summary.problem == nil)
  }

  // MARK: - Checksums

  /// CRC-16 of the polynomial 0x8005 from all ones (ISO/IEC 11172-3, 2.4.3.1), bit by bit from its definition.
  static func checksum(_ bits: [Bool]) -> UInt16 {
    bits.reduce(0xFFFF as UInt16) { sum, bit in (sum >> 15 == 1) != bit ? sum << 1 ^ 0x8005 : sum << 1 }
  }

  static func bits(_ bytes: [UInt8]) -> [Bool] {
    bytes.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 == 1 } }
  }

  /// Silence: a header with a checksum, and nothing but zeros.
  private static func silence(_ header: [UInt8], length: Int, coveredByteCount: Int) -> [UInt8] {
    let sum = checksum(bits(header.suffix(2) + [UInt8](repeating: 0, count: coveredByteCount)))
    return header + [UInt8(sum >> 8), UInt8(sum & 0xFF)] + [UInt8](repeating: 0, count: length - 6)
  }

  /// A frame of layer II, 32 kbit/s, with allocations, written by an encoder.
  private static let layerII: [UInt8] = {
    let text =
      "fffc10c47cd833489479aa90311513515553516c" + "5b1f3e6b5f356c5b1f3e6b5f36565d6925b2ae35"
      + "4a5a81ce65244d7f48dea820ebb6b94b5fba38cf" + "b4cd176110495290d4321fe268d3361f735bee3b"
      + "92b550ab9eab811e351b9c95c465932e2982d32a" + "6bdeb400"
    return stride(from: 0, to: text.count, by: 2).map { index in
      let start = text.index(text.startIndex, offsetBy: index)
      return UInt8(text[start...].prefix(2), radix: 16) ?? 0
    }
  }()

  private static let protected: [[UInt8]] = [
    silence([0xFF, 0xFA, 0x90, 0xC4], length: 417, coveredByteCount: 17),
    silence([0xFF, 0xFA, 0x90, 0x04], length: 417, coveredByteCount: 32),
    silence([0xFF, 0xF2, 0x80, 0xC4], length: 208, coveredByteCount: 9), layerII,
    silence([0xFF, 0xFE, 0x40, 0xC4], length: 136, coveredByteCount: 16),
  ]

  @Test(arguments: protected) func checksumsOfFrames(frame: [UInt8]) throws {
    func decoded(wrong: Range<Int>) throws -> DecodeSummary {
      var stream: [UInt8] = []
      for index in 0..<50 {
        var next = frame
        if wrong.contains(index) { next[5] ^= 0x40 }
        stream += next
      }
      return try decode(scratch.write(stream, "protected")).summary
    }
    let right = try decoded(wrong: 0..<0)
    #expect(right.problem == nil && right.remarks.isEmpty)
    let damaged = try decoded(wrong: 20..<23)
    #expect(damaged.problem?.code == .corrupt)
    #expect(damaged.problem?.message.contains("3 of 50 frames") == true)
    #expect(damaged.frameCount == right.frameCount)
    // Wrong checksums throughout are an encoder error, not damage.
    let never = try decoded(wrong: 0..<50)
    #expect(never.problem == nil)
    #expect(never.remarks.map(\.code) == ["wrong_checksums"])
    #expect(never.remarks.first?.message.contains("50 of 50 frames") == true)
  }
}
