import ArgumentParser
import AudioAnalysis
import LibraryScan
import Pipeline
import Recognition
import Reporting
import ResultStore

/// Runs the body of a command: whatever it throws becomes one line on standard error and the exit status that fits.
func reportingErrors(_ body: () async throws -> Void) async throws {
  do {
    try await body()
  } catch let error as ExitCode {
    throw error
  } catch let failure as CommandFailure {
    throw ending(failure.status, "\(failure)")
  } catch let error as DefinitionError {
    throw ending(.usage, sentence("\(error)"))
  } catch let error as ScanError {
    throw ending(.fatal, sentence("\(error)"))
  } catch ReportError.closedPipe {
    // As with `| head`: nobody wants the rest, and nothing is wrong.
    throw ExitStatus.fine.exitCode
  } catch let error as CatalogError {
    if case .locked = error { throw ending(.locked, sentence("\(error)")) }
    throw ending(.fatal, sentence("\(error)"))
  } catch let error as StoreError {
    if case .lockedByRun = error { throw ending(.locked, "\(error)") }
    throw ending(.fatal, "\(error)")
  } catch {
    throw ending(.fatal, "\(error)")
  }
}

/// With a full stop, unless it ends in a question.
private func sentence(_ text: String) -> String {
  text.hasSuffix("?") ? text : text + "."
}

private func ending(_ status: ExitStatus, _ message: String) -> ExitCode {
  Terminal.writeLine("analyze: \(printable(message))")
  return status.exitCode
}
