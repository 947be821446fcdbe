import ArgumentParser

struct CatalogCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "catalog",
    abstract: "Manage the catalog of recordings for match and listen",
    subcommands: [
      CatalogBuildCommand.self, CatalogAddCommand.self, CatalogRemoveCommand.self, CatalogListCommand.self,
      CatalogInfoCommand.self, CatalogMergeCommand.self, CatalogExportCommand.self,
    ])
}
