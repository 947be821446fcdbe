package import Platform
package import Recognition
package import SystemPackage

extension CustomCatalog {
  /// Opens a catalog that must not be damaged anywhere.
  /// - Throws: `CatalogTaskError` if the catalog is missing or empty; `CatalogError`.
  package init(forQuerying path: FilePath) throws {
    guard path.fileKind != nil else { throw CatalogTaskError.noCatalog(path) }
    try self.init(contentsOf: path)
    guard count > 0 else { throw CatalogTaskError.emptyCatalog(path) }
  }

  /// Opens several catalogs for queries as if they were one. Parts that cannot be read are left out and listed in
  /// `losses`.
  /// - Parameter isAlone: `false` if other servers are queried, too.
  /// - Throws: `CatalogError` if all of them are damaged and nothing else is queried.
  package init(readableFrom paths: [FilePath], isAlone: Bool) throws(CatalogError) {
    var (catalogs, losses): ([CustomCatalog], [MissingCatalog]) = ([], [])
    var firstError: CatalogError?
    for path in paths {
      do throws(CatalogError) {
        catalogs.append(try CustomCatalog(readableFrom: path))
      } catch {
        guard let loss = error.loss else { throw error }
        losses.append(loss)
        firstError = firstError ?? error
      }
    }
    if isAlone, catalogs.isEmpty, let firstError { throw firstError }
    try self.init(joining: catalogs)
    self.losses += losses
  }

  /// Identifies a catalog file, even a damaged one.
  package static let proof = OriginProof(orElse: "is not a catalog") { file in
    do {
      _ = try CustomCatalog(contentsOf: file)
    } catch CatalogError.notACatalog {
      return false
    } catch {}
    return true
  }
}
