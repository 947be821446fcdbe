import AnalysisTesting
import AudioDecoding
import AudioEncoding
import Foundation
import Testing

@Suite(.bounded) struct AudioFileWriterTests {
  private let folder = try? TemporaryDirectory()

  private func path(_ name: String) throws -> FilePath { try #require(folder).file(name) }

  private var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder?.path.string ?? "")) ?? []).sorted()
  }

  /// Writes a signal in pieces of a given number of frames.
  private func write(
    _ signal: Signal, as name: String, _ format: AudioFileFormat, depth: SampleDepth = .int16, isDithered: Bool = false,
    pieces: Int = 5_000, replacing: Bool = false
  ) throws -> AudioFileWriter.Summary {
    let layout = AudioFileLayout(
      format: format, sampleRate: signal.sampleRate, channelCount: signal.channelCount, depth: depth,
      isDithered: isDithered)
    let writer = try AudioFileWriter(path(name), layout, replacesExisting: replacing)
    let planar = signal.channels.flatMap { $0 }
    for start in stride(from: 0, to: signal.frameCount, by: pieces) {
      try writer.write(
        planar: planar, stride: signal.frameCount, frames: start..<min(start + pieces, signal.frameCount))
    }
    return try writer.finish()
  }

  private func read(_ name: String) throws -> (format: AudioFormat, channels: [[Float]], problem: DecodeError?) {
    var source = try AudioSource(path: path(name), verifiesChecksum: true)
    var block = AudioBlock(channelCount: source.format.channelCount)
    var channels = [[Float]](repeating: [], count: source.format.channelCount)
    while source.read(into: &block) {
      for channel in channels.indices { channels[channel] += block.samples[block.range(ofChannel: channel)] }
    }
    return (source.format, channels, source.summary.problem)
  }

  /// Every value of 16 bits in one channel; every 256th of 24 bits, and both extremes, in the other.
  private func ramp(_ depth: SampleDepth) -> Signal {
    let values = (-32_768..<32_768).map { Float($0) }
    guard depth == .int24 else {
      return Signal(sampleRate: 44_100, channels: [values.map { $0 / 32_768 }, values.reversed().map { $0 / 32_768 }])
    }
    let fine = values.map { ($0 * 256 + ($0 == -32_768 ? 0 : 127)) / 8_388_608 }
    return Signal(sampleRate: 48_000, channels: [fine, fine.reversed()])
  }

  @Test(arguments: [AudioFileFormat.flac, .wav], [SampleDepth.int16, .int24])
  func samplesOfTheDepthOfTheFileAreKept(format: AudioFileFormat, depth: SampleDepth) throws {
    let signal = ramp(depth)
    let summary = try write(signal, as: "a", format, depth: depth)
    #expect(summary.frameCount == 65_536 && summary.clippedSampleCount == 0 && summary.sampleRate == signal.sampleRate)
    let result = try read("a")
    #expect(result.problem == nil && result.channels == signal.channels)
    #expect(result.format.bitDepth == depth.rawValue && result.format.sampleRate == signal.sampleRate)
    #expect(result.format.container == format.rawValue && result.format.claimedFrameCount == 65_536)
    #expect(names == ["a"])
  }

  @Test func floatsAreKept() throws {
    let signal = Signal.noise(sampleRate: 22_050, seconds: 0.3)
    _ = try write(signal, as: "a.wav", .wav, depth: .float32)
    #expect(try read("a.wav").channels == signal.channels)
    // The same input gives the same file.
    _ = try write(signal, as: "b.wav", .wav, depth: .float32)
    #expect(
      try Data(contentsOf: URL(filePath: path("a.wav").string)) == Data(contentsOf: URL(filePath: path("b.wav").string))
    )
  }

  @Test(arguments: AudioFileFormat.allCases) func piecesDoNotMatter(format: AudioFileFormat) throws {
    let signal = Signal.channels([
      .chirp(from: 100, to: 9_000, sampleRate: 44_100, seconds: 0.7),
      .noise(amplitude: 0.3, sampleRate: 44_100, seconds: 0.7),
    ])
    _ = try write(signal, as: "a", format)
    _ = try write(signal, as: "b", format, pieces: 777)
    let layout = AudioFileLayout(format: format, sampleRate: 44_100, channelCount: 2)
    let writer = try AudioFileWriter(path("c"), layout)
    for frame in stride(from: 0, to: signal.frameCount, by: 1_000) {
      let rows = frame..<min(frame + 1_000, signal.frameCount)
      try writer.write(interleaved: rows.flatMap { row in signal.channels.map { $0[row] } })
    }
    _ = try writer.finish()
    let first = try read("a")
    #expect(try read("b").channels == first.channels && read("c").channels == first.channels)
    #expect(first.problem == nil)
  }

  @Test func whatIsBeyondFullScaleIsLimitedAndCounted() throws {
    let signal = Signal(sampleRate: 8_000, channels: [[0, 1, -1, 1.5, -3, .nan, .infinity, 0.25]])
    let summary = try write(signal, as: "a.wav", .wav)
    #expect(summary.clippedSampleCount == 2)
    #expect(try read("a.wav").channels == [[0, 32_767 / 32_768, -1, 32_767 / 32_768, -1, 0, 0, 0.25]])
    #expect(try write(signal, as: "b.wav", .wav, depth: .float32).clippedSampleCount == 2)
    #expect(try read("b.wav").channels == [[0, 1, -1, 1, -1, 0, 0, 0.25]])
  }

  @Test func ditherKeepsWhatIsSmallerThanAStep() throws {
    let level: Float = 0.3 / 32_768
    let signal = Signal(
      sampleRate: 44_100, channels: [[Float](repeating: level, count: 40_000) + [Float](repeating: 0, count: 1_000)])
    _ = try write(signal, as: "plain", .flac)
    #expect(try read("plain").channels[0].allSatisfy { $0 == 0 })
    _ = try write(signal, as: "dithered", .flac, isDithered: true)
    let samples = try read("dithered").channels[0]
    let mean = samples.prefix(40_000).reduce(0, +) / 40_000
    #expect(abs(mean - level) < 0.02 / 32_768)
    #expect(samples.allSatisfy { abs($0) <= 1.5 / 32_768 } && samples.suffix(1_000).allSatisfy { $0 == 0 })
    _ = try write(signal, as: "again", .flac, isDithered: true)
    #expect(try read("again").channels[0] == samples)
  }

  @Test(arguments: [44_100, 48_000, 32_000]) func opusKeepsPlacesAndLength(rate: Int) throws {
    var signal = Signal.silence(sampleRate: rate, seconds: 3)
    for second in [0.5, 1.25, 2.9] {
      for frame in 0..<rate / 50 {
        signal.channels[0][Int(second * Double(rate)) + frame] = Float(0.5 * sin(Double(frame) * 0.15))
      }
    }
    let summary = try write(signal, as: "a.opus", .opus)
    #expect(summary.sampleRate == 48_000 && summary.frameCount == 144_000)
    let (format, channels, problem) = try read("a.opus")
    #expect(format.sampleRate == 48_000 && format.codec == "opus" && problem == nil && channels[0].count == 144_000)
    for second in [0.5, 1.25, 2.9] {
      let start = Int((second - 0.1) * 48_000)
      let onset = try #require((start..<start + 9_600).first { abs(channels[0][$0]) > 0.1 })
      #expect(abs(Double(onset) / 48_000 - second) < 0.0015)
    }
  }

  @Test func severalChannels() throws {
    func tones(_ count: Int) -> Signal {
      Signal.channels((1...count).map { .sine(Double($0) * 200, sampleRate: 48_000, seconds: 0.2) })
    }
    let signal = tones(6)
    for format in [AudioFileFormat.flac, .wav] {
      _ = try write(signal, as: format.rawValue, format, depth: .int24)
      let channels = try read(format.rawValue).channels
      for (channel, expected) in zip(channels, signal.channels) {
        #expect(zip(channel, expected).allSatisfy { abs($0 - $1) < 1e-6 })
      }
    }
    #expect { try write(signal, as: "a.opus", .opus) } throws: { "\($0)".contains("2 channels at most") }
    #expect { try write(tones(9), as: "a.flac", .flac) } throws: {
      "\($0)".contains("8 channels at most")
    }
    #expect { try write(signal, as: "f.flac", .flac, depth: .float32) } throws: {
      "\($0)".contains("does not have 32 bits")
    }
    #expect(names == ["flac", "wav"])
  }

  @Test func tags() throws {
    var layout = AudioFileLayout(format: .flac, sampleRate: 8_000, channelCount: 1)
    layout.tags = AudioFileTags(title: "Ö — \"1\"", artist: "", album: "B", date: "1999", trackNumber: "3")
    let writer = try AudioFileWriter(path("a.flac"), layout)
    try writer.write(interleaved: [Float](repeating: 0, count: 8_000))
    _ = try writer.finish()
    let bytes = try Data(contentsOf: URL(filePath: path("a.flac").string))
    for text in ["title=Ö — \"1\"", "album=B", "date=1999", "tracknumber=3"] {
      #expect(bytes.firstRange(of: Data(text.utf8)) != nil)
    }
    #expect(bytes.firstRange(of: Data("artist=".utf8)) == nil)
  }

  @Test func nothingIsOverwrittenUnlessTold() throws {
    let signal = Signal.sine(440, sampleRate: 8_000, seconds: 0.1)
    _ = try write(signal, as: "a.wav", .wav)
    let before = try Data(contentsOf: URL(filePath: path("a.wav").string))
    #expect(throws: AudioWriteError.exists(try path("a.wav"))) { try write(signal.scaled(by: 0.5), as: "a.wav", .wav) }
    #expect(try Data(contentsOf: URL(filePath: path("a.wav").string)) == before)
    _ = try write(signal.scaled(by: 0.5), as: "a.wav", .wav, replacing: true)
    #expect(try Data(contentsOf: URL(filePath: path("a.wav").string)) != before)
    // A dangling link, a folder, a device.
    try FileManager.default.createSymbolicLink(atPath: path("link.wav").string, withDestinationPath: "nowhere")
    #expect(throws: AudioWriteError.exists(try path("link.wav"))) { try write(signal, as: "link.wav", .wav) }
    try FileManager.default.createDirectory(atPath: path("folder.wav").string, withIntermediateDirectories: false)
    for name in [try path("folder.wav"), "/dev/full"] {
      #expect(throws: AudioWriteError.notAFile(name)) {
        try AudioFileWriter(
          name, AudioFileLayout(format: .wav, sampleRate: 8_000, channelCount: 1), replacesExisting: true)
      }
    }
    #expect {
      try AudioFileWriter(path("no/folder.wav"), AudioFileLayout(format: .wav, sampleRate: 8_000, channelCount: 1))
    } throws: { "\($0)".contains("No such file or directory") }
  }

  @Test func aFileThatAppearsMeanwhileStays() throws {
    let layout = AudioFileLayout(format: .wav, sampleRate: 8_000, channelCount: 1)
    let writer = try AudioFileWriter(path("a.wav"), layout)
    try writer.write(interleaved: [0, 0.5])
    try Data("mine".utf8).write(to: URL(filePath: path("a.wav").string))
    #expect(throws: AudioWriteError.exists(try path("a.wav"))) { try writer.finish() }
    #expect(try Data(contentsOf: URL(filePath: path("a.wav").string)) == Data("mine".utf8))
  }

  @Test(arguments: AudioFileFormat.allCases) func whatIsNotFinishedLeavesNothing(format: AudioFileFormat) throws {
    var writer: AudioFileWriter? = try AudioFileWriter(
      path("a"), AudioFileLayout(format: format, sampleRate: 48_000, channelCount: 2))
    try writer?.write(interleaved: [Float](repeating: 0.1, count: 100_000))
    #expect(names.count == 1 && names[0].hasPrefix("."))
    writer = nil
    #expect(names == [])
  }

  /// The choice between plain WAV and RF64 depends on the actual length, not on the expected one.
  @Test func plainUnlessItIsTooLongForThat() throws {
    for expected in [nil, 4, 1 << 40] as [Int64?] {
      var layout = AudioFileLayout(format: .wav, sampleRate: 8_000, channelCount: 1)
      layout.expectedFrameCount = expected
      let writer = try AudioFileWriter(path("a.wav"), layout, replacesExisting: true)
      try writer.write(interleaved: [0, 0.5, -0.5, 0.25])
      _ = try writer.finish()
      #expect(try Data(contentsOf: URL(filePath: path("a.wav").string)).prefix(4) == Data("RIFF".utf8))
      #expect(try read("a.wav").channels == [[0, 0.5, -0.5, 0.25]])
    }
  }

  @Test func namesAskForFormats() {
    #expect(AudioFileFormat(extensionOf: "a.FLAC") == .flac && AudioFileFormat(extensionOf: "a.b.wav") == .wav)
    #expect(AudioFileFormat(extensionOf: "a.opus") == .opus && AudioFileFormat(extensionOf: "flac") == nil)
    #expect(
      AudioFileFormat.opus.sampleRate(for: 44_100) == 48_000 && AudioFileFormat.opus.sampleRate(for: 16_000) == 16_000)
  }
}
