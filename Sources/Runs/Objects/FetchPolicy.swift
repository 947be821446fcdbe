/// How often and how patiently a server is asked.
public struct FetchPolicy: Hashable, Sendable {
  /// Tries for one object.
  public var attempts = 6
  /// Before the second try; doubled for each further one.
  public var firstPause = Duration.milliseconds(500)
  public var longestPause = Duration.seconds(30)
  /// The longest that a server may ask to be left alone (`Retry-After`).
  public var longestRetryAfter = Duration.seconds(120)
  /// How long a server may be silent, or send less than 1,024 bytes a second.
  public var silence: Duration

  public init(silence: Duration = .seconds(60)) { self.silence = silence }

  /// - Parameter failures: At least 1.
  func pause(after failures: Int, asked: Duration?) -> Duration {
    if let asked { return min(asked, longestRetryAfter) }
    // Half of it at random: workers that failed together must not come back together.
    return min(firstPause * (1 << min(failures - 1, 16)), longestPause) * Double.random(in: 0.5...1)
  }
}
