package import AnalysisTasks
package import ArgumentParser

extension ExitStatus {
  package var exitCode: ExitCode { ExitCode(rawValue) }
}

/// An error that ends a command with a status and a sentence on standard error.
package struct CommandFailure: Error, CustomStringConvertible {
  package let status: ExitStatus
  package let description: String

  /// The filters select no track.
  static let nothingMatches = CommandFailure(.fatal, "No track matches. Check the filters with `analyze search`.")

  package init(_ status: ExitStatus, _ description: String) {
    self.status = status
    self.description = description
  }
}
