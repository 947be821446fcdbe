internal import DSP

/// The weights and thresholds of `BarReading`. `Benchmarks/tempo/bars.py` fits them, and writes them under the names
/// that `init` reads.
struct BarWeights {
  typealias Row = BeatAccents.Row

  /// Weights of the features in `BeatAccents.names` in the evidence for the meter. They add up to 1. The weight of the
  /// network is 0, because it counts separately.
  let shares: Row
  /// A constant added to the evidence for each meter. Chance alone yields evidence near 1.
  let chance: Float
  /// The difference between network logits that corresponds to a factor of e in the evidence.
  let networkScale: Float
  /// Weights at the first, second and third beat of a bar of four.
  let ofFour: [Row]
  /// Weights at the first and second beat of a bar of three.
  let ofThree: [Row]
  /// Minimum difference between the log evidence for bars of three and that for bars of four.
  let minAdvantage: Float
  /// Minimum probability at which the first beat of the bars is reported.
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
    minAdvantage = Float(table.number("least_advantage"))
    sureDownbeat = Float(table.number("sure_downbeat"))
  }
}
