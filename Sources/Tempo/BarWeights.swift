internal import DSP

/// The numbers of `BarReading`, by the names that `Benchmarks/tempo/bars.py`, which fits them, gives to them.
struct BarWeights {
  typealias Lanes = OnsetEnvelopes.Lanes

  /// How much each lane says about bars; they add up to 1.
  let shares: Lanes
  /// What is added to the evidence for a bar: evidence of chance alone is near 1.
  let chance: Float
  /// Logits of the network that are worth as much as a factor of e in evidence.
  let networkScale: Float
  /// Lanes at the first beat of four and at the third, and at the first of three; and the logits of the network.
  let firstOfFour: Lanes
  let thirdOfFour: Lanes
  let networkOfFour: Float
  let firstOfThree: Lanes
  let networkOfThree: Float
  /// By how much the logarithm of the evidence for a bar must exceed that for the other one.
  let leastAdvantage: Float
  /// The probability that a first beat must have.
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
