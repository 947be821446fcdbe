import AnalysisTesting
import DSP
import Foundation
import Landmarks
import Testing

@testable import Recognition

/// Reference values that `Benchmarks/golden.py` computed with the training framework and the shipped weights: the
/// program gives its network the same input, and gets the same output, as the framework.
@Suite(.bounded) struct GoldenTests {
  @Test func theNetworkHearsWhatTheFrameworkHears() throws {
    let path = Repository.url("Tests/Fixtures/golden-landmark-network.tsv")
    let golden = try Data(contentsOf: path).withUnsafeBytes { NumberTable($0) }
    let bandCount = LandmarkSpectrum.bandCount

    var columns: [[Int32]] = []
    var stream = LevelStream(sampleRate: 8000)
    stream.push(Signal.golden(sampleRate: 8000, seconds: 2).mono.span) { columns.append($0) }
    stream.finish { columns.append($0) }
    let levels = columns.flatMap { $0 }
    let whitened = LandmarkNetwork.whitened(levels)
    let input = LandmarkNetwork.Input(levels: levels, whitened: whitened)
    let output = LandmarkNetwork.trained(levels: levels, whitened: whitened)
    #expect(columns.count == 63)
    #expect(output.count == 63 * bandCount)
    #expect(golden.names.count == 15)

    var largest: [Substring: Double] = [:]
    for name in golden.names {
      let parts = name.split(separator: ".")
      let column = try #require(parts.last.flatMap { Int($0) })
      let expected = try #require(golden[name])
      try #require(expected.count == bandCount)
      for (band, value) in expected.enumerated() {
        let found =
          switch parts[0] {
          case "whitened": input[column, band, 0]
          case "level": input[column, band, 1]
          default: output[column * bandCount + band]
          }
        largest[parts[0]] = max(largest[parts[0]] ?? 0, abs(Double(found) - value))
      }
    }
    // Measured differences: 0.00026, 0.0001 and 0.0014. Most come from the levels, which the program rounds to 256ths of
    // a decibel. Four to five times as much is allowed, as another processor may round a level differently. A scale of
    // the output (log-odds up to 16) that is off by a thousandth fails.
    #expect(largest["whitened"] ?? .infinity < 0.001)
    #expect(largest["level"] ?? .infinity < 0.0005)
    #expect(largest["output"] ?? .infinity < 0.005)
  }
}
