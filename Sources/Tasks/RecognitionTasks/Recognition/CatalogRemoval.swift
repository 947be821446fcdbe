internal import Recognition
package import SystemPackage

/// Removes tracks from a catalog: all of them or, if an error occurs, none.
package struct CatalogRemoval {
  package var catalog: FilePath
  /// The identifiers of tracks, or texts that `path` turns into paths of files or folders.
  package var tracks: [String]
  package var path: (String) -> FilePath?

  package init(catalog: FilePath, tracks: [String], path: @escaping (String) -> FilePath?) {
    self.catalog = catalog
    self.tracks = tracks
    self.path = path
  }

  /// - Throws: `CatalogTaskError`, `CatalogError`.
  package func perform() throws {
    _ = try CustomCatalog(forQuerying: catalog)
    let update = try CatalogUpdate(at: catalog)
    let names = try TrackLookup(update.directory.catalog(), matching: tracks, path: path)
    var identifiers: Set<String> = []
    for track in tracks {
      let found = names.identifiers(track)
      guard !found.isEmpty else { throw CatalogTaskError.noTrack(track) }
      identifiers.formUnion(found)
    }
    try update.directory.remove(identifiers)
  }
}
