/// When the next run is tried after one that failed: after 15 s at first, then after twice as long each time up to an
/// hour, or soon after something has changed: a new file must not wait for an hour.
struct RetryPause {
  let length: Duration
  private let begin: ContinuousClock.Instant
  private let runBegin: ContinuousClock.Instant

  static let shortest = Duration.seconds(15)
  static let longest = Duration.seconds(3600)

  /// - Parameters:
  ///   - previous: The pause before the run, if that was not the first to fail.
  ///   - runBegin: When the run began.
  init(after previous: RetryPause?, runBegin: ContinuousClock.Instant, now: ContinuousClock.Instant = .now) {
    length = min(previous.map { $0.length * 2 } ?? Self.shortest, Self.longest)
    begin = now
    self.runBegin = runBegin
  }

  /// - Parameters:
  ///   - lastChange: When something last changed in the library. Changes that the run may have seen do not count.
  ///   - quietPeriod: How long to wait after a change.
  func end(lastChange: ContinuousClock.Instant?, quietPeriod: Duration) -> ContinuousClock.Instant {
    guard let lastChange, lastChange > runBegin else { return begin + length }
    return min(begin + length, max(begin + Self.shortest, lastChange + quietPeriod))
  }
}
