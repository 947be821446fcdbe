/// Distinguishes musical events from faults, which occur at random times.
enum Rhythm {
  /// Minimum share of intervals that have one of a few lengths.
  private static let minShare = 0.65
  private static let maxLengths = 3
  /// Number of intervals per allowed length; at least one length is allowed.
  private static let intervalsPerLength = 6
  /// Maximum deviation of intervals of one length: a share of the length plus a number of seconds.
  private static let deviation = (share: 0.04, seconds: 0.002)

  /// Returns `true` if most intervals between successive events have one of up to three lengths.
  /// - Parameter places: Positions of the events, ascending.
  static func isFollowed(by places: [Int64], sampleRate: Int) -> Bool {
    var intervals = zip(places, places.dropFirst()).map { Double($1 - $0) / Double(sampleRate) }.sorted()
    guard !intervals.isEmpty else { return false }
    let count = intervals.count
    var found = 0
    for _ in 0..<min(max(1, count / intervalsPerLength), maxLengths) {
      var best = 0..<0
      var end = 0
      for start in intervals.indices {
        let limit = intervals[start] * (1 + deviation.share) + deviation.seconds
        while end < intervals.count, intervals[end] <= limit { end += 1 }
        if end - start > best.count { best = start..<end }
      }
      found += best.count
      intervals.removeSubrange(best)
    }
    return Double(found) >= minShare * Double(count)
  }
}
