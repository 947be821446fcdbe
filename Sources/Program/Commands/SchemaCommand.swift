internal import AnalysisTasks
import ArgumentParser
import Foundation
import Platform
import Records
import SystemPackage
import Text

struct SchemaCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Print a schema of reports or JSON lines, or write all to a folder",
    discussion: """
      Reports: json, ndjson, csv; duckdb is SQL to read them. JSON lines: match, listen, search, search-hit, similar, \
      playlist, click, metronome, set, corrections, review, removal, write-tags, worker, plan, planned-file, duplicates, \
      broken, verification, history.
      """)

  @Argument(
    help: "The format of reports or lines",
    completion: .list(Schemas.files.map(\.format)))
  var format: String = "json"

  @Option(
    help: ArgumentHelp("Write the schemas of all formats into this folder", valueName: "dir"), completion: .directory)
  var output: PathArgument?

  @Flag(help: "Replace files even if Nocturne did not write them")
  var force = false

  func run() async throws {
    try await reportingErrors {
      if let output {
        do {
          try output.path.makeFolder()
        } catch {
          throw CommandFailure(.fatal, "The folder \(printable(output.path.string)) cannot be created: \(error)")
        }
        let files = Schemas.files.map { (path: output.path.appending($0.name), text: $0.text) }
        try OverwriteRule(allowsOthers: force).forRegularFiles.check(files.map { ($0.path, Schemas.proof) })
        for file in files {
          do {
            try FileReplacement.write(file.text.utf8, to: file.path)
          } catch {
            throw CommandFailure(.fatal, "\(file.path.string) cannot be written: \(error)")
          }
        }
        return
      }
      guard let schema = Schemas.files.first(where: { $0.format == format }) else {
        let valid = Schemas.files.map(\.format).joined(separator: ", ")
        throw CommandFailure(.usage, "There is no schema of a format \(format); valid: \(valid).")
      }
      try StandardOutput.write(schema.text)
    }
  }
}
