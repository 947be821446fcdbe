import Analysis
import ArgumentParser
import AudioDecoding
import BuiltInAnalyzers
import Foundation
import Pipeline
import Records
import ResultStore
import System
import SystemPackage
import Text

struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Checks the installation, the settings and the database; exit status 1 if something is wrong.")

  @Flag(help: "Also compare all that is in the database, its search index and the reports with each other.")
  var check = false

  @Flag(help: "Rebuild the search index of the database.")
  var repair = false

  @Option(help: ArgumentHelp("The folder of the reports to compare.", valueName: "dir"), completion: .directory)
  var output: PathArgument?

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
      settings.take(output, for: Settings.output, option: "--output")
      findings += settings.settings.notices.map { .wrong($0) }
      let plan = try settings.definition().plan(with: BuiltInAnalyzers.all)
      findings.append(.ok("pipeline \(plan.name): \(plan.plugins.map(\.id).joined(separator: ", "))"))
      findings += folders(settings)
      findings += try inspectDatabase(settings.database(), reports: settings[Settings.output])
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
        : .wrong("library \(root.string) is missing or cannot be read; if it is on another drive, is the drive mounted?")
    }
  }

  private func inspectDatabase(_ path: FilePath, reports: FilePath) throws -> [Finding] {
    guard FileManager.default.fileExists(atPath: path.string) else {
      return [.ok("database \(path.string): not there yet, the first run makes it")]
    }
    do {
      let store = try open(path)
      var findings = try lastRun(of: store) + quarantine(in: store)
      if repair {
        try store.rebuildSearchIndex()
        findings.append(.ok("the search index was rebuilt"))
      }
      guard check else { return findings }
      let complaints = try store.check()
      findings += complaints.isEmpty ? [.ok("the database is sound")] : complaints.map { .wrong("database: \($0)") }
      for result in complaints.isEmpty ? try ReportCheck(store: store, folder: reports).check() : [] {
        switch result {
        case .fine(let text): findings.append(.ok("report \(text)"))
        case .wrong(let text): findings.append(.wrong("report \(text)"))
        }
      }
      return findings
    } catch let error as StoreError {
      return [.wrong("\(error)")]
    }
  }

  /// A check asks the search index, which only a connection that may write can do.
  private func open(_ path: FilePath) throws(StoreError) -> ResultStore {
    let findings = BuiltInAnalyzers.findings
    if repair { return try ResultStore(path: path, findings: findings) }
    if check, let store = try? ResultStore(path: path, findings: findings) { return store }
    return try ResultStore(path: path, findings: findings, access: .readOnly)
  }

  private static let quarantinedShown = 10

  private func quarantine(in store: ResultStore) throws(StoreError) -> [Finding] {
    let files = try store.quarantined(limit: Self.quarantinedShown + 1)
    var findings = files.prefix(Self.quarantinedShown).map { file in
      Finding.ok(
        "in quarantine until \(file.quarantine.until): \(DisplayPath.text(of: file.path)): \(file.problem.message)")
    }
    if files.count > findings.count { findings.append(.ok("and more files in quarantine")) }
    return findings
  }

  private func lastRun(of store: ResultStore) throws(StoreError) -> [Finding] {
    let path = store.path
    guard let last = try store.latestRun() else { return [.ok("database \(path.string): no run yet")] }
    let isAtWork = RunLock.isHeld(forDatabase: path)
    // A run that was killed could not say so.
    let state = last.state == .running && !isAtWork ? .died : last.state
    var findings = [
      Finding.ok("database \(path.string): run \(last.id) \(state.rawValue), started \(last.started)")
    ]
    if state == .died || state == .failed {
      findings.append(
        .wrong(
          "the last run \(state == .died ? "was killed, or its computer went off" : "failed"); "
            + "the next one goes on where it stopped"))
    }
    return findings
  }
}
