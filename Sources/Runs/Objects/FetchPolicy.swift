/// The retry policy for a server.
public struct FetchPolicy: Hashable, Sendable {
  /// Maximum number of attempts per object, or per page of a listing.
  public var attempts = 6
  /// Pause before the second attempt. It doubles with each further attempt.
  public var firstPause = Duration.milliseconds(500)
  public var maxPause = Duration.seconds(30)
  /// Maximum pause that a server may request (`Retry-After`).
  public var maxRetryAfter = Duration.seconds(120)
  /// Maximum time for which a server may be silent, or send less than 1,024 bytes per second.
  public var silence: Duration

  public init(silence: Duration = .seconds(60)) { self.silence = silence }

  /// - Parameter failures: Number of failed attempts, at least 1.
  func pause(after failures: Int, asked: Duration?) -> Duration {
    if let asked { return min(asked, maxRetryAfter) }
    // Half of the pause is random, so that workers that failed at the same time do not retry at the same time.
    return min(firstPause * (1 << min(failures - 1, 16)), maxPause) * Double.random(in: 0.5...1)
  }
}
