internal import AnalysisTasks
import ArgumentParser
import Exports
import Foundation
import LibraryStore
import LibraryTasks
import Platform
import Records
import ResultStore
import SystemPackage
import Text

struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write the library in the format of another program",
    discussion: """
      `analyze export --list` shows the formats, and docs/exports.md their contents. Files without audio are left out; \
      filters select among the others.

      With --since, only tracks that have changed or are gone are written; see docs/exports.md. Each export to a file or \
      folder leaves a cursor beside it, from which the next one can continue.

      The exit status is 1, and nothing is written, if no track matches; --force writes an export without tracks.
      """)

  @Argument(
    help: ArgumentHelp("The format; see --list", valueName: "format"),
    completion: .list(ExportFormats.all.map(\.name)))
  var format: String?

  @Argument(help: ArgumentHelp("Only files at or below this path (default: all)", valueName: "path"))
  var paths: [PathArgument] = []

  @Option(
    help: ArgumentHelp("The file or folder to write, or - for standard output", valueName: "file|folder|-"))
  var output: OutputArgument?

  @OptionGroup
  var since: SinceArgument

  @Option(
    name: .customLong("option"), parsing: .singleValue,
    help: ArgumentHelp("An option of the format; repeatable", valueName: "name=value"))
  var options: [String] = []

  @Flag(help: "Replace files that Nocturne did not write; export without tracks")
  var force = false

  @Flag(help: "List the formats")
  var list = false

  @OptionGroup(title: "Tracks")
  var filters: FilterArguments

  @OptionGroup
  var database: DatabaseArgument

  func validate() throws {
    _ = try optionValues()
    if list { return }
    let format = try chosenFormat()
    _ = try filters.filter()
    if format.output.isFolder, file == nil {
      throw ValidationError("The format \(format.name) writes a folder; name it with --output.")
    }
  }

  private func chosenFormat() throws -> any ExportFormat {
    guard let format else { throw ValidationError("Name a format; `analyze export --list` shows them.") }
    guard let found = ExportFormats.named(format) else {
      let hint = Suggestion.hint(for: format, in: ExportFormats.all.map(\.name))
      throw ValidationError("There is no format '\(printable(format))'; \(hint)".sentence)
    }
    return found
  }

  private var file: FilePath? {
    if case .file(let path) = output { path.path } else { nil }
  }

  private func optionValues() throws -> [String: String] {
    var values: [String: String] = [:]
    for option in options {
      let parts = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, !parts[0].isEmpty else {
        throw ValidationError("--option expects name=value, not '\(option)'.")
      }
      guard values.updateValue(parts[1], forKey: parts[0]) == nil else {
        throw ValidationError("--option \(parts[0]) is given twice.")
      }
    }
    return values
  }

  func run() async throws {
    try await reportingErrors {
      if list {
        let width = ExportFormats.all.map(\.name.count).max() ?? 0
        return try StandardOutput.writeLines(
          ExportFormats.all.map { $0.name.padding(toLength: width + 2, withPad: " ", startingAt: 0) + $0.abstract })
      }
      let export = LibraryExport(
        try chosenFormat(), to: file, roots: paths.isEmpty ? nil : paths.map(\.path), filter: try filters.filter(),
        since: try since.value(), options: try optionValues(), overwriting: OverwriteRule(allowsOthers: force))
      let store = try CommandSettings(database).openStoreForReading()
      try requireKnown(paths, in: store)
      let progress = ProgressBar()
      defer { progress.finish() }
      let outcome = try export.perform(store) { progress.show($0, "exporting") }
      progress.finish()
      for (path, reason) in outcome.omissions.examples {
        let name = DisplayPath.text(of: path)
        Log.write(.warning, "file_left_out", "\(name) is not listed: \(reason)", fields: ["path": .string(name)])
      }
      let rest = outcome.omissions.count - outcome.omissions.examples.count
      if rest > 0 { Log.write(.warning, "files_left_out", "\(counted(rest, "more file")) not listed.") }
      if file != nil, Terminal().isInteractive {
        for line in ExportText.lines(for: outcome) { Terminal.writeLine(line) }
      }
    }
  }
}

enum ExportText {
  static func lines(for outcome: LibraryExport.Outcome) -> [String] {
    let gone = outcome.isIncremental ? ", \(outcome.removalCount) gone" : ""
    return ["\(counted(outcome.recordCount, outcome.isIncremental ? "changed track" : "track"))\(gone)"]
      + outcome.files.map { "  \(printable($0.string))" }
      + (outcome.skippedCount == 0
        ? [] : ["not listed: \(counted(outcome.skippedCount, "skipped file")), such as pictures and links"])
  }
}
