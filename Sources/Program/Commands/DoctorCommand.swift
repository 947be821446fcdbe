import AnalysisTasks
import ArgumentParser
import BuiltInAnalyzers
import Foundation
import Pipeline
import RecognitionTasks
import Text

struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Check installation, settings and database (exit 1 on problems)")

  @Flag(help: "Also compare database, search index and reports with each other")
  var check = false

  @Flag(help: "Rebuild the search index of the database")
  var repair = false

  @Option(help: ArgumentHelp("The folder of the reports to compare", valueName: "dir"), completion: .directory)
  var output: PathArgument?

  @OptionGroup
  var database: DatabaseArgument

  func run() async throws {
    try await reportingErrors {
      var settings = try CommandSettings(warns: false)
      settings.take(database.path, for: Settings.database, option: "--database")
      settings.take(output, for: Settings.output, option: "--output")
      let checkup = Checkup(
        analyzers: BuiltInAnalyzers.all, notices: settings.settings.notices,
        plan: try settings.definition().plan(with: BuiltInAnalyzers.all), library: settings[Settings.library],
        database: try settings.database(), reports: settings[Settings.output],
        catalog: settings[Settings.catalog], catalogParts: try CatalogSourceArguments.ofSettings(settings).parts(),
        installation: Installation(environment: ProcessInfo.processInfo.environment), comparesAll: check,
        rebuildsIndex: repair)
      let findings = try checkup.findings()
      try StandardOutput.writeLines(findings.map { ($0.isFine ? "ok     " : "WRONG  ") + printable($0.text) })
      if findings.contains(where: { !$0.isFine }) { throw ExitStatus.fatal.exitCode }
    }
  }
}
