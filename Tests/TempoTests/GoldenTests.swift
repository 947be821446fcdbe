import AnalysisTesting
import DSP
import Foundation
import Testing

@testable import Tempo

/// Golden vectors that `Benchmarks/golden.py` wrote with the training framework and the shipped weights: the program
/// must give its network the input it was trained on, and get the framework's output.
@Suite struct GoldenTests {
  private static let golden: NumberTable = {
    let path = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fixtures/golden-beat-network.tsv")
    return ((try? Data(contentsOf: path)) ?? Data()).withUnsafeBytes { NumberTable($0) }
  }()

  private static let input = OnsetEnvelopes(bands(of: Signal.golden(sampleRate: 22_050, seconds: 6).mono)).networkInput

  @Test func theNetworkIsGivenWhatItWasTrainedOn() throws {
    var frames = 0
    for name in Self.golden.names where name.hasPrefix("input.") {
      let frame = try #require(Int(name.dropFirst("input.".count)))
      let expected = try #require(Self.golden[name])
      try #require(expected.count == BeatNetworkInput.width)
      for (index, value) in expected.enumerated() {
        #expect(abs(Double(Self.input.values[frame * BeatNetworkInput.width + index]) - value) < 0.002, "\(name), \(index)")
      }
      frames += 1
    }
    #expect(frames == 21)
  }

  @Test func theNetworkGivesWhatTheFrameworkGives() throws {
    let (beats, downbeats) = BeatNetwork.trained(Self.input)
    for (name, found) in [("beats", beats), ("downbeats", downbeats)] {
      let expected = try #require(Self.golden[name])
      #expect(found.count == expected.count)
      for (frame, (one, other)) in zip(found, expected).enumerated() {
        #expect(abs(Double(one) - other) < 0.02, "\(name), frame \(frame)")
      }
    }
  }
}
