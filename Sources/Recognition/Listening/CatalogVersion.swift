internal import Platform
internal import Recognition
package import SystemPackage

/// Identifies a version of a catalog without opening it. Catalog files are never changed in place, only replaced, so
/// their identity changes with their contents.
package struct CatalogVersion: Equatable, Sendable {
  /// The identity of the catalog file, or of the list in a catalog directory; `nil` if there is no catalog.
  private let file: FileIdentity?

  package init(of path: FilePath) {
    file = FileIdentity(CatalogDirectory(at: path).listPath) ?? FileIdentity(path)
  }
}
