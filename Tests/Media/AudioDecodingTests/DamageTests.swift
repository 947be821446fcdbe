import Analysis
import AnalysisTesting
import AudioDecoding
import CSndfile
import Foundation
import SystemPackage
import Testing

/// Damage costs only the part it hit and is reported; nothing decoded before is lost.
@Suite(.bounded) struct DamageTests {
  private static let signal = makeSignal(frames: 120_000)

  private let scratch: Scratch
  private let wav: FilePath
  private var signal: [[Float]] { Self.signal }

  init() throws {
    scratch = try Scratch()
    wav = try scratch.writeSound(Self.signal, "x.wav", format: SF_FORMAT_WAV | SF_FORMAT_PCM_16, rate: 44_100)
  }

  private func encode(_ suffix: String) throws -> [UInt8] {
    let arguments = [
      "wav": ["-c:a", "pcm_s16le"], "flac": ["-c:a", "flac"], "mp3": ["-c:a", "libmp3lame"],
      "ogg": ["-c:a", "libvorbis", "-page_duration", "100000"],
      "opus": ["-c:a", "libopus", "-page_duration", "100000"], "m4a": ["-c:a", "aac", "-movflags", "+faststart"],
      "wv": ["-c:a", "wavpack"],
      "aiff": ["-c:a", "pcm_s16be"], "tta": ["-c:a", "tta"], "w64": ["-c:a", "pcm_s16le"],
      "caf": ["-c:a", "pcm_s16be"],
    ]
    return try scratch.bytes(scratch.ffmpeg(wav, arguments[suffix] ?? [], "good.\(suffix)"))
  }

  @Test(arguments: ["wav", "flac", "mp3", "ogg", "opus", "m4a", "wv", "aiff", "tta", "w64", "caf"])
  func cutFilesArePartial(suffix: String) throws {
    let bytes = try encode(suffix)
    let whole = try decode(scratch.write(bytes, "whole"))
    #expect(whole.summary.problem == nil)
    for share in [0.5, 0.7, 0.9] {
      let path = try scratch.write(Array(bytes.prefix(Int(Double(bytes.count) * share))), "cut")
      let cut = try decode(path)
      let problem = try #require(cut.summary.problem, "\(Int(share * 100))% of \(suffix) are taken for the whole")
      #expect(problem.code == .truncated)
      // Containers keep up to a second in one piece, which is lost if its end is cut off.
      #expect(Double(cut.frameCount) > Double(whole.frameCount) * share - Double(whole.format.sampleRate) * 1.1)
      #expect(Double(cut.frameCount) < Double(whole.frameCount) * (share + 0.15))
      // The part that is there is the same as in the whole file; the last frame may be half a frame.
      let safe = max(0, cut.frameCount - 5_000)
      #expect(relativeError(whole.planes[0][..<safe], cut.planes[0][..<safe]) < 1e-6)
    }
  }

  @Test(arguments: ["wav", "flac", "mp3", "ogg", "opus", "m4a", "wv", "aiff", "tta", "caf", "w64"])
  func everyPrefixIsSurvived(suffix: String) throws {
    let bytes = try encode(suffix)
    for count in Array(stride(from: 0, to: 64, by: 3)) + Array(stride(from: 64, to: 4_096, by: 397)) {
      let path = try scratch.write(Array(bytes.prefix(count)), "prefix")
      // Neither "fine" nor a crash.
      do throws(DecodeError) {
        var source = try AudioSource(path: path)
        var block = AudioBlock(channelCount: 1)
        while source.read(into: &block) {}
        #expect(source.summary.problem != nil, "\(count) bytes of \(suffix) are taken for a whole file")
      } catch {
        #expect(!error.message.isEmpty)
      }
    }
  }

  @Test(arguments: ["wav", "flac", "mp3", "ogg", "opus", "m4a", "wv", "aiff", "tta", "caf", "w64"])
  func scatteredBitFlipsAreSurvived(suffix: String) throws {
    let bytes = try encode(suffix)
    for seed in 1...3 {
      var damaged = bytes
      var state = UInt64(seed) &* 0x9e37_79b9_7f4a_7c15
      for _ in 0..<(seed * seed * seed) {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        damaged[Int(state >> 33) % damaged.count] ^= UInt8(1) << UInt8(state >> 29 & 7)
      }
      let path = try scratch.write(damaged, "flipped")
      if let decoded = try? decode(path) {
        for plane in decoded.planes {
          let isHarmless = plane.allSatisfy { abs($0) <= AudioSource.sampleLimit }
          #expect(isHarmless)
        }
      }
      _ = try? AudioContent(path: path)
    }
  }

  /// A FLAC frame whose checksum is wrong is left out; all others are there.
  @Test func oneDamagedFrameOfFLAC() throws {
    var bytes = try encode("flac")
    bytes[bytes.count / 2] ^= 0x10
    let decoded = try decode(scratch.write(bytes, "damaged.flac"))
    #expect(decoded.summary.problem?.code == .corrupt)
    #expect(decoded.frameCount < 120_000)
    #expect(decoded.frameCount > 120_000 - 2 * 4_608)
    let isSameStart = Array(decoded.planes[0][..<40_000]) == Array(signal[0][..<40_000])
    let isSameEnd = Array(decoded.planes[0].suffix(40_000)) == Array(signal[0].suffix(40_000))
    #expect(isSameStart && isSameEnd)
  }

  /// An early stop reports the damage up to there, and only that.
  @Test(
    arguments: [
      ("flac", 0.25, true), ("flac", 0.9, false), ("flac", nil, false), ("mp3", 0.25, true), ("mp3", nil, false),
    ]
      as [(String, Double?, Bool)])
  func anEarlyStop(suffix: String, damage: Double?, isFound: Bool) throws {
    var bytes = try encode(suffix)
    if let damage {
      let place = Int(damage * Double(bytes.count))
      for index in place..<place + 600 { bytes[index] ^= 0x55 }
    }
    var source = try AudioSource(path: scratch.write(bytes, "stopped.\(suffix)"), decoder: .ffmpeg)
    var block = AudioBlock(channelCount: 2)
    while source.summary.frameCount < 60_000 {
      let isRead = source.read(into: &block)
      try #require(isRead)
    }
    let count = source.summary.frameCount
    #expect(source.summary.problem == nil)
    source.stop()
    #expect(source.summary.problem?.code == (isFound ? .corrupt : nil))
    // Nothing comes after a stop, and a second one changes nothing.
    let isReadAgain = source.read(into: &block)
    source.stop()
    #expect(!isReadAgain && block.frameCount == 0 && source.summary.frameCount == count)
    #expect(source.summary.problem?.code == (isFound ? .corrupt : nil) && source.format.frameCount == nil)
  }

  @Test func junkInFrontOfAndInsideMP3() throws {
    let bytes = try encode("mp3")
    let whole = try decode(scratch.write(bytes, "whole.mp3"))
    var state: UInt64 = 7
    let junk = (0..<200_000).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(state >> 56) & 0x7f
    }
    let front = try decode(scratch.write(junk + bytes, "front.mp3"))
    let isSame = front.planes == whole.planes
    #expect(isSame)
    #expect(front.summary.problem == nil)
    #expect(front.summary.remarks.map(\.code) == ["junk"])
    #expect(try contentID(scratch.path("front.mp3")) == contentID(scratch.path("whole.mp3")))

    let middle = bytes.count / 2
    let inside = try decode(scratch.write(Array(bytes[..<middle]) + junk + bytes[middle...], "inside.mp3"))
    #expect(inside.summary.remarks.contains { $0.code == "junk" })
    #expect(inside.summary.problem?.code == .corrupt)
    // One frame is torn, and the next one may need bits from it.
    #expect(abs(inside.frameCount - whole.frameCount) <= 3 * 1_152)
  }

  @Test func damagedOggPages() throws {
    let bytes = try encode("ogg")
    var flipped = bytes
    flipped[bytes.count / 2] ^= 1
    let damaged = try decode(scratch.write(flipped, "flipped.ogg"))
    #expect(damaged.summary.problem?.code == .corrupt)
    #expect(damaged.frameCount > 60_000)

    // Without its last page.
    let last = try #require(lastPage(of: bytes))
    let open = try decode(scratch.write(Array(bytes[..<last]), "open.ogg"))
    #expect(open.summary.problem?.code == .truncated)
  }

  private func lastPage(of bytes: [UInt8]) -> Int? {
    bytes.indices.last { bytes[$0...].starts(with: Array("OggS".utf8)) }
  }

  /// A chain of streams: all links are decoded, and brought to the rate and channels of the first one.
  @Test func chainedOgg() throws {
    let first = try encode("ogg")
    let other = makeSignal(frames: 30_000, channels: 1, rate: 22_050, seed: 3)
    let otherWAV = try scratch.writeSound(other, "o.wav", format: SF_FORMAT_WAV | SF_FORMAT_PCM_16, rate: 22_050)
    let second = try scratch.bytes(
      scratch.ffmpeg(otherWAV, ["-c:a", "libvorbis", "-page_duration", "100000"], "second.ogg"))
    let third = try encode("opus")
    let chain = try decode(scratch.write(first + second + third, "chain.ogg"))
    #expect(chain.format.sampleRate == 44_100)
    #expect(chain.planes.count == 2)
    #expect(chain.summary.problem == nil)
    #expect(chain.summary.remarks.map(\.code) == ["format_change"])
    #expect(abs(chain.frameCount - (120_000 + 60_000 + 120_000)) <= 200)
    let alone = try decode(scratch.write(first, "first.ogg"))
    let isSame = Array(chain.planes[1][..<120_000]) == alone.planes[1]
    #expect(isSame)
    // The third link is the same music again.
    let repeated = Array(chain.planes[0].suffix(120_000))
    #expect(abs(lag(of: repeated, behind: alone.planes[0], range: 400)) <= 100)

    let twice = try decode(scratch.write(first + first, "twice.ogg"))
    #expect(twice.frameCount == 240_000)
    #expect(twice.summary.remarks.map(\.code) == ["repeated_serial"])
    #expect(try contentID(scratch.path("twice.ogg")) != contentID(scratch.path("first.ogg")))

    let cut = try decode(scratch.write(first + second.prefix(second.count * 4 / 5), "cut.ogg"))
    #expect(cut.summary.problem?.code == .truncated)
    #expect(cut.frameCount > 120_000)
  }

  /// The stream goes on at the rate and with the channels of its start.
  @Test func changesInMidStream() throws {
    let bare = ["-c:a", "libmp3lame", "-write_xing", "0", "-id3v2_version", "0"]
    let first = try scratch.bytes(scratch.ffmpeg(wav, bare, "a.mp3"))
    let second = try scratch.bytes(scratch.ffmpeg(wav, bare + ["-ar", "22050", "-ac", "1"], "b.mp3"))
    let decoded = try decode(scratch.write(first + second + first, "changing.mp3"))
    #expect(decoded.format.sampleRate == 44_100)
    #expect(decoded.planes.count == 2)
    #expect(decoded.summary.remarks.contains { $0.code == "format_change" })
    #expect(abs(decoded.frameCount - 3 * 122_000) < 6_000)
  }

  /// Loss inside a stream is found by claimed lengths where nothing else shows it.
  @Test(arguments: ["wav", "flac", "mp3", "ogg", "opus"])
  func holes(suffix: String) throws {
    let bytes = try encode(suffix)
    let third = bytes.count / 3
    let decoded = try decode(scratch.write(Array(bytes[..<third] + bytes[(third + bytes.count / 6)...]), "hole"))
    #expect(decoded.summary.problem != nil)
    #expect(decoded.frameCount > 60_000)
  }
}
