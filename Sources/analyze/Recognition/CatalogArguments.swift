import ArgumentParser
import Pipeline
import Recognition
internal import RecognitionTasks

/// The catalog of a command.
struct CatalogArguments: ParsableArguments {
  @Option(help: Settings.catalog.help("dir|file"))
  var catalog: PathArgument?

  func apply(to settings: inout CommandSettings) {
    settings.take(catalog, for: Settings.catalog, option: "--catalog")
  }
}

extension CommandSettings {
  /// Opens the catalog for reading; one that is not there, or empty, is an error that says how to make it.
  func openCatalog() throws -> CustomCatalog { try CustomCatalog(forAsking: self[Settings.catalog]) }
}
