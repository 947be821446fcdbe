internal import DSP
internal import Resources

/// The linear projection from sound statistics to descriptors. It brings tracks of the same album and artist close to
/// each other. It is fitted by `Benchmarks/likeness/fit.py`; docs/likeness.md names the training data.
struct SoundProjection {
  /// Means of the statistics, which are subtracted first.
  private let means: [Float]
  /// Reciprocals of the standard deviations. The scaled differences are clamped to ±`limit`.
  private let scales: [Float]
  /// The projection matrix, with a row for each number of a descriptor.
  private let rows: [Float]
  private static let limit: Float = 4

  static let fitted = SoundProjection(floats(ofHalves: cresources_likeness_projection().contents))

  init(_ weights: [Float]) {
    let count = SoundStatistics.count
    precondition(weights.count == (2 + SoundDescriptor.count) * count, "weights of another projection")
    means = Array(weights[..<count])
    scales = Array(weights[count..<2 * count])
    rows = Array(weights[(2 * count)...])
  }

  func callAsFunction(_ statistics: [Double]) -> SoundDescriptor {
    let count = statistics.count
    let normal = statistics.indices.map {
      min(max((Float(statistics[$0]) - means[$0]) * scales[$0], -Self.limit), Self.limit)
    }
    return SoundDescriptor(
      (0..<SoundDescriptor.count).map { row in
        (0..<count).reduce(0 as Float) { $0 + rows[row * count + $1] * normal[$1] }
      })
  }
}
