import Analysis
import AnalysisTesting
import LibraryTesting
import Platform
import Records
import ResultStore
import SystemPackage
import Testing

@Suite(.bounded) struct FailureTests {
  private func analyze(_ file: PendingFile) -> FileAnalysis {
    file.path.stem == "bad" ? ScannedLibrary.broken : ScannedLibrary.analysis(of: file)
  }

  @Test func knownFailureIsNotTriedAgainAndStillCounts() throws {
    let library = try ScannedLibrary()
    library.put("/music/bad.mp3")
    library.put("/music/good.mp3")
    let first = try library.night(analyze: analyze)
    #expect(first.totals == RunTotals(analyzed: 1, failed: 1))
    #expect(first.written.newlyFailed == 1)
    #expect(
      try library.store.newFailureGroups(in: first.run, examples: 10).flatMap(\.examples).map(\.path) == [
        "/music/bad.mp3"
      ])
    let second = try library.night(analyze: analyze)
    #expect(second.totals == RunTotals(cached: 1, failed: 1))
    #expect(second.written.newlyFailed == 0 && second.pending.isEmpty)
    #expect(try library.store.newFailureGroups(in: second.run, examples: 10).isEmpty)
    let record = try #require(try library.store.record(at: "/music/bad.mp3"))
    #expect(record.status == .failed)
    #expect(record.problem == ScannedLibrary.broken.problem)
  }

  @Test func retryOnRequest() throws {
    let library = try ScannedLibrary()
    library.put("/music/bad.mp3")
    library.put("/music/good.mp3")
    let first = try library.night(analyze: analyze)
    let second = try library.night(ScanOptions(retryFailed: true), analyze: analyze)
    #expect(second.pending.map(\.reason) == [.retry])
    #expect(second.totals == RunTotals(cached: 1, failed: 1) && second.written.newlyFailed == 0)
    let history = try #require(try library.store.history(at: "/music/bad.mp3"))
    #expect(history.firstFailedRun == first.run && history.failedAttempts == 2)
    // A file that is fine in the end has no failure.
    let third = try library.night(ScanOptions(retryFailed: true))
    #expect(third.totals == RunTotals(analyzed: 1, cached: 1))
    #expect(try library.store.record(at: "/music/bad.mp3")?.problem == nil)
    #expect(try library.store.history(at: "/music/bad.mp3")?.failedAttempts == 0)
  }

  /// A file whose worker was killed, and that turns out to hold no audio, is treated as if no worker had been killed.
  @Test func lostWorkerLeavesNoTraceOnceTheReasonIsKnown() throws {
    let library = try ScannedLibrary()
    library.put("/music/bad.mp3")
    try library.night { _ in
      FileAnalysis(
        status: .failed, problem: Problem(stage: .decode, code: "worker_crashed", message: "It was killed."),
        outcomes: [ScannedLibrary.tags, ScannedLibrary.tempo, ScannedLibrary.chromaprint].map {
          AnalyzerOutcome(analyzer: $0, result: .failed("The worker process was lost."))
        })
    }
    try library.night(ScanOptions(retryFailed: true)) { _ in ScannedLibrary.broken }
    let record = try #require(try library.store.record(at: "/music/bad.mp3"))
    #expect(record.problem == ScannedLibrary.broken.problem)
    #expect(record.analyzers == [ScannedLibrary.tags] && record.analyzerProblems.isEmpty)
    #expect(try library.night { _ in ScannedLibrary.broken }.scan.knownFailures == 1)
  }

  @Test func changedFileAndBetterDecoderAreTriedAgain() throws {
    let library = try ScannedLibrary()
    library.put("/music/bad.mp3")
    try library.night(analyze: analyze)
    library.put("/music/bad.mp3", size: 2)
    let changed = try library.night(analyze: analyze)
    #expect(changed.pending.map(\.reason) == [.changed])
    #expect(changed.written.newlyFailed == 0)
    library.wanted = ScannedLibrary.wanted(decoder: 2)
    #expect(try library.night(analyze: analyze).pending.map(\.reason) == [.retry])
    #expect(try library.night(analyze: analyze).scan.knownFailures == 1)
  }

  @Test func betterDecoderLeavesSoundFilesAlone() throws {
    let library = try ScannedLibrary()
    library.put("/music/good.mp3")
    library.put("/music/short.mp3")
    let problem = Problem(stage: .decode, code: "truncated", message: "The stream ends early.")
    let analyze = { (file: PendingFile) in
      var analysis = ScannedLibrary.analysis(of: file)
      if file.path.stem == "short" {
        analysis.status = .partial
        analysis.problem = problem
      }
      return analysis
    }
    try library.night(analyze: analyze)
    #expect(try library.store.record(at: "/music/short.mp3")?.problem == problem)
    let second = try library.night(analyze: analyze)
    #expect(second.totals == RunTotals(cached: 2) && second.scan.knownDamaged == 1)
    library.wanted = ScannedLibrary.wanted(decoder: 2)
    #expect(try library.night(analyze: analyze).pending.map(\.path) == ["/music/short.mp3"])
  }

  @Test func damageIsNewsOnce() throws {
    let library = try ScannedLibrary()
    library.put("/music/a.mp3")
    var random = SplitMix64.fresh()
    func night(_ code: String?, _ status: FileAnalysis.Status = .partial) throws -> ScannedLibrary.Night {
      library.put("/music/a.mp3", size: Int64.random(in: 1...(1 << 40), using: &random))
      return try library.night { file in
        var analysis = ScannedLibrary.analysis(of: file)
        guard let code else { return analysis }
        analysis.status = status
        analysis.problem = Problem(stage: .decode, code: code, message: "Oh.")
        return analysis
      }
    }
    func groups(_ night: ScannedLibrary.Night) throws -> [String] {
      try library.store.newDamageGroups(in: night.run, examples: 1).map { "\($0.count) \($0.code)" }
    }
    // A file being written does not count as damaged.
    let restless = try night("changed_while_reading")
    #expect(restless.totals == RunTotals(partial: 1) && restless.written.newlyDamaged == 0)
    #expect(restless.written.unsettled == 1)
    #expect(try groups(restless) == [])
    let first = try night("truncated")
    #expect(first.totals == RunTotals(partial: 1) && first.written.newlyDamaged == 1)
    #expect(try groups(first) == ["1 truncated"])
    let second = try night("corrupt")
    #expect(second.written.newlyDamaged == 0 && second.written.partial == 1)
    #expect(try groups(second) == [] && groups(first) == ["1 corrupt"])
    // It gets worse, then better, then bad again.
    #expect(try night("no_audio", .failed).written.newlyFailed == 1)
    let better = try night("corrupt")
    #expect(better.written.newlyDamaged == 0)
    #expect(try groups(better) == [])
    #expect(try night(nil).totals == RunTotals(analyzed: 1))
    #expect(try night("corrupt").written.newlyDamaged == 1)
    let run = try #require(try library.store.latestRun())
    #expect(run.newlyDamaged == 1 && run.totals == RunTotals(partial: 1))
    #expect(try library.store.check() == [])
  }

  @Test func newAudioAnalyzerIsNoReasonToTryABrokenFileButNewTagsAre() throws {
    let library = try ScannedLibrary()
    library.put("/music/bad.mp3")
    try library.night(analyze: analyze)
    library.wanted = ScannedLibrary.wanted(extra: [AnalyzerIdentity(id: "key", version: 1, digest: "")])
    #expect(try library.night(analyze: analyze).scan.knownFailures == 1)
    library.wanted = ScannedLibrary.wanted(tags: AnalyzerIdentity(id: "tags", version: 2, digest: "t1"))
    #expect(try library.night(analyze: analyze).scan.outdated == 1)
  }

  @Test func failedAnalyzerIsRecordedAndRetriedOnRequestOnly() throws {
    let library = try ScannedLibrary()
    library.put("/music/a.mp3")
    let failing = { (file: PendingFile) in
      var analysis = ScannedLibrary.analysis(of: file)
      analysis.outcomes[1].result = .failed("The onset envelope exploded.")
      analysis.outcomes[2].result = .notApplicable("Too short.")
      return analysis
    }
    #expect(try library.night(analyze: failing).totals == RunTotals(analyzed: 1))
    let record = try #require(try library.store.record(at: "/music/a.mp3"))
    #expect(record.tempo == nil && record.fingerprint == nil)
    #expect(
      record.analyzerProblems == [
        FileRecord.AnalyzerProblem(analyzer: "chromaprint", outcome: .notApplicable, message: "Too short."),
        FileRecord.AnalyzerProblem(analyzer: "tempo", outcome: .failed, message: "The onset envelope exploded."),
      ])
    #expect(try library.night(analyze: failing).scan.cached == 1)
    let night = try library.night(ScanOptions(retryFailed: true))
    #expect(night.pending.map(\.reason) == [.retry])
    #expect(try library.store.record(at: "/music/a.mp3")?.analyzerProblems.isEmpty == true)
  }

  @Test func unreadableTodayKeepsWhatIsKnown() throws {
    let library = try ScannedLibrary()
    library.put("/music/a.mp3")
    try library.night()
    try library.night(ScanOptions(force: true)) { _ in
      FileAnalysis(status: .failed, problem: Problem(stage: .open, code: "unreadable", message: "No permission."))
    }
    let record = try #require(try library.store.record(at: "/music/a.mp3"))
    #expect(record.status == .failed)
    #expect(record.tempo != nil && record.format == ScannedLibrary.format && record.contentID != nil)
  }

  @Test func troubleOfTheSystemIsTriedAgainEveryNight() throws {
    let library = try ScannedLibrary()
    library.put("/music/a.mp3")
    let unreadable = FileAnalysis(
      status: .failed, problem: Problem(stage: .open, code: "unreadable", message: "No permission."))
    #expect(try library.night { _ in unreadable }.written.newlyFailed == 1)
    let second = try library.night { _ in unreadable }
    #expect(second.pending.map(\.reason) == [.retry])
    #expect(second.totals == RunTotals(failed: 1) && second.written.newlyFailed == 0)
    #expect(try library.night().totals == RunTotals(analyzed: 1))
    #expect(try library.night().totals == RunTotals(cached: 1))
  }

  @Test func findingThatCannotBeStoredIsAFailureOfItsAnalyzerAlone() throws {
    struct Mad: AnalysisFinding {
      var value = Double.nan
    }
    let library = try ScannedLibrary()
    library.put("/music/a.mp3")
    let mad = AnalyzerIdentity(id: "mad", version: 1, digest: "")
    library.wanted = ScannedLibrary.wanted(extra: [mad])
    try library.night { file in
      var analysis = ScannedLibrary.analysis(of: file)
      analysis.outcomes.append(AnalyzerOutcome(analyzer: mad, result: .finding(Mad())))
      var tempo = ScannedLibrary.tempoFinding(.nan)
      tempo.confidence = .infinity
      tempo.beats = [0, .nan, 1]
      analysis.outcomes[1].result = .finding(tempo)
      return analysis
    }
    let record = try #require(try library.store.record(at: "/music/a.mp3", long: ["beats"]))
    #expect(record.analyzerProblems.map(\.analyzer) == ["mad"])
    #expect(record.analyzerProblems.first?.message.contains("value") == true)
    #expect(record.tempo?.bpm == nil && record.tempo?.beats == [0, 1])
    #expect(record.tags != nil)
  }

  @Test func skippedFileHasItsReasonAndKeepsItsResults() throws {
    let library = try ScannedLibrary()
    library.put("/music/a.mp3")
    library.put("/music/b.mp3")
    try library.night()
    let skip = SkippedFile(path: "/music/b.mp3", code: "ignored", message: "An ignore rule names it.")
    let picture = SkippedFile(
      path: "/music/cover.jpg", code: "not_audio", message: "A picture.", sizeBytes: 99,
      modified: Timestamp(nanoseconds: 1))
    for _ in 1...2 {
      let night = try library.night(skipping: [skip, picture])
      #expect(night.totals == RunTotals(cached: 1, skipped: 2))
      #expect(night.pending.isEmpty)
    }
    let record = try #require(try library.store.record(at: "/music/b.mp3"))
    #expect(record.status == .skipped && record.problem?.code == "ignored" && record.tempo == nil)
    #expect(try library.store.record(at: "/music/cover.jpg")?.sizeBytes == 99)
    #expect(try library.records(RecordSelection(statuses: [.ok])).map(\.path) == ["/music/a.mp3"])
    library.remove("/music/cover.jpg")
    let night = try library.night()
    #expect(night.totals == RunTotals(cached: 2, vanished: 1))
    #expect(try library.store.record(at: "/music/b.mp3")?.tempo != nil)
  }

  @Test func changeIsNoticedAfterASkip() throws {
    let library = try ScannedLibrary()
    library.put("/music/a.mp3")
    try library.night()
    library.put("/music/a.mp3", size: 5)
    let skip = SkippedFile(path: "/music/a.mp3", code: "busy", message: "Being written.", sizeBytes: 5)
    try library.night(skipping: [skip])
    #expect(try library.night().scan.changed == 1)
  }
}
