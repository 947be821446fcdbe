internal import DSP

/// Weights of `GridChoice`: of the features, and of a hidden layer. `Benchmarks/tempo/fit.py` fits them and writes them
/// with the names of the features.
struct GridWeights {
  /// A number for each feature.
  let linear: [Float]
  /// For each unit, a number for each feature.
  let hidden: [Float]
  /// A number for each unit.
  let bias: [Float]
  let output: [Float]

  static let fitted = GridWeights(TempoResources.gridWeights, for: GridFeatures.names)

  /// - Parameters:
  ///   - table: For each feature its weights in the units and, last, its linear weight; `bias` and `output` of the
  ///     units.
  ///   - features: Names, in the order of the values. Features added after the last fit have no weight.
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
