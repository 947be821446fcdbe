internal import Glibc

/// How beats group into bars, where that is certain.
///
/// Two things decide the meter: how much of the differences between beats a bar of three or of four explains, and how
/// much likelier one beat of three or four begins a bar according to `BeatNetwork`. A conditional logit over the three
/// or four beats picks the first. Weights and thresholds were fitted to performances, drum machines, songs and tracker
/// modules with known bars (`Benchmarks/tempo`), using networks not trained on the same sources. Where either is
/// unclear, bars are left open.
struct BarReading: Equatable {
  /// Beats per bar.
  let beatCount: Int
  /// Which of the first beats begins a bar; nil if uncertain.
  let firstDownbeat: Int?

  private typealias Lanes = OnsetEnvelopes.Lanes

  /// How much the logarithm of the evidence for one bar must exceed that for the other.
  private static let leastAdvantage: Float = 1.6
  /// Added to both: evidence from chance alone is near 1.
  private static let chance: Float = 0.3
  /// The logits of the network that count as much as a factor of e in evidence.
  private static let networkScale: Float = 0.7
  /// Faster bars of three are just as likely halves of 6/8 bars.
  private static let fastestThree = 160.0
  private static let fewestBeats = 16
  private static let sureDownbeat: Float = 0.95
  /// Bass and harmony say most about bars.
  private static let shares = Lanes(1, 0.3, 0, 0, 0.3, 0.3, 1.5, 0.5) / 3.9
  /// Lanes at the first beat of four and at the third, and at the first of three; and the logits of the network.
  private static let firstOfFour = Lanes(0.63, -0.3, 0.34, 0.15, -0.12, -0.49, 0.63, -0.26)
  private static let thirdOfFour = Lanes(0.24, 0.24, -0.48, -0.7, 0.22, 0.26, -0.36, -0.79)
  private static let networkOfFour: Float = 2.25
  private static let firstOfThree = Lanes(1.25, 0.02, 0.11, 0.1, -0.02, 0.29, 0.18, 0.27)
  private static let networkOfThree: Float = 1.53

  /// - Parameter downbeats: `BeatActivation.downbeats` at each beat.
  init?(_ accents: BeatAccents, downbeats: [Float], bpm: Double) {
    let count = accents.values.count
    guard count >= Self.fewestBeats, downbeats.count == count else { return nil }
    let normal = Self.normalized(accents.values)
    let (three, four) = (Self.means(normal, every: 3), Self.means(normal, every: 4))
    let heardThree = BeatActivation.means(downbeats, every: 3)
    let heardFour = BeatActivation.means(downbeats, every: 4)
    let advantage =
      log((Self.evidence(four, of: count) + Self.chance) / (Self.evidence(three, of: count) + Self.chance))
      + (BeatActivation.advantage(heardFour) - BeatActivation.advantage(heardThree)) / Self.networkScale
    guard abs(advantage) > Self.leastAdvantage, advantage > 0 || bpm <= Self.fastestThree else { return nil }
    beatCount = advantage > 0 ? 4 : 3
    var scores: [Float]
    if beatCount == 4 {
      scores = four.indices.map {
        (four[$0] * Self.firstOfFour + four[($0 + 2) % 4] * Self.thirdOfFour).sum() + Self.networkOfFour * heardFour[$0]
      }
    } else {
      scores = three.indices.map { (three[$0] * Self.firstOfThree).sum() + Self.networkOfThree * heardThree[$0] }
    }
    // Few bars are weaker evidence.
    let weight = Float(min(Double(count / beatCount), 16).squareRoot() / 4)
    for index in scores.indices { scores[index] *= weight }
    let best = scores.indices.max { scores[$0] < scores[$1] }!
    let sum = scores.reduce(Float(0)) { $0 + exp($1 - scores[best]) }
    firstDownbeat = 1 / sum >= Self.sureDownbeat ? best : nil
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

  private static func evidence(_ means: [Lanes], of count: Int) -> Float {
    let explained = means.reduce(Lanes.zero) { $0 + $1 * $1 } / Float(means.count)
    return (explained * shares).sum() * Float(count) / Float(means.count - 1)
  }
}
