/// The pause before a failed run is tried again: 15 s at first, then twice as long each time, up to an hour. So that a
/// new file need not wait for an hour, a change in the library ends the pause early, but not within 15 s.
struct RetryPause {
  let length: Duration
  private let begin: ContinuousClock.Instant
  private let runBegin: ContinuousClock.Instant

  static let minLength = Duration.seconds(15)
  static let maxLength = Duration.seconds(3600)

  /// - Parameters:
  ///   - previous: The pause before the run; `nil` if it was the first to fail.
  ///   - runBegin: The time at which the run started.
  init(after previous: RetryPause?, runBegin: ContinuousClock.Instant, now: ContinuousClock.Instant = .now) {
    length = min(previous.map { $0.length * 2 } ?? Self.minLength, Self.maxLength)
    begin = now
    self.runBegin = runBegin
  }

  /// - Parameters:
  ///   - lastChange: Time of the last change in the library. It is ignored if the run may have seen that change.
  ///   - quietPeriod: The time to wait after a change.
  func end(lastChange: ContinuousClock.Instant?, quietPeriod: Duration) -> ContinuousClock.Instant {
    guard let lastChange, lastChange > runBegin else { return begin + length }
    return min(begin + length, max(begin + Self.minLength, lastChange + quietPeriod))
  }
}
