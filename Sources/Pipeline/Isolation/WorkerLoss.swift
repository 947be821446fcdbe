public import AudioAnalysis
internal import Glibc

/// How a worker process was lost, and what it was doing then.
public struct WorkerLoss: Hashable, Sendable {
  public enum Cause: Hashable, Sendable {
    case signal(Int)
    case exit(status: Int)
    /// It was killed for taking too long.
    case timeLimit
    /// What it said made no sense.
    case noAnswer
  }

  public var cause: Cause
  public var stage: Problem.Stage

  public init(cause: Cause, stage: Problem.Stage) {
    self.cause = cause
    self.stage = stage
  }

  init(_ ending: ChildProcess.Ending, _ stage: Problem.Stage) {
    let cause: Cause =
      switch ending {
      case .signal(let number): .signal(number)
      case .status(let status): .exit(status: status)
      }
    self.init(cause: cause, stage: stage)
  }
}

extension WorkerLoss: CustomStringConvertible {
  public var description: String {
    let cause =
      switch cause {
      case .signal(let number): unsafe "signal \(number), \(String(cString: strsignal(Int32(number))))"
      case .exit(let status): "exit status \(status)"
      case .timeLimit: "it took too long"
      case .noAnswer: "it gave no usable answer"
      }
    return "\(cause), at stage \(stage.rawValue)"
  }
}
