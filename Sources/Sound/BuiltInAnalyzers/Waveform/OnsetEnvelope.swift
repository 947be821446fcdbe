internal import DSP

/// The onset strength of each frame.
///
/// The rise of each band's log power over the larger of the two previous frames is summed over the bands. Then the mean
/// over one second is subtracted. The part above zero is divided by its standard deviation and compressed as x / (x +
/// 1.5), so that a few loud hits do not dominate. `tempo` processes its onsets, which have more bands, in the same way.
enum OnsetEnvelope {
  /// Power, relative to a band's mean power, that is added before taking the logarithm.
  private static let floor: Float = 1e-4

  /// - Parameters:
  ///   - squares: Sums of squares of the low, middle and high band of each frame.
  ///   - framesPerSecond: Frame rate.
  /// - Returns: A value for each frame, in 0..<1.
  static func strengths(_ squares: [SIMD4<Float>], framesPerSecond: Double) -> [Float] {
    let count = squares.count
    guard count > 2 else { return [Float](repeating: 0, count: count) }
    var total = SIMD4<Double>.zero
    for value in squares { total += SIMD4<Double>(value) }
    let mean = SIMD4<Float>(total / Double(count))
    let base = Self.floor * mean + .leastNormalMagnitude
    var levels = [SIMD8<Float>](repeating: .zero, count: count)
    for (index, value) in squares.enumerated() {
      levels[index] = naturalLog(SIMD8(lowHalf: value / base + 1, highHalf: SIMD4(repeating: 1)))
    }
    var rises = [Float](repeating: 0, count: count)
    for index in 2..<count {
      let past = pointwiseMax(levels[index - 1], levels[index - 2])
      let rise = pointwiseMax(levels[index] - past, .zero)
      rises[index] = rise[0] + rise[1] + rise[2]
    }
    return normalized(rises, reach: Int((0.5 * framesPerSecond).rounded()))
  }

  /// - Parameter reach: Number of frames on each side that are averaged to get the mean.
  private static func normalized(_ rises: [Float], reach: Int) -> [Float] {
    var values = rises
    var sum = rises.prefix(reach).reduce(0.0) { $0 + Double($1) }
    var (total, squares) = (0.0, 0.0)
    for index in rises.indices {
      if index + reach < rises.count { sum += Double(rises[index + reach]) }
      if index > reach { sum -= Double(rises[index - reach - 1]) }
      let neighbors = min(index + reach, rises.count - 1) - max(index - reach, 0) + 1
      values[index] = max(0, rises[index] - Float(sum / Double(neighbors)))
      total += Double(values[index])
      squares += Double(values[index]) * Double(values[index])
    }
    let mean = total / Double(rises.count)
    let deviation = Float(max(0, squares / Double(rises.count) - mean * mean).squareRoot())
    guard deviation > 1e-3 else { return [Float](repeating: 0, count: rises.count) }
    return values.map { $0 / ($0 + 1.5 * deviation) }
  }
}
