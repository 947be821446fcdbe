package import Analysis
package import Recognition
package import SystemPackage

/// Adds single files to a catalog, or changes what it says of its tracks.
package struct CatalogAddition {
  /// The folder of the catalog; it is made if it is not there.
  package var catalog: FilePath
  package var files: [FilePath]
  /// Media items: those of the files, or without a file those of tracks that are in the catalog. A row's reference is
  /// the name of a track, or what `path` makes a path of.
  package var rows: [MediaItemTable.Row]
  package var path: (String) -> FilePath?
  package var reader: ReferenceReader

  package init(
    catalog: FilePath, files: [FilePath], rows: [MediaItemTable.Row], path: @escaping (String) -> FilePath?,
    reader: ReferenceReader
  ) {
    self.catalog = catalog
    self.files = files
    self.rows = rows
    self.path = path
    self.reader = reader
  }

  /// References that are collected before they are added.
  private static let batchSize = 100

  /// - Parameter failed: Gets the files that cannot be added, and why.
  /// - Throws: `CatalogTaskError`, `CatalogError`, and what `reader` throws.
  package func perform(failed: (FilePath, Problem) -> Void) throws {
    let update = try CatalogUpdate(at: catalog)
    var rows = rows
    var batch: [ReferenceSignature] = []
    for file in files {
      do {
        var reference = try reader.reference(of: file)
        let items = take(reference.identifier, file, from: &rows)
        if !items.isEmpty { reference.items = items }
        batch.append(reference)
      } catch let error as ReferenceReader.Failure {
        failed(file, error.problem)
      }
      if batch.count == Self.batchSize {
        try update.add(batch)
        batch.removeAll()
      }
    }
    try update.add(batch)
    if !rows.isEmpty { try change(rows, in: update) }
  }

  /// Takes the items of one file out of the table.
  private func take(_ identifier: String, _ file: FilePath, from rows: inout [MediaItemTable.Row]) -> [MediaItem] {
    func isMeant(_ row: MediaItemTable.Row) -> Bool { row.reference == identifier || path(row.reference) == file }
    let items = rows.filter(isMeant).map(\.item)
    rows.removeAll(where: isMeant)
    return items
  }

  /// Gives tracks of the catalog other media items, all or none.
  private func change(_ rows: [MediaItemTable.Row], in update: CatalogUpdate) throws {
    let catalog = try update.directory.catalog()
    let names = TrackNames(catalog, looksFor: rows.map(\.reference), path: path)
    var items: [String: [MediaItem]] = [:]
    var order: [String] = []
    for row in rows {
      guard let identifier = names.identifiers(row.reference).first else {
        throw CatalogTaskError.noTrackOfTable(row.reference)
      }
      if items[identifier] == nil { order.append(identifier) }
      items[identifier, default: []].append(row.item)
    }
    let references = try catalog.references(order)
    try update.add(
      order.compactMap { identifier in
        guard var reference = references[identifier] else { return nil }
        reference.items = items[identifier] ?? []
        return reference
      })
  }
}
