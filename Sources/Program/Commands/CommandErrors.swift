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
      case let error as DefinitionError: (.usage, Self.sentence("\(error)"))
      case let error as ScanError: (.fatal, Self.sentence("\(error)"))
      case let error as LineReadingError: (.fatal, Self.sentence("\(error)"))
      // Not an error: the reader wants no more output, as with `| head`.
      case ReportError.closedPipe, ExportError.closedPipe: (.fine, nil)
      case ExportError.unknownOption, ExportError.badOption: (.usage, "\(error)")
      case StoreError.lockedByRun: (.locked, "\(error)")
      case CatalogError.locked: (.locked, Self.sentence("\(error)"))
      case CatalogError.damaged:
        (
          .fatal,
          "\(error). Run `analyze catalog build`, which repairs a catalog; make an exported file again with "
            + "`analyze catalog export`."
        )
      case let error as CatalogError: (.fatal, Self.sentence("\(error)"))
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

  /// Adds a full stop, unless the text ends with a question mark.
  private static func sentence(_ text: String) -> String {
    text.hasSuffix("?") ? text : text + "."
  }
}
