internal import DSP

/// Weights and thresholds of `BarReading`. `Benchmarks/tempo/bars.py` fits them and writes them with these names.
struct BarWeights {
  typealias Lanes = OnsetEnvelopes.Lanes

  /// How much each lane counts for the meter; they add up to 1.
  let shares: Lanes
  /// Added to the evidence for each bar: evidence from chance alone is near 1.
  let chance: Float
  /// The logits of the network that count as much as a factor of e in evidence.
  let networkScale: Float
  /// Weights of the lanes and of the network's logits, at the first beat of four and the third, and at the first of three.
  let firstOfFour: Lanes
  let thirdOfFour: Lanes
  let networkOfFour: Float
  let firstOfThree: Lanes
  let networkOfThree: Float
  /// How much the logarithm of the evidence for one bar must exceed that for the other.
  let leastAdvantage: Float
  /// The lowest probability with which a first beat is given.
  let sureDownbeat: Float

  static let fitted = BarWeights(TempoResources.barWeights)

  init(_ table: NumberTable) {
    func lanes(_ name: String) -> [Double] { OnsetEnvelopes.laneNames.map { table.number("\(name).\($0)") } }
    let shares = lanes("share")
    self.shares = Lanes(shares.map(Float.init)) / Float(shares.reduce(0, +))
    chance = Float(table.number("chance"))
    networkScale = Float(table.number("network_scale"))
    firstOfFour = Lanes(lanes("first_of_four").map(Float.init))
    thirdOfFour = Lanes(lanes("third_of_four").map(Float.init))
    networkOfFour = Float(table.number("first_of_four.network"))
    firstOfThree = Lanes(lanes("first_of_three").map(Float.init))
    networkOfThree = Float(table.number("first_of_three.network"))
    leastAdvantage = Float(table.number("least_advantage"))
    sureDownbeat = Float(table.number("sure_downbeat"))
  }
}
