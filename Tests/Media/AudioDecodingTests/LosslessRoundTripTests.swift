import Analysis
import AnalysisTesting
import AudioDecoding
import CSndfile
import SystemPackage
import Testing

/// Each decoder returns the exact samples of lossless files.
@Suite(.bounded) struct LosslessRoundTripTests {
  struct Kind: CustomTestStringConvertible, Sendable {
    var container: String
    var format: Int
    var codec: String
    var bits: Int

    var testDescription: String { "\(container) \(codec)" }
  }

  static let kinds: [Kind] = [
    Kind(container: "wav", format: SF_FORMAT_WAV | SF_FORMAT_PCM_U8, codec: "pcm_u8", bits: 8),
    Kind(container: "wav", format: SF_FORMAT_WAV | SF_FORMAT_PCM_16, codec: "pcm_s16", bits: 16),
    Kind(container: "wav", format: SF_FORMAT_WAVEX | SF_FORMAT_PCM_24, codec: "pcm_s24", bits: 24),
    Kind(container: "wav", format: SF_FORMAT_WAV | SF_FORMAT_PCM_32, codec: "pcm_s32", bits: 32),
    Kind(container: "wav", format: SF_FORMAT_WAV | SF_FORMAT_FLOAT, codec: "pcm_f32", bits: 32),
    Kind(container: "wav", format: SF_FORMAT_WAV | SF_FORMAT_DOUBLE, codec: "pcm_f64", bits: 64),
    Kind(container: "wav", format: SF_FORMAT_WAV | SF_FORMAT_PCM_16 | SF_ENDIAN_BIG, codec: "pcm_s16", bits: 16),
    Kind(container: "rf64", format: SF_FORMAT_RF64 | SF_FORMAT_PCM_24, codec: "pcm_s24", bits: 24),
    Kind(container: "w64", format: SF_FORMAT_W64 | SF_FORMAT_PCM_16, codec: "pcm_s16", bits: 16),
    Kind(container: "aiff", format: SF_FORMAT_AIFF | SF_FORMAT_PCM_S8, codec: "pcm_s8", bits: 8),
    Kind(container: "aiff", format: SF_FORMAT_AIFF | SF_FORMAT_PCM_16, codec: "pcm_s16", bits: 16),
    Kind(container: "aiff", format: SF_FORMAT_AIFF | SF_FORMAT_PCM_24 | SF_ENDIAN_LITTLE, codec: "pcm_s24", bits: 24),
    Kind(container: "aiff", format: SF_FORMAT_AIFF | SF_FORMAT_FLOAT, codec: "pcm_f32", bits: 32),
    Kind(container: "au", format: SF_FORMAT_AU | SF_FORMAT_PCM_16, codec: "pcm_s16", bits: 16),
    Kind(container: "au", format: SF_FORMAT_AU | SF_FORMAT_DOUBLE, codec: "pcm_f64", bits: 64),
    Kind(container: "caf", format: SF_FORMAT_CAF | SF_FORMAT_PCM_16, codec: "pcm_s16", bits: 16),
    Kind(container: "caf", format: SF_FORMAT_CAF | SF_FORMAT_PCM_32, codec: "pcm_s32", bits: 32),
    Kind(container: "flac", format: SF_FORMAT_FLAC | SF_FORMAT_PCM_S8, codec: "flac", bits: 8),
    Kind(container: "flac", format: SF_FORMAT_FLAC | SF_FORMAT_PCM_16, codec: "flac", bits: 16),
    Kind(container: "flac", format: SF_FORMAT_FLAC | SF_FORMAT_PCM_24, codec: "flac", bits: 24),
  ]

  @Test(arguments: kinds, [(8_000, 1, 3_000), (44_100, 2, AudioBlock.capacity + 778), (96_000, 6, 10_000)])
  func samplesComeBack(kind: Kind, shape: (rate: Int, channels: Int, frames: Int)) throws {
    let scratch = try Scratch()
    // Floats have 24 bits at most.
    let signal = makeSignal(
      frames: shape.frames, channels: shape.channels, rate: shape.rate, bits: min(kind.bits, 24))
    // The name does not matter: the format is detected from the content.
    let path = try scratch.writeSound(signal, "sound", format: kind.format, rate: shape.rate)
    for decoder in [nil, AudioDecoder.libsndfile, .ffmpeg] {
      // FFmpeg 5.1 reads neither RIFX nor 24-bit AIFF with reversed byte order.
      if decoder == .ffmpeg && kind.format & SF_FORMAT_ENDMASK != 0 { continue }
      let decoded = try decode(path, with: decoder)
      let isExact = decoded.planes == signal
      #expect(isExact)
      #expect(decoded.format.container == kind.container)
      #expect(decoded.format.codec == kind.codec)
      #expect(decoded.format.sampleRate == shape.rate)
      #expect(decoded.format.bitDepth == kind.bits)
      #expect(decoded.format.isLossless)
      #expect(decoded.format.claimedFrameCount == Int64(signal[0].count))
      #expect(decoded.format.frameCount == Int64(signal[0].count))
      #expect(decoded.summary.problem == nil)
      #expect(decoded.summary.remarks.isEmpty)
    }
  }

  @Test(arguments: [11_025, 22_050, 48_000, 88_200, 176_400, 192_000, 384_000, 768_000])
  func everyRate(rate: Int) throws {
    let scratch = try Scratch()
    let signal = makeSignal(frames: 3_000, channels: 2, rate: rate)
    let path = try scratch.writeSound(signal, "x", format: SF_FORMAT_WAV | SF_FORMAT_PCM_16, rate: rate)
    let decoded = try decode(path)
    let isExact = decoded.planes == signal
    #expect(isExact)
    #expect(decoded.format.sampleRate == rate)
    #expect(decoded.format.bitRate == rate * 32)
  }

  @Test(
    arguments: [
      (["-c:a", "alac"], "m4a", "mp4", "alac"), (["-c:a", "wavpack"], "wv", "wv", "wavpack"),
      (["-c:a", "tta"], "tta", "tta", "tta"), (["-c:a", "flac"], "oga", "ogg", "flac"),
      (["-c:a", "flac"], "mka", "matroska", "flac"), (["-c:a", "alac"], "caf", "caf", "alac"),
      (["-c:a", "pcm_s16le"], "mov", "mp4", "pcm_s16"),
    ])
  func otherLosslessCodecs(arguments: [String], suffix: String, container: String, codec: String) throws {
    let scratch = try Scratch()
    let signal = makeSignal(frames: 40_000)
    let wav = try scratch.writeSound(signal, "x.wav", format: SF_FORMAT_WAV | SF_FORMAT_PCM_16, rate: 44_100)
    let path = try scratch.ffmpeg(wav, arguments, "y.\(suffix)")
    let decoded = try decode(path)
    let isExact = decoded.planes == signal
    #expect(isExact)
    #expect(decoded.format.container == container)
    #expect(decoded.format.codec == codec)
    #expect(decoded.format.bitDepth == 16)
    #expect(decoded.format.isLossless)
    #expect(decoded.summary.problem == nil)
  }

  /// Sources share no state: any number of them work concurrently.
  @Test func manyAtOnce() async throws {
    let scratch = try Scratch()
    let signal = makeSignal(frames: 30_000)
    let paths =
      try [
        ("wav", SF_FORMAT_WAV | SF_FORMAT_PCM_16), ("flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_24),
        ("aiff", SF_FORMAT_AIFF | SF_FORMAT_PCM_16),
      ].map { try scratch.writeSound(signal, $0.0, format: $0.1, rate: 44_100) } + [
        scratch.write([1, 2, 3], "no audio")
      ]
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for index in 0..<24 {
        group.addTask {
          let path = paths[index % paths.count]
          return if index % paths.count == 3 {
            openingError(path) == .unknownFormat
          } else {
            try decode(path).planes == signal
          }
        }
      }
      for try await isRight in group { #expect(isRight) }
    }
  }
}
