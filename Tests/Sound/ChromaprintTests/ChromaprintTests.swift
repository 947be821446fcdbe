import Analysis
import AnalysisTesting
import AudioDecoding
import Chromaprint
import Foundation
import SystemPackage
import Testing

/// Fingerprint of a file, computed with the decoder and the AcoustID conversion.
private func fingerprint(of path: FilePath, length: Double = 120) throws -> FingerprintFinding {
  var configuration = ChromaprintAnalyzer.Configuration()
  configuration.length = length
  var source = try AudioSource(path: path)
  var session = try ChromaprintAnalyzer(configuration).makeSession(for: AudioFile(path: path, format: source.format))
  var converter = AcoustIDConverter(format: source.format, encoding: source.encoding)
  var block = AudioBlock(channelCount: source.format.channelCount)
  var samples: [Float] = []
  var index: Int64 = 0
  // The filter is not flushed, as in fpcalc.
  while session.wantsMore, source.read(into: &block) {
    let count = converter.push(block, into: &samples)
    try session.consume(samples.span.extracting(first: count), at: index)
    index += Int64(count)
  }
  return try session.finish()
}

/// Output of Chromaprint's own program for a file.
private func fpcalc(_ path: FilePath, _ options: [String] = []) throws -> String {
  struct Answer: Decodable {
    var fingerprint: String
  }
  // It exits with 3 if decoding ends with an error, as it does for WAV.
  let answer = try ExternalProgram("fpcalc").run(["-json"] + options + [path.string], endingWith: [0, 3])
  return try JSONDecoder().decode(Answer.self, from: answer).fingerprint
}

@Suite(.bounded) struct `The fingerprint` {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  @Test(arguments: [8_000, 11_025, 44_100, 48_000, 96_000], [1, 2])
  func `is the one that fpcalc gives`(sampleRate: Int, channelCount: Int) throws {
    for (seconds, encoding) in [(5.3, WAVFile.Encoding.pcm16), (4.01, .pcm24), (3.123, .float32)] {
      let channels = (0..<channelCount).map {
        Signal.noise(seed: UInt64($0), sampleRate: sampleRate, seconds: seconds)
      }
      let path = try directory.write(.channels(channels), as: "a.wav", encoding: encoding)
      #expect(try fingerprint(of: path).value == fpcalc(path), "\(seconds) s, \(encoding)")
      #expect(try fingerprint(of: path, length: 3.5).value == fpcalc(path, ["-length", "3.5"]), "\(seconds) s")
    }
  }

  /// At these lengths, the samples that fpcalc leaves in its filter would yield another word.
  @Test(arguments: [180_216, 185_652])
  func `ends where that of fpcalc ends`(frameCount: Int) throws {
    let path = try directory.write(.noise(seconds: 5).prefix(frameCount), as: "a.wav")
    #expect(try fingerprint(of: path).value == fpcalc(path))
  }

  @Test
  func `covers two minutes, or the whole track`() throws {
    let path = try directory.write(.chirp(from: 50, to: 3_000, sampleRate: 8_000, seconds: 130), as: "long.wav")
    let standard = try fingerprint(of: path)
    #expect(standard.value == (try fpcalc(path)))
    #expect(standard.duration == 120)
    #expect(standard.algorithm == "chromaprint-2")
    let whole = try fingerprint(of: path, length: 0)
    #expect(whole.value == (try fpcalc(path, ["-length", "0"])))
    #expect(abs(whole.duration - 130) < 0.01)
    #expect(whole.value.count > standard.value.count)
  }

  @Test(arguments: [0.1, 1, 2.5])
  func `needs some audio`(seconds: Double) throws {
    let path = try directory.write(.noise(seconds: seconds), as: "short.wav")
    #expect(throws: AnalysisError.notApplicable("Less than 2.8 s of audio is too short for a fingerprint.")) {
      try fingerprint(of: path)
    }
  }

  @Test func `wants nothing beyond its length`() throws {
    var configuration = ChromaprintAnalyzer.Configuration()
    configuration.length = 3
    var session = try ChromaprintAnalyzer(configuration).makeSession(for: AudioFile(path: "/a"))
    let second = Signal.noise(amplitude: 20_000, sampleRate: 11_025, seconds: 1).channels[0].map { $0.rounded() }
    for count in 1...3 {
      #expect(session.wantsMore)
      try session.consume(second.span, at: Int64(count * second.count))
    }
    #expect(!session.wantsMore)
    #expect(try session.finish().duration == 3)
  }

  @Test(arguments: [-1, 0.5, 2.9, 1e9])
  func `refuses lengths that make no sense`(length: Double) {
    var configuration = ChromaprintAnalyzer.Configuration()
    configuration.length = length
    let error = #expect(throws: ConfigurationError.self) { try ChromaprintAnalyzer(configuration) }
    #expect(error?.key == "length_s")
  }
}
