internal import AnalysisTasks
import Recognition
import Text

/// Reports when a remote catalog stops answering, and when it answers again.
struct CatalogOutages {
  private var names: Set<String> = []
  /// `true` if any catalog has not answered.
  private(set) var hasAny = false

  /// Reports changes since the last call, given the catalogs that do not answer now.
  mutating func report(_ missing: [MissingCatalog]) {
    for catalog in missing where !names.contains(catalog.name) {
      hasAny = true
      Log.write(
        .warning, "catalog_missing",
        "The catalog \(printable(catalog.name)) does not answer: \(printable(catalog.reason)). Its recordings are missing in the results; "
          + "it is asked again.")
    }
    let now = Set(missing.map(\.name))
    for name in names.subtracting(now).sorted() {
      Log.write(.info, "catalog_back", "The catalog \(printable(name)) answers again.")
    }
    names = now
  }
}
