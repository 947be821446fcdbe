import AnalysisTasks
import ArgumentParser
import DuplicateTasks
import Filters
import Foundation
import Platform
import ResultStore
import SystemPackage
import Text

struct DuplicatesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "duplicates", abstract: "Find files of the same recordings by their sound",
    discussion: """
      Compares the fingerprints and signatures in the database; tags are ignored, and no audio is read. The first time all \
      tracks are compared, later only new ones. Files are grouped if they hold the same audio, or the same recording in \
      another encoding, cut, edit or speed; other performances and remixes are not duplicates. One file of each group \
      is proposed for keeping, with the reasons. Nocturne deletes nothing: --plan writes a list that you edit and use.

      Decisions belong to the audio, as corrections do: --distinct marks files that are not duplicates, --keep marks the file \
      to keep, --forget removes either mark.

      Exit status: 0 fine, even without duplicates; 1 no track matches.
      """)

  @Argument(help: ArgumentHelp("Only groups with a file at or below these paths (default: all)", valueName: "path"))
  var paths: [PathArgument] = []

  @Flag(help: "Print one JSON line; see analyze schema duplicates")
  var json = false

  @Flag(help: "Print CSV, a row for each file")
  var csv = false

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "A rule that takes precedence: \(KeepingRule.names.joined(separator: ", ")); repeatable", valueName: "rule"))
  var prefer: [String] = []

  @Option(help: ArgumentHelp("Write an editable list of the files that could be removed", valueName: "file|-"))
  var plan: OutputArgument?

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Mark these files as not being duplicates of each other", valueName: "file"))
  var distinct: [PathArgument] = []

  @Option(parsing: .upToNextOption, help: ArgumentHelp("Mark these files as the ones to keep", valueName: "file"))
  var keep: [PathArgument] = []

  @Option(parsing: .upToNextOption, help: ArgumentHelp("Forget the decisions about these files", valueName: "file"))
  var forget: [PathArgument] = []

  @Option(
    name: .customLong("export"), help: ArgumentHelp("Write all decisions as CSV", valueName: "file|-"))
  var exportFile: OutputArgument?

  @Option(
    name: .customLong("import"), help: ArgumentHelp("Read decisions that --export wrote", valueName: "file"))
  var importFile: PathArgument?

  @Flag(help: "Replace files even if Nocturne did not write them")
  var force = false

  @OptionGroup(title: "Filters")
  var filters: FilterArguments

  @OptionGroup
  var database: DatabaseArgument

  func validate() throws {
    let decides = [!distinct.isEmpty, !keep.isEmpty, !forget.isEmpty, exportFile != nil, importFile != nil]
    guard decides.count(where: { $0 }) <= 1 else {
      throw ValidationError("Give one of --distinct, --keep, --forget, --export and --import.")
    }
    let isDeciding = decides.contains(true)
    guard !isDeciding || (!json && !csv && plan == nil && prefer.isEmpty && !filters.isGiven && paths.isEmpty)
    else {
      throw ValidationError("Paths, filters, --json, --csv, --prefer and --plan can't be combined with decisions.")
    }
    guard !(json && csv) else { throw ValidationError("Give --json or --csv, not both.") }
    guard distinct.isEmpty || distinct.count > 1 else { throw ValidationError("--distinct expects two files or more.") }
    _ = try rules()
    _ = try filters.filter()
  }

  private func rules() throws -> [KeepingRule] {
    try prefer.flatMap { $0.split(separator: ",") }.map { name in
      guard let rule = KeepingRule(String(name)) else {
        throw ValidationError(
          "--prefer expects \(KeepingRule.names.joined(separator: ", ")), with the whole path of a folder, not '\(name)'."
        )
      }
      return rule
    }
  }

  func run() async throws {
    try await reportingErrors {
      let settings = try CommandSettings(database)
      if let exportFile { return try export(to: exportFile, of: settings.openStoreForReading()) }
      if let importFile { return try take(importFile.path, into: settings.openStore(.readWrite)) }
      if !distinct.isEmpty || !keep.isEmpty || !forget.isEmpty {
        return try decide(DuplicateDecisionWriter(in: settings.openStore(.readWrite)))
      }
      let (store, pairs) = try pairs(settings)
      let duplicates = try LibraryDuplicates(
        pairs, in: store, matching: narrowed(filters.isGiven ? filters.filter() : nil, to: paths, in: store),
        preferring: rules())
      if let plan { try write(DuplicatePlan(of: duplicates).text, to: plan) }
      if json {
        try StandardOutput.write(duplicates.ndjsonLine)
      } else if csv {
        try StandardOutput.write(duplicates.csv)
      } else if plan == nil {
        try StandardOutput.writeLines(DuplicateText.lines(for: duplicates))
      }
    }
  }

  /// All duplicate pairs. Audio that was not compared before is compared now; the result is stored unless the database
  /// is read-only.
  private func pairs(_ settings: CommandSettings) throws -> (ResultStore, [StoredPair]) {
    do {
      let store = try settings.openStore(.readWrite)
      _ = try DuplicateSearch(in: store).update()
      return (store, try store.duplicatePairs())
    } catch StoreError.readOnly {
      let store = try settings.openStoreForReading()
      return (store, try DuplicateSearch(in: store).pairs())
    }
  }

  private func decide(_ deciding: DuplicateDecisionWriter) throws {
    let count =
      if !distinct.isEmpty {
        try deciding.setDistinct(distinct.map(\.path))
      } else if !keep.isEmpty {
        try deciding.setKept(keep.map(\.path))
      } else {
        try deciding.forget(forget.map(\.path))
      }
    Terminal.writeLine("\(counted(count, "decision")) \(forget.isEmpty ? "set" : "forgotten")")
  }

  private func write(_ text: String, to output: OutputArgument) throws {
    switch output {
    case .standardOutput: try StandardOutput.write(Array(text.utf8))
    case .file(let path):
      try OverwriteRule(allowsOthers: force).check(path.path, DuplicatePlan.proof)
      try Self.replace(path.path, with: Array(text.utf8))
    }
  }

  private func export(to output: OutputArgument, of store: ResultStore) throws {
    let bytes = try DuplicateDecisionTable.bytes(of: store)
    switch output {
    case .standardOutput: try StandardOutput.write(bytes)
    case .file(let path):
      try OverwriteRule(allowsOthers: force).check(path.path, DuplicateDecisionTable.proof)
      try Self.replace(path.path, with: bytes)
    }
  }

  private static func replace(_ path: FilePath, with bytes: [UInt8]) throws {
    do {
      let file = try FileReplacement(path)
      try file.write(bytes)
      try file.commit()
    } catch {
      throw CommandFailure(
        .fatal, "\(printable(DisplayPath.text(of: path))) cannot be written: \(error).")
    }
  }

  private func take(_ path: FilePath, into store: ResultStore) throws {
    let name = printable(DisplayPath.text(of: path))
    let bytes: [UInt8]
    do {
      bytes = try SmallFile.read(path, limit: 64 << 20)
    } catch {
      throw CommandFailure(.fatal, "\(name) cannot be read: \(error). Nothing was set.")
    }
    do {
      let outcome = try DuplicateDecisionTable.read(bytes, into: store)
      for line in outcome.unreadable.prefix(20) { Terminal.writeLine(line) }
      Terminal.writeLine("\(counted(outcome.readCount, "decision")) read, \(outcome.setCount) set")
      if !outcome.unreadable.isEmpty { throw ExitStatus.filesFailed.exitCode }
    } catch let error as DuplicateDecisionTable.ReadingError {
      throw CommandFailure(.fatal, "\(name) is not a table of decisions: \(error). Nothing was set.")
    }
  }
}
