import Analysis
import AnalysisTesting
import CSndfile
import MediaContainers
import SystemPackage
import Testing

@testable import AudioDecoding

/// Claimed lengths before decoding, and implausible ones.
@Suite(.bounded) struct LengthTests {
  private let scratch: Scratch
  private let wav: FilePath

  init() throws {
    scratch = try Scratch()
    wav = try scratch.writeSound(
      makeSignal(frames: 441_000), "x.wav", format: SF_FORMAT_WAV | SF_FORMAT_PCM_16, rate: 44_100)
  }

  @Test(arguments: [
    ("a.mp3", ["-b:a", "128k", "-write_xing", "0"]), ("b.mp3", ["-q:a", "4", "-write_xing", "0"]),
    ("c.mp3", ["-b:a", "64k", "-ar", "22050", "-ac", "1", "-write_xing", "0"]),
    ("d.mp3", ["-b:a", "128k", "-write_xing", "0", "-id3v2_version", "0"]), ("e.aac", ["-c:a", "aac"]),
    ("f.ac3", ["-c:a", "ac3"]), ("g.mp2", ["-c:a", "mp2"]),
  ])
  func lengthsAreEstimatedWhereNothingSaysThem(name: String, arguments: [String]) throws {
    let path = try scratch.ffmpeg(wav, arguments, name)
    let source = try AudioSource(path: path)
    #expect(source.format.durationIsEstimated)
    #expect(source.format.claimedFrameCount == nil)
    #expect(abs(try #require(source.format.duration) - 10) < 0.15)
    // A file cannot fall short of an estimate.
    let half = try scratch.bytes(path).dropLast(20_000)
    let decoded = try decode(scratch.write(Array(half), "half-\(name)"))
    #expect(decoded.summary.problem?.code != .truncated || decoded.summary.problem?.message.contains("claims") == false)
    #expect(decoded.format.estimatedFrameCount == nil && !decoded.format.durationIsEstimated)
  }

  @Test func claimsAreNoEstimates() throws {
    for name in ["x.mp3", "x.flac", "x.m4a", "x.ogg"] {
      let source = try AudioSource(path: scratch.ffmpeg(wav, [], name))
      #expect(!source.format.durationIsEstimated)
      #expect(abs(try #require(source.format.duration) - 10) < 0.05)
    }
  }

  /// Two seconds of DSD with the claimed length, and with implausible ones.
  @Test func lengthsOfDSF() throws {
    func little(_ value: UInt64, _ count: Int = 8) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    }
    func file(samples: UInt64, size: UInt64? = nil, dataSize: UInt64? = nil) -> [UInt8] {
      // One block of each channel after the other.
      let audio = [UInt8](repeating: 0x69, count: 2 * 4_096 * 172)
      let format =
        Array("fmt ".utf8) + little(52) + little(1, 4) + little(0, 4) + little(2, 4) + little(2, 4)
        + little(2_822_400, 4) + little(1, 4) + little(samples) + little(4_096, 4) + little(0, 4)
      let data = Array("data".utf8) + little(dataSize ?? UInt64(audio.count) + 12) + audio
      return Array("DSD ".utf8) + little(28) + little(size ?? UInt64(28 + format.count + data.count)) + little(0)
        + format + data
    }
    let samples: UInt64 = 4_096 * 172 * 8
    let whole = try decode(scratch.write(file(samples: samples), "x.dsf"))
    #expect(whole.format.claimedFrameCount == Int64(samples / 8))
    #expect(whole.summary.problem == nil && whole.summary.remarks.isEmpty)
    #expect(try decode(scratch.write(file(samples: samples * 3), "x.dsf")).summary.problem?.code == .truncated)
    for bytes in [
      file(samples: 1 << 63), file(samples: .max), file(samples: samples, size: 1 << 63),
      file(samples: samples, dataSize: 1 << 60),
    ] {
      let decoded = try decode(scratch.write(bytes, "x.dsf"))
      #expect(decoded.frameCount == whole.frameCount)
      #expect(decoded.summary.remarks.map(\.code) == ["absurd_length"])
    }
  }

  /// The largest frame and the bit rate in the header of ALAC, which decoders do not need.
  @Test func headerOfALACThatLies() throws {
    for (name, tag) in [("x.m4a", "alac"), ("x.caf", "kuki")] {
      let plain = try scratch.bytes(scratch.ffmpeg(wav, ["-c:a", "alac"], name))
      #expect(try decode(scratch.path(name)).summary.remarks.isEmpty)
      // In MP4, the box of the same name in the sample description; in CAF, the chunk, after its length.
      let places = plain.indices.filter { plain[$0...].starts(with: Array(tag.utf8)) }
      let start = try #require(name == "x.m4a" ? places.dropFirst().first.map { $0 + 8 } : places.first.map { $0 + 12 })
      let isBoxed = plain[(start + 4)...].starts(with: Array("frma".utf8))
      let isBare = name == "x.m4a" || plain[start..<start + 40].firstRange(of: Array("alac".utf8)) == nil
      let cookie = isBare ? start : start + (isBoxed ? 24 : 12)
      for offset in [12, 16] {
        var lying = plain
        lying[cookie + offset] = 0x80
        let decoded = try decode(scratch.write(lying, "lying-\(name)"))
        #expect(decoded.frameCount == 441_000)
        #expect(decoded.summary.remarks.map(\.code) == ["odd_header"])
      }
    }
  }

  /// Pages out of order are counted by breaks in their numbers; the difference between the numbers themselves could be
  /// billions.
  @Test func numbersOfOggPages() throws {
    var bytes = try scratch.bytes(scratch.ffmpeg(wav, ["-page_duration", "200000"], "x.ogg"))
    let starts = bytes.indices.filter { bytes[$0...].starts(with: Array("OggS".utf8)) } + [bytes.count]
    #expect(starts.count > 20)
    for (index, (start, end)) in zip(starts, starts.dropFirst()).enumerated() where index > 4 && index % 4 == 0 {
      bytes.replaceSubrange(start + 18..<start + 22, with: [UInt8(index), 0, 0, 0x7f])
      bytes.replaceSubrange(start + 22..<start + 26, with: [0, 0, 0, 0])
      let checksum = bytes[start..<end].withUnsafeBytes { OggChecksum.update(0, $0) }
      bytes.replaceSubrange(start + 22..<start + 26, with: withUnsafeBytes(of: checksum.littleEndian) { Array($0) })
    }
    let problem = try #require(try decode(scratch.write(bytes, "shuffled.ogg")).summary.problem)
    #expect(problem.code == .corrupt || problem.code == .truncated)
    let numbers = problem.message.split { !$0.isNumber }.compactMap { Int($0) }
    #expect(numbers.allSatisfy { $0 <= 2 * starts.count }, "\(problem.message)")
  }
}
