internal import DSP

/// Weights and thresholds of `BarReading`. `Benchmarks/tempo/bars.py` fits them and writes them with these names.
struct BarWeights {
  typealias Row = BeatAccents.Row

  /// How much each of `BeatAccents.names` counts for the meter; they add up to 1. The network counts apart.
  let shares: Row
  /// Added to the evidence for each bar: evidence from chance alone is near 1.
  let chance: Float
  /// The logits of the network that count as much as a factor of e in evidence.
  let networkScale: Float
  /// Weights at the first beat of four, the second and the third.
  let ofFour: [Row]
  /// Weights at the first beat of three and the second.
  let ofThree: [Row]
  /// How much the logarithm of the evidence for one bar must exceed that for the other.
  let leastAdvantage: Float
  /// The lowest probability with which a first beat is given.
  let sureDownbeat: Float

  static let fitted = BarWeights(TempoResources.barWeights)

  init(_ table: NumberTable) {
    func row(_ name: String, of names: some Sequence<String>) -> Row {
      var row = Row.zero
      for (place, own) in names.enumerated() { row[place] = Float(table.number("\(name).\(own)")) }
      return row
    }
    let shares = row("share", of: BeatAccents.names.dropLast())
    self.shares = shares / shares.sum()
    chance = Float(table.number("chance"))
    networkScale = Float(table.number("network_scale"))
    ofFour = ["first_of_four", "second_of_four", "third_of_four"].map { row($0, of: BeatAccents.names) }
    ofThree = ["first_of_three", "second_of_three"].map { row($0, of: BeatAccents.names) }
    leastAdvantage = Float(table.number("least_advantage"))
    sureDownbeat = Float(table.number("sure_downbeat"))
  }
}
