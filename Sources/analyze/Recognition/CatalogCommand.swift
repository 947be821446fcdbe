import ArgumentParser

struct CatalogCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "catalog",
    abstract: "Makes and looks after the catalog of recordings that match and listen recognize.",
    subcommands: [
      CatalogBuildCommand.self, CatalogAddCommand.self, CatalogRemoveCommand.self, CatalogListCommand.self,
      CatalogInfoCommand.self, CatalogMergeCommand.self, CatalogExportCommand.self,
    ])
}
