import ArgumentParser
import Foundation
import Reporting
import SystemPackage

struct SchemaCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Prints the JSON Schema of a report or of a worker's lines, or writes all schemas into a folder.")

  @Argument(
    help: "The format: json, ndjson or csv; worker: a line of `analyze worker`.",
    completion: .list(["json", "ndjson", "csv", "worker"]))
  var format: String = "json"

  @Option(
    help: ArgumentHelp("Write the schemas of all formats into this folder.", valueName: "dir"), completion: .directory)
  var output: PathArgument?

  func run() async throws {
    try await reportingErrors {
      if let output {
        try FileManager.default.createDirectory(atPath: output.path.string, withIntermediateDirectories: true)
        for file in ReportSchema.files {
          try Data(file.text.utf8).write(
            to: URL(filePath: output.path.appending(file.name).string), options: .atomic)
        }
        return
      }
      if format == "worker" { return try StandardOutput.write(ReportSchema.ofWorker) }
      guard let choice = ReportFormat(rawValue: format) else {
        throw CommandFailure(.usage, "There is no report format \(format); valid: json, ndjson, csv, worker.")
      }
      try StandardOutput.write(ReportSchema.text(of: choice))
    }
  }
}
