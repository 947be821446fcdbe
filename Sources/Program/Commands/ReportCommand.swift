internal import AnalysisTasks
import ArgumentParser
internal import LibraryStore
import LibraryTasks
import Pipeline
import Platform
import Records
import ResultStore
import SystemPackage
import Text

struct ReportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "Write reports from the database, without touching any audio",
    discussion: """
      With --since, reports have only files that have changed. Files that are gone are in removed.ndjson beside them, and \
      the next --since can continue from cursor.json. See docs/exports.md.
      """)

  @Argument(help: ArgumentHelp("Report only files below this path (default: all)", valueName: "path"))
  var paths: [PathArgument] = []

  @OptionGroup(title: "Reports")
  var reports: ReportArguments

  @Flag(help: "Replace files even if Nocturne did not write them")
  var force = false

  @OptionGroup
  var since: SinceArgument

  @OptionGroup
  var database: DatabaseArgument

  func run() async throws {
    try await reportingErrors {
      var settings = try CommandSettings(database)
      try reports.apply(to: &settings)
      guard !settings[Settings.report].isEmpty else {
        throw CommandFailure(.usage, "Name a report: --report json, ndjson, csv or html.")
      }
      let since = try since.value()
      if since != nil, settings[Settings.report].contains(.html) {
        throw CommandFailure(.usage, "The HTML page shows the whole library: --since needs json, ndjson or csv.")
      }
      if since != nil, reports.goesToStandardOutput {
        throw CommandFailure(.usage, "--since writes several files; name a folder for them with --output.")
      }
      let store = try settings.openStoreForReading()
      try requireKnown(paths, in: store)
      var task = reports.reports(settings, roots: paths.isEmpty ? nil : paths.map(\.path))
      task.since = since
      try task.check(OverwriteRule(allowsOthers: force))
      let files = try task.write(store, run: try store.latestRun())
      // Without a terminal, as in nightly jobs, nothing is printed if nothing is wrong.
      if Terminal().isInteractive { for file in files { Terminal.writeLine(printable(file.text)) } }
    }
  }
}
