import AnalysisTasks
import ResultStore
import SystemPackage

/// Runs `body` for each file. If there are several files, the failure of one is reported, does not stop the others, and
/// makes the command fail at the end. Errors of the database and of usage end the loop at once.
func forEachFile(_ files: [PathArgument], _ body: (FilePath) throws -> Void) throws {
  var hasFailed = false
  for file in files {
    do {
      try body(file.path)
    } catch let error as StoreError {
      throw error
    } catch {
      let ending = CommandEnding(after: error)
      guard ending.status == .fatal, files.count > 1, let sentence = ending.sentence else { throw error }
      Log.write(.error, ending.event, sentence)
      hasFailed = true
    }
  }
  if hasFailed { throw ExitStatus.fatal.exitCode }
}
