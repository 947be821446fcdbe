import Application
import ArgumentParser
import Pipeline
import ResultStore
import SystemPackage
import Text

struct ReportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "Write reports from the database, without touching any audio")

  @Argument(help: ArgumentHelp("Report only files below this path (default: all)", valueName: "path"))
  var paths: [PathArgument] = []

  @OptionGroup(title: "Reports")
  var reports: ReportArguments

  @OptionGroup
  var database: DatabaseArgument

  func run() async throws {
    try await reportingErrors {
      var settings = try CommandSettings(database)
      try reports.apply(to: &settings)
      guard !settings[Settings.report].isEmpty else {
        throw CommandFailure(.usage, "Say which report: --report json, ndjson, csv or html.")
      }
      let store = try settings.openStoreForReading()
      for path in paths where try store.knownFileCount(under: path.path, includingVanished: true) == 0 {
        throw UnknownFile(path.path)
      }
      let files = try reports.reports(settings, roots: paths.isEmpty ? nil : paths.map(\.path))
        .write(store, run: try store.latestRun())
      for file in files { Terminal.writeLine(printable(file.text)) }
    }
  }
}
