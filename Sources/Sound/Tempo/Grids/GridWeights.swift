internal import DSP

/// The weights of `GridChoice`: linear weights, and those of a hidden layer. `Benchmarks/tempo/fit.py` fits them and
/// writes them with the names of the features.
struct GridWeights {
  /// One weight per feature.
  let linear: [Float]
  /// One weight per unit and feature.
  let hidden: [Float]
  /// One value per unit.
  let bias: [Float]
  let output: [Float]

  static let fitted = GridWeights(TempoResources.gridWeights, for: GridFeatures.names)

  /// - Parameters:
  ///   - table: For each feature, its weights in the units and, last, its linear weight. The table also contains the
  ///     units' `bias` and `output`.
  ///   - features: Names of the features in the order of their values. Features added after the last fit have no
  ///     weight.
  init(_ table: NumberTable, for features: [String]) {
    bias = (table["bias"] ?? []).map(Float.init)
    output = (table["output"] ?? []).map(Float.init)
    let unitCount = output.count
    let rows = features.map { table[$0] ?? [Double](repeating: 0, count: unitCount + 1) }
    precondition(bias.count == unitCount && rows.allSatisfy { $0.count == unitCount + 1 })
    hidden = (0..<unitCount).flatMap { unit in rows.map { Float($0[unit]) } }
    linear = rows.map { Float($0[unitCount]) }
  }
}
