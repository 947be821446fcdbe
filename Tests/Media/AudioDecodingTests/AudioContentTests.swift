import Analysis
import AnalysisTesting
import AudioDecoding
import CSndfile
import SystemPackage
import Testing

/// The content id does not depend on tags, names and positions, but changes with the audio.
@Suite(.bounded) struct AudioContentTests {
  private static let signal = makeSignal(frames: 60_000)

  private let scratch: Scratch
  private let wav: FilePath

  init() throws {
    scratch = try Scratch()
    wav = try scratch.writeSound(Self.signal, "x.wav", format: SF_FORMAT_WAV | SF_FORMAT_PCM_16, rate: 44_100)
  }

  static let codecs: [(suffix: String, arguments: [String])] = [
    ("wav", ["-c:a", "pcm_s16le"]), ("aiff", ["-c:a", "pcm_s16be"]), ("flac", ["-c:a", "flac"]),
    ("mp3", ["-c:a", "libmp3lame"]), ("ogg", ["-c:a", "libvorbis"]), ("opus", ["-c:a", "libopus"]),
    ("m4a", ["-c:a", "aac"]), ("wv", ["-c:a", "wavpack"]), ("mka", ["-c:a", "flac"]), ("wma", ["-c:a", "wmav2"]),
    ("tta", ["-c:a", "tta"]), ("oga", ["-c:a", "flac"]),
  ]

  @Test(arguments: codecs)
  func retaggingKeepsTheID(suffix: String, arguments: [String]) throws {
    var plain = try scratch.ffmpeg(wav, arguments + ["-map_metadata", "-1"], "plain.\(suffix)")
    // When FFmpeg 7 copies packets, it gives WMA another length.
    if suffix == "wma" { plain = try scratch.ffmpeg(plain, ["-c", "copy"], "copy.wma") }
    let id = try contentID(plain)
    // Comments spanning several Ogg pages, more than are shown to FFmpeg.
    let long = String(repeating: "a long comment, ", count: 5_000)
    let tagged = try scratch.ffmpeg(
      plain,
      ["-c", "copy", "-metadata", "title=Ä title", "-metadata", "artist=Somebody", "-metadata", "comment=\(long)"],
      "tagged.\(suffix)")
    #expect(try contentID(tagged) == id)
    // FFmpeg divides FLAC in Ogg into other pages, unlike tagging programs.
    if suffix != "oga" { #expect(try AudioContent(path: tagged).decodingID == AudioContent(path: plain).decodingID) }
    #expect(try AudioContent(path: tagged).fault == nil)
    #expect(try scratch.bytes(tagged).count > scratch.bytes(plain).count + 100)
    let isSameSound = try decode(tagged).planes == decode(plain).planes
    #expect(isSameSound)
    let moved = try scratch.write(scratch.bytes(plain), "moved")
    #expect(try contentID(moved) == id)
  }

  /// Data other than the packets that affects decoders changes the decoding id, but not the content id.
  @Test func othersToDecodersAreToldApart() throws {
    func differ(_ a: FilePath, _ b: FilePath, _ what: Comment) throws {
      let (a, b) = (try AudioContent(path: a), try AudioContent(path: b))
      #expect(a.id == b.id && a.decodingID != b.decodingID, what)
    }
    let m4a = try scratch.ffmpeg(wav, ["-c:a", "aac"], "a.m4a")
    try differ(m4a, scratch.ffmpeg(m4a, ["-c", "copy"], "a.mka"), "another container")
    try differ(m4a, scratch.ffmpeg(m4a, ["-c", "copy", "-use_editlist", "0"], "b.m4a"), "no edit list")
    let flac = try scratch.ffmpeg(wav, ["-c:a", "flac"], "a.flac")
    var bytes = try scratch.bytes(flac)
    bytes[30] ^= 1
    try differ(flac, scratch.write(bytes, "b.flac"), "another checksum")
    let mp3 = try scratch.ffmpeg(wav, ["-c:a", "libmp3lame"], "a.mp3")
    try differ(mp3, scratch.ffmpeg(mp3, ["-c", "copy", "-write_xing", "0"], "b.mp3"), "no table of LAME")
  }

  @Test(arguments: codecs)
  func otherAudioHasAnotherID(suffix: String, arguments: [String]) throws {
    let plain = try contentID(scratch.ffmpeg(wav, arguments, "plain.\(suffix)"))
    var signal = Self.signal
    signal[0].replaceSubrange(30_000..<30_200, with: repeatElement(0.5, count: 200))
    let changed = try scratch.writeSound(signal, "changed.wav", format: SF_FORMAT_WAV | SF_FORMAT_PCM_16, rate: 44_100)
    #expect(try contentID(scratch.ffmpeg(changed, arguments, "changed-encoded.\(suffix)")) != plain)
    // The same samples at another rate are other audio.
    let slow = try scratch.writeSound(
      Self.signal, "slow.wav", format: SF_FORMAT_WAV | SF_FORMAT_PCM_16, rate: 32_000)
    if suffix != "opus" { #expect(try contentID(scratch.ffmpeg(slow, arguments, "slow-encoded.\(suffix)")) != plain) }
  }

  /// Synthetic tags around streams that have no tags, or different ones.
  @Test func tagsAround() throws {
    func syncSafe(_ value: Int) -> [UInt8] { [21, 14, 7, 0].map { UInt8(value >> $0 & 127) } }
    func id3v2(_ size: Int) -> [UInt8] {
      Array("ID3".utf8) + [4, 0, 0] + syncSafe(size) + [UInt8](repeating: 0, count: size)
    }
    let id3v1 = Array("TAG".utf8) + [UInt8](repeating: 32, count: 125)
    let apeItem = [5, 0, 0, 0, 0, 0, 0, 0] + Array("Title\0Hello".utf8)
    func apeEdge(_ isHeader: Bool) -> [UInt8] {
      let size = UInt8(apeItem.count + 32)
      return Array("APETAGEX".utf8) + [0xd0, 7, 0, 0, size, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, isHeader ? 0xa0 : 0x80]
        + [UInt8](repeating: 0, count: 8)
    }
    let ape = apeEdge(true) + apeItem + apeEdge(false)
    let words = Array("LYRICSBEGINLYR00005Hello".utf8)
    let lyrics = words + Array("0000\(words.count)LYRICS200".utf8)
    for suffix in ["mp3", "flac", "aac", "wv", "tta", "ac3"] {
      let arguments = suffix == "mp3" ? ["-id3v2_version", "0"] : []
      let plain = try scratch.bytes(scratch.ffmpeg(wav, arguments, "plain.\(suffix)"))
      let id = try contentID(scratch.path("plain.\(suffix)"))
      let frames = try decode(scratch.path("plain.\(suffix)")).frameCount
      let variants = [
        id3v2(300) + plain, id3v2(200_000) + plain, id3v2(10) + id3v2(20) + plain, plain + id3v1, plain + ape,
        plain + ape + id3v1, plain + lyrics + id3v1, id3v2(70_000) + plain + lyrics + ape + id3v1,
      ]
      for (index, variant) in variants.enumerated() {
        let path = try scratch.write(variant, "tagged")
        #expect(try contentID(path) == id, "\(suffix) \(index)")
        let decoded = try decode(path)
        #expect(decoded.frameCount == frames)
        #expect(decoded.summary.problem == nil)
        #expect(decoded.summary.remarks.isEmpty)
      }
      // A tag that reaches past the end is skipped, with a remark.
      let broken = try decode(scratch.write(Array("ID3".utf8) + [3, 0, 0, 127, 127, 127, 127] + plain, "broken"))
      #expect(broken.frameCount == frames)
      #expect(broken.summary.remarks.contains { $0.code == "broken_tag" })
    }
  }
}
