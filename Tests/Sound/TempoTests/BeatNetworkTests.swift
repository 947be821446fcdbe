import AnalysisTesting
import Testing

@testable import Tempo

@Suite(.bounded) struct BeatNetworkTests {
  private static func randomInput(columns: Int, seed: UInt64) -> BeatNetworkInput {
    var random = Randomness(seed)
    var input = BeatNetworkInput(columnCount: columns)
    for column in 0..<columns {
      let levels = (0..<BandSpectrogram.bandCount).map { _ in 3 + random.next() }
      let rises = (0..<BandSpectrogram.bandCount).map { _ in max(0, random.next()) }
      input.add(column: column, levels: levels, rises: rises)
    }
    input.finish()
    return input
  }

  private static func randomWeights(seed: UInt64) -> [Float] {
    var random = Randomness(seed)
    return (0..<BeatNetwork.weightCount).map { _ in 0.1 * random.next() }
  }

  /// Reference implementation: the same sums in the order of their definition, one at a time.
  private static func reference(_ input: BeatNetworkInput, _ weights: [Float]) -> [[Float]] {
    let channels = BeatNetwork.channelCount
    var rest = weights[...]
    func convolved(_ rows: [[Float]], taps: Int, dilation: Int) -> [[Float]] {
      let inputs = rows[0].count
      let kernel = Array(rest.prefix(taps * inputs * channels))
      let constants = Array(rest.dropFirst(kernel.count).prefix(channels))
      rest = rest.dropFirst(kernel.count + channels)
      return rows.indices.map { frame in
        (0..<channels).map { channel in
          var sum = Double(constants[channel])
          for tap in 0..<taps {
            let from = frame + (tap - taps / 2) * dilation
            guard rows.indices.contains(from) else { continue }
            for input in 0..<inputs {
              sum += Double(rows[from][input] * kernel[(tap * inputs + input) * channels + channel])
            }
          }
          return Float(sum > 0 ? sum : 0.1 * sum)
        }
      }
    }
    var rows = (0..<input.frameCount).map { Array(input[$0]) }
    rows = convolved(rows, taps: 3, dilation: 1)
    for layer in 0..<9 {
      let added = convolved(rows, taps: 5, dilation: 1 << layer)
      for frame in rows.indices { for channel in 0..<channels { rows[frame][channel] += added[frame][channel] } }
    }
    let last = Array(rest)
    return (0..<2).map { output in
      rows.map { row in
        row.indices.reduce(last[2 * channels + output]) { $0 + row[$1] * last[output * channels + $1] }
      }
    }
  }

  @Test(arguments: [0, 1, 2, 3, 151, 1400])
  func equalsTheSumsOfItsLayers(columns: Int) {
    let input = Self.randomInput(columns: columns, seed: 3)
    let weights = Self.randomWeights(seed: 4)
    let (beats, downbeats) = BeatNetwork(weights)(input)
    #expect(beats.count == columns / 2)
    guard columns > 1 else { return }
    for (found, expected) in zip([beats, downbeats], Self.reference(input, weights)) {
      for (a, b) in zip(found, expected) { #expect(abs(a - b) < 1e-3 * max(1, abs(b))) }
    }
  }

  @Test(arguments: [70.0, 100, 125, 150])
  func hearsTheBeatsOfDrums(bpm: Double) throws {
    let activation = BeatActivation(OnsetEnvelopes(bands(of: rockBeat(bpm, seconds: 20))).networkInput)
    let beats = pulse(bpm, seconds: 20).map { $0 * OnsetEnvelopes.columnsPerSecond }
    let on = activation.features(of: beats)
    let off = activation.features(of: beats.map { $0 + 0.5 * 60 / bpm * OnsetEnvelopes.columnsPerSecond })
    let name = "heard_logit_on_beats"
    #expect(try #require(on[name]) > #require(off[name]) + 1)
  }

  @Test func featuresOfAGridOutsideAreFinite() {
    let activation = BeatActivation(Self.randomInput(columns: 400, seed: 5))
    for grid in [[], [-50.0], [200], [1e4, 2e4]] {
      let features = activation.features(of: grid)
      #expect(features.values.count == 20)
      #expect(features.values.allSatisfy { $0.isFinite })
    }
  }
}
