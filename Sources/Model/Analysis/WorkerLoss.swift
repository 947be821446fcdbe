/// The end of a worker process over a file: how it was lost, and what it was doing then.
public struct WorkerLoss: Codable, Hashable, Sendable {
  public enum Cause: Codable, Hashable, Sendable {
    case signal(Int)
    case exit(status: Int)
    /// It was killed for taking too long.
    case timeLimit
    /// Its answer made no sense.
    case noAnswer
  }

  public var cause: Cause
  public var stage: Problem.Stage

  public init(cause: Cause, stage: Problem.Stage) {
    self.cause = cause
    self.stage = stage
  }

  /// The signal that ended it; `nil` if it ended by itself or was killed by us.
  public var signal: Int? {
    if case .signal(let number) = cause { number } else { nil }
  }
}
