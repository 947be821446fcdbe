import ArgumentParser
import Pipeline
import RecognitionTasks

struct CatalogRemoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove tracks; only catalog add brings them back")

  @Argument(
    help: ArgumentHelp("Names of tracks (see catalog list), or paths of files and folders", valueName: "id|path"))
  var tracks: [String]

  @OptionGroup
  var catalog: CatalogArguments

  func run() async throws {
    try await reportingErrors {
      var settings = try CommandSettings()
      catalog.apply(to: &settings)
      let removal = CatalogRemoval(catalog: settings[Settings.catalog], tracks: tracks) {
        PathArgument(argument: $0)?.path
      }
      try removal.perform()
    }
  }
}
