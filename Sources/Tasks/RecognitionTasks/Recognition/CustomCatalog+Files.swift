package import Platform
package import Recognition
package import SystemPackage

extension CustomCatalog {
  /// Opens a catalog for queries.
  /// - Throws: `CatalogTaskError` if it is missing or empty; `CatalogError`.
  package init(forQuerying path: FilePath) throws {
    guard path.fileKind != nil else { throw CatalogTaskError.noCatalog(path) }
    try self.init(contentsOf: path)
    guard count > 0 else { throw CatalogTaskError.emptyCatalog(path) }
  }

  /// Recognizes a catalog file, even a damaged one.
  package static let proof = OriginProof(orElse: "is not a catalog") { file in
    do {
      _ = try CustomCatalog(contentsOf: file)
    } catch CatalogError.notACatalog {
      return false
    } catch {}
    return true
  }
}
