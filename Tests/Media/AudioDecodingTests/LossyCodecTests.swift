import Analysis
import AnalysisTesting
import AudioDecoding
import CSndfile
import SystemPackage
import Testing

/// Lossy codecs nearly restore the signal, at the right time and with the right length.
@Suite(.bounded) struct LossyCodecTests {
  struct Kind: CustomTestStringConvertible, Sendable {
    var arguments: [String]
    var suffix: String
    var container: String
    var codec: String
    /// Relative error allowed for the codec.
    var error: Double
    /// Frames by which the length may differ: codecs without exact lengths pad their last frame, or lose it.
    var slack: Int64
    /// Frames by which the signal may be late: containers that do not store the encoder's delay.
    var delay = 0...0

    var testDescription: String { "\(codec) in \(container)" }
  }

  static let kinds: [Kind] = [
    Kind(
      arguments: ["-c:a", "libmp3lame", "-b:a", "320k"], suffix: "mp3", container: "mp3", codec: "mp3", error: 0.05,
      slack: 0),
    Kind(
      arguments: ["-c:a", "libvorbis", "-q:a", "8"], suffix: "ogg", container: "ogg", codec: "vorbis", error: 0.1,
      slack: 0),
    Kind(
      arguments: ["-c:a", "aac", "-b:a", "256k"], suffix: "m4a", container: "mp4", codec: "aac", error: 0.1,
      slack: 1_024),
    Kind(
      arguments: ["-c:a", "aac", "-b:a", "256k"], suffix: "aac", container: "adts", codec: "aac", error: 0.1,
      slack: 2_048,
      delay: 1_024...1_024),
    Kind(
      arguments: ["-c:a", "wmav2", "-b:a", "256k"], suffix: "wma", container: "asf", codec: "wmav2", error: 0.1,
      slack: 4_096, delay: -2_048...2_048),
    Kind(
      arguments: ["-c:a", "ac3", "-b:a", "448k"], suffix: "ac3", container: "ac3", codec: "ac3", error: 0.1,
      slack: 1_536,
      delay: 256...256),
    Kind(
      arguments: ["-c:a", "libvorbis", "-q:a", "8"], suffix: "mka", container: "matroska", codec: "vorbis", error: 0.1,
      slack: 1_024),
    Kind(
      arguments: ["-c:a", "mp2", "-b:a", "384k"], suffix: "mp2", container: "mp3", codec: "mp2", error: 0.1,
      slack: 2_304,
      delay: 481...481),
  ]

  private static let signal = makeSignal(frames: 50_000)

  @Test(arguments: kinds)
  func signalComesBack(kind: Kind) throws {
    let scratch = try Scratch()
    let signal = Self.signal
    let wav = try scratch.writeSound(signal, "x.wav", format: SF_FORMAT_WAV | SF_FORMAT_PCM_16, rate: 44_100)
    let decoded = try decode(scratch.ffmpeg(wav, kind.arguments, "y.\(kind.suffix)"))
    #expect(decoded.format.container == kind.container)
    #expect(decoded.format.codec == kind.codec)
    #expect(!decoded.format.isLossless)
    #expect(decoded.format.bitDepth == nil)
    #expect(decoded.summary.problem == nil)
    #expect(abs(Int64(decoded.frameCount) - 50_000) <= kind.slack)
    let late = lag(of: decoded.planes[0], behind: signal[0])
    #expect(kind.delay.contains(late))
    for channel in 0..<2 {
      let error = relativeError(
        signal[channel][3_000..<40_000], decoded.planes[channel][(3_000 + late)..<(40_000 + late)])
      #expect(error < kind.error)
    }
  }

  /// Opus is always 48 kHz.
  @Test func opus() throws {
    let scratch = try Scratch()
    let signal = makeSignal(frames: 60_000, rate: 48_000)
    let wav = try scratch.writeSound(signal, "x.wav", format: SF_FORMAT_WAV | SF_FORMAT_PCM_16, rate: 48_000)
    let decoded = try decode(scratch.ffmpeg(wav, ["-c:a", "libopus", "-b:a", "256k"], "y.opus"))
    #expect(decoded.format.sampleRate == 48_000)
    #expect(decoded.frameCount == 60_000)
    #expect(decoded.format.claimedFrameCount == 60_000)
    #expect(lag(of: decoded.planes[0], behind: signal[0]) == 0)
  }

  /// If libsndfile and FFmpeg both decode, they agree on every frame: on the start, the length and the samples. For
  /// MP3, this means that both trim the encoder's delay and padding alike.
  @Test(arguments: [
    (["-c:a", "libmp3lame", "-b:a", "128k"], "mp3", 1e-4), (["-c:a", "libmp3lame", "-q:a", "4"], "mp3", 1e-4),
    (["-c:a", "libmp3lame", "-ar", "22050", "-ac", "1"], "mp3", 1e-4), (["-c:a", "libvorbis"], "ogg", 1e-4),
    (["-c:a", "libopus"], "opus", 0.02), (["-c:a", "flac", "-ar", "96000"], "flac", 0),
  ])
  func decodersAgree(arguments: [String], suffix: String, tolerance: Double) throws {
    let scratch = try Scratch()
    let signal = Self.signal
    let wav = try scratch.writeSound(signal, "x.wav", format: SF_FORMAT_WAV | SF_FORMAT_PCM_16, rate: 44_100)
    let path = try scratch.ffmpeg(wav, arguments, "y.\(suffix)")
    let first = try decode(path, with: .libsndfile)
    let second = try decode(path, with: .ffmpeg)
    #expect(first.frameCount == second.frameCount)
    #expect(first.format.sampleRate == second.format.sampleRate)
    #expect(first.format.codec == second.format.codec)
    for (one, other) in zip(first.planes, second.planes) {
      #expect(relativeError(one[...], other[...]) <= tolerance)
    }
  }

  /// With LAME's table, an MP3 has exactly the length of the source; without the table, nothing can be trimmed.
  @Test func gaplessLengths() throws {
    let scratch = try Scratch()
    for frames in [44_100, 44_101, 45_252, 46_000] {
      let signal = makeSignal(frames: frames, channels: 1)
      let wav = try scratch.writeSound(signal, "x.wav", format: SF_FORMAT_WAV | SF_FORMAT_PCM_16, rate: 44_100)
      let tabled = try decode(scratch.ffmpeg(wav, ["-c:a", "libmp3lame"], "y.mp3"))
      #expect(tabled.frameCount == frames)
      #expect(tabled.format.claimedFrameCount == Int64(frames))
      let bare = try decode(scratch.ffmpeg(wav, ["-c:a", "libmp3lame", "-write_xing", "0"], "z.mp3"))
      #expect(bare.frameCount > frames)
      #expect(bare.frameCount % 1_152 == 0)
      #expect(bare.format.claimedFrameCount == nil)
      #expect(bare.summary.problem == nil)
    }
  }

  @Test(arguments: [1, 2, 6])
  func channelCounts(channels: Int) throws {
    let scratch = try Scratch()
    let signal = makeSignal(frames: 50_000, channels: channels)
    let wav = try scratch.writeSound(signal, "x.wav", format: SF_FORMAT_WAVEX | SF_FORMAT_PCM_16, rate: 44_100)
    for (codec, suffix) in [("libvorbis", "ogg"), ("aac", "m4a"), ("flac", "flac")] {
      let path = try scratch.ffmpeg(wav, ["-ac", "\(channels)", "-c:a", codec], "y.\(suffix)")
      #expect(try decode(path).planes.count == channels)
    }
  }

  @Test func picturesAndVideoAreIgnored() throws {
    let scratch = try Scratch()
    let signal = makeSignal(frames: 50_000)
    let wav = try scratch.writeSound(signal, "x.wav", format: SF_FORMAT_WAV | SF_FORMAT_PCM_16, rate: 44_100)
    let flac = try scratch.ffmpeg(wav, ["-c:a", "flac"], "y.flac")
    try ExternalProgram.ffmpeg.run(
      [
        "-f", "lavfi", "-i", "color=red:s=64x64:d=1:r=10", "-i", flac.string, "-map",
        "0",
        "-map", "1", "-c:v", "mpeg4", "-c:a", "copy", scratch.path("film.mkv").string,
      ])
    let isExact = try decode(scratch.path("film.mkv")).planes == signal
    #expect(isExact)
    try ExternalProgram.ffmpeg.run(
      [
        "-f", "lavfi", "-i", "color=red:s=64x64:d=1:r=1", "-frames:v", "1",
        scratch.path("cover.png").string,
      ])
    try ExternalProgram.ffmpeg.run(
      [
        "-i", flac.string, "-i", scratch.path("cover.png").string, "-map", "0:a",
        "-map",
        "1", "-c", "copy", "-disposition:v", "attached_pic", scratch.path("cover.flac").string,
      ])
    let isExactWithCover = try decode(scratch.path("cover.flac")).planes == signal
    #expect(isExactWithCover)
    #expect(try contentID(flac) == contentID(scratch.path("cover.flac")))
  }
}
