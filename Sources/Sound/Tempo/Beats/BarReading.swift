internal import Mathematics

/// The grouping of beats into bars, if it is certain.
///
/// Two measures decide the meter. One is the share of the differences between beats that a bar of three or of four
/// explains. The other is how clearly, according to `BeatNetwork`, one of three or four beats begins the bars. A
/// conditional logit over the three or four beats picks the first beat from the accents, the new chords and sections,
/// and the output of the network, summed over all bars. Anything that is unclear is left open.
/// `Benchmarks/tempo/bars.py` fits the weights and thresholds (`BarWeights`).
///
/// Slow beats that divide into thirds are dotted: bars of three are then 9/8, and bars of four are 12/8. Two bars of
/// 6/8 and one bar of 12/8 differ only in where the bar lines are written, so the meter is 12/8 only if the first of
/// the four beats is clear, and 6/8 otherwise.
struct BarReading: Equatable {
  /// Beats per bar.
  let beatCount: Int
  /// `true` if a beat is a dotted quarter rather than a quarter.
  let isCompound: Bool
  /// Index of the first beat that begins a bar; `nil` if uncertain.
  let firstDownbeat: Int?

  /// Time signature: `3/4`, `4/4`, `6/8`, `9/8` or `12/8`.
  var metre: String { isCompound ? "\(3 * beatCount)/8" : "\(beatCount)/4" }

  private typealias Row = BeatAccents.Row

  /// Maximum tempo of bars of three. Faster bars are just as likely to be halves of 6/8 bars.
  private static let maxTripleBPM = 160.0
  /// Maximum tempo of dotted beats. Faster beats that divide into thirds are mostly shuffles, which are written in
  /// quarters.
  private static let maxCompoundBPM = 84.0
  private static let minBeats = 16
  /// Maximum number of bars that count toward the certainty. More bars add no evidence, because the misleading parts of
  /// music repeat, too.
  private static let maxBars = 32

  /// - Parameters:
  ///   - downbeats: The value of `BeatActivation.downbeats` at each beat.
  ///   - hasThirds: See `BarProfile.hasThirds`. It is evaluated only for slow beats.
  /// - Returns: `nil` if there are too few beats or the meter is uncertain.
  init?(_ accents: BeatAccents, downbeats: [Float], bpm: Double, hasThirds: @autoclosure () -> Bool = false) {
    let total = accents.values.count
    guard total >= Self.minBeats, downbeats.count == total else { return nil }
    let weights = BarWeights.fitted
    let rows = accents.rows(downbeats: downbeats)
    let (three, four) = (Self.means(rows, every: 3), Self.means(rows, every: 4))
    let advantage =
      log(
        (Self.evidence(four, of: total, weights.shares) + weights.chance)
          / (Self.evidence(three, of: total, weights.shares) + weights.chance))
      + (Self.advantage(four) - Self.advantage(three)) / weights.networkScale
    guard abs(advantage) > weights.minAdvantage, advantage > 0 || bpm <= Self.maxTripleBPM else { return nil }
    isCompound = bpm <= Self.maxCompoundBPM && hasThirds()
    let count = advantage > 0 ? 4 : 3
    let chances = Self.chances(count == 4 ? four : three, barCount: total / count, weights)
    let best = chances.indices.max { chances[$0] < chances[$1] }!
    if chances[best] >= weights.sureDownbeat {
      (beatCount, firstDownbeat) = (count, best)
    } else if isCompound, count == 4 {
      beatCount = 2
      let even = chances[0] + chances[2]
      firstDownbeat = max(even, 1 - even) >= weights.sureDownbeat ? (even > 0.5 ? 0 : 1) : nil
    } else {
      (beatCount, firstDownbeat) = (count, nil)
    }
  }

  /// Returns, for each of the first three or four beats, the probability that a bar begins with it.
  private static func chances(_ means: [Row], barCount: Int, _ weights: BarWeights) -> [Float] {
    // A small number of bars is weaker evidence.
    let certainty = Float(Double(min(barCount, maxBars)).squareRoot() / 4)
    let scores = means.indices.map { first in
      var sum: Float = 0
      for (place, weights) in (means.count == 4 ? weights.ofFour : weights.ofThree).enumerated() {
        sum += (means[(first + place) % means.count] * weights).sum()
      }
      return certainty * sum
    }
    let most = scores.max() ?? 0
    let sum = scores.reduce(Float(0)) { $0 + exp($1 - most) }
    return scores.map { exp($0 - most) / sum }
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

  /// Returns by how much the network's logit for the likeliest first beat exceeds the mean over the three or four
  /// beats.
  private static func advantage(_ means: [Row]) -> Float { BeatActivation.advantage(means.map { $0[15] }) }
}
