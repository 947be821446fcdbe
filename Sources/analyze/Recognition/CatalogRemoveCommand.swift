import Application
import ArgumentParser
import Pipeline
import Recognition

struct CatalogRemoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Takes tracks out of the catalog; catalog build does not bring them back, catalog add does.")

  @Argument(
    help: ArgumentHelp("Names of tracks (see catalog list), or the paths of files or folders.", valueName: "id|path"))
  var tracks: [String]

  @OptionGroup
  var catalog: CatalogArguments

  func run() async throws {
    try await reportingErrors {
      var settings = try CommandSettings()
      catalog.apply(to: &settings)
      _ = try settings.openCatalog()
      let update = try CatalogUpdate(at: settings[Settings.catalog])
      let names = try TrackNames(update.directory.catalog(), looksFor: tracks)
      var identifiers: Set<String> = []
      for track in tracks {
        let found = names.identifiers(track)
        guard !found.isEmpty else {
          throw CommandFailure(
            .fatal, "The catalog has no track \(track). Nothing was removed; `analyze catalog list` lists all.")
        }
        identifiers.formUnion(found)
      }
      try update.directory.remove(identifiers)
    }
  }
}
