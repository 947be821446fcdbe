internal import Glibc

/// How beats gather in bars, where that is sure.
///
/// A metre is told by how much of the differences between beats a bar of three or of four explains; which beat of four
/// begins the bar by a conditional logit over the four (in three, by the same over three). Weights and thresholds were
/// fitted to performances, drum machines and songs with known bars (`Benchmarks/tempo`); bars are left open where
/// either is not clear.
struct BarReading: Equatable {
  /// Of one bar.
  let beatCount: Int
  /// Which of the first beats begins a bar; nil where it is not sure.
  let firstDownbeat: Int?

  private typealias Lanes = OnsetEnvelopes.Lanes

  /// Variance that a bar explains over what chance explains: this much at least, …
  private static let leastEvidence: Float = 3
  /// … and over that of the other bar.
  private static let leastAdvantage: Float = 2
  /// Faster bars of three are as likely the halves of bars of 6/8.
  private static let fastestThree = 160.0
  private static let fewestBeats = 16
  private static let sureDownbeat: Float = 0.95
  /// Bass and harmony say most about bars.
  private static let shares = Lanes(1, 0.3, 0, 0, 0.3, 0.3, 1.5, 0.5) / 3.9
  /// Lanes at the first beat of four and at the third, and at the first of three.
  private static let firstOfFour = Lanes(1.58, -0.72, 0.25, 1.42, -0.09, -0.53, 1.22, -0.37)
  private static let thirdOfFour = Lanes(0.53, 0.63, -0.68, 0, -0.77, 0.41, -0.7, -1.52)
  private static let firstOfThree = Lanes(1.02, 0.75, 0.13, 0.28, -0.21, 0.53, 0.28, 0.45)

  init?(_ accents: BeatAccents, bpm: Double) {
    let count = accents.values.count
    guard count >= Self.fewestBeats else { return nil }
    let normal = Self.normalized(accents.values)
    let (three, four) = (Self.means(normal, every: 3), Self.means(normal, every: 4))
    let (ofThree, ofFour) = (Self.evidence(three, of: count), Self.evidence(four, of: count))
    // The evidence of few bars counts for less.
    let weight = Float(min(Double(count) / 4, 16).squareRoot() / 4)
    var scores: [Float]
    if ofFour > Self.leastEvidence, ofFour > Self.leastAdvantage * ofThree {
      beatCount = 4
      scores = four.indices.map { (four[$0] * Self.firstOfFour + four[($0 + 2) % 4] * Self.thirdOfFour).sum() * weight }
    } else if ofThree > Self.leastEvidence, ofThree > Self.leastAdvantage * ofFour, bpm <= Self.fastestThree {
      beatCount = 3
      let weight = Float(min(Double(count) / 3, 16).squareRoot() / 4)
      scores = three.map { ($0 * Self.firstOfThree).sum() * weight }
    } else {
      return nil
    }
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
