import ArgumentParser
import Pipeline
import Recognition

struct CatalogMergeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Adds all tracks of other catalogs; where a track is in both, theirs counts.")

  @Argument(help: ArgumentHelp("Catalogs: folders, or files made by catalog export.", valueName: "catalog"))
  var others: [PathArgument]

  @OptionGroup
  var catalog: CatalogArguments

  func run() async throws {
    try await reportingErrors {
      var settings = try CommandSettings()
      catalog.apply(to: &settings)
      // All are looked at before the first is taken.
      let catalogs = try others.map { path in
        var other = settings
        other.take(path, for: Settings.catalog, option: "merge")
        let catalog = try other.openCatalog()
        try catalog.verify()
        return catalog
      }
      let update = try CatalogUpdate(at: settings[Settings.catalog])
      for catalog in catalogs {
        var batch: [Reference] = []
        try catalog.forEachReference { reference in
          batch.append(reference)
          guard batch.count == CatalogUpdate.batchSize else { return }
          try update.add(batch)
          batch.removeAll()
        }
        try update.add(batch)
      }
    }
  }
}
