internal import AnalysisTasks
import Recognition
import Text

/// Catalogs elsewhere that do not answer: each is named when that begins, and when it ends.
struct CatalogOutages {
  private var names: Set<String> = []
  /// Whether there was any.
  private(set) var hasAny = false

  /// Takes the catalogs that have not answered the last time.
  mutating func report(_ missing: [MissingCatalog]) {
    for catalog in missing where !names.contains(catalog.name) {
      hasAny = true
      Log.write(
        .warning, "catalog_missing",
        "The catalog \(printable(catalog.name)) does not answer: \(printable(catalog.reason)). What it has is missing in the answers; "
          + "it is asked again.")
    }
    let now = Set(missing.map(\.name))
    for name in names.subtracting(now).sorted() {
      Log.write(.info, "catalog_back", "The catalog \(printable(name)) answers again.")
    }
    names = now
  }
}
