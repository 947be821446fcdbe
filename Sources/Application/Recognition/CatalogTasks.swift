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

/// Adds all tracks of other catalogs to one; where a track is in both, theirs counts.
package struct CatalogMerge {
  package var catalog: FilePath
  package var others: [FilePath]

  package init(catalog: FilePath, others: [FilePath]) {
    self.catalog = catalog
    self.others = others
  }

  /// - Throws: `CatalogTaskError`, `CatalogError`.
  package func perform() throws {
    // All are looked at before the first is taken.
    let catalogs = try others.map { path in
      let catalog = try CustomCatalog(forAsking: path)
      try catalog.verify()
      return catalog
    }
    let update = try CatalogUpdate(at: catalog)
    for catalog in catalogs {
      var batch: [ReferenceSignature] = []
      try catalog.forEachReference { (reference) throws(CatalogError) in
        batch.append(reference)
        guard batch.count == CatalogUpdate.batchSize else { return }
        try update.add(batch)
        batch.removeAll()
      }
      try update.add(batch)
    }
  }
}

/// Takes tracks out of a catalog, all or none.
package struct CatalogRemoval {
  package var catalog: FilePath
  /// Identifiers of tracks, or what `path` makes the paths of files or folders of.
  package var tracks: [String]
  package var path: (String) -> FilePath?

  package init(catalog: FilePath, tracks: [String], path: @escaping (String) -> FilePath?) {
    self.catalog = catalog
    self.tracks = tracks
    self.path = path
  }

  /// - Throws: `CatalogTaskError`, `CatalogError`.
  package func perform() throws {
    _ = try CustomCatalog(forAsking: catalog)
    let update = try CatalogUpdate(at: catalog)
    let names = try TrackNames(update.directory.catalog(), looksFor: tracks, path: path)
    var identifiers: Set<String> = []
    for track in tracks {
      let found = names.identifiers(track)
      guard !found.isEmpty else { throw CatalogTaskError.noTrack(track) }
      identifiers.formUnion(found)
    }
    try update.directory.remove(identifiers)
  }
}
