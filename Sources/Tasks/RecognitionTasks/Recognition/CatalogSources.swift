package import Platform
package import Recognition
internal import RemoteCatalogs
package import SystemPackage

/// The recognition catalogs that are queried together as one.
package struct CatalogSources: Sendable {
  /// Local folders and files with catalogs.
  package var places: [FilePath]
  /// Servers with additional catalogs.
  package var servers: [ServerAddress]
  /// The file that contains the tokens for the servers.
  package var tokens: FilePath?
  /// `true` for the default places, which need not exist if there are servers.
  package var mayBeMissing: Bool

  package init(
    places: [FilePath], servers: [ServerAddress] = [], tokens: FilePath? = nil, mayBeMissing: Bool = false
  ) {
    self.places = places
    self.servers = servers
    self.tokens = tokens
    self.mayBeMissing = mayBeMissing
  }

  /// Opens those parts of the local catalogs that can be read.
  /// - Throws: `CatalogTaskError` if a catalog is missing or all are empty; `CatalogError` if nothing can be read.
  package func local() throws -> CustomCatalog {
    for place in places where place.fileKind == nil && !(mayBeMissing && !servers.isEmpty) {
      throw CatalogTaskError.noCatalog(place)
    }
    let catalog = try reopened()
    // With servers, the local catalog may be empty, because a part of a small catalog may have no tracks.
    if catalog.count == 0, servers.isEmpty, let first = places.first { throw CatalogTaskError.emptyCatalog(first) }
    return catalog
  }

  /// Opens the local catalogs again after they have changed.
  package func reopened() throws(CatalogError) -> CustomCatalog {
    try CustomCatalog(
      readableFrom: places.filter { !mayBeMissing || $0.fileKind != nil }, isAlone: servers.isEmpty)
  }

  /// Returns the catalogs of the servers.
  /// - Throws: `CatalogTokensError`.
  package func parts() throws -> [any CatalogPart] {
    let tokens = try tokens.map { try CatalogTokens(in: $0) }
    return servers.map { RemoteCatalog($0, token: tokens?[$0]) }
  }
}
