internal import Glibc

/// How beats group into bars, where that is certain.
///
/// Two things decide the meter: how much of the differences between beats a bar of three or of four explains, and how
/// much likelier one beat of three or four begins a bar according to `BeatNetwork`. A conditional logit over the three
/// or four beats picks the first, from accents, new chords and sections, and the network, summed over all bars.
/// Where either is unclear, bars are left open. `Benchmarks/tempo/bars.py` fits the weights and thresholds
/// (`BarWeights`).
struct BarReading: Equatable {
  /// Beats per bar.
  let beatCount: Int
  /// The index of the first beat that begins a bar; nil if uncertain.
  let firstDownbeat: Int?

  private typealias Row = BeatAccents.Row

  /// Faster bars of three are just as likely halves of 6/8 bars.
  private static let fastestThree = 160.0
  private static let fewestBeats = 16
  /// More bars than these are no better evidence: music repeats what misleads.
  private static let mostBars = 32

  /// - Parameter downbeats: `BeatActivation.downbeats` at each beat.
  init?(_ accents: BeatAccents, downbeats: [Float], bpm: Double) {
    let count = accents.values.count
    guard count >= Self.fewestBeats, downbeats.count == count else { return nil }
    let weights = BarWeights.fitted
    let rows = accents.rows(downbeats: downbeats)
    let (three, four) = (Self.means(rows, every: 3), Self.means(rows, every: 4))
    let advantage =
      log(
        (Self.evidence(four, of: count, weights.shares) + weights.chance)
          / (Self.evidence(three, of: count, weights.shares) + weights.chance))
      + (Self.advantage(four) - Self.advantage(three)) / weights.networkScale
    guard abs(advantage) > weights.leastAdvantage, advantage > 0 || bpm <= Self.fastestThree else { return nil }
    beatCount = advantage > 0 ? 4 : 3
    let (means, own) = beatCount == 4 ? (four, weights.ofFour) : (three, weights.ofThree)
    // Few bars are weaker evidence.
    let certainty = Float(Double(min(count / beatCount, Self.mostBars)).squareRoot() / 4)
    let scores = means.indices.map { first in
      var sum: Float = 0
      for (place, weights) in own.enumerated() { sum += (means[(first + place) % means.count] * weights).sum() }
      return certainty * sum
    }
    let best = scores.indices.max { scores[$0] < scores[$1] }!
    let sum = scores.reduce(Float(0)) { $0 + exp($1 - scores[best]) }
    firstDownbeat = 1 / sum >= weights.sureDownbeat ? best : nil
  }

  private static func means(_ values: [Row], every step: Int) -> [Row] {
    (0..<step).map { first in
      let own = stride(from: first, to: values.count, by: step)
      return own.reduce(Row.zero) { $0 + values[$1] } / Float(max(1, (values.count - first + step - 1) / step))
    }
  }

  private static func evidence(_ means: [Row], of count: Int, _ shares: Row) -> Float {
    let explained = means.reduce(Row.zero) { $0 + $1 * $1 } / Float(means.count)
    return (explained * shares).sum() * Float(count) / Float(means.count - 1)
  }

  /// How clearly one beat begins the bars according to the network.
  private static func advantage(_ means: [Row]) -> Float { BeatActivation.advantage(means.map { $0[15] }) }
}
