import ArgumentParser
import Pipeline
import ResultStore
import Text

struct PruneCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune", abstract: "Forgets files that have gone, and all that was found of them.")

  @Argument(help: ArgumentHelp("Only what was here. Default: everywhere.", valueName: "path"))
  var paths: [PathArgument] = []

  @Flag(name: [.customLong("dry-run"), .customShort("n")], help: "Say how many, and change nothing.")
  var dryRun = false

  @Option(help: ArgumentHelp("The database of results.", valueName: "file"))
  var database: PathArgument?

  func run() async throws {
    try await reportingErrors {
      var settings = try CommandSettings()
      settings.take(database, for: Settings.database, option: "--database")
      let store = try settings.openStore(dryRun ? .readOnly : .readWrite)
      let lock = dryRun ? nil : try RunLock.acquire(forDatabase: store.path)
      defer { lock?.release() }
      let count = try store.pruneVanished(in: paths.isEmpty ? nil : paths.map(\.path), isDryRun: dryRun)
      Terminal.writeLine("\(counted(count, "vanished file")) \(dryRun ? "would be " : "")forgotten")
    }
  }
}
