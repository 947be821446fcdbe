import Analysis
import AnalysisTesting
import LibraryTesting
import Platform
import Records
import SystemPackage
import Testing

@testable import ResultStore

@Suite(.bounded) struct QuarantineTests {
  private static let day: Int64 = 86_400 * 1_000_000_000
  private static let start: Int64 = 1_795_000_000 * 1_000_000_000

  private static func lost(_ file: PendingFile, signal: Int? = 11) -> FileAnalysis {
    guard file.path.stem == "bad" else { return ScannedLibrary.analysis(of: file) }
    return FileAnalysis(
      status: .failed, problem: Problem(stage: .decode, code: "worker_crashed", message: "It crashed."),
      outcomes: [ScannedLibrary.tags, ScannedLibrary.tempo, ScannedLibrary.chromaprint].map {
        AnalyzerOutcome(analyzer: $0, result: .failed("The worker process was lost."))
      }, workerLoss: WorkerLoss(cause: signal.map { .signal($0) } ?? .timeLimit, stage: .decode))
  }

  /// Library on a given day, in which `bad.mp3` cost a worker process on day 0.
  private func library() throws -> ScannedLibrary {
    let library = try ScannedLibrary()
    library.put("/music/bad.mp3", statusChanged: 6_500_000_000)
    library.put("/music/good.mp3", statusChanged: 6_500_000_000)
    go(to: 0, in: library)
    try library.night { Self.lost($0) }
    return library
  }

  private func go(to day: Double, in library: ScannedLibrary) {
    library.time = Timestamp(nanoseconds: Self.start + Int64(day * Double(Self.day)))
  }

  @Test func restDoublesUpToThirtyDays() {
    let days = (1...8).map { Quarantine.rest(afterLosses: $0).components.seconds / 86_400 }
    #expect(days == [1, 2, 4, 8, 16, 30, 30, 30])
  }

  @Test func lossIsOnRecord() throws {
    let library = try library()
    let quarantine = try #require(try library.store.history(at: "/music/bad.mp3")?.quarantine)
    #expect(quarantine.signal == 11 && quarantine.losses == 1)
    #expect(quarantine.failed.nanoseconds == Self.start && quarantine.until.nanoseconds == Self.start + Self.day)
    let listed = try library.store.quarantined(limit: 10)
    #expect(listed.map(\.path) == ["/music/bad.mp3"] && listed.map(\.problem.stage) == [.decode])
    #expect(try library.store.history(at: "/music/good.mp3")?.quarantine == nil)
  }

  @Test func restingFileIsLeftAloneAndCounts() throws {
    let library = try library()
    go(to: 0.9, in: library)
    let night = try library.night { Self.lost($0) }
    #expect(night.pending.isEmpty && night.totals == RunTotals(cached: 1, failed: 1))
    #expect(night.scan.quarantined == 1)
  }

  @Test func whatHasRestedIsTriedAgainLastAndRestsLonger() throws {
    let library = try library()
    go(to: 1, in: library)
    library.put("/music/new.mp3")
    library.put("/music/good.mp3", size: 7)
    let second = try library.night { Self.lost($0) }
    #expect(second.pending.map(\.path) == ["/music/new.mp3", "/music/good.mp3", "/music/bad.mp3"])
    #expect(second.written.newlyFailed == 0)
    #expect(try library.store.history(at: "/music/bad.mp3")?.quarantine?.losses == 2)
    go(to: 2.5, in: library)
    #expect(try library.night { Self.lost($0) }.pending.isEmpty)
    go(to: 3, in: library)
    // Healed by a new version of a library, or by enough memory this time.
    #expect(try library.night().totals == RunTotals(analyzed: 1, cached: 2))
    #expect(try library.store.history(at: "/music/bad.mp3")?.quarantine == nil)
    #expect(try library.night().totals == RunTotals(cached: 3))
  }

  @Test(arguments: ["changed", "request", "decoder", "analyzer"]) func quarantineEndsEarly(by reason: String) throws {
    let library = try library()
    go(to: 0.5, in: library)
    var options = ScanOptions()
    switch reason {
    case "changed": library.put("/music/bad.mp3", size: 5, statusChanged: 6_500_000_000)
    case "request": options.retryFailed = true
    case "decoder": library.wanted = ScannedLibrary.wanted(decoder: 2)
    default: library.wanted = ScannedLibrary.wanted(tempo: AnalyzerIdentity(id: "tempo", version: 2, digest: "o1"))
    }
    library.put("/music/new.mp3")
    let night = try library.night(options) { Self.lost($0) }
    #expect(night.pending.map(\.path).last == "/music/bad.mp3" && night.pending.count > 1)
    // The count restarts for a changed file.
    #expect(try library.store.history(at: "/music/bad.mp3")?.quarantine?.losses == (reason == "changed" ? 1 : 2))
  }

  /// A nightly backup that resets access times changes the status time of every file.
  @Test func touchIsNoEndOfAQuarantine() throws {
    let library = try library()
    go(to: 0.5, in: library)
    library.put("/music/bad.mp3", statusChanged: 7_500_000_000)
    #expect(try library.night { Self.lost($0) }.totals == RunTotals(cached: 1, failed: 1))
  }

  @Test func ordinaryFailureIsNoQuarantine() throws {
    let library = try library()
    go(to: 1, in: library)
    try library.night { $0.path.stem == "bad" ? ScannedLibrary.broken : ScannedLibrary.analysis(of: $0) }
    #expect(try library.store.history(at: "/music/bad.mp3")?.quarantine == nil)
    go(to: 99, in: library)
    #expect(try library.night { Self.lost($0) }.totals == RunTotals(cached: 1, failed: 1))
  }
}
