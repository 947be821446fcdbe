internal import Foundation
package import Recognition
package import SystemPackage

extension CustomCatalog {
  /// Opens a catalog that is to be asked.
  /// - Throws: `CatalogTaskError` if there is none or nothing in it; `CatalogError`.
  package init(forAsking path: FilePath) throws {
    guard FileManager.default.fileExists(atPath: path.string) else { throw CatalogTaskError.noCatalog(path) }
    try self.init(contentsOf: path)
    guard count > 0 else { throw CatalogTaskError.emptyCatalog(path) }
  }

  /// Writes the whole catalog into one file. Only a catalog is replaced by a catalog: the name may be that of a track.
  /// - Throws: `CatalogTaskError`, `CatalogError`.
  package func export(to file: FilePath) throws {
    if FileManager.default.fileExists(atPath: file.string) {
      do {
        _ = try CustomCatalog(contentsOf: file)
      } catch CatalogError.notACatalog {
        throw CatalogTaskError.foreignFile(file)
      } catch {}
    }
    try write(to: file)
  }
}
