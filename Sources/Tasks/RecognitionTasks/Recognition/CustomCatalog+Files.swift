package import Platform
package import Recognition
package import SystemPackage

extension CustomCatalog {
  /// Opens a catalog that is to be asked.
  /// - Throws: `CatalogTaskError` if there is none or nothing in it; `CatalogError`.
  package init(forAsking path: FilePath) throws {
    guard path.fileKind != nil else { throw CatalogTaskError.noCatalog(path) }
    try self.init(contentsOf: path)
    guard count > 0 else { throw CatalogTaskError.emptyCatalog(path) }
  }

  /// The proof for a file with a catalog, be it a damaged one.
  package static let proof = OriginProof(orElse: "is not a catalog") { file in
    do {
      _ = try CustomCatalog(contentsOf: file)
    } catch CatalogError.notACatalog {
      return false
    } catch {}
    return true
  }
}
