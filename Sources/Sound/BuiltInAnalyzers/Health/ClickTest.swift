internal import CKernels
internal import Foundation

/// Decides whether a few samples are a click: linear prediction from the surrounding samples fails only there, and
/// succeeds once the few samples are interpolated.
///
/// Prediction and interpolation use an autoregressive model: Godsill and Rayner, "Digital Audio Restoration" (1998),
/// chapter 5.
struct ClickTest {
  /// Number of samples on either side from which the model is estimated.
  static let reach = 1024
  private static let order = 28
  /// The range of samples to interpolate, relative to the sample with the largest error.
  private static let hole = -5..<6
  /// Minimum score of a click, fitted to the split `fit` of Benchmarks/health. The score is a product of powers of
  /// three measures.
  static let minScore = 3.1
  /// One 16-bit step; smaller errors are rounding.
  private static let minError = 1.0 / 32768

  struct Click {
    /// Index in the window.
    var index: Int
    var strength: Double
    var score: Double
    /// `true` if interpolation leaves no error larger than the errors elsewhere, and the samples deviated mostly to one
    /// side. Where a note begins or ends abruptly, neither holds: a step deviates to both sides of the interpolation.
    var isMended: Bool
  }

  private var samples = [Double](repeating: 0, count: 2 * reach + order)
  private var errors = [Double](repeating: 0, count: 2 * reach - order)
  private var correlation = [Double](repeating: 0, count: order + 1)

  /// Returns the click in a cell; `nil` if there is none.
  /// - Parameter cell: Range to search; `reach` samples precede and follow it.
  mutating func click(_ window: Span<Float>, in cell: Range<Int>) -> Click? {
    var (place, largest): (Int, Float) = (cell.lowerBound, -1)
    for index in cell {
      let outer = window[index - 2] + window[index + 2]
      let rest = abs((4 * (window[index - 1] + window[index + 1]) - outer) / 6 - window[index])
      if rest > largest { (place, largest) = (index, rest) }
    }
    guard place >= Self.reach, place + Self.reach <= window.count else { return nil }
    guard !isStep(window, at: place, size: largest) else { return nil }
    let count = 2 * Self.reach
    for index in 0..<count { samples[index] = Double(window[place - Self.reach + index]) }
    guard let filter = predictionErrorFilter(count: count) else { return nil }
    predict(filter, count: count)
    return judge(filter, place: place)
  }

  /// Returns `true` for a step. A click returns to the initial level. A step does not: neither a line nor a cubic curve
  /// through the samples on either side explains the level after it.
  /// - Parameter size: The residual at `place`. For a step, the residual is half of the step; for a wider click, it is
  ///   as large as the click.
  private func isStep(_ window: Span<Float>, at place: Int, size: Float) -> Bool {
    func mean(_ first: Int) -> Float { (window[first] + window[first + 1] + window[first + 2]) / 3 }
    let slope = (window[place - 5] - window[place - 15] + window[place + 15] - window[place + 5]) / 20
    let beyondLine = abs(mean(place + 5) - mean(place - 7) - 12 * slope)
    guard beyondLine > 1.2 * size else { return false }
    var beyondCurve: Float = 0
    for (index, weight) in Self.stepWeights.enumerated() {
      beyondCurve += weight * (window[place + 5 + index] - window[place - 5 - index])
    }
    return abs(beyondCurve) > 1.2 * size
  }

  /// Weights for the differences between samples 5 to 15 after a position and the samples as far before it. The
  /// weighted sum is the step in a cubic curve; of all weights with that property, these have the smallest sum of
  /// squares.
  private static let stepWeights: [Float] = {
    let places = (5...15).map(Double.init)
    // w = a + b·t + c·t³, with Σw = 1, Σw·t = 0 and Σw·t³ = 0.
    func sum(_ power: Double) -> Double { places.reduce(0) { $0 + pow($1, power) } }
    let rows = [[sum(0), sum(1), sum(3)], [sum(1), sum(2), sum(4)], [sum(3), sum(4), sum(6)]]
    func minor(_ a: Int, _ b: Int) -> Double { rows[1][a] * rows[2][b] - rows[1][b] * rows[2][a] }
    let minors = [minor(1, 2), -minor(0, 2), minor(0, 1)]
    let determinant = zip(rows[0], minors).reduce(0) { $0 + $1.0 * $1.1 }
    return places.map { Float((minors[0] + minors[1] * $0 + minors[2] * pow($0, 3)) / determinant) }
  }()

  /// Prediction error filter: 1 and the negative coefficients of the model, from the autocorrelation (Levinson and
  /// Durbin); `nil` for silence, or if the recursion is unstable.
  private mutating func predictionErrorFilter(count: Int) -> [Double]? {
    samples.withUnsafeBufferPointer { samples in
      guard let base = samples.baseAddress else { return }
      unsafe csamplecells_autocorrelate(base, count, Self.order, &correlation)
    }
    var error = correlation[0] * (1 + 1e-7) + 1e-9 * Double(count)
    guard correlation[0] > 1e-9 * Double(count), error.isFinite else { return nil }
    var filter = [1.0] + [Double](repeating: 0, count: Self.order)
    var former = filter
    for step in 1...Self.order {
      var sum = correlation[step]
      for index in stride(from: 1, to: step, by: 1) { sum += filter[index] * correlation[step - index] }
      let reflection = -sum / error
      former = filter
      for index in 1...step { filter[index] = former[index] + reflection * (index == step ? 1 : former[step - index]) }
      error *= 1 - reflection * reflection
      guard error > 0 else { return nil }
    }
    return filter
  }

  /// Computes the prediction errors of all samples preceded by `order` samples.
  private mutating func predict(_ filter: [Double], count: Int) {
    samples.withUnsafeBufferPointer { samples in
      guard let base = samples.baseAddress else { return }
      unsafe csamplecells_filter(base + Self.order, count - Self.order, filter, Self.order, &errors)
    }
  }

  private func judge(_ filter: [Double], place: Int) -> Click? {
    let center = Self.reach - Self.order
    let touched = center - Self.order - 8..<center + Self.order + 12
    var elsewhere = Self.minError
    for index in errors.indices where !touched.contains(index) { elsewhere = max(elsewhere, abs(errors[index])) }
    let peak = errors[(center - 6)..<(center + 6)].reduce(0) { max($0, abs($1)) }
    let (changes, left) = interpolated(filter, center: center)
    let change = changes.reduce(0) { max($0, abs($1)) }
    let (strength, rest) = (peak / elsewhere, max(0.05, left / elsewhere))
    let score = strength * pow(change / rest, 0.6)
    guard score.isFinite, score >= Self.minScore else { return nil }
    let first = changes.firstIndex { abs($0) > 0.5 * change } ?? 0
    // Small changes are caused by the surrounding noise.
    let large = changes.filter { abs($0) > 0.3 * change }
    let isOneSided = abs(large.reduce(0, +)) > 0.4 * large.reduce(0) { $0 + abs($1) }
    return Click(
      index: place + Self.hole.lowerBound + first, strength: strength, score: score, isMended: rest < 1 && isOneSided)
  }

  /// Interpolates the hole so that the sum of squared errors is minimal.
  /// - Returns: The change of each sample, and the largest remaining error.
  private func interpolated(_ filter: [Double], center: Int) -> (changes: [Double], left: Double) {
    let count = Self.hole.count
    let first = center + Self.hole.lowerBound
    let rows = first..<first + count + Self.order
    // Normal equations: the autocorrelation of the filter, and its correlation with the errors.
    let diagonals = (0..<count).map { lag in
      (0...Self.order - lag).reduce(0.0) { $0 + filter[$1] * filter[$1 + lag] }
    }
    var changes = (0..<count).map { sample in
      -(0...Self.order).reduce(0.0) { $0 + filter[$1] * errors[first + sample + $1] }
    }
    solve(diagonals, &changes)
    var left = 0.0
    for row in rows {
      var error = errors[row]
      for sample in 0..<count where row - first - sample >= 0 && row - first - sample <= Self.order {
        error += changes[sample] * filter[row - first - sample]
      }
      left = max(left, abs(error))
    }
    return (changes, left)
  }

  /// Solves a system with a symmetric Toeplitz matrix by Cholesky decomposition.
  private func solve(_ diagonals: [Double], _ values: inout [Double]) {
    let count = values.count
    var lower = [Double](repeating: 0, count: count * count)
    for row in 0..<count {
      for column in 0...row {
        var sum = diagonals[row - column]
        for inner in 0..<column { sum -= lower[row * count + inner] * lower[column * count + inner] }
        lower[row * count + column] =
          row == column ? max(sum, 1e-12).squareRoot() : sum / lower[column * count + column]
      }
    }
    for row in 0..<count {
      for inner in 0..<row { values[row] -= lower[row * count + inner] * values[inner] }
      values[row] /= lower[row * count + row]
    }
    for row in (0..<count).reversed() {
      for inner in stride(from: row + 1, to: count, by: 1) { values[row] -= lower[inner * count + row] * values[inner] }
      values[row] /= lower[row * count + row]
    }
  }
}
