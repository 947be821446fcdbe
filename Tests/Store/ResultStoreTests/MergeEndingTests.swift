import Analysis
import AnalysisTesting
import LibraryTesting
import Platform
import Records
import ResultStore
import SystemPackage
import Testing

/// Counts of a merge, and the parts that are kept of two results for one file.
@Suite(.bounded) struct MergeEndingTests {
  private static let origin = ResultOrigin(pipeline: "nightly", digest: "d7", wanted: ScannedLibrary.wanted())

  private static func stamp(_ path: FilePath, size: Int64 = 1000) -> FileStamp {
    FileStamp(path: path, device: 9, inode: 1, sizeBytes: size, modified: Timestamp(nanoseconds: 5))
  }

  private static func outcomes(_ ids: [String]) -> [AnalyzerOutcome] {
    let all: [AnalyzerOutcome] = [
      AnalyzerOutcome(analyzer: ScannedLibrary.tags, result: .finding(ScannedLibrary.tagFinding(title: "A"))),
      AnalyzerOutcome(analyzer: ScannedLibrary.tempo, result: .finding(ScannedLibrary.tempoFinding())),
      AnalyzerOutcome(
        analyzer: ScannedLibrary.chromaprint,
        result: .finding(FingerprintFinding(algorithm: "chromaprint-2", duration: 10, value: "AQAA"))),
    ]
    return all.filter { ids.contains($0.analyzer.id) }
  }

  private static func result(
    _ name: String = "a", at time: Int64 = 10, size: Int64 = 1000, _ status: FileAnalysis.Status = .ok,
    code: String? = nil, only ids: [String] = ["tags", "tempo", "chromaprint"]
  ) -> WorkerResult {
    var outcomes = outcomes(ids)
    if status == .failed { for index in outcomes.indices { outcomes[index].result = .failed("No.") } }
    let analysis = FileAnalysis(
      status: status, problem: code.map { Problem(stage: .decode, code: $0, message: "No.") },
      contentID: status == .failed ? nil : ScannedLibrary.contentID(name),
      format: status == .failed ? nil : ScannedLibrary.format, outcomes: outcomes)
    return WorkerResult(
      .analysis(analysis, of: stamp(FilePath("/music/\(name)"), size: size)), analyzed: Timestamp(nanoseconds: time))
  }

  private static func skipped(_ name: String, _ code: String = "ignored", _ message: String = "Ignored.")
    -> WorkerResult
  {
    WorkerResult(
      .skipped(SkippedFile(path: FilePath("/music/\(name)"), code: code, message: message)),
      analyzed: Timestamp(nanoseconds: 50))
  }

  private func merge(
    _ results: [WorkerResult], into library: ScannedLibrary
  ) throws -> (counts: MergeCounts, ending: ResultMerger.Ending) {
    let merger = ResultMerger(store: library.store, programVersion: "3.1")
    try merger.merge(results, from: Self.origin)
    let ending = try merger.finish(.finished) { $0.newlyFailed + $0.newlyDamaged > 0 ? 3 : 0 }
    return (merger.counts, ending)
  }

  private static func counts(merged: Int = 0, unchanged: Int = 0, outdated: Int = 0) -> MergeCounts {
    var counts = MergeCounts()
    (counts.merged, counts.unchanged, counts.outdated) = (merged, unchanged, outdated)
    return counts
  }

  // MARK: - Counts

  /// The same results again change nothing, and are counted as known. A merge that adds one file counts only that one
  /// as analyzed.
  @Test func endingsCountEachFileByItsState() throws {
    let library = try ScannedLibrary()
    let results = [
      Self.result("ok"), Self.result("damaged", .partial, code: "truncated"),
      Self.result("moving", .partial, code: "changed_while_reading"), Self.result("failed", .failed, code: "corrupt"),
      Self.skipped("skipped"),
    ]
    let first = try merge(results, into: library)
    #expect(first.counts == Self.counts(merged: 5))
    #expect(first.ending.totals == RunTotals(analyzed: 1, partial: 2, failed: 1, skipped: 1))
    #expect(first.ending.newlyFailed == 1 && first.ending.newlyDamaged == 1 && first.ending.unsettled == 1)
    #expect(first.ending.knownDamaged == 0 && first.ending.exitStatus == 3)
    let run = try #require(try library.store.latestRun())
    #expect(run.id == first.ending.run && run.totals == first.ending.totals && run.exitStatus == 3)
    #expect(run.newlyFailed == 1 && run.newlyDamaged == 1 && run.pending == 0)
    #expect(run.programVersion == "3.1" && run.pipeline == "nightly" && run.configurationDigest == "d7")
    #expect(run.state == .finished && run.analyzers.count == 3 && run.roots.isEmpty)

    let second = try merge(results, into: library)
    #expect(second.counts == Self.counts(unchanged: 5))
    let known = RunTotals(cached: 3, failed: 1, skipped: 1)
    #expect(second.ending.run == nil && second.ending.totals == known)
    #expect(second.ending.newlyFailed == 0 && second.ending.newlyDamaged == 0 && second.ending.unsettled == 0)
    #expect(second.ending.knownDamaged == 2 && second.ending.exitStatus == 0)
    #expect(try library.store.latestRun() == run)

    let third = try merge(results + [Self.result("new")], into: library)
    #expect(third.counts == Self.counts(merged: 1, unchanged: 5))
    #expect(third.ending.totals == RunTotals(analyzed: 1, cached: 3, failed: 1, skipped: 1))
    #expect(third.ending.newlyFailed == 0 && third.ending.newlyDamaged == 0 && third.ending.unsettled == 0)
    #expect(third.ending.knownDamaged == 2)
  }

  /// Files of the library that the results do not mention are not counted.
  @Test func otherFilesAreNotCounted() throws {
    let library = try ScannedLibrary()
    for name in ["x", "y"] { library.put(FilePath("/music/\(name)")) }
    try library.night()
    #expect(try merge([Self.result("ok")], into: library).ending.totals == RunTotals(analyzed: 1))
    let nothing = try merge([], into: library)
    #expect(nothing.ending.totals == RunTotals() && nothing.ending.run == nil && nothing.counts == MergeCounts())
  }

  @Test(arguments: [
    (result(at: 10), "the same", counts(unchanged: 1)),
    (result(at: 10, size: 7), "another version at the same time", counts(outdated: 1)),
    (result(at: 9), "earlier", counts(outdated: 1)), (result(at: 11), "later", counts(merged: 1)),
    (result(at: 11, .partial, code: "time_limit"), "later, with a passing problem", counts(outdated: 1)),
    (result(at: 11, .partial, code: "truncated"), "later, damaged", counts(merged: 1)),
    (skipped("a"), "skipped", counts(outdated: 1)),
  ])
  func resultsAfterAnAnalysis(result: WorkerResult, what: String, expected: MergeCounts) throws {
    let library = try ScannedLibrary()
    _ = try merge([Self.result(at: 10)], into: library)
    #expect(try merge([result], into: library).counts == expected, "\(what)")
  }

  @Test(arguments: [
    (skipped("a", "m", "M."), counts(unchanged: 1)), (skipped("a", "m", "L."), counts(merged: 1)),
    (skipped("a", "m", "N."), counts(outdated: 1)), (skipped("a", "l", "N."), counts(merged: 1)),
    (skipped("a", "n", "L."), counts(outdated: 1)), (result(at: 1), counts(merged: 1)),
  ])
  func resultsAfterASkip(result: WorkerResult, expected: MergeCounts) throws {
    let library = try ScannedLibrary()
    _ = try merge([Self.skipped("a", "m", "M.")], into: library)
    #expect(try merge([result], into: library).counts == expected)
  }

  // MARK: - Two results for one file

  private struct Kept: Hashable {
    var status: FileRecord.Status
    var problem: Problem?
    var remarks: [Problem]
    var contentID: ContentID?
    var format: AudioFormat?
    var analyzers: [String]
    var knownAudio: KnownAudio?
  }

  /// Merges results one by one in both orders, and returns what is kept, which must be the same.
  private func keep(_ results: [WorkerResult]) throws -> Kept {
    var kept: [Kept] = []
    for order in [results, results.reversed()] {
      let library = try ScannedLibrary()
      for result in order { _ = try merge([result], into: library) }
      let record = try #require(try library.store.record(at: "/music/a"))
      kept.append(
        Kept(
          status: record.status, problem: record.problem, remarks: record.remarks, contentID: record.contentID,
          format: record.format, analyzers: record.analyzers.map(\.id),
          knownAudio: try library.store.knownAudio(decodingID: ScannedLibrary.decodingID("sound"))))
    }
    #expect(kept[0] == kept[1])
    return kept[0]
  }

  /// Tags that were read later without decoding take over all that an earlier analysis says of the audio.
  @Test func laterTagsKeepTheAudioOfAnEarlierResult() throws {
    let remark = Problem(stage: .decode, code: "junk", message: "Junk.")
    var early = FileAnalysis(
      status: .ok, remarks: [remark, Problem(stage: .open, code: "odd_tag", message: "Odd.")],
      contentID: ScannedLibrary.contentID("a"), decodingID: ScannedLibrary.decodingID("sound"),
      format: ScannedLibrary.format, outcomes: Self.outcomes(["tempo"]))
    early.decodedDuration = 10
    let late = FileAnalysis(
      status: .ok, contentID: ScannedLibrary.contentID("a"), outcomes: Self.outcomes(["tags"]))
    let stamp = Self.stamp("/music/a")
    let kept = try keep([
      WorkerResult(.analysis(early, of: stamp), analyzed: Timestamp(nanoseconds: 10)),
      WorkerResult(.analysis(late, of: stamp), analyzed: Timestamp(nanoseconds: 20)),
    ])
    #expect(kept.status == .ok && kept.remarks == [remark] && kept.format == ScannedLibrary.format)
    #expect(kept.contentID == ScannedLibrary.contentID("a") && kept.analyzers == ["tags", "tempo"])
    #expect(kept.knownAudio?.analyzers == [ScannedLibrary.tempo])
  }

  /// Damage that an earlier analysis found is not carried into a later one that decoded the file.
  @Test func laterDecodingDecides() throws {
    let kept = try keep([
      Self.result(at: 10, .partial, code: "corrupt", only: ["chromaprint"]), Self.result(at: 30, only: ["tempo"]),
    ])
    #expect(kept.status == .ok && kept.problem == nil && kept.analyzers == ["chromaprint", "tempo"])
  }

  /// Outcomes of a lost process are dropped for later ones; those of an analysis that ran out of time are kept.
  @Test func outcomesOfIncompleteAnalyses() throws {
    let lost = try keep([
      Self.result(at: 10, .failed, code: "worker_crashed"), Self.result(at: 20, only: ["tags"]),
    ])
    #expect(lost.status == .ok && lost.analyzers == ["tags"])
    let cut = try keep([
      Self.result(at: 10, .partial, code: "time_limit"), Self.result(at: 20, only: ["tags", "tempo"]),
    ])
    #expect(cut.status == .ok && cut.problem == nil && cut.analyzers == ["chromaprint", "tags", "tempo"])
  }

  @Test func outcomesOfAnotherSizeAreNotKept() throws {
    let kept = try keep([
      Self.result(at: 10, size: 999, only: ["tempo"]), Self.result(at: 20, size: 1000, only: ["tags"]),
    ])
    #expect(kept.analyzers == ["tags"])
  }

  /// A scan has seen that the file changed, so stored outcomes do not describe it, whatever its size and time are now.
  @Test func outcomesOfAChangedFileAreNotKept() throws {
    let library = try ScannedLibrary()
    library.put("/music/a")
    try library.night()
    let file = library.put("/music/a", size: 7)
    try library.night(analyze: { _ in nil })
    let analysis = FileAnalysis(
      status: .ok, contentID: ScannedLibrary.contentID("b"), format: ScannedLibrary.format,
      outcomes: Self.outcomes(["tags"]))
    let merged = try merge([WorkerResult(.analysis(analysis, of: file), analyzed: .now)], into: library)
    #expect(merged.counts == Self.counts(merged: 1))
    #expect(try library.store.record(at: "/music/a")?.analyzers == [ScannedLibrary.tags])
    #expect(try library.store.history(at: "/music/a")?.pending == nil)
  }

  // MARK: - Vanished files

  /// A file that was found but never analyzed, and has vanished since, is there if there is a result for it.
  @Test func resultForAFileThatWasNeverAnalyzed() throws {
    let library = try ScannedLibrary()
    let file = library.put("/music/a")
    try library.night(analyze: { _ in nil })
    library.remove("/music/a")
    #expect(try library.night().totals.vanished == 1)
    let analysis = FileAnalysis(status: .ok, format: ScannedLibrary.format, outcomes: Self.outcomes(["tags"]))
    _ = try merge([WorkerResult(.analysis(analysis, of: file), analyzed: .now)], into: library)
    #expect(try library.store.record(at: "/music/a")?.isVanished == false)
  }

  /// A result from the very start of the run that missed the file is later than its disappearance.
  @Test func resultFromTheStartOfTheRunThatMissedTheFile() throws {
    let library = try ScannedLibrary()
    let file = library.put("/music/a")
    try library.night()
    library.remove("/music/a")
    let night = try library.night()
    let start = try #require(try library.store.run(night.run)).started
    let analysis = FileAnalysis(status: .ok, format: ScannedLibrary.format, outcomes: Self.outcomes(["tags"]))
    _ = try merge([WorkerResult(.analysis(analysis, of: file), analyzed: start)], into: library)
    #expect(try library.store.record(at: "/music/a")?.isVanished == false)
  }
}
