import AnalysisTasks
import ResultStore
import SystemPackage

/// Does something for each file. The problem of one is reported, the others go on, and the command has failed in the
/// end.
func inTurn(_ files: [PathArgument], _ body: (FilePath) throws -> Void) throws {
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
