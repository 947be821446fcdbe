import Analysis
import ArgumentParser
import AudioDecoding
import BuiltInAnalyzers
import Fingerprinting
import Foundation
import Pipeline
import Recognition
import Records
import ResultStore
import SystemPackage

struct CatalogAddCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Adds single files to the catalog, or changes what it says of its tracks.",
    discussion: """
      With --items, media items come from a table with a header row, such as catalog list --csv prints: those of the files \
      that are added, or without a file those of tracks that are in the catalog. Its column reference holds the names of \
      tracks or their paths; for a single file it may be missing.
      """)

  @Argument(help: ArgumentHelp("Audio files; those that were analyzed before are not decoded.", valueName: "file"))
  var files: [PathArgument] = []

  @Option(help: ArgumentHelp("A table of media items.", valueName: "csv"))
  var items: PathArgument?

  @OptionGroup
  var catalog: CatalogArguments

  @Option(help: ArgumentHelp("The database of results.", valueName: "file"))
  var database: PathArgument?

  func validate() throws {
    if files.isEmpty, items == nil { throw ValidationError("Name files to add, or a table with --items.") }
  }

  func run() async throws {
    try await reportingErrors {
      var settings = try CommandSettings()
      settings.take(database, for: Settings.database, option: "--database")
      catalog.apply(to: &settings)
      let store =
        FileManager.default.fileExists(atPath: settings[Settings.database].string)
        ? try settings.openStoreForReading() : nil
      let reader = try ReferenceReader(store: store, settings: settings)
      var rows = try items.map { try read($0.path) }
      let update = try CatalogUpdate(at: settings[Settings.catalog])
      var batch: [Reference] = []
      var failures = 0
      for file in files.map(\.path) {
        do {
          var reference = try reader.reference(of: file)
          if let items = take(reference.identifier, file, from: &rows), !items.isEmpty { reference.items = items }
          batch.append(reference)
        } catch let error as ReferenceReader.Failure {
          Log.write(Log.Message(event: "file_failed", about: file, error.problem))
          failures += 1
        }
        if batch.count == 100 {
          try update.add(batch)
          batch.removeAll()
        }
      }
      try update.add(batch)
      if let rows, !rows.isEmpty { try change(rows, in: update) }
      if failures > 0 { throw ExitStatus.filesFailed.exitCode }
    }
  }

  private func read(_ path: FilePath) throws -> [MediaItemTable.Row] {
    let text: String
    do {
      text = try String(contentsOfFile: path.string, encoding: .utf8)
    } catch {
      throw CommandFailure(.fatal, "The table \(path.string) cannot be read: \(error.localizedDescription)")
    }
    do {
      let single = files.count == 1 ? files[0].path.string : nil
      return try MediaItemTable.read(text, reference: single)
    } catch {
      throw CommandFailure(.fatal, "The table \(path.string), \(error). Nothing was changed.")
    }
  }

  /// Takes the items of one file out of the table.
  private func take(_ identifier: String, _ path: FilePath, from rows: inout [MediaItemTable.Row]?) -> [MediaItem]? {
    func isMeant(_ row: MediaItemTable.Row) -> Bool {
      row.reference == identifier || PathArgument(argument: row.reference)?.path == path
    }
    let items = rows?.filter(isMeant).map(\.item)
    rows?.removeAll(where: isMeant)
    return items
  }

  /// Gives tracks of the catalog other media items, all or none.
  private func change(_ rows: [MediaItemTable.Row], in update: CatalogUpdate) throws {
    let catalog = try update.directory.catalog()
    let names = try TrackNames(catalog, looksFor: rows.map(\.reference))
    var items: [String: [MediaItem]] = [:]
    var order: [String] = []
    for row in rows {
      guard let identifier = names.identifiers(row.reference).first else {
        throw CommandFailure(
          .fatal, "The table names track \(row.reference), which is not in the catalog. No media item was changed.")
      }
      if items[identifier] == nil { order.append(identifier) }
      items[identifier, default: []].append(row.item)
    }
    try update.add(
      order.compactMap { identifier in
        guard var reference = try catalog.reference(identifier) else { return nil }
        reference.items = items[identifier] ?? []
        return reference
      })
  }
}

/// Makes references of audio files.
private struct ReferenceReader {
  struct Failure: Error {
    var problem: Problem
  }

  private let store: ResultStore?
  private let analyzer: FileAnalyzer
  private let isolation: LibraryRun.Isolation
  /// For one file.
  private let timeLimit: TimeLimit

  private static let analyzers = [TagFinding.analyzer, SignatureFinding.analyzer]

  init(store: ResultStore?, settings: CommandSettings) throws {
    self.store = store
    let definition = try PipelineCatalog().definition("default")
    let plan = try definition.plan(with: BuiltInAnalyzers.all, only: Set(Self.analyzers))
    analyzer = plan.makeFileAnalyzer()
    isolation = settings.isolation(definition, only: Self.analyzers, plan)
    timeLimit = settings.timeLimit
  }

  func reference(of path: FilePath) throws -> Reference {
    let stored = try storedSignature(of: path)
    let job = AnalysisJob(
      path: path, analyzers: Set(stored == nil ? Self.analyzers : [TagFinding.analyzer]), timeLimit: timeLimit)
    guard let analysis = try isolation.analysis(of: job, by: analyzer) else {
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
      throw analysis.problem.map(Failure.init) ?? failure("no_audio", "There is no audio to recognise it by.")
    }
    guard finding.landmarkCount > 0 else {
      throw failure("silent", "It is silent: there is nothing to recognise it by.")
    }
    do {
      return Reference(
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
