import ArgumentParser
import Pipeline
import ResultStore
import SystemPackage
import Text

struct ReportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "Writes reports from the database, without touching any audio.")

  @Argument(help: ArgumentHelp("Report only what lies here. Default: everything known.", valueName: "path"))
  var paths: [PathArgument] = []

  @OptionGroup(title: "Reports")
  var reports: ReportArguments

  @Option(help: ArgumentHelp("The database of results.", valueName: "file"))
  var database: PathArgument?

  func run() async throws {
    try await reportingErrors {
      var settings = try CommandSettings()
      settings.take(database, for: Settings.database, option: "--database")
      try reports.apply(to: &settings)
      guard !settings[Settings.report].isEmpty else {
        throw CommandFailure(.usage, "Say which report: --report json, ndjson, csv or html.")
      }
      let store = try settings.openStoreForReading()
      for path in paths where try store.knownFileCount(under: path.path, includingVanished: true) == 0 {
        throw CommandFailure.unknownFile(path.path)
      }
      let lines = try reports.write(
        store, settings, roots: paths.isEmpty ? nil : paths.map(\.path), run: try store.latestRun())
      for line in lines { Terminal.writeLine(printable(line)) }
    }
  }
}
