internal import Platform
internal import Recognition
package import SystemPackage

/// The state that tells a catalog from an earlier one at the same place, without opening it: a file is only ever
/// replaced by another.
package struct CatalogState: Equatable, Sendable {
  /// `nil` if there is no catalog.
  private let file: FileIdentity?

  package init(of path: FilePath) {
    file = FileIdentity(CatalogDirectory(at: path).listPath) ?? FileIdentity(path)
  }
}
