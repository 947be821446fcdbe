internal import Landmarks

/// Local search for the best placement, starting from an approximate one.
extension MatchedFilter {
  typealias Points = UnsafeBufferPointer<Point>

  /// Bonus for true speed and pitch, in log odds: another placement must fit better by this much. z is the square root
  /// of twice the log odds.
  private static let neutralBonus: Float = 3
  /// Range of slopes that are searched.
  private static let slopes: ClosedRange<Float> = 0.85...1.15

  /// Adopts a placement, and returns `true`, if it is plausible and fits better.
  private func attempt(_ placement: Placement, _ points: Points, _ hit: inout Matcher.Hit) -> Bool {
    guard placement.isConsistent, Self.slopes.contains(placement.slope) else { return false }
    let (z, moved) = best(points, placement)
    // A measurable gain is required, so that the search ends.
    guard z > hit.z * 1.0001 else { return false }
    (hit.z, hit.placement) = (z, moved)
    return true
  }

  /// Tries the neighboring slopes and shifts.
  func nudge(_ hit: inout Matcher.Hit, _ points: Points) {
    let start = hit.placement
    for slope: Float in [-0.01, 0, 0.01] {
      for shift in -1...1 where slope != 0 || shift != 0 {
        _ = attempt(moved(start, slope: slope, shift: shift), points, &hit)
      }
    }
  }

  /// Hill-climbs to the best slope, shift and center.
  func optimize(_ hit: inout Matcher.Hit, _ points: Points) {
    var start = hit.placement
    let reach = max(5, abs(start.shift) + 2)
    for shift in -reach...reach {
      start.shift = shift
      _ = attempt(start, points, &hit)
    }
    var step: Float = 0.01
    while step > 0.001 {
      var improved = false
      for (slope, shift): (Float, Int) in [(-step, 0), (step, 0), (0, -1), (0, 1), (-step, -1), (step, 1)] {
        if attempt(moved(hit.placement, slope: slope, shift: shift), points, &hit) { improved = true }
      }
      if !improved { step /= 2 }
    }
    let (z, moved) = best(points, hit.placement.neutral)
    if z > 0, z * z > hit.z * hit.z - 2 * Self.neutralBonus { (hit.z, hit.placement) = (z, moved) }
  }

  /// Returns a placement moved to the column where it fits best. It is set to true speed and pitch if they fit about as
  /// well.
  func settled(_ placement: Placement, _ points: Points) -> Placement {
    let (z, moved) = best(points, placement)
    let (neutralZ, neutral) = best(points, placement.neutral)
    if neutralZ > 0, neutralZ * neutralZ > z * z - 2 * Self.neutralBonus { return neutral }
    return z > 0 ? moved : placement
  }

  private func moved(_ placement: Placement, slope: Float, shift: Int) -> Placement {
    Placement(center: placement.center, slope: placement.slope + slope, shift: placement.shift + shift)
  }

  /// Searches a whole track for a place that fits better, and moves the hit there. Music repeats, and votes distinguish
  /// repetitions less well than the filter does.
  /// - Parameter points: All landmarks of the track.
  /// - Returns: `true` if the hit was moved.
  func relocate(_ hit: inout Matcher.Hit, _ points: Points, columnCount: Int) -> Bool {
    var found = hit
    let step = Float(Self.lanes) * hit.placement.slope
    var placement = hit.placement
    placement.center = 0
    var sweep = Sweep(self, points, placement)
    while placement.center < Float(columnCount) + step {
      let (z, moved) = best(of: sweep.next(), placement)
      if z > found.z { (found.z, found.placement) = (z, moved) }
      placement.center += step
    }
    guard found.z > hit.z else { return false }
    let near = reach(of: found.placement)
    points.filter { near.contains(Float($0.column)) }.withUnsafeBufferPointer { optimize(&found, $0) }
    hit = found
    return true
  }
}
