package import AnalysisTasks
package import ArgumentParser

extension ExitStatus {
  package var exitCode: ExitCode { ExitCode(rawValue) }
}

/// An error that ends a command with a status and a sentence on standard error.
package struct CommandFailure: Error, CustomStringConvertible {
  package let status: ExitStatus
  package let description: String

  package init(_ status: ExitStatus, _ description: String) {
    self.status = status
    self.description = description
  }
}
