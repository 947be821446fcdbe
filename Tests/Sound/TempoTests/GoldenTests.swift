import AnalysisTesting
import DSP
import Foundation
import Testing

@testable import Tempo

/// Golden vectors written by `Benchmarks/golden.py` with the training framework and the shipped weights: the program
/// must give its network the input it was trained on, and compute the framework's output.
@Suite(.bounded) struct GoldenTests {
  private static let golden: NumberTable = {
    let path = Repository.url("Tests/Fixtures/golden-beat-network.tsv")
    return ((try? Data(contentsOf: path)) ?? Data()).withUnsafeBytes { NumberTable($0) }
  }()

  private static let input = OnsetEnvelopes(bands(of: Signal.golden(sampleRate: 22_050, seconds: 6).mono)).networkInput

  private static func largestDifference(of found: some Sequence<Float>, from expected: [Double]) -> Double {
    zip(found, expected).map { abs(Double($0) - $1) }.max() ?? .infinity
  }

  // Measured differences: 0.00004 in the input (numbers up to 30) and 0.00001 in the log-odds (up to 20). They come
  // from rounding: numpy computes the spectrum in double precision, and the program adds floats in another order. The
  // tolerances are five to ten times as large, as other processors round differently. A scale that is off by a
  // thousandth fails.

  @Test func theNetworkIsGivenWhatItWasTrainedOn() throws {
    let width = BeatNetworkInput.width
    var frames = 0
    var largest = 0.0
    for name in Self.golden.names where name.hasPrefix("input.") {
      let frame = try #require(Int(name.dropFirst("input.".count)))
      let expected = try #require(Self.golden[name])
      try #require(expected.count == width)
      let found = Self.input[frame]
      largest = max(largest, Self.largestDifference(of: found, from: expected))
      frames += 1
    }
    #expect(largest < 0.0002)
    #expect(frames == 21)
  }

  @Test func theNetworkGivesWhatTheFrameworkGives() throws {
    let (beats, downbeats) = BeatNetwork.trained(Self.input)
    for (name, found) in [("beats", beats), ("downbeats", downbeats)] {
      let expected = try #require(Self.golden[name])
      try #require(found.count == expected.count)
      #expect(Self.largestDifference(of: found, from: expected) < 0.0001, "\(name)")
    }
  }
}
