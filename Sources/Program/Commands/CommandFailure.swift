import AnalysisTasks
import ArgumentParser

extension ExitStatus {
  var exitCode: ExitCode { ExitCode(rawValue) }
}

/// Ends a command with a status and a sentence on standard error.
struct CommandFailure: Error, CustomStringConvertible {
  let status: ExitStatus
  let description: String

  init(_ status: ExitStatus, _ description: String) {
    self.status = status
    self.description = description
  }
}
