import AnalysisTasks
import ArgumentParser
import BuiltInAnalyzers
import Foundation
import Pipeline
import Platform
import Records
import SystemPackage
import Text

/// Options for the reports that a command writes, and for their folder.
struct ReportArguments: ParsableArguments {
  @Option(name: .long, help: Settings.report.help("format"), completion: .list(ReportFormat.choices))
  var report: [String] = []

  @Option(help: Settings.output.help("dir|-"), completion: .directory)
  var output: String?

  @Option(help: Settings.include.help("what"), completion: .list(ReportExtra.choices))
  var include: [String] = []

  @Flag(inversion: .prefixedNo, help: Settings.csvGuardFormulas.help())
  var csvGuardFormulas: Bool?

  @Flag(help: ArgumentHelp("Write no reports, whatever the settings say", visibility: .hidden))
  var noReports = false

  var goesToStandardOutput: Bool { output == "-" }

  func apply(to settings: inout CommandSettings) throws {
    if noReports { settings.set(Settings.report, to: [], by: "--no-reports") }
    try settings.take(report, for: Settings.report, option: "--report")
    try settings.take(include, for: Settings.include, option: "--include")
    if let csvGuardFormulas {
      let option = csvGuardFormulas ? "--csv-guard-formulas" : "--no-csv-guard-formulas"
      settings.set(Settings.csvGuardFormulas, to: csvGuardFormulas, by: option)
    }
    if let output, !goesToStandardOutput {
      guard let folder = PathArgument(argument: output) else {
        throw CommandFailure(.usage, "--output expects a folder, or - for standard output.")
      }
      settings.take(folder, for: Settings.output, option: "--output")
    }
    if goesToStandardOutput, settings[Settings.report].count != 1 {
      throw CommandFailure(.usage, "--output - takes exactly one --report: several would be mixed up.")
    }
    if !goesToStandardOutput, !settings[Settings.report].isEmpty { try Self.requireFolder(settings[Settings.output]) }
  }

  /// Checks the output before any work is done: it need not exist yet, but the part of its path that exists must be a
  /// folder.
  private static func requireFolder(_ output: FilePath) throws {
    var place = output
    while place.fileKind == nil {
      // A name that exists but has no kind is a dangling link.
      if place.exists { break }
      guard place.removeLastComponent() else { return }
    }
    guard place.fileKind != .folder else { return }
    throw CommandFailure(
      .usage,
      "Reports are written to a folder, but \(printable(place.string)) is not one. Name another with --output, or "
        + "write a single report to standard output with --output -.")
  }

  /// The reports that the options and settings select.
  /// - Parameter roots: The folders that the reports show; `nil` for the whole library.
  func reports(_ settings: CommandSettings, roots: [FilePath]?) -> LibraryReports {
    var options = ReportOptions(including: settings[Settings.include])
    options.guardsFormulas = settings[Settings.csvGuardFormulas]
    return LibraryReports(
      settings[Settings.report], to: goesToStandardOutput ? .standardOutput : .folder(settings[Settings.output]),
      options: options, roots: roots, includesVanished: settings[Settings.include].contains(.vanished))
  }
}

extension ReportOptions {
  init(including extras: [ReportExtra]) {
    self.init(findings: BuiltInAnalyzers.findings, long: Set(extras.map(\.rawValue)))
  }
}
