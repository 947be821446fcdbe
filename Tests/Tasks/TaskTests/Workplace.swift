import AnalysisTasks
import AnalysisTesting
import BuiltInAnalyzers
import Foundation
import LibraryScan
import Pipeline
import Records
import ResultStore
import Synchronization
import SystemPackage

/// A library and a database for one test.
final class Workplace: Sendable {
  let folder: TemporaryDirectory
  let library: FilePath
  let database: FilePath
  let reports: FilePath

  init() throws {
    folder = try TemporaryDirectory()
    library = folder.file("library")
    database = folder.file("results/library.sqlite")
    reports = folder.file("reports")
    for path in [library, database.removingLastComponent()] {
      try FileManager.default.createDirectory(atPath: path.string, withIntermediateDirectories: true)
    }
  }

  @discardableResult
  func put(_ bytes: [UInt8], as name: String) throws -> FilePath { try folder.write(bytes, as: "library/\(name)") }

  func plan(only analyzers: Set<String>? = ["tags", "chromaprint"]) throws -> AnalysisPlan {
    try NamedPipelines().definition("default").plan(with: BuiltInAnalyzers.all, only: analyzers)
  }

  /// An analysis of the library in this process.
  func analysis(
    reports formats: [ReportFormat] = [], isDryRun: Bool = false, only analyzers: Set<String> = ["tags", "chromaprint"]
  ) throws -> LibraryAnalysis {
    LibraryAnalysis(
      run: LibraryRun.Request(
        roots: .paths([library]), scan: ScanOptions(isDryRun: isDryRun), plan: try plan(only: analyzers), jobs: 2,
        programVersion: Nocturne.version),
      database: database, reports: LibraryReports(formats, to: .folder(reports), roots: [library]))
  }

  func run(
    _ analysis: LibraryAnalysis, _ observer: Observer = Observer()
  ) async throws -> (outcome: LibraryAnalysis.Outcome, metrics: RunMetrics) {
    var metrics = RunMetrics()
    metrics.path = folder.file("metrics.prom")
    let outcome = try await analysis.perform(&metrics, observer: observer)
    return (outcome, metrics)
  }

  func store() throws -> ResultStore { try ResultStore(path: database, findings: BuiltInAnalyzers.findings) }
}

/// Remembers the events of a run, and may stop it.
final class Observer: RunObserver {
  private let told = Mutex<[String]>([])
  private let stopsAtOnce: Bool

  init(stopsAtOnce: Bool = false) {
    self.stopsAtOnce = stopsAtOnce
  }

  var events: [String] { told.withLock { $0 } }

  func handle(_ event: RunEvent) {
    let name: String? =
      switch event {
      case .began(let phase): phase.rawValue
      case .finished(let path, _, _, _): path.lastComponent?.string ?? ""
      default: nil
      }
    if let name { told.withLock { $0.append(name) } }
  }

  func waits(for owner: RunLock.Owner?) { told.withLock { $0.append("waits") } }

  func begins(_ control: RunControl) { if stopsAtOnce { control.requestStop() } }

  var interruption: ExitStatus? { stopsAtOnce ? .interrupted : nil }
}

/// Four seconds of noise as WAV, another for each seed.
func sound(_ seed: UInt64) -> [UInt8] {
  WAVFile(.noise(seed: seed, sampleRate: 11_025, seconds: 4)).bytes
}
