internal import Landmarks

extension Matcher {
  /// The columns of a query in which the track of a hit is heard: other music, or none, may come before and after it.
  ///
  /// Under the track's landmarks the filter's values have a mean above 0 where the track is heard, and 0 elsewhere. From
  /// where they are highest the part grows to both sides as far as their sum over half that mean grows: the likeliest
  /// points of change (Page, Biometrika 1954).
  mutating func heardPart(of hit: Hit, in query: RecognitionQuery) -> Range<Double> {
    let values =
      MatchedFilter.with(query.filter) { filter -> [MatchedFilter.Value] in
        load(hit, filter)
        return points.withUnsafeBufferPointer { filter.values($0, hit.placement) }.map {
          // That a landmark is there counts, not how clearly it is heard: else the clearest alone would decide.
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
    // If no landmark of the track contradicts, it goes on to its end, or to that of the query.
    var start = values[..<(anchor.range.lowerBound - before)].last.map { Double($0.column) + 0.5 } ?? limits.lowerBound
    var end = values[(anchor.range.upperBound + behind)...].first.map { Double($0.column) + 0.5 } ?? limits.upperBound
    // At the edges of a track there may be little to recognize it by.
    if start < max(trackStart + Self.quietEdge, limits.lowerBound + Self.edge) { start = limits.lowerBound }
    if end > min(trackEnd - Self.quietEdge, limits.upperBound - Self.edge) { end = limits.upperBound }
    for silence in query.silences {
      let (first, last) = (Double(silence.lowerBound), Double(silence.upperBound))
      if first - 1 <= start, start < last { start = last }
      if first < end, end <= last + 1 { end = first }
    }
    return min(start, end)..<max(start, end)
  }

  /// The start and end of a hit's track in a query: before its start perhaps, and behind its end.
  private func columns(ofTrackOf hit: Hit, in query: RecognitionQuery) -> (start: Double, end: Double) {
    func column(_ trackColumn: Int) -> Double {
      Double((Float(trackColumn) - hit.placement.center) / hit.placement.slope) + Double(query.columnCount) / 2
    }
    return (column(0), column(columnCount(ofTrackOf: hit)))
  }

  /// A second and a half, in columns: who hears a track from so near to its edge hears all of it.
  private static let quietEdge = 1.5 * LandmarkSpectrum.columnsPerSecond
  /// Half a second, in columns: where sound begins or ends, it is no further to the track.
  private static let edge = 0.5 * LandmarkSpectrum.columnsPerSecond
  /// A deviation.
  private static let highestValue = FilterRows.steps
  /// Landmarks, about two seconds of them: enough for a mean.
  private static let anchorCount = 64

  /// The place where the mean of a given number of values in a row is highest; `nil` if it is nowhere above 0.
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

  /// How many of the values belong to the part before them: up to where their sum above the threshold is highest.
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
