import AnalysisTesting
import Landmarks
import Testing

@testable import Recognition

/// Compares the network with a direct implementation, place by place.
@Suite(.bounded) struct LandmarkNetworkTests {
  private static let bandCount = LandmarkSpectrum.bandCount

  /// Rows of places of channels; places outside are zero.
  private struct Picture {
    var rows: [[[Float]]]

    func callAsFunction(_ row: Int, _ column: Int, _ channel: Int) -> Float {
      rows.indices.contains(row) && rows[row].indices.contains(column) ? rows[row][column][channel] : 0
    }
  }

  private static func map(rows: Int, columns: Int, outputs: Int, _ value: (Int, Int, Int) -> Float) -> Picture {
    Picture(
      rows: (0..<rows).map { row in (0..<columns).map { column in (0..<outputs).map { value(row, column, $0) } } })
  }

  private static func expected(_ weights: [Float], _ input: Picture, columnCount: Int) -> [Float] {
    var rest = weights[...]
    func take(_ count: Int) -> [Float] {
      defer { rest = rest.dropFirst(count) }
      return Array(rest.prefix(count))
    }
    func rectified(_ value: Float) -> Float { max(value, 0.1 * value) }
    let (rows, columns, channels) = ((columnCount + 1) / 2, bandCount / 2, 8)
    let (firstWeights, firstConstants) = (take(4 * 4 * 3 * channels), take(channels))
    var plane = map(rows: rows, columns: columns, outputs: channels) { row, column, channel in
      var sum = firstConstants[channel]
      for y in 0..<4 {
        for x in 0..<4 {
          for i in 0..<3 {
            sum +=
              input(2 * row + y - 1, 2 * column + x - 1, i) * firstWeights[((y * 4 + x) * 3 + i) * channels + channel]
          }
        }
      }
      return rectified(sum)
    }
    for dilation in [1, 2, 4, 2, 1, 1] {
      let (layer, constants, before) = (take(9 * channels * channels), take(channels), plane)
      plane = map(rows: rows, columns: columns, outputs: channels) { row, column, channel in
        var sum = constants[channel]
        for y in 0..<3 {
          for x in 0..<3 {
            for i in 0..<channels {
              sum +=
                before(row + (y - 1) * dilation, column + (x - 1) * dilation, i)
                * layer[((y * 3 + x) * channels + i) * channels + channel]
            }
          }
        }
        return before(row, column, channel) + rectified(sum)
      }
    }
    let (last, constants) = (take(4 * 9 * channels), take(4))
    var logits = [Float](repeating: 0, count: columnCount * bandCount)
    for column in 0..<columnCount {
      for band in 0..<bandCount {
        let output = column % 2 * 2 + band % 2
        var sum = constants[output]
        for y in 0..<3 {
          for x in 0..<3 {
            for i in 0..<channels {
              sum += plane(column / 2 + y - 1, band / 2 + x - 1, i) * last[((output * 3 + y) * 3 + x) * channels + i]
            }
          }
        }
        logits[column * bandCount + band] = sum
      }
    }
    return logits
  }

  @Test(arguments: [1, 2, 9, 14]) func isWhatItsDefinitionSays(columnCount: Int) {
    var generator = Music.Random(state: UInt64(columnCount))
    let count = 4 * 4 * 3 * 8 + 8 + 6 * (9 * 64 + 8) + 4 * 9 * 8 + 4
    let weights = (0..<count).map { _ in Float.random(in: -0.15...0.15, using: &generator) }
    let levels = (0..<columnCount * Self.bandCount).map { _ in Int32.random(in: -20_000...0, using: &generator) }
    let whitened = levels.map { _ in Float.random(in: -30...50, using: &generator) }
    let mean = levels.reduce(0) { $0 + Float($1) } / Float(levels.count)
    let input = Self.map(rows: columnCount, columns: Self.bandCount, outputs: 3) { column, band, channel in
      let index = column * Self.bandCount + band
      return switch channel {
      case 0: min(max(whitened[index] / 8, -2.5), 4)
      case 1: (Float(levels[index]) - mean) / 256 / 20
      default: Float(2 * band) / 137 - 1
      }
    }
    let found = LandmarkNetwork(weights)(levels: levels, whitened: whitened)
    let expected = Self.expected(weights, input, columnCount: columnCount)
    #expect(found.count == expected.count)
    for (one, other) in zip(found, expected) { #expect(abs(one - other) < 1e-3) }
  }

  @Test func hearsNothingInNothing() {
    #expect(LandmarkNetwork.trained(levels: [], whitened: []) == [])
  }
}
