package import Platform
package import Recognition
package import SystemPackage

extension CustomCatalog {
  /// Opens a catalog that must not be damaged anywhere.
  /// - Throws: `CatalogTaskError` if the catalog is missing or empty; `CatalogError`.
  package init(forQuerying path: FilePath) throws {
    try self.init(forQuerying: path) { try CustomCatalog(contentsOf: $0) }
  }

  /// Opens those parts of a catalog that can be read. The other parts are listed in `losses`.
  /// - Throws: `CatalogTaskError` if the catalog is missing or empty; `CatalogError` if no part can be read.
  package init(readableForQuerying path: FilePath) throws {
    try self.init(forQuerying: path) { try CustomCatalog(readableFrom: $0) }
  }

  private init(forQuerying path: FilePath, open: (FilePath) throws -> CustomCatalog) throws {
    guard path.fileKind != nil else { throw CatalogTaskError.noCatalog(path) }
    self = try open(path)
    guard count > 0 else { throw CatalogTaskError.emptyCatalog(path) }
  }

  /// Opens several catalogs for queries as if they were one. Parts that cannot be read are left out and listed in
  /// `losses`.
  /// - Parameter isAlone: `false` if catalog servers are queried, too.
  /// - Throws: `CatalogError` if all of the catalogs are damaged and no servers are queried.
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

  /// Identifies a catalog file, even if it is damaged.
  package static let proof = OriginProof(orElse: "is not a catalog") { file in
    do {
      _ = try CustomCatalog(contentsOf: file)
    } catch CatalogError.notACatalog {
      return false
    } catch {}
    return true
  }
}
