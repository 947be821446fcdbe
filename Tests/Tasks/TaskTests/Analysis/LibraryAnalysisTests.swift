import Analysis
import AnalysisTasks
import AnalysisTesting
import Foundation
import Pipeline
import Records
import ResultStore
import SystemPackage
import Testing
import Text

/// Runs in this process.
@Suite(.bounded) struct LibraryAnalysisTests {
  @Test func aRunAndTheNextOne() async throws {
    let place = try Workplace()
    try place.put(sound(1), as: "a.wav")
    try place.put(sound(2), as: "b.wav")
    try place.put([UInt8](repeating: 7, count: 900), as: "bad.mp3")
    let observer = Observer()
    let (first, metrics) = try await place.run(try place.analysis(reports: [.json, .csv]), observer)
    #expect(first.status == .filesFailed)
    #expect(first.run.totals.analyzed == 2 && first.run.totals.failed == 1)
    #expect(
      first.reports.map(\.path) == [place.reports.appending("report.json"), place.reports.appending("report.csv")])
    #expect(first.reports.allSatisfy { FileManager.default.fileExists(atPath: $0.path.string) })
    #expect(
      observer.events.filter { $0.hasSuffix(".wav") || $0.hasSuffix(".mp3") }.sorted() == ["a.wav", "b.wav", "bad.mp3"])
    #expect(observer.events.filter { ["scan", "analyze", "report"].contains($0) } == ["scan", "analyze", "report"])

    #expect(first.digest.failures.map(\.code) == ["unknown_format"])
    let lines = first.digest.lines()
    #expect(lines.first == "1 file failed that was not known as failing:")
    #expect(lines.contains { $0.hasSuffix("bad.mp3") })
    #expect(first.digest.messages.map(\.event) == ["file_failed"])
    let summary = RunSummary(of: first, database: place.database, isDryRun: false)
    #expect(summary.text().contains("analyzed"))
    #expect(!summary.text().contains("\u{1B}"))
    #expect(summary.text(TextStyle(hasColor: true)).contains("\u{1B}[31m"))
    #expect(summary.message.fields["failed"] == .integer(1))

    try metrics.write(exitStatus: first.status)
    let text = try String(contentsOfFile: place.folder.file("metrics.prom").string, encoding: .utf8)
    #expect(text.contains("nocturne_run_exit_status 3\n"))
    #expect(text.contains("nocturne_failures{code=\"unknown_format\"} 1\n"))

    let (second, _) = try await place.run(try place.analysis())
    #expect(second.status == .fine)
    #expect(second.run.totals.cached == 2 && second.digest.knownFailures == 1 && !second.digest.hasNews)
  }

  @Test func aDryRunLeavesNothing() async throws {
    let place = try Workplace()
    try place.put(sound(1), as: "a.wav")
    let (outcome, _) = try await place.run(try place.analysis(reports: [.json], isDryRun: true))
    #expect(outcome.status == .fine && outcome.run.scan.pending == 1 && outcome.reports.isEmpty)
    #expect(RunSummary(of: outcome, database: place.database, isDryRun: true).text().hasPrefix("Dry run: 1 file"))
    #expect(
      Set(try FileManager.default.subpathsOfDirectory(atPath: place.folder.path.string)) == [
        "library", "library/a.wav", "results",
      ])
  }

  @Test func whatIsStoppedSaysSo() async throws {
    let place = try Workplace()
    try place.put(sound(1), as: "a.wav")
    let (outcome, _) = try await place.run(try place.analysis(), Observer(stopsAtOnce: true))
    #expect(outcome.status == .interrupted && outcome.run.state == .interrupted)
    #expect(try place.store().latestRun()?.exitStatus == 130)
  }

  @Test func oneRunAtATime() async throws {
    let place = try Workplace()
    try place.put(sound(1), as: "a.wav")
    try FileManager.default.createDirectory(
      atPath: place.database.removingLastComponent().string, withIntermediateDirectories: true)
    let lock = try RunLock.acquire(forDatabase: place.database)
    let observer = Observer()
    let error = await #expect(throws: StoreError.self) { try await place.run(try place.analysis(), observer) }
    guard case .lockedByRun = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    lock.release()
    #expect(try await place.run(try place.analysis()).outcome.status == .fine)
  }

  @Test func aLibraryThatIsNotThereIsFatal() async throws {
    let place = try Workplace()
    var analysis = try place.analysis()
    analysis.run.roots = .paths([place.folder.file("nowhere")])
    #expect(try await place.run(analysis).outcome.status == .fatal)
  }

  @Test(arguments: [
    (FailurePolicy.never, 0, false), (.new, 0, false), (.new, 1, true), (.any, 0, true), (.percent(10), 0, true),
    (.percent(40), 1, false),
  ])
  func whatCountsAsFailure(policy: FailurePolicy, news: Int, isViolated: Bool) {
    let totals = RunTotals(analyzed: 5, partial: 1, cached: 2, failed: 1, skipped: 1, vanished: 0)
    #expect(policy.isViolated(by: totals, knownDamaged: 1, news: news) == isViolated)
  }
}
