import Analysis
import AnalysisTesting
import Foundation
import SystemPackage
import Testing

@testable import BuiltInAnalyzers

private func origin(of signal: Signal, bits: Int = 16, cut: Int = 16_384) throws -> OriginFinding {
  let format = AudioFormat(
    container: "flac", codec: "flac", sampleRate: signal.sampleRate, channelCount: signal.channelCount, bitDepth: bits,
    isLossless: true)
  var session = try OriginAnalyzer(NoConfiguration()).makeSession(for: AudioFile(path: "/signal.flac", format: format))
  for start in stride(from: 0, to: signal.frameCount, by: cut) {
    let end = min(start + cut, signal.frameCount)
    let planar = signal.channels.flatMap { $0[start..<end] }
    try session.consume(planar.span, at: Int64(start))
  }
  return try session.finish()
}

private func rounded(_ signal: Signal, bits: Int) -> Signal {
  let full = exp2(Float(bits - 1))
  return Signal(
    sampleRate: signal.sampleRate,
    channels: signal.channels.map { $0.map { max(-full, min(full - 1, ($0 * full).rounded())) / full } })
}

private func noise(_ seconds: Double = 4, rate: Int = 44_100) -> Signal {
  .channels([
    .noise(seed: 5, amplitude: 0.3, sampleRate: rate, seconds: seconds),
    .noise(seed: 6, amplitude: 0.3, sampleRate: rate, seconds: seconds),
  ])
}

@Suite struct `Origin of a lossless file` {
  @Test(arguments: [22_050, 44_100, 48_000, 96_000]) func `noise of all frequencies is lossless`(rate: Int) throws {
    let found = try origin(of: rounded(noise(rate: rate), bits: 16))
    #expect(found.verdict == "lossless")
    #expect(found.codec == nil)
    #expect(found.upsampledFrom == nil)
    #expect(found.isPadded == false)
    #expect(found.usedBits == 16)
    #expect(found.excerptCount >= 4)
  }

  @Test func `16 bits in 24 are padded, and so are 8 in 16`() throws {
    let found = try origin(of: rounded(noise(), bits: 16), bits: 24)
    #expect(found.usedBits == 16)
    #expect(found.isPadded == true)
    #expect(try origin(of: rounded(noise(), bits: 8), bits: 16).usedBits == 8)
    #expect(try origin(of: rounded(noise(), bits: 24), bits: 24).isPadded == false)
  }

  /// A wall alone is no proof of a codec.
  @Test func `a steep low-pass alone is not called lossy`() throws {
    let (taps, edge) = (401, 15_500.0 / 44_100)
    let kernel = (0..<taps).map { tap -> Float in
      let x = Double(tap - taps / 2)
      let ideal = x == 0 ? 2 * edge : sin(2 * .pi * edge * x) / (.pi * x)
      return Float(ideal * (0.42 - 0.5 * cos(2 * .pi * Double(tap) / Double(taps - 1)) + 0.08 * cos(4 * .pi * Double(tap) / Double(taps - 1))))
    }
    var signal = noise(2)
    signal.channels = signal.channels.map { samples in
      (0..<samples.count - taps).map { start in
        var sum: Float = 0
        for tap in 0..<taps { sum += kernel[tap] * samples[start + tap] }
        return sum
      }
    }
    let found = try origin(of: rounded(signal, bits: 16))
    #expect(found.verdict != "lossy")
    #expect(abs(try #require(found.wall) - 15_500) < 300)
    #expect((found.wallDepth ?? 0) > 40)
  }

  @Test func `silence and what is too short are not judged`() throws {
    let silence = try origin(of: .channels([.silence(seconds: 2), .silence(seconds: 2)]))
    #expect(silence.verdict == nil)
    #expect(silence.reason == "quiet")
    #expect(try origin(of: noise(0.02)).reason == "too_short")
  }

  @Test func `lossy files are none of its business`() throws {
    let format = AudioFormat(container: "mp3", codec: "mp3", sampleRate: 44_100, channelCount: 2, isLossless: false)
    #expect(throws: AnalysisError.self) {
      try OriginAnalyzer(NoConfiguration()).makeSession(for: AudioFile(path: "/signal.mp3", format: format))
    }
  }

  @Test(arguments: [1000, 4097, 100_000]) func `blocks of any length give the same`(cut: Int) throws {
    let signal = rounded(noise(3), bits: 16)
    #expect(try origin(of: signal, cut: cut) == origin(of: signal))
  }
}
