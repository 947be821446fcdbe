internal import Analysis

/// The placeholder for a missing cover: a curve of the onset strength over a track.
enum PlaceholderCover {
  /// Returns the means of the onset strengths over `count` equal parts of the track; `nil` if there are no onsets. The
  /// strengths are first scaled so that the range from the 4th to the 96th percentile becomes 0 to 63, and clamped to
  /// that range.
  static func points(of onsets: TempoFinding.OnsetSummary, count: Int) -> [Int]? {
    let values = onsets.values.filter(\.isFinite)
    guard values.count > 1, let top = values.max(), top > 0 else { return nil }
    let sorted = values.sorted()
    let low = sorted[Int(Double(sorted.count - 1) * 0.04)]
    let high = sorted[Int(Double(sorted.count - 1) * 0.96)]
    let range = high > low ? high - low : 1
    return (0..<count).map { point in
      let start = point * values.count / count
      let part = values[start..<max(start + 1, (point + 1) * values.count / count)]
      let mean = part.reduce(0) { $0 + min(max(($1 - low) / range, 0), 1) } / Double(part.count)
      return Int((63 * mean).rounded())
    }
  }
}
