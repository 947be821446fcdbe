import AnalysisEngine
import AnalysisTasks
import ArgumentParser
import BuiltInAnalyzers
import Foundation
internal import LibraryTasks
import Pipeline
import Platform
import Recognition
import RecognitionTasks
import ResultStore
import SystemPackage
import Text

struct CatalogAddCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add single files to the catalog, or change its media items",
    discussion: """
      With --items, media items are read from a table with a header row, such as catalog list --csv prints. They apply \
      to the added files, or, if no file is given, to tracks in the catalog. The column reference contains the names \
      or paths of the tracks; it is optional for a single file.
      """)

  @Argument(help: ArgumentHelp("Audio files; analyzed files are not decoded again", valueName: "file"))
  var files: [PathArgument] = []

  @Option(help: ArgumentHelp("A table of media items", valueName: "csv"))
  var items: PathArgument?

  @OptionGroup
  var catalog: CatalogArguments

  @OptionGroup
  var database: DatabaseArgument

  func validate() throws {
    if files.isEmpty, items == nil { throw ValidationError("Name files to add, or a table with --items.") }
  }

  func run() async throws {
    try await reportingErrors {
      var settings = try CommandSettings(database)
      catalog.apply(to: &settings)
      let store =
        settings[Settings.database].fileKind != nil
        ? try settings.openStoreForReading() : nil
      let addition = CatalogAddition(
        catalog: settings[Settings.catalog], files: files.map(\.path), rows: try items.map { try read($0.path) } ?? [],
        path: { PathArgument(argument: $0)?.path }, reader: try reader(store, settings))
      var failures = 0
      try addition.perform { file, problem in
        Log.write(Log.Message(event: "file_failed", about: file, problem))
        failures += 1
      }
      if failures > 0 { throw ExitStatus.filesFailed.exitCode }
    }
  }

  private func read(_ path: FilePath) throws -> [MediaItemTable.Row] {
    let name = printable(path.string)
    let bytes: [UInt8]
    do {
      bytes = try SmallFile.read(path, limit: 1 << 30, isRegular: false)
    } catch {
      throw CommandFailure(.fatal, "The table \(name) cannot be read: \(error). Nothing was changed.")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw CommandFailure(.fatal, "The table \(name) is not UTF-8 text. Save it as CSV in UTF-8; nothing was changed.")
    }
    do {
      let single = files.count == 1 ? files[0].path.string : nil
      return try MediaItemTable.read(text, reference: single)
    } catch {
      throw CommandFailure(.fatal, "The table \(name), \(error). Nothing was changed.")
    }
  }

  /// A reader that analyzes files in the isolation that the settings specify.
  private func reader(_ store: ResultStore?, _ settings: CommandSettings) throws -> ReferenceReader {
    let definition = try NamedPipelines().definition("default")
    let plan = try definition.plan(with: BuiltInAnalyzers.all, only: Set(ReferenceReader.analyzers))
    let analyzer = plan.makeFileAnalyzer()
    let isolation = settings.isolation(definition, only: ReferenceReader.analyzers, plan)
    return ReferenceReader(store: store, timeLimit: settings.timeLimit) { try isolation.analysis(of: $0, by: analyzer) }
  }
}
