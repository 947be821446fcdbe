package import Platform
package import Recognition
internal import RemoteCatalogs
package import SystemPackage

/// The recognition catalogs that are queried together as one.
package struct CatalogSources: Sendable {
  /// Local folders and files.
  package var places: [FilePath]
  /// Servers with more catalogs.
  package var servers: [ServerAddress]
  /// The file with the tokens for the servers.
  package var tokens: FilePath?
  /// `true` for default places, which need not exist if there are servers.
  package var mayBeMissing: Bool

  package init(
    places: [FilePath], servers: [ServerAddress] = [], tokens: FilePath? = nil, mayBeMissing: Bool = false
  ) {
    self.places = places
    self.servers = servers
    self.tokens = tokens
    self.mayBeMissing = mayBeMissing
  }

  /// Opens the local catalogs.
  /// - Throws: `CatalogTaskError` if one is missing or all are empty; `CatalogError`.
  package func local() throws -> CustomCatalog {
    let catalog = try CustomCatalog(joining: places.compactMap { try open($0) })
    // A part of a small catalog may be empty.
    if catalog.count == 0, servers.isEmpty, let first = places.first { throw CatalogTaskError.emptyCatalog(first) }
    return catalog
  }

  /// Reopens the local catalogs after they have changed.
  package func reopened() throws(CatalogError) -> CustomCatalog {
    var catalogs: [CustomCatalog] = []
    for place in places where !mayBeMissing || place.fileKind != nil {
      catalogs.append(try CustomCatalog(contentsOf: place))
    }
    return try CustomCatalog(joining: catalogs)
  }

  private func open(_ place: FilePath) throws -> CustomCatalog? {
    guard place.fileKind == nil else { return try CustomCatalog(contentsOf: place) }
    if mayBeMissing && !servers.isEmpty { return nil }
    throw CatalogTaskError.noCatalog(place)
  }

  /// Returns the catalogs of the servers.
  /// - Throws: `CatalogTokensError`.
  package func parts() throws -> [any CatalogPart] {
    let tokens = try tokens.map { try CatalogTokens(in: $0) }
    return servers.map { RemoteCatalog($0, token: tokens?[$0]) }
  }
}
