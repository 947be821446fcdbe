import Analysis
import AnalysisTasks
import ArgumentParser
import Exports
import LibraryScan
import Pipeline
import Platform
import Recognition
import Reporting
import ResultStore

/// Runs the body of a command, and turns errors into one line on standard error and an exit status.
package func reportingErrors(_ body: () async throws -> Void) async throws {
  do {
    try await body()
  } catch let error as ExitCode {
    throw error
  } catch {
    let ending = CommandEnding(after: error)
    if let sentence = ending.sentence {
      Log.write(.error, ending.event, sentence)
    }
    throw ending.status.exitCode
  }
}

/// The effect of an error on a command: its exit status and message.
struct CommandEnding {
  let status: ExitStatus
  /// The message; `nil` if there is none.
  let sentence: String?

  init(after error: any Error) {
    (status, sentence) =
      switch error {
      case let failure as CommandFailure: (failure.status, "\(failure)")
      case let error as DefinitionError: (.usage, "\(error)".sentence)
      case let error as ScanError: (.fatal, "\(error)".sentence)
      case let error as LineReadingError: (.fatal, "\(error)".sentence)
      // The program that reads the output, such as `head`, needs no more, which is not an error.
      case ReportError.closedPipe, ExportError.closedPipe: (.fine, nil)
      case ExportError.unknownOption, ExportError.badOption: (.usage, "\(error)")
      case StoreError.lockedByRun: (.locked, "\(error)")
      case CatalogError.locked: (.locked, "\(error)".sentence)
      case CatalogError.damaged:
        (
          .fatal,
          "\(error). Run `analyze catalog build`, which repairs a catalog; make an exported file again with "
            + "`analyze catalog export`."
        )
      case let error as CatalogError: (.fatal, "\(error)".sentence)
      default: (.fatal, "\(error)")
      }
  }

  var event: String {
    switch status {
    case .usage: "usage"
    case .locked: "locked"
    default: "fatal"
    }
  }
}
