package import Analysis
package import AnalysisEngine
internal import AudioDecoding
internal import Landmarks
package import Recognition
internal import Records
package import ResultStore
package import SystemPackage

/// Adds single files to a catalog, or changes what it says of its tracks.
package struct CatalogAddition {
  /// The folder of the catalog; it is made if it is not there.
  package var catalog: FilePath
  package var files: [FilePath]
  /// Media items: those of the files, or without a file those of tracks that are in the catalog. A row's reference is the
  /// name of a track, or what `path` makes a path of.
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

/// Makes references of audio files. Those that were analyzed before are not decoded.
package struct ReferenceReader {
  struct Failure: Error {
    var problem: Problem
  }

  private let store: ResultStore?
  private let timeLimit: TimeLimit
  private let analyze: (AnalysisJob) throws -> FileAnalysis?

  /// What `analyze` must be able to do.
  package static let analyzers = [KnownAnalyzer.tags, KnownAnalyzer.signature]

  /// - Parameters:
  ///   - store: Where what was analyzed before is.
  ///   - timeLimit: For one file.
  ///   - analyze: Analyzes a file; `nil` if it was given up.
  package init(store: ResultStore?, timeLimit: TimeLimit, analyze: @escaping (AnalysisJob) throws -> FileAnalysis?) {
    self.store = store
    self.timeLimit = timeLimit
    self.analyze = analyze
  }

  /// - Throws: `Failure` if the file cannot be a reference, and what `analyze` throws.
  func reference(of path: FilePath) throws -> ReferenceSignature {
    let stored = try storedSignature(of: path)
    let job = AnalysisJob(
      path: path, analyzers: Set(stored == nil ? Self.analyzers : [KnownAnalyzer.tags]), timeLimit: timeLimit)
    guard let analysis = try analyze(job) else {
      throw failure("interrupted", "The analysis was given up.")
    }
    var tags: TagFinding?
    var made: SignatureFinding?
    for outcome in analysis.outcomes {
      guard case .finding(let finding) = outcome.result else { continue }
      tags = tags ?? finding as? TagFinding
      made = made ?? finding as? SignatureFinding
    }
    guard let id = analysis.contentID, let finding = stored ?? made else {
      throw analysis.problem.map(Failure.init) ?? failure("no_audio", "There is no audio to recognize it by.")
    }
    guard finding.landmarkCount > 0 else {
      throw failure("silent", "It is silent: there is nothing to recognize it by.")
    }
    do {
      return ReferenceSignature(
        identifier: id.description, signature: try Signature(bytes: finding.data),
        items: [LibraryItem.item(path: path, tags: tags)])
    } catch {
      throw failure("no_signature", "\(error)")
    }
  }

  private func failure(_ code: String, _ message: String) -> Failure {
    Failure(problem: Problem(stage: .analyze, code: code, message: message))
  }

  /// Known by its content: what the database says of a path may be about an older file.
  private func storedSignature(of path: FilePath) throws -> SignatureFinding? {
    guard let store, let content = try? AudioContent(path: path), content.fault == nil,
      let finding = try store.signature(decodingID: content.decodingID), finding.version == Signature.version
    else { return nil }
    return finding
  }
}
