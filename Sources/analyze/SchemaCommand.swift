import ArgumentParser
import Foundation
import Reporting
import SystemPackage

struct SchemaCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Prints the JSON Schema of a report, or writes all schemas into a folder.")

  @Argument(help: "The format: json, ndjson or csv.", completion: .list(["json", "ndjson", "csv"]))
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
      guard let schema = ReportFormat(rawValue: format).flatMap(ReportSchema.text) else {
        throw CommandFailure(.usage, "There is no schema of a report format \(format); valid: json, ndjson, csv.")
      }
      try StandardOutput.write(schema)
    }
  }
}
