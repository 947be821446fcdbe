internal import Landmarks

extension Matcher {
  /// Returns the columns of a query in which the track of a hit is heard. Other music or silence may precede or follow
  /// it.
  ///
  /// At the track's landmarks, the mean of the filter's values is above 0 where the track is heard, and 0 elsewhere.
  /// Starting where the values are highest, the part is extended in each direction to where the sum of the values, each
  /// reduced by half of that mean, is highest. These two points are the most likely change points (Page,
  /// Biometrika 1954).
  mutating func detectedPart(of hit: Hit, in query: RecognitionQuery) -> Range<Double> {
    let values =
      MatchedFilter.with(query.filter) { filter -> [MatchedFilter.Value] in
        load(hit, filter)
        return points.withUnsafeBufferPointer { filter.values($0, hit.placement) }.map {
          // The values are clipped, so that the presence of a landmark counts rather than its clarity. Otherwise, the
          // clearest landmarks alone would decide.
          MatchedFilter.Value(column: $0.column, value: min($0.value, Self.highestValue))
        }
      } ?? []
    let (trackStart, trackEnd) = columns(ofTrackOf: hit, in: query)
    let sound = query.sound
    let first = max(Double(sound.lowerBound), trackStart)
    let limits = first...max(first, min(Double(sound.upperBound), trackEnd))
    guard values.count >= 2 * Self.anchorCount, let anchor = Self.anchor(in: values) else {
      return limits.lowerBound..<limits.upperBound
    }
    let threshold = anchor.mean / 2
    let before = Self.furthest(values[..<anchor.range.lowerBound].reversed(), above: threshold)
    let behind = Self.furthest(values[anchor.range.upperBound...], above: threshold)
    // If there are no landmarks beyond the part on one side, it extends to where the track or the query's sound begins
    // or ends.
    var start = values[..<(anchor.range.lowerBound - before)].last.map { Double($0.column) + 0.5 } ?? limits.lowerBound
    var end = values[(anchor.range.upperBound + behind)...].first.map { Double($0.column) + 0.5 } ?? limits.upperBound
    // The edges of a track may contain little that can be recognized.
    if start < max(trackStart + Self.quietEdge, limits.lowerBound + Self.edge) { start = limits.lowerBound }
    if end > min(trackEnd - Self.quietEdge, limits.upperBound - Self.edge) { end = limits.upperBound }
    for silence in query.silences {
      let (first, last) = (Double(silence.lowerBound), Double(silence.upperBound))
      if first - 1 <= start, start < last { start = last }
      if first < end, end <= last + 1 { end = first }
    }
    return min(start, end)..<max(start, end)
  }

  /// Returns the start and the end of a hit's track in a query, in columns. Both may be outside the query.
  private func columns(ofTrackOf hit: Hit, in query: RecognitionQuery) -> (start: Double, end: Double) {
    func column(_ trackColumn: Int) -> Double {
      Double((Float(trackColumn) - hit.placement.center) / hit.placement.slope) + Double(query.columnCount) / 2
    }
    return (column(0), column(columnCount(ofTrackOf: hit)))
  }

  /// 1.5 s in columns. A part that comes this close to an edge of the track is extended to the edge.
  private static let quietEdge = 1.5 * LandmarkSpectrum.columnsPerSecond
  /// 0.5 s in columns. A part that comes this close to where sound begins or ends is extended to that point.
  private static let edge = 0.5 * LandmarkSpectrum.columnsPerSecond
  /// Value to which the filter's values are clipped: one standard deviation.
  private static let highestValue = FilterRows.steps
  /// Number of landmarks that are averaged; they cover about two seconds.
  private static let anchorCount = 64

  /// Returns the run of `anchorCount` values with the highest mean; `nil` if no mean is above 0.
  private static func anchor(in values: [MatchedFilter.Value]) -> (range: Range<Int>, mean: Float)? {
    var sum: Float = values.prefix(anchorCount).reduce(0) { $0 + $1.value }
    var best = (first: 0, sum: sum)
    for first in 1...values.count - anchorCount {
      sum += values[first + anchorCount - 1].value - values[first - 1].value
      if sum > best.sum { best = (first, sum) }
    }
    guard best.sum > 0 else { return nil }
    return (best.first..<best.first + anchorCount, best.sum / Float(anchorCount))
  }

  /// Returns the number of values, counted outward from a part, that belong to it. The part ends where the sum of the
  /// values, each reduced by the threshold, is highest.
  private static func furthest(_ values: some Sequence<MatchedFilter.Value>, above threshold: Float) -> Int {
    var sum: Float = 0
    var best = (count: 0, sum: Float(0))
    for (index, value) in values.enumerated() {
      sum += value.value - threshold
      if sum > best.sum { best = (index + 1, sum) }
    }
    return best.count
  }
}
