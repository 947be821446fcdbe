import ArgumentParser
import AudioAnalysis
import AudioDecoding
import BuiltInAnalyzers
import Foundation
import Pipeline
import ResultStore
import SystemPackage

struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Checks the installation, the settings and the database; exit status 1 if something is wrong.")

  @Flag(help: "Also let SQLite look over the whole database.")
  var check = false

  @Option(help: ArgumentHelp("The database of results.", valueName: "file"))
  var database: PathArgument?

  func run() async throws {
    try await reportingErrors {
      var findings: [Finding] = [
        .ok("analyze \(Analyze.version), \(DecodingLibraries.versions.joined(separator: ", "))")
      ]
      for kind in BuiltInAnalyzers.all {
        findings.append(.ok("analyzer \(kind.id), version \(kind.version): \(kind.summary)"))
      }
      var settings = try CommandSettings()
      settings.take(database, for: Settings.database, option: "--database")
      findings += settings.settings.notices.map { .wrong($0) }
      let plan = try settings.definition().plan(with: BuiltInAnalyzers.all)
      findings.append(.ok("pipeline \(plan.name): \(plan.plugins.map(\.id).joined(separator: ", "))"))
      findings += folders(settings)
      findings += try inspectDatabase(settings.database())
      try StandardOutput.writeLines(findings.map(\.line))
      if findings.contains(where: { !$0.isFine }) { throw ExitStatus.fatal.exitCode }
    }
  }

  private struct Finding {
    let isFine: Bool
    let text: String
    static func ok(_ text: String) -> Finding { Finding(isFine: true, text: text) }
    static func wrong(_ text: String) -> Finding { Finding(isFine: false, text: text) }
    var line: String { (isFine ? "ok     " : "WRONG  ") + printable(text) }
  }

  private func folders(_ settings: CommandSettings) -> [Finding] {
    settings[Settings.library].map { root in
      FileManager.default.isReadableFile(atPath: root.string)
        ? .ok("library \(root.string)")
        : .wrong("library \(root.string) is missing or cannot be read; if it is on a disk, is that mounted?")
    }
  }

  private func inspectDatabase(_ path: FilePath) throws -> [Finding] {
    guard FileManager.default.fileExists(atPath: path.string) else {
      return [.ok("database \(path.string): not there yet, the first run makes it")]
    }
    let store: ResultStore
    do {
      store = try ResultStore(path: path, access: .readOnly)
    } catch {
      return [.wrong("\(error)")]
    }
    var findings: [Finding] = []
    let last = try store.latestRun()
    findings.append(
      .ok(
        "database \(path.string)"
          + (last.map { ": run \($0.id) \($0.state.rawValue), started \($0.started)" } ?? ": no run yet")))
    if let last, last.state == .died || last.state == .failed {
      findings.append(.wrong("the last run ended as \(last.state.rawValue); the next one goes on where it stopped"))
    }
    if check {
      let complaints = try store.checkIntegrity()
      findings += complaints.isEmpty ? [.ok("the database is sound")] : complaints.map { .wrong("database: \($0)") }
    }
    return findings
  }
}
