import AnalysisTasks
import ArgumentParser
import ResultStore
import Text

struct PruneCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune", abstract: "Forget files that are gone, with their results")

  @Argument(help: ArgumentHelp("Only files below this path (default: everywhere)", valueName: "path"))
  var paths: [PathArgument] = []

  @Flag(name: [.customLong("dry-run"), .customShort("n")], help: "Show the number of files, but change nothing")
  var dryRun = false

  @OptionGroup
  var database: DatabaseArgument

  func run() async throws {
    try await reportingErrors {
      let store = try CommandSettings(database).openStore(dryRun ? .readOnly : .readWrite)
      let count = try Pruning(store, roots: paths.isEmpty ? nil : paths.map(\.path), isDryRun: dryRun).perform()
      Terminal.writeLine("\(counted(count, "vanished file")) \(dryRun ? "would be " : "")forgotten")
    }
  }
}
