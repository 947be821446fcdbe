package import Platform
package import Recognition
internal import RemoteCatalogs
package import SystemPackage

/// The recognition catalogs that are asked together, as if all were one.
package struct AskedCatalogs: Sendable {
  /// Folders and files on this machine.
  package var places: [FilePath]
  /// Servers with more.
  package var servers: [ServerAddress]
  /// The file with their tokens.
  package var tokens: FilePath?
  /// Whether nobody has named the places, so that none need be there if there are servers.
  package var mayBeMissing: Bool

  package init(
    places: [FilePath], servers: [ServerAddress] = [], tokens: FilePath? = nil, mayBeMissing: Bool = false
  ) {
    self.places = places
    self.servers = servers
    self.tokens = tokens
    self.mayBeMissing = mayBeMissing
  }

  /// Opens those of this machine.
  /// - Throws: `CatalogTaskError` if one is missing, or there is no track in any; `CatalogError`.
  package func local() throws -> CustomCatalog {
    let catalog = try CustomCatalog(joining: places.compactMap { try open($0) })
    // One part of a catalog of few tracks can have none.
    if catalog.count == 0, servers.isEmpty, let first = places.first { throw CatalogTaskError.emptyCatalog(first) }
    return catalog
  }

  /// Opens those of this machine again, when they have changed.
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

  /// The catalogs of the servers.
  /// - Throws: `CatalogTokensError`.
  package func parts() throws -> [any CatalogPart] {
    let tokens = try tokens.map { try CatalogTokens(in: $0) }
    return servers.map { RemoteCatalog($0, token: tokens?[$0]) }
  }
}
