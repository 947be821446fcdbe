import Analysis
import AnalysisTesting
import DSP
import Foundation
import Testing

@testable import BuiltInAnalyzers

/// Waveforms of made sounds. A change of a recorded finding needs a higher version of the analyzer.
@Suite(.bounded) struct RecordedWaveformTests {
  private func finding(_ samples: [Float], rate: Int) throws -> WaveformFinding {
    var session = WaveformAnalyzer.Session(sampleRate: rate)
    try session.consume(samples.span, at: 0)
    return try session.finish()
  }

  private func every(_ step: Int, of bytes: [UInt8]) -> [Float] {
    stride(from: step / 2, to: bytes.count, by: step).map { Float(bytes[$0]) / 255 }
  }

  @Test func waveformsOfSounds() throws {
    var results = RecordedResults("Sound/waveform.txt")
    let sounds: [(String, Signal)] = [
      ("golden", .golden(sampleRate: 22_050, seconds: 6)), ("chords", .chords(sampleRate: 11_025, seconds: 7.013)),
      ("clicks", .clickTrack(bpm: 131, sampleRate: 44_100, seconds: 4)),
      ("chirp", .chirp(from: 20, to: 3_900, sampleRate: 8_000, seconds: 5)),
      ("high rate", .noise(sampleRate: 192_000, seconds: 0.5)), ("low rate", .noise(sampleRate: 1_000, seconds: 9)),
      ("very low rate", .noise(sampleRate: 40, seconds: 9)),
    ]
    for (name, signal) in sounds {
      let found = try finding(signal.mono, rate: signal.sampleRate)
      results.add("\(name), points", [found.pointCount, found.samplesPerPoint, found.onsets.count])
      results.add(
        "\(name), peaks",
        numbers: [found.peak ?? 1, found.lowPeak ?? 1, found.midPeak ?? 1, found.highPeak ?? 1, found.onsetStepSeconds])
      for (kind, bytes) in [
        ("minima", found.minima), ("maxima", found.maxima), ("RMS", found.rms), ("low peaks", found.lowPeaks),
        ("low RMS", found.lowRMS), ("mid peaks", found.midPeaks), ("mid RMS", found.midRMS),
        ("high peaks", found.highPeaks), ("high RMS", found.highRMS), ("onsets", found.onsets),
      ] {
        results.add("\(name), \(kind)", numbers: every(13, of: bytes))
      }
    }
    let problem = try results.complaint()
    #expect(problem == nil)
  }

  /// Up to 2,000 points; then a point covers two frames.
  @Test func pointsAreLimited() throws {
    func points(_ frames: Int) throws -> [Int] {
      let found = try finding([Float](repeating: 0.5, count: 2 * frames), rate: 100)
      return [found.pointCount, found.samplesPerPoint]
    }
    #expect(try points(2_000) == [2_000, 2] && points(2_001) == [1_001, 4] && points(4_001) == [1_334, 6])
    #expect(try points(1) == [1, 2])
  }

  @Test func theLastPointMayBeShorter() throws {
    // 20 ms are 160 samples.
    let found = try finding([Float](repeating: 0.5, count: 160) + [-0.25, 0.5, 0.125], rate: 8_000)
    #expect(found.pointCount == 2 && found.peak == -6.02)
    #expect(found.maxima.map { Int($0) } == [255, 255] && found.minima.map { Int($0) } == [255, 65])
    let mean = ((0.0625 + 0.25 + 0.015625) / 3).squareRoot()
    #expect(abs(Double(found.rms[1]) - mean / 0.5 * 255) < 1 && abs(Int(found.rms[0]) - 255) <= 1)
    // Neither a sample more nor the zeros behind the end count.
    let whole = try finding([Float](repeating: 0.5, count: 320), rate: 8_000)
    #expect(whole.pointCount == 2 && whole.minima.map { Int($0) } == [255, 255])
    #expect(try finding([Float](repeating: 0.5, count: 321), rate: 8_000).pointCount == 3)
  }

  @Test func samplesAreLimited() throws {
    for (sample, peak) in [(2e6, 120.0), (1e6, 120), (-5e9, 120), (9e5, 119.08), (.infinity, 120)] as [(Float, Double)]
    {
      #expect(try finding([0, sample, 0, 0], rate: 8_000).peak == peak, "\(sample)")
    }
    #expect(try finding([0, .nan, 0], rate: 8_000).reason == "silence")
    #expect(
      try finding([0, 1.1e-10], rate: 8_000).reason == nil && finding([0, 0.9e-10], rate: 8_000).reason == "silence")
  }

  // MARK: - Onsets

  @Test func onsetStrengths() throws {
    var results = RecordedResults("Sound/onset-envelope.txt")
    var random = SplitMix64(seed: 2)
    for count in [0, 1, 2, 3, 30, 400] {
      let squares = (0..<count).map { frame -> SIMD4<Float> in
        let level = abs(random.nextSample()) * (frame % 20 == 7 ? 30 : 1)
        return SIMD4(level, frame % 40 < 20 ? level : 0.01, 0.1 * level * level, 1)
      }
      let found = OnsetEnvelope.strengths(squares, framesPerSecond: 50)
      #expect(found.count == count && found.allSatisfy { (0..<1).contains($0) })
      results.add("\(count) frames", numbers: found.enumerated().filter { $0.offset % 7 < 3 }.map(\.element))
    }
    #expect(
      OnsetEnvelope.strengths([SIMD4<Float>](repeating: SIMD4(1, 1, 1, 3), count: 100), framesPerSecond: 50).allSatisfy
      { $0 == 0 })
    let problem = try results.complaint()
    #expect(problem == nil)
  }

  @Test func framesAreMerged() {
    var frame = WaveformFrame(minimum: -1, maximum: 2, peaks: SIMD4(1, 5, 3, 0), squares: SIMD4(1, 2, 3, 4))
    frame.merge(WaveformFrame(minimum: -3, maximum: 1, peaks: SIMD4(2, 4, 6, 0), squares: SIMD4(10, 20, 30, 40)))
    #expect(frame.minimum == -3 && frame.maximum == 2)
    #expect(frame.peaks == SIMD4(2, 5, 6, 0) && frame.squares == SIMD4(11, 22, 33, 44))
  }
}
