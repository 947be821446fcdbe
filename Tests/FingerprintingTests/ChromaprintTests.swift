import AnalysisTesting
import AudioAnalysis
import AudioDecoding
import Fingerprinting
import Foundation
import SystemPackage
import Testing

/// The fingerprint of a file, by way of the decoder and the AcoustID conversion.
private func fingerprint(of path: FilePath, length: Double = 120) throws -> FingerprintFinding {
  var configuration = ChromaprintAnalyzer.Configuration()
  configuration.length = length
  var source = try AudioSource(path: path)
  var session = try ChromaprintAnalyzer(configuration).makeSession(for: Track(path: path, format: source.format))
  var converter = AcoustIDConverter(format: source.format, encoding: source.encoding)
  var block = AudioBlock(channelCount: source.format.channelCount)
  var samples: [Float] = []
  var index: Int64 = 0
  while session.wantsMore, source.read(into: &block) {
    let count = converter.push(block, into: &samples)
    try session.consume(samples.span.extracting(first: count), at: index)
    index += Int64(count)
  }
  if session.wantsMore {
    let count = converter.finish(into: &samples)
    try session.consume(samples.span.extracting(first: count), at: index)
  }
  return try session.finish()
}

/// What Chromaprint's own program prints for a file; `nil` if it is not installed or gives none.
private func fpcalc(_ path: FilePath, _ options: [String] = []) throws -> String? {
  struct Answer: Decodable {
    var fingerprint: String
  }
  let program = Process()
  program.executableURL = URL(filePath: "/usr/bin/fpcalc")
  program.arguments = ["-json"] + options + [path.string]
  program.standardError = FileHandle.nullDevice
  let output = Pipe()
  program.standardOutput = output
  try program.run()
  let data = output.fileHandleForReading.readDataToEndOfFile()
  program.waitUntilExit()
  return data.isEmpty ? nil : try JSONDecoder().decode(Answer.self, from: data).fingerprint
}

private let hasFpcalc = FileManager.default.isExecutableFile(atPath: "/usr/bin/fpcalc")

@Suite struct `The fingerprint` {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  @Test(
    .enabled(if: hasFpcalc, "needs Chromaprint's fpcalc (Debian package libchromaprint-tools)"),
    arguments: [8_000, 11_025, 22_050, 44_100, 48_000, 96_000], [1, 2])
  func `is the one that fpcalc gives`(sampleRate: Int, channelCount: Int) throws {
    for (seconds, encoding) in [(7.3, WAVFile.Encoding.pcm16), (4.01, .pcm24), (3.123, .float32), (20, .pcm16)] {
      let channels = (0..<channelCount).map {
        Signal.chords(seed: UInt64($0), sampleRate: sampleRate, seconds: seconds)
      }
      let path = try directory.write(.channels(channels), as: "a.wav", encoding: encoding)
      #expect(try fingerprint(of: path).value == fpcalc(path), "\(seconds) s, \(encoding)")
      #expect(try fingerprint(of: path, length: 0).value == fpcalc(path, ["-length", "0"]), "\(seconds) s, \(encoding)")
      #expect(try fingerprint(of: path, length: 3.5).value == fpcalc(path, ["-length", "3.5"]), "\(seconds) s")
    }
  }
}
