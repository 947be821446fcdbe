internal import Glibc

/// How beats group into bars, where that is certain.
///
/// Two things decide the meter: how much of the differences between beats a bar of three or of four explains, and how
/// much likelier one beat of three or four begins a bar according to `BeatNetwork`. A conditional logit over the three
/// or four beats picks the first. Where either is unclear, bars are left open. `Benchmarks/tempo/bars.py` fits the
/// weights and thresholds (`BarWeights`).
struct BarReading: Equatable {
  /// Beats per bar.
  let beatCount: Int
  /// The index of the first beat that begins a bar; nil if uncertain.
  let firstDownbeat: Int?

  private typealias Lanes = OnsetEnvelopes.Lanes

  /// Faster bars of three are just as likely halves of 6/8 bars.
  private static let fastestThree = 160.0
  private static let fewestBeats = 16

  /// - Parameter downbeats: `BeatActivation.downbeats` at each beat.
  init?(_ accents: BeatAccents, downbeats: [Float], bpm: Double) {
    let count = accents.values.count
    guard count >= Self.fewestBeats, downbeats.count == count else { return nil }
    let weights = BarWeights.fitted
    let normal = Self.normalized(accents.values)
    let (three, four) = (Self.means(normal, every: 3), Self.means(normal, every: 4))
    let heardThree = BeatActivation.means(downbeats, every: 3)
    let heardFour = BeatActivation.means(downbeats, every: 4)
    let advantage =
      log(
        (Self.evidence(four, of: count, weights.shares) + weights.chance)
          / (Self.evidence(three, of: count, weights.shares) + weights.chance))
      + (BeatActivation.advantage(heardFour) - BeatActivation.advantage(heardThree)) / weights.networkScale
    guard abs(advantage) > weights.leastAdvantage, advantage > 0 || bpm <= Self.fastestThree else { return nil }
    beatCount = advantage > 0 ? 4 : 3
    var scores: [Float]
    if beatCount == 4 {
      scores = four.indices.map {
        (four[$0] * weights.firstOfFour + four[($0 + 2) % 4] * weights.thirdOfFour).sum()
          + weights.networkOfFour * heardFour[$0]
      }
    } else {
      scores = three.indices.map {
        (three[$0] * weights.firstOfThree).sum() + weights.networkOfThree * heardThree[$0]
      }
    }
    // Few bars are weaker evidence.
    let certainty = Float(min(Double(count / beatCount), 16).squareRoot() / 4)
    for index in scores.indices { scores[index] *= certainty }
    let best = scores.indices.max { scores[$0] < scores[$1] }!
    let sum = scores.reduce(Float(0)) { $0 + exp($1 - scores[best]) }
    firstDownbeat = 1 / sum >= weights.sureDownbeat ? best : nil
  }

  /// Each lane with mean 0 and a standard deviation near 1.
  private static func normalized(_ values: [Lanes]) -> [Lanes] {
    let count = Float(values.count)
    let mean = values.reduce(Lanes.zero, +) / count
    let variance = values.reduce(Lanes.zero) { $0 + ($1 - mean) * ($1 - mean) } / count
    return values.map { ($0 - mean) / (variance.squareRoot() + 0.05) }
  }

  private static func means(_ values: [Lanes], every step: Int) -> [Lanes] {
    (0..<step).map { first in
      let own = stride(from: first, to: values.count, by: step)
      return own.reduce(Lanes.zero) { $0 + values[$1] } / Float(max(1, (values.count - first + step - 1) / step))
    }
  }

  private static func evidence(_ means: [Lanes], of count: Int, _ shares: Lanes) -> Float {
    let explained = means.reduce(Lanes.zero) { $0 + $1 * $1 } / Float(means.count)
    return (explained * shares).sum() * Float(count) / Float(means.count - 1)
  }
}
