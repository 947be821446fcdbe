import ArgumentParser
import Pipeline
import RecognitionTasks

struct CatalogMergeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Add all tracks of other catalogs, replacing those in both")

  @Argument(help: ArgumentHelp("Catalogs: folders, or files made by catalog export", valueName: "catalog"))
  var others: [PathArgument]

  @OptionGroup
  var catalog: CatalogArguments

  func run() async throws {
    try await reportingErrors {
      var settings = try CommandSettings()
      catalog.apply(to: &settings)
      try CatalogMerge(catalog: settings[Settings.catalog], others: others.map(\.path)).perform()
    }
  }
}
