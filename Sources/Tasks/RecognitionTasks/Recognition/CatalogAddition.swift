package import Analysis
package import Recognition
package import SystemPackage

/// Adds single files to a catalog, or changes the media items of its tracks.
package struct CatalogAddition {
  /// The folder of the catalog, which is created if it does not exist.
  package var catalog: FilePath
  package var files: [FilePath]
  /// The media items of the files, or of tracks that are already in the catalog. The reference in a row is the name of
  /// a track, or a text that `path` turns into a path.
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

  /// Number of references added to the catalog at a time.
  private static let batchSize = 100

  /// - Parameter failed: Called with each file that cannot be added, and the reason.
  /// - Throws: `CatalogTaskError`, `CatalogError`, and errors of `reader`.
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

  /// Removes the items of a file from the table and returns them.
  private func take(_ identifier: String, _ file: FilePath, from rows: inout [MediaItemTable.Row]) -> [MediaItem] {
    func isOfFile(_ row: MediaItemTable.Row) -> Bool { row.reference == identifier || path(row.reference) == file }
    let items = rows.filter(isOfFile).map(\.item)
    rows.removeAll(where: isOfFile)
    return items
  }

  /// Replaces the media items of tracks in the catalog: those of all tracks or, if an error occurs, of none.
  private func change(_ rows: [MediaItemTable.Row], in update: CatalogUpdate) throws {
    let catalog = try update.directory.catalog()
    let names = TrackLookup(catalog, matching: rows.map(\.reference), path: path)
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
