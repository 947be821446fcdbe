internal import AnalysisTasks
import Recognition
import Text

/// Reports when a catalog cannot be searched, and when it can be again.
struct CatalogOutages {
  /// The reason for each outage, by the name of the catalog.
  private var outages: [String: String] = [:]
  /// `true` if any catalog was missing.
  private(set) var hasAny = false

  /// Reports changes since the last call, given the catalogs that are missing now.
  mutating func report(_ missing: [MissingCatalog]) {
    for catalog in missing where outages[catalog.name] != catalog.reason {
      let (name, reason) = (printable(catalog.name), printable(catalog.reason))
      if catalog.isUnreadable {
        Log.write(
          .warning, "catalog_missing",
          "The catalog file \(name) cannot be used: \(reason). Its recordings are missing in the results. To repair a "
            + "catalog: analyze catalog build.")
      } else if outages[catalog.name] == nil {
        Log.write(
          .warning, "catalog_missing",
          "The catalog \(name) does not answer: \(reason). Its recordings are missing from the results; it will be asked "
            + "again."
        )
      } else {
        Log.write(.info, "catalog_missing", "The catalog \(name) still does not answer: \(reason).")
      }
      hasAny = true
    }
    let now = Dictionary(missing.map { ($0.name, $0.reason) }) { $1 }
    for name in Set(outages.keys).subtracting(now.keys).sorted() {
      Log.write(.info, "catalog_back", "The catalog \(printable(name)) answers again.")
    }
    outages = now
  }
}
