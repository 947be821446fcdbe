internal import Fingerprinting

extension Matcher {
  /// The columns of a query in which the track of a hit is heard: other music, or none, may come before and after it.
  ///
  /// Under the track's landmarks the filter's values have a mean above 0 where the track is heard, and 0 elsewhere. From
  /// where they are highest the part grows to both sides as far as their sum over half that mean grows: the likeliest
  /// points of change (Page, Biometrika 1954).
  mutating func heardPart(of hit: Hit, in query: Query) -> Range<Double> {
    let values =
      MatchedFilter.with(query.filter) { filter -> [MatchedFilter.Value] in
        load(hit, filter)
        return points.withUnsafeBufferPointer { filter.values($0, hit.placement) }.map {
          // That a landmark is there counts, not how clearly it is heard: else the clearest alone would decide.
          MatchedFilter.Value(column: $0.column, value: min($0.value, Self.highestValue))
        }
      } ?? []
    let whole = 0..<Double(query.columnCount)
    guard values.count >= 2 * Self.anchorCount, let anchor = Self.anchor(in: values) else { return whole }
    let threshold = anchor.mean / 2
    let last = Self.furthest(values[anchor.range.upperBound...], above: threshold)
    let first = Self.furthest(values[..<anchor.range.lowerBound].reversed(), above: threshold)
    // Where no landmark of the track contradicts, it goes on to the end of the query.
    let start = values[..<(anchor.range.lowerBound - first)].last.map { Double($0.column) + 0.5 } ?? 0
    let end = values[(anchor.range.upperBound + last)...].first.map { Double($0.column) + 0.5 } ?? whole.upperBound
    return min(start, end)..<max(start, end)
  }

  /// A deviation.
  private static let highestValue = FilterRows.steps
  /// Landmarks, about two seconds of them: enough for a mean.
  private static let anchorCount = 64

  /// Where the mean of so many values in a row is highest; `nil` if it is nowhere above 0.
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
