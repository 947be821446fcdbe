import Analysis
import AnalysisTesting
import DSP
import Foundation
import Testing

@testable import BuiltInAnalyzers

@Suite(.bounded) struct WaveformTests {
  private func analyze(_ signal: Signal, cut: Int = 16_384) throws -> WaveformFinding {
    var session = WaveformAnalyzer.Session(sampleRate: signal.sampleRate)
    let samples = signal.mono
    for start in stride(from: 0, to: samples.count, by: cut) {
      let end = start + min(cut, samples.count - start)
      try session.consume(samples.span.extracting(start..<end), at: Int64(start))
    }
    return try session.finish()
  }

  /// Values of a list of bytes in which 255 is the peak.
  private func values(_ list: [UInt8], _ peak: Double?) -> [Double] {
    let full = peak.map { pow(10, $0 / 20) } ?? 0
    return list.map { Double($0) / 255 * full }
  }

  @Test func pointsHoldTheSmallestAndLargestSamples() throws {
    for (rate, seconds) in [(44_100, 3.0), (8000, 61.3), (48_000, 0.7), (192_000, 2.01), (11_025, 5)] {
      let signal = Signal.chords(sampleRate: rate, seconds: seconds)
      let samples = signal.mono
      let finding = try analyze(signal)
      #expect(finding.sampleRate == rate)
      let step = finding.samplesPerPoint
      #expect(finding.pointCount == (samples.count + step - 1) / step && finding.pointCount <= 2000)
      let unit = pow(10, try #require(finding.peak) / 20) / 127
      for point in 0..<finding.pointCount {
        let part = samples[point * step..<min((point + 1) * step, samples.count)]
        let sum = part.reduce(0) { $0 + Double($1 * $1) }
        #expect(abs(Double(part.min() ?? 0) - (Double(finding.minima[point]) - 128) * unit) < 0.51 * unit)
        #expect(abs(Double(part.max() ?? 0) - (Double(finding.maxima[point]) - 128) * unit) < 0.51 * unit)
        let rms = values(finding.rms, finding.peak)[point]
        #expect(abs((sum / Double(part.count)).squareRoot() - rms) < 0.26 * unit)
      }
    }
  }

  @Test(arguments: [22_050, 44_100, 48_000, 96_000])
  func sinesAreInTheirBands(rate: Int) throws {
    for (frequency, band) in [(60.0, 0), (150, 0), (1500, 1), (9000, 2)] {
      let finding = try analyze(.sine(frequency, amplitude: 0.25, sampleRate: rate, seconds: 2))
      let peaks = [finding.lowPeak, finding.midPeak, finding.highPeak].map { $0 ?? -200 }
      #expect(abs(peaks[band] - -12.04) < 0.4)
      let lists = [finding.lowRMS, finding.midRMS, finding.highRMS]
      // Ignores the ends, where the sine starts from zero.
      let levels = (0..<3).map { values(lists[$0], peaks[$0])[20] / 0.25 }
      #expect(abs(levels[band] - 0.5.squareRoot()) < 0.03)
      for other in 0..<3 where other != band { #expect(levels[other] < 0.15) }
    }
  }

  @Test func thePowersOfTheBandsAddUp() throws {
    for rate in [16_000, 44_100, 192_000] {
      let finding = try analyze(.noise(sampleRate: rate, seconds: 3))
      let (low, mid) = (values(finding.lowRMS, finding.lowPeak), values(finding.midRMS, finding.midPeak))
      let (high, all) = (values(finding.highRMS, finding.highPeak), values(finding.rms, finding.peak))
      for point in 0..<finding.pointCount {
        let sum = low[point] * low[point] + mid[point] * mid[point] + high[point] * high[point]
        // A frame of 20 ms is short for the lowest frequencies.
        #expect(abs(sum / (all[point] * all[point]) - 1) < 0.1)
      }
    }
  }

  @Test func gainChangesPeaksAlone() throws {
    let signal = Signal.golden(sampleRate: 44_100, seconds: 8)
    let plain = try analyze(signal)
    for gain in [1e-4, 0.02, 30] {
      let scaled = try analyze(signal.scaled(by: Float(gain)))
      #expect(abs(try #require(scaled.peak) - (plain.peak ?? 0) - 20 * log10(gain)) < 0.011)
      for list in [\WaveformFinding.minima, \.maxima, \.rms, \.lowPeaks, \.midRMS, \.highPeaks, \.onsets] {
        let difference = zip(scaled[keyPath: list], plain[keyPath: list]).map { abs(Int($0) - Int($1)) }.max() ?? 0
        #expect(difference <= 1)
      }
    }
  }

  @Test func onsetsStandAtClicks() throws {
    for rate in [22_050, 44_100, 48_000] {
      let signal = Signal.clickTrack(bpm: 97, start: 0.5, sampleRate: rate, seconds: 20)
      let finding = try analyze(signal + .noise(amplitude: 0.01, sampleRate: rate, seconds: 20))
      #expect(finding.onsetStepSeconds == 0.02)
      let strong = finding.onsets.indices.filter { finding.onsets[$0] > 128 }
      let clicks = stride(from: 0.5, to: 20, by: 60 / 97.0).map { Int($0 / 0.02) }
      // A click may cross the boundary between two frames.
      #expect(clicks.allSatisfy { click in strong.contains { $0 == click || $0 == click + 1 } })
      #expect(strong.allSatisfy { frame in clicks.contains { $0 == frame || $0 == frame - 1 } })
    }
  }

  @Test func silenceIsAFlatLine() throws {
    let finding = try analyze(.silence(sampleRate: 44_100, seconds: 10))
    #expect(finding.peak == nil && finding.lowPeak == nil && finding.reason == "silence")
    #expect(finding.pointCount == 500 && finding.minima == [UInt8](repeating: 128, count: 500))
    #expect(finding.onsets == [UInt8](repeating: 0, count: 500))
    #expect(try analyze(.silence(sampleRate: 44_100, seconds: 0)).pointCount == 0)
  }

  @Test func whatIsNoNumberHarmsItsNeighborsOnly() throws {
    var signal = Signal.golden(sampleRate: 44_100, seconds: 4)
    let plain = try analyze(signal)
    signal.channels[0][60_000] = .nan
    let finding = try analyze(signal)
    #expect(finding.peak == plain.peak)
    #expect(zip(finding.lowPeaks, plain.lowPeaks).count { $0 != $1 } <= 2)
    signal.channels[0][70_000] = .infinity
    signal.channels[0][80_000] = -3e38
    #expect(try analyze(signal).peak == 120)
  }

  @Test func theCutDoesNotMatter() throws {
    let signal = Signal.golden(sampleRate: 11_025, seconds: 3.3)
    let whole = try analyze(signal, cut: .max)
    for cut in [1, 441, 10_007] { #expect(try analyze(signal, cut: cut) == whole) }
  }

  @Test func longTracksHaveLongerSteps() {
    let limit = 500
    var curve = BoundedSeries<WaveformFrame>(limit: limit)
    for index in 0..<(3 * limit) {
      let value = Float(index % 7)
      curve.append(
        WaveformFrame(minimum: -value, maximum: value, peaks: SIMD4(repeating: value), squares: SIMD4(repeating: 1)))
    }
    #expect(curve.merged == 4 && curve.elements.count == 3 * limit / 4)
    #expect(curve.elements.allSatisfy { $0.squares[0] == 4 && $0.maximum >= 3 && $0.minimum == -$0.maximum })
    let points = curve.grouped(by: 10)
    #expect(points.count == 38 && points.reduce(0) { $0 + $1.squares[3] } == Float(3 * limit))
  }
}
