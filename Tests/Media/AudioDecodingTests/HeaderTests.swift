import Analysis
import AnalysisTesting
import AudioDecoding
import CSndfile
import Foundation
import Glibc
import SystemPackage
import Testing

/// False headers, and files that are not audio.
@Suite(.bounded) struct HeaderTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// A WAV file with any header.
  private func wav(
    _ samples: [Int16], channels: Int = 2, rate: UInt32 = 44_100, bits: Int = 16, tag: UInt16 = 1, align: Int? = nil,
    dataSize: UInt32? = nil, riffSize: UInt32? = nil
  ) -> [UInt8] {
    func bytes<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
      withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }
    let align = align ?? channels * bits / 8
    let payload = samples.flatMap { bytes($0) }
    let format =
      bytes(tag) + bytes(UInt16(truncatingIfNeeded: channels)) + bytes(rate)
      + bytes(UInt32(truncatingIfNeeded: Int(rate) * align)) + bytes(UInt16(truncatingIfNeeded: align))
      + bytes(UInt16(truncatingIfNeeded: bits))
    let body =
      Array("WAVEfmt ".utf8) + bytes(UInt32(format.count)) + format + Array("data".utf8)
      + bytes(dataSize ?? UInt32(payload.count)) + payload
    return Array("RIFF".utf8) + bytes(riffSize ?? UInt32(body.count)) + body
  }

  private let samples = (0..<20_000).map { Int16(truncatingIfNeeded: $0 &* 37) }

  private func check(_ bytes: [UInt8], frames: Int = 10_000, problem: DecodeError.Code? = nil, remarks: [String] = [])
    throws
  {
    let decoded = try decode(scratch.write(bytes, "x"))
    #expect(decoded.frameCount == frames)
    #expect(decoded.summary.problem?.code == problem)
    #expect(decoded.summary.remarks.map(\.code) == remarks)
    if decoded.planes.count == 2 {
      let isRight = decoded.planes[0].indices.allSatisfy { decoded.planes[0][$0] == Float(samples[2 * $0]) / 32_768 }
      #expect(isRight)
    }
  }

  @Test func lengthsOfWAV() throws {
    try check(wav(samples))
    try check(wav(samples, riffSize: 0))
    try check(wav(samples, riffSize: .max))
    try check(wav(samples, dataSize: .max), remarks: ["unknown_length"])
    try check(wav(samples, dataSize: .max, riffSize: .max), remarks: ["unknown_length"])
    try check(wav(samples, dataSize: 0), remarks: ["unknown_length"])
    try check(wav(samples, dataSize: 120_000), problem: .truncated)
    // The rest begins like a chunk with an invalid name.
    try check(wav(samples, dataSize: 20_000), frames: 5_000, remarks: ["junk"])
    #expect(openingError(try scratch.write(wav([]), "none.wav")) == .noAudio)
  }

  @Test func absurdWAV() throws {
    let cases: [([UInt8], DecodeError.Code)] = [
      (wav(samples, channels: 0, align: 4), .absurdHeader), (wav(samples, channels: 65), .absurdHeader),
      (wav(samples, channels: 65_535), .absurdHeader), (wav(samples, rate: 0), .absurdHeader),
      (wav(samples, rate: 999), .absurdHeader), (wav(samples, rate: .max), .absurdHeader),
      (wav(samples, tag: 0x9999), .unsupportedCodec), (wav(samples, bits: 4, tag: 2, align: 0), .absurdHeader),
      (wav(samples, bits: 4, tag: 17, align: 0), .absurdHeader), (Array(wav(samples).prefix(36)), .corrupt),
    ]
    for (bytes, code) in cases { #expect(openingError(try scratch.write(bytes, "x.wav")) == code) }
    // Audio with inconsistent sample and frame sizes is decoded, with a remark.
    for bits in [7, 12, 17] {
      let decoded = try? decode(scratch.write(wav(samples, bits: bits, align: 4), "x.wav"))
      #expect(decoded?.summary.remarks.contains { $0.code == "odd_header" } != false)
    }
  }

  @Test func manyChunks() throws {
    var bytes = wav(samples)
    bytes.insert(contentsOf: (0..<20_000).flatMap { _ in Array("junk\0\0\0\0".utf8) }, at: 12)
    try check(bytes)
  }

  @Test func chunksBeyondTheEnd() throws {
    var bytes = wav(samples)
    bytes.insert(contentsOf: Array("LIST".utf8) + [0xf0, 0xff, 0xff, 0xff], at: 12)
    #expect(openingError(try scratch.write(bytes, "x.wav")) == .corrupt)
  }

  @Test func lengthsOfFLAC() throws {
    let signal = makeSignal(frames: 30_000)
    let path = try scratch.writeSound(signal, "x.flac", format: SF_FORMAT_FLAC | SF_FORMAT_PCM_16, rate: 44_100)
    let bytes = try scratch.bytes(path)
    // The low four bytes of the 36-bit length in STREAMINFO.
    for (length, problem, remarks): (UInt32, DecodeError.Code?, [String]) in [
      (0, nil, []), (30_001, .truncated, []), (.max, .truncated, []), (1, nil, ["longer_than_claimed"]),
    ] {
      var lying = bytes
      withUnsafeBytes(of: length.bigEndian) { lying.replaceSubrange(22..<26, with: $0) }
      let decoded = try decode(scratch.write(lying, "lying.flac"))
      let isExact = decoded.planes == signal
      #expect(isExact)
      #expect(decoded.summary.problem?.code == problem)
      #expect(decoded.summary.remarks.map(\.code) == remarks)
    }
    // Wrong block sizes.
    var lying = bytes
    lying.replaceSubrange(8..<12, with: [0, 16, 0, 16])
    let isExact = try decode(scratch.write(lying, "blocks.flac")).planes == signal
    #expect(isExact)
    // Endless comments are not read.
    let header = Array(bytes[..<4]) + [0x00] + bytes[5..<42]
    let comments = [0x84, 0xff, 0xff, 0xff].map { UInt8($0) }
    let isStillExact = try decode(scratch.write(header + comments + bytes[42...], "comments.flac")).planes == signal
    #expect(isStillExact)
    // Bytes before the first frame are skipped.
    var start = 4
    var isLast = false
    while !isLast {
      isLast = bytes[start] & 0x80 != 0
      start += 4 + bytes[start + 1..<start + 4].reduce(0) { $0 << 8 | Int($1) }
    }
    for count in [1, 44, 5_000] {
      let junk = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7 & 0x7F) }
      let file = try scratch.write(Array(bytes[..<start] + junk + bytes[start...]), "junk.flac")
      let isWhole = try decode(file).planes == signal
      #expect(isWhole, "\(count)")
    }
  }

  @Test func notANumber() throws {
    var signal = makeSignal(frames: 40_000, channels: 2, bits: 24)
    signal[0][100] = .nan
    signal[1][20_000] = .infinity
    signal[1][20_001] = -.infinity
    signal[0][39_999] = 420_272
    signal[0][39_998] = -1e30
    let path = try scratch.writeSound(signal, "x.wav", format: SF_FORMAT_WAV | SF_FORMAT_FLOAT, rate: 44_100)
    let decoded = try decode(path)
    #expect(decoded.summary.nonFiniteSampleCount == 3)
    #expect(decoded.summary.absurdSampleCount == 2)
    #expect(decoded.planes.joined().map(abs).max() == AudioSource.sampleLimit)
    #expect(decoded.summary.remarks.map(\.code) == ["non_finite_samples", "absurd_samples"])
    #expect(decoded.summary.problem == nil)
    signal[0][100] = 0
    signal[1][20_000] = 0
    signal[1][20_001] = 0
    signal[0][39_999] = AudioSource.sampleLimit
    signal[0][39_998] = -AudioSource.sampleLimit
    let isMended = decoded.planes == signal
    #expect(isMended)
  }

  @Test func notAudio() throws {
    var state: UInt64 = 5
    let random = (0..<65_536).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 56)
    }
    for bytes in [
      Array("This is a shopping list, not a song.\n".utf8), random, [UInt8](repeating: 0, count: 1 << 20),
      [UInt8](repeating: 0xff, count: 1 << 20), Array("#EXTM3U\n#EXT-X-TARGETDURATION:5\nx.wav\n".utf8),
      Array("ffconcat version 1.0\nfile x.wav\n".utf8), Array("<!DOCTYPE html><html></html>".utf8),
      (0..<200_000).flatMap { _ in [0xff, 0xfb, 0, 0] as [UInt8] },
    ] {
      let path = try scratch.write(bytes, "x.mp3")
      #expect(openingError(path) == .unknownFormat)
      #expect(throws: DecodeError.self) { try AudioContent(path: path) }
    }
    #expect(openingError(try scratch.write([], "empty.mp3")) == .empty)
  }

  @Test func noRegularFiles() throws {
    #expect(openingError(scratch.path("nowhere")) == .unreadable)
    #expect(openingError(scratch.path(".")) == .unreadable)
    // A FIFO without a writer would block forever.
    let fifo = scratch.path("fifo.mp3")
    #expect(mkfifo(fifo.string, 0o600) == 0)
    #expect(openingError(fifo) == .unreadable)
    #expect(openingError(FilePath("/dev/zero")) == .unreadable)
    #expect(throws: DecodeError.self) { try AudioContent(path: fifo) }
    let loop = scratch.path("loop")
    #expect(symlink("loop", loop.string) == 0)
    #expect(openingError(loop) == .unreadable)
  }

  @Test func namesAreBytes() throws {
    let signal = makeSignal(frames: 5_000)
    let plain = try scratch.writeSound(signal, "x.wav", format: SF_FORMAT_WAV | SF_FORMAT_PCM_16, rate: 44_100)
    let bytes = try scratch.bytes(plain)
    for name in ["bad\u{ff}\u{fe}utf8", "new\nline", "%s%n", "concat:a|b", "http://x", "-i"] {
      // Latin-1: one byte a character, so the first name is not UTF-8.
      let units = name.replacingOccurrences(of: "/", with: "_").unicodeScalars.map {
        CChar(bitPattern: UInt8($0.value))
      }
      let component = try #require(
        units.withUnsafeBufferPointer { buffer in
          (Array(buffer) + [0]).withUnsafeBufferPointer { FilePath.Component(platformString: $0.baseAddress!) }
        })
      let path = FilePath(scratch.folder.path).appending(component)
      let file = try FileDescriptor.open(path, .writeOnly, options: [.create], permissions: .ownerReadWrite)
      try file.closeAfter { _ = try file.writeAll(bytes) }
      let isExact = try decode(path).planes == signal
      #expect(isExact)
      #expect(try contentID(path) == contentID(plain))
    }
  }
}
