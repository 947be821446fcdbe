/// The loss of a worker process while it worked on a file: the cause, and the stage at that time.
public struct WorkerLoss: Codable, Hashable, Sendable {
  public enum Cause: Codable, Hashable, Sendable {
    case signal(Int)
    case exit(status: Int)
    /// The worker was killed because it took too long or made no progress.
    case timeLimit
    /// The worker gave no valid answer.
    case noAnswer
  }

  public var cause: Cause
  public var stage: Problem.Stage

  public init(cause: Cause, stage: Problem.Stage) {
    self.cause = cause
    self.stage = stage
  }

  /// The signal that ended the worker; `nil` for any other cause.
  public var signal: Int? {
    if case .signal(let number) = cause { number } else { nil }
  }
}
