import Analysis
import AnalysisTesting
import DSP
import Foundation
import Testing

@testable import BuiltInAnalyzers

/// Values written by `Benchmarks/golden.py` with the training framework and the shipped weights: the program must give
/// its network the input it was trained on, and compute the framework's output.
@Suite(.bounded) struct GoldenTests {
  private static let golden: NumberTable = {
    let path = Repository.url("Tests/Fixtures/golden-key-network.tsv")
    return ((try? Data(contentsOf: path)) ?? Data()).withUnsafeBytes { NumberTable($0) }
  }()

  private static let spectrum: PitchSpectrum = {
    var spectrum = PitchSpectrum()
    var stft = STFT(windowLength: PitchSpectrum.layout.windowLength, hop: PitchSpectrum.layout.hop)
    let samples = Signal.golden(sampleRate: sampleRate, seconds: 8).mono
    stft.push(samples.span) { column, _ in spectrum.append(column) }
    stft.finish { column, _ in spectrum.append(column) }
    spectrum.finish()
    return spectrum
  }()
  private static let levels = spectrum.tuned(0..<spectrum.frameCount, cents: spectrum.tuning.cents)

  @Test func theTuningIsTheSame() throws {
    let expected = try #require(Self.golden["tuning"])
    #expect(abs(Self.spectrum.tuning.cents - expected[0]) < 0.05)
    #expect(abs(Self.spectrum.tuning.clarity - expected[1]) < 0.001)
  }

  @Test func theNetworkIsGivenWhatItWasTrainedOn() throws {
    try compare("levels", with: Self.levels, width: PitchSpectrum.binCount, tolerance: 0.05)
  }

  @Test func theNetworkHearsWhatTheFrameworkHears() throws {
    let (heard, weights) = KeyNetwork.trained(Self.levels)
    try compare("heard", with: heard, width: KeyNetwork.width, tolerance: 0.02)
    try compare("weights", with: weights, width: KeyNetwork.heads, tolerance: 0.02)
    var sums = KeySums.Segment()
    for frame in 0..<Self.spectrum.frameCount {
      sums.add(
        heard[frame * KeyNetwork.width..<(frame + 1) * KeyNetwork.width],
        logarithms: weights[frame * KeyNetwork.heads..<(frame + 1) * KeyNetwork.heads])
    }
    let (keys, presence) = KeyNetwork.trained.decide(sums.means)
    for (found, expected) in zip(keys, try #require(Self.golden["keys"])) { #expect(abs(found - expected) < 0.02) }
    #expect(abs(presence - (try #require(Self.golden["presence"]))[0]) < 0.02)
  }

  private func compare(_ kind: String, with found: [Float], width: Int, tolerance: Double) throws {
    var frames = 0
    for name in Self.golden.names where name.hasPrefix(kind + ".") {
      let frame = try #require(Int(name.dropFirst(kind.count + 1)))
      let expected = try #require(Self.golden[name])
      try #require(expected.count == width)
      for (index, value) in expected.enumerated() {
        #expect(abs(Double(found[frame * width + index]) - value) < tolerance, "\(name), \(index)")
      }
      frames += 1
    }
    #expect(frames == 3)
  }
}
