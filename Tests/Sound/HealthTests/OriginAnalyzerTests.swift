import Analysis
import AnalysisTesting
import DSP
import Foundation
import SystemPackage
import Testing

@testable import BuiltInAnalyzers

func origin(of signal: Signal, bits: Int = 16, cut: Int = 16_384) throws -> OriginFinding {
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

func rounded(_ signal: Signal, bits: Int) -> Signal {
  let full = exp2(Float(bits - 1))
  return Signal(
    sampleRate: signal.sampleRate,
    channels: signal.channels.map { $0.map { max(-full, min(full - 1, ($0 * full).rounded())) / full } })
}

func noise(_ seconds: Double = 4, rate: Int = 44_100) -> Signal {
  .channels([
    .noise(seed: 5, amplitude: 0.3, sampleRate: rate, seconds: seconds),
    .noise(seed: 6, amplitude: 0.3, sampleRate: rate, seconds: seconds),
  ])
}

/// Codec with windowed cosine transforms (MDCT) of 2,048 samples, as Vorbis uses for steady sounds.
struct LappedCodec {
  private static let count = 1024
  private let transform = RealFFT(length: 4 * count)
  private let window = (0..<2 * count).map { index in
    let part = sin(Double.pi * (Double(index) + 0.5) / Double(2 * count))
    return Float(sin(Double.pi / 2 * part * part))
  }

  /// - Parameters:
  ///   - start: Index of the first block.
  ///   - step: Quantization step by bin.
  func coded(_ samples: [Float], from start: Int, step: (Int) -> Float) -> [Float] {
    var result = [Float](repeating: 0, count: samples.count)
    for first in stride(from: start, through: samples.count - 2 * Self.count, by: Self.count) {
      let block = (0..<2 * Self.count).map { samples[first + $0] * window[$0] }
      let steps = coefficients(block).enumerated().map { bin, value in (value / step(bin)).rounded() * step(bin) }
      for (index, value) in inverse(steps).enumerated() { result[first + index] += value * window[index] }
    }
    return result
  }

  private func angle(_ bin: Int) -> Double {
    Double.pi * (0.5 + Double(Self.count) / 2) * Double(2 * bin + 1) / Double(2 * Self.count)
  }

  /// MDCT coefficients: the odd bins of a transform twice as long, with rotated phase.
  private func coefficients(_ block: [Float]) -> [Float] {
    let padded = block + [Float](repeating: 0, count: 2 * Self.count)
    return transform.transform(padded.span) { bins in
      (0..<Self.count).map { bin in
        let (real, imaginary) = (bins[2 * (2 * bin + 1)], bins[2 * (2 * bin + 1) + 1])
        return real * Float(cos(angle(bin))) + imaginary * Float(sin(angle(bin)))
      }
    }
  }

  private func inverse(_ coefficients: [Float]) -> [Float] {
    var cosines = [Float](repeating: 0, count: 4 * Self.count)
    var sines = cosines
    for (bin, value) in coefficients.enumerated() {
      cosines[2 * bin + 1] = value * Float(cos(angle(bin)))
      sines[2 * bin + 1] = value * Float(sin(angle(bin)))
    }
    let real = transform.transform(cosines.span) { bins -> [Float] in (0..<2 * Self.count).map { bins[2 * $0] } }
    let imaginary = transform.transform(sines.span) { bins -> [Float] in (0..<2 * Self.count).map { bins[2 * $0 + 1] } }
    return zip(real, imaginary).map { 2 * ($0 + $1) / Float(Self.count) }
  }
}

@Suite(.bounded) struct `Origin of a lossless file` {
  /// Quantization steps are so coarse that most high coefficients become zero, or so fine that none do.
  @Test(arguments: [(37, Float(1)), (700, Float(0.2))]) func `frames of a codec are found, at any volume`(
    start: Int, gain: Float
  ) throws {
    func coded(step: (Int) -> Float) -> Signal {
      let channels = noise(3).channels.map { samples in
        LappedCodec().coded(samples, from: start, step: step).map { $0 * gain }
      }
      return rounded(Signal(sampleRate: 44_100, channels: channels), bits: 16)
    }
    let coarse = try origin(of: coded { $0 < 300 ? 0.5 : 14 })
    #expect(coarse.verdict == "lossy")
    #expect(coarse.codec == "vorbis")
    #expect(coarse.codedSampleRate == 44_100)
    #expect(try #require(coarse.frameOffset) == start % 64)
    #expect(coarse.frameLength == 64)
    let fine = try origin(of: coded { _ in 1e-3 })
    #expect(fine.verdict == "lossless")
  }

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

  /// An abrupt spectral end alone does not prove a codec.
  @Test func `a steep low-pass alone is not called lossy`() throws {
    let (taps, edge) = (401, 15_500.0 / 44_100)
    let kernel = (0..<taps).map { tap -> Float in
      let x = Double(tap - taps / 2)
      let ideal = x == 0 ? 2 * edge : sin(2 * .pi * edge * x) / (.pi * x)
      return Float(
        ideal
          * (0.42 - 0.5 * cos(2 * .pi * Double(tap) / Double(taps - 1)) + 0.08
            * cos(4 * .pi * Double(tap) / Double(taps - 1))))
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
