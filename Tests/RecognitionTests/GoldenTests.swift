import AnalysisTesting
import DSP
import Foundation
import Landmarks
import Testing

@testable import Recognition

/// What `Benchmarks/golden.py` has written with the training framework and the weights that are shipped: that the program gives
/// its network what the network was trained on, and gets from it what the framework gets.
@Suite struct GoldenTests {
  @Test func theNetworkHearsWhatTheFrameworkHears() throws {
    let path = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fixtures/golden-landmark-network.tsv")
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

    for name in golden.names {
      let parts = name.split(separator: ".")
      let column = try #require(parts.last.flatMap { Int($0) })
      let expected = try #require(golden[name])
      try #require(expected.count == bandCount)
      for (band, value) in expected.enumerated() {
        let (found, tolerance) =
          switch parts[0] {
          case "whitened": (input[column, band, 0], 0.002)
          case "level": (input[column, band, 1], 0.002)
          default: (output[column * bandCount + band], 0.02)
          }
        #expect(abs(Double(found) - value) < tolerance, "\(name), band \(band)")
      }
    }
  }
}
