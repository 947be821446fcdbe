/// A local maximum, interpolated between samples.
public struct Peak: Hashable, Sendable {
  /// The position in samples, interpolated by a parabola through the maximum and its neighbors.
  public var position: Double
  /// The height of the parabola.
  public var value: Float
}

/// Returns the local maxima of a curve, highest first. Maxima of equal height stay in the order of the curve.
///
/// - Parameters:
///   - values: The curve.
///   - isCircular: `true` if the end of the curve is followed by its start.
///   - limit: Maximum number of peaks.
public func peaks(of values: Span<Float>, isCircular: Bool = false, limit: Int = .max) -> [Peak] {
  let count = values.count
  guard count > 2 else { return [] }
  var found: [Peak] = []
  for index in 0..<count {
    if !isCircular && (index == 0 || index == count - 1) { continue }
    let before = values[index == 0 ? count - 1 : index - 1]
    let here = values[index]
    let after = values[index == count - 1 ? 0 : index + 1]
    // On a plateau, the first sample counts.
    guard here > before, here >= after else { continue }
    let curvature = before - 2 * here + after
    let shift = curvature < 0 ? 0.5 * (before - after) / curvature : 0
    found.append(Peak(position: Double(index) + Double(shift), value: here - 0.25 * (before - after) * shift))
  }
  found.sort { ($1.value, $0.position) < ($0.value, $1.position) }
  return found.count > limit ? Array(found[..<limit]) : found
}
