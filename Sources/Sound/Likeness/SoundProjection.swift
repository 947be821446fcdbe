internal import DSP
internal import Resources

/// A linear map from statistics of sound to descriptors, in which tracks of one album and artist are near each other.
/// `Benchmarks/likeness/fit.py` has fitted it; docs/likeness.md says on what.
struct SoundProjection {
  /// Subtracted first.
  private let means: [Float]
  /// Scale of one standard deviation, by which the difference is multiplied; it is then kept within `limit`.
  private let scales: [Float]
  /// A row for each number of a descriptor.
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
