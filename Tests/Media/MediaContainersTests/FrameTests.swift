import AnalysisTesting
import Glibc
import SystemPackage
import Testing

@testable import MediaContainers

/// Streams that consist only of frames: their start, their end, and the bytes after it.
@Suite(.bounded) struct FrameTests {
  struct Kind: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var frame: Bytes
    var container: Container
  }

  /// Frames without content.
  static let kinds: [Kind] = [
    Kind(testDescription: "layer I", frame: joined([0xFF, 0xFF, 0x10, 0xC0] as Bytes, zeros(28)), container: .unknown),
    Kind(
      testDescription: "layer II", frame: joined([0xFF, 0xFD, 0x10, 0xC0] as Bytes, zeros(100)), container: .unknown),
    Kind(testDescription: "layer III", frame: mpegFrames(1), container: .unknown),
    Kind(testDescription: "ADTS", frame: adtsFrames(1), container: .unknown),
    Kind(
      testDescription: "AC-3", frame: joined([0x0B, 0x77, 0, 0, 0x00, 0x40] as Bytes, zeros(122)), container: .ac3),
    Kind(
      testDescription: "AC-3, 44.1 kHz", frame: joined([0x0B, 0x77, 0, 0, 0x41, 0x40] as Bytes, zeros(134)),
      container: .ac3),
    Kind(
      testDescription: "E-AC-3", frame: joined([0x0B, 0x77, 0x00, 0x3F, 0x00, 0x80] as Bytes, zeros(122)),
      container: .eac3),
    Kind(
      testDescription: "DTS", frame: joined([0x7F, 0xFE, 0x80, 0x01, 0xFC, 0x3C, 0x07, 0xF0] as Bytes, zeros(120)),
      container: .dts),
    Kind(
      testDescription: "DTS-HD",
      frame: joined(
        [0x7F, 0xFE, 0x80, 0x01, 0xFC, 0x3C, 0x07, 0xF0] as Bytes, zeros(120),
        [0x64, 0x58, 0x20, 0x25, 0, 0x00, 0x00, 0x07, 0xE0] as Bytes, zeros(55)),
      container: .dts),
    Kind(testDescription: "LOAS", frame: joined([0x56, 0xE0, 0x7D] as Bytes, zeros(125)), container: .loas),
  ]

  private func ending(_ bytes: Bytes, _ kind: Kind) throws -> TruncationCheck? {
    let source = ByteSource(bytes)
    #expect(try Container(of: source, at: 0) == kind.container)
    let end = try TagRegions.startOfTrailing(in: source, behind: 0)
    if let ending = try TruncationCheck.of(kind.container, from: 0, to: end, in: source) { return ending }
    return try ADTSStream(in: source, from: 0)?.ending ?? MPEGStream(in: source, from: 0)?.ending
  }

  @Test(arguments: kinds) func onlyFramesThatAreNotWholeAreCut(kind: Kind) throws {
    let stream = Bytes((0..<9).flatMap { _ in kind.frame })
    let whole = try #require(try ending(stream, kind))
    #expect(whole.offset == stream.count && !whole.isCut)
    for missing in 1...kind.frame.count {
      let length = stream.count - missing
      let cut = try #require(try ending(Bytes(stream.prefix(length)), kind))
      // Missing whole frames cannot be detected, and a single byte may be anything. The last frame of DTS-HD is two.
      let left = kind.frame.count - missing
      if left == 0 || kind.testDescription == "DTS-HD" && left == 128 {
        #expect(!cut.isCut && cut.offset == length)
      } else if left > 1 && !(kind.testDescription == "DTS-HD" && left == 129) {
        #expect(cut.isCut && cut.offset == length, "\(left) bytes of the last frame")
      }
    }
  }

  @Test(arguments: kinds) func whatFollowsAWholeFrameIsNoDamage(kind: Kind) throws {
    let stream = Bytes((0..<9).flatMap { _ in kind.frame })
    let id3 = id3v2(zeros(50))
    let tails: [(bytes: Bytes, padding: Int, junk: Int)] = [
      ([0], 1, 0), ([0x0A], 1, 0), ([0x0D, 0x0A], 2, 0), (zeros(4_096), 4_096, 0), (zeros(200_000), 200_000, 0),
      (id3v1, 0, 0), (joined(id3v1, zeros(3)), 3, 0),
      (joined(apeTag(zeros(99), hasHeader: true), [0x0A] as Bytes), 1, 0),
      (joined(zeros(7), id3v1), 7, 0), (id3, 0, 0),
      (joined("LYRICSBEGIN".utf8, "abc".utf8, "LYRICSEND".utf8, [0]), 1, 0),
      (Bytes("junk".utf8), 0, 4), (joined("junk".utf8, zeros(9)), 0, 4), (joined(zeros(5), "junk".utf8, id3v1), 5, 4),
      (Bytes(repeating: 7, count: 300_000), 0, 300_000),
    ]
    for tail in tails {
      let found = try #require(try ending(stream + tail.bytes, kind))
      #expect(found.offset == stream.count && !found.isCut, "\(tail.bytes.prefix(12))")
      #expect(found.paddingByteCount == tail.padding && found.junkByteCount == tail.junk, "\(tail.bytes.prefix(12))")
    }
  }

  /// Frames continue after a hole, a tag, or frames of another rate.
  @Test func lostSynchronization() throws {
    let other = Bytes((0..<9).flatMap { _ in joined([0xFF, 0xFB, 0x14, 0xC0] as Bytes, zeros(92)) })
    for between in [Bytes(repeating: 0x55, count: 1_000), id3v2(zeros(200)), other, Bytes(mpegFrames(1).prefix(50))] {
      let bytes = joined(mpegFrames(9), between, mpegFrames(9))
      let stream = try #require(try MPEGStream(in: ByteSource(bytes), from: 0))
      #expect(stream.audio == 0..<bytes.count && !stream.ending.isCut)
      let cut = try #require(try MPEGStream(in: ByteSource(bytes.dropLast(9)), from: 0))
      #expect(cut.ending.isCut)
    }
  }

  /// A switch of a compiled program is a table of distances, small negative numbers of four bytes: rows of layer I
  /// headers.
  @Test func programsAreNoAudio() throws {
    let entry: Bytes = [0x48, 0x8B, 0xFF, 0xFF]
    let table = Bytes((0..<20_000).flatMap { _ in entry })
    #expect(try MPEGStream(in: ByteSource(joined("\u{7F}ELF".utf8, zeros(60), table)), from: 0) == nil)
    // Three frames in a row, somewhere.
    let few = joined(zeros(5_000), mpegFrames(4), zeros(5_000))
    #expect(try MPEGStream(in: ByteSource(few), from: 0) == nil)
    #expect(
      try ADTSStream(in: ByteSource(joined(zeros(99), adtsFrames(4), zeros(99))), from: 0, isSearched: true) == nil)
    let many = joined(Bytes(repeating: 0x20, count: 150_000), mpegFrames(8))
    #expect(try MPEGStream(in: ByteSource(many), from: 0)?.junkByteCount == 150_000)
    let capture = joined(Bytes(adtsFrames(1).suffix(9)), adtsFrames(8))
    #expect(try ADTSStream(in: ByteSource(capture), from: 0) == nil)
    #expect(try ADTSStream(in: ByteSource(capture), from: 0, isSearched: true)?.junkByteCount == 9)
  }

  /// Sparse files of 8 GiB that are nearly all holes take only a few reads.
  @Test(arguments: [0, 400]) func sparseFiles(frameCount: Int) throws {
    let folder = try TemporaryDirectory()
    for (name, frames) in [("a.mp3", mpegFrames(frameCount)), ("a.aac", adtsFrames(frameCount))] {
      let path = try folder.write(frames, as: name)
      try #require(truncate(path.string, 8 << 30) == 0)
      let source = try ByteSource(path: path, budget: 4 << 20)
      let stream = try MPEGStream(in: source, from: 0)?.ending
      let aac = try ADTSStream(in: source, from: 0, isSearched: true)
      #expect((stream ?? aac?.ending)?.offset == (frameCount > 0 ? frames.count : nil))
      #expect(!source.isExhausted)
    }
    let path = try folder.write(Bytes((0..<400).flatMap { _ in Self.kinds[4].frame }), as: "a.ac3")
    try #require(truncate(path.string, 8 << 30) == 0)
    let source = try ByteSource(path: path, budget: 4 << 20)
    let ending = try TruncationCheck.of(.ac3, from: 0, to: source.size, in: source)
    #expect(ending?.offset == 400 * 128 && ending?.paddingByteCount == 8 << 30 - 400 * 128)
    #expect(!source.isExhausted)
  }
}
