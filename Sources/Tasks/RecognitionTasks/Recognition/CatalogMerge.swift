internal import Recognition
package import SystemPackage

/// Merges other catalogs into a catalog. If a track is in both, the version from the other catalog takes precedence.
package struct CatalogMerge {
  package var catalog: FilePath
  package var others: [FilePath]

  package init(catalog: FilePath, others: [FilePath]) {
    self.catalog = catalog
    self.others = others
  }

  /// - Throws: `CatalogTaskError`, `CatalogError`.
  package func perform() throws {
    // All catalogs are verified before the first one is merged.
    let catalogs = try others.map { path in
      let catalog = try CustomCatalog(forQuerying: path)
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
