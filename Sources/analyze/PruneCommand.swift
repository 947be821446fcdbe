import Application
import ArgumentParser
import ResultStore
import Text

struct PruneCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune", abstract: "Forgets files that have gone, and all that was found of them.")

  @Argument(help: ArgumentHelp("Only what was here. Default: everywhere.", valueName: "path"))
  var paths: [PathArgument] = []

  @Flag(name: [.customLong("dry-run"), .customShort("n")], help: "Say how many, and change nothing.")
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
