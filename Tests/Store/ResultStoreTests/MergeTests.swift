import Analysis
import AnalysisTesting
import LibraryTesting
import Platform
import Records
import ResultStore
import SystemPackage
import Testing

@Suite(.bounded) struct MergeTests {
  private static let origin = ResultOrigin(pipeline: "default", digest: "d", wanted: ScannedLibrary.wanted())

  private static func stamp(_ path: FilePath = "/music/a.flac", size: Int64 = 1000, modified: Int64 = 5) -> FileStamp {
    FileStamp(path: path, device: 9, inode: 1, sizeBytes: size, modified: Timestamp(nanoseconds: modified))
  }

  private static func result(
    _ title: String, at time: Int64, _ stamp: FileStamp = stamp(),
    only: Set<String> = ["tags", "tempo", "chromaprint"],
    problem: String? = nil, status: FileAnalysis.Status = .ok
  ) -> WorkerResult {
    let all: [AnalyzerOutcome] = [
      AnalyzerOutcome(analyzer: ScannedLibrary.tags, result: .finding(ScannedLibrary.tagFinding(title: title))),
      AnalyzerOutcome(analyzer: ScannedLibrary.tempo, result: .finding(ScannedLibrary.tempoFinding())),
      AnalyzerOutcome(
        analyzer: ScannedLibrary.chromaprint,
        result: .finding(FingerprintFinding(algorithm: "chromaprint-2", duration: 10, value: "AQAA"))),
    ]
    let outcomes = all.filter { only.contains($0.analyzer.id) }
    let analysis = FileAnalysis(
      status: status, problem: problem.map { Problem(stage: .decode, code: $0, message: "\(title).") },
      contentID: status == .failed ? nil : ScannedLibrary.contentID("\(stamp.modified)"),
      format: status == .failed ? nil : ScannedLibrary.format,
      outcomes: status == .failed
        ? outcomes.map { AnalyzerOutcome(analyzer: $0.analyzer, result: .failed("Lost.")) } : outcomes)
    return WorkerResult(.analysis(analysis, of: stamp), analyzed: Timestamp(nanoseconds: time))
  }

  private static func skipped(_ code: String) -> WorkerResult {
    WorkerResult(
      .skipped(SkippedFile(path: "/music/a.flac", code: code, message: "passed over")),
      analyzed: Timestamp(nanoseconds: 50))
  }

  /// - Returns: Stored record of the file after the results were merged one by one, and again all at once.
  private static func merge(_ results: [WorkerResult]) throws -> FileRecord? {
    let library = try ScannedLibrary()
    let merger = ResultMerger(store: library.store, programVersion: "1")
    for result in results { try merger.merge([result], from: origin) }
    let record = try library.store.record(at: "/music/a.flac", long: ["beats"])
    let merged = merger.counts.merged
    try merger.merge(results, from: origin)
    #expect(merger.counts.merged == merged, "Merging again has changed something.")
    #expect(try library.store.record(at: "/music/a.flac", long: ["beats"]) == record)

    let other = try ScannedLibrary()
    try ResultMerger(store: other.store, programVersion: "1").merge(results, from: origin)
    #expect(
      try other.store.record(at: "/music/a.flac", long: ["beats"]) == record, "All at once is not one by one.")
    return record
  }

  private static func permutations<Element>(_ list: [Element]) -> [[Element]] {
    guard let first = list.first else { return [[]] }
    return permutations(Array(list.dropFirst())).flatMap { rest in
      (0...rest.count).map { Array(rest[..<$0]) + [first] + Array(rest[$0...]) }
    }
  }

  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var results: [WorkerResult]
    /// Final title and status.
    var title: String?
    var status: FileRecord.Status
  }

  @Test(arguments: [
    Case(
      testDescription: "the newest counts",
      results: [result("1", at: 10), result("2", at: 20), result("3", at: 30)], title: "3", status: .ok),
    Case(
      testDescription: "the newest counts, whatever the file says of its time",
      results: [result("1", at: 10, stamp(modified: 9)), result("2", at: 20, stamp(modified: 3)), result("3", at: 15)],
      title: "2", status: .ok),
    Case(
      testDescription: "damage is news",
      results: [
        result("1", at: 10), result("2", at: 20, stamp(modified: 7), problem: "corrupt", status: .partial),
      ], title: "2", status: .partial),
    Case(
      testDescription: "a lost process is none",
      results: [
        result("1", at: 10), result("2", at: 20, problem: "worker_crashed", status: .failed),
        result("3", at: 30, problem: "time_limit", status: .partial),
      ], title: "1", status: .ok),
    Case(
      testDescription: "a part is better than nothing",
      results: [
        result("1", at: 10, problem: "time_limit", status: .partial),
        result("2", at: 20, problem: "read_error", status: .failed),
      ], title: "1", status: .partial),
    Case(
      testDescription: "analyzers from several results",
      results: [
        result("1", at: 10, only: ["tags"]), result("2", at: 20, only: ["tempo"]),
        result("3", at: 30, only: ["chromaprint"]),
      ], title: "1", status: .ok),
    Case(
      testDescription: "tags alone do not make a damaged file whole",
      results: [
        result("1", at: 10, problem: "corrupt", status: .partial), result("2", at: 20, only: ["tags"]),
      ], title: "2", status: .partial),
    Case(
      testDescription: "nor one whose analysis ran out of time",
      results: [
        result("1", at: 10, problem: "time_limit", status: .partial), result("2", at: 15, only: ["tags"]),
        result("3", at: 20, only: ["tags"]),
      ], title: "3", status: .partial),
    Case(
      testDescription: "earlier tags do not replace those of an analysis that ran out of time",
      results: [
        result("1", at: 30, problem: "time_limit", status: .partial), result("2", at: 20, only: ["tags"]),
      ], title: "1", status: .partial),
    Case(
      testDescription: "tags, and a lost process",
      results: [
        result("1", at: 30, problem: "worker_crashed", status: .failed), result("2", at: 20, only: ["tags"]),
      ], title: "2", status: .ok),
    Case(
      testDescription: "but not of another version of the file",
      results: [result("1", at: 10, stamp(modified: 4), only: ["tags"]), result("2", at: 20, only: ["tempo"])],
      title: nil, status: .ok),
    Case(
      testDescription: "what was analyzed is not skipped", results: [skipped("hidden"), result("1", at: 10)],
      title: "1",
      status: .ok),
    Case(
      testDescription: "skipped for two reasons", results: [skipped("ignored"), skipped("hidden")], title: nil,
      status: .skipped),
  ])
  func orderMakesNoDifference(case: Case) throws {
    for results in Self.permutations(`case`.results) {
      let record = try #require(try Self.merge(results))
      #expect(record.status == `case`.status)
      #expect(record.tags?.fields["title"] == `case`.title.map { [$0] })
    }
  }

  @Test func analyzersFromSeveralResultsAreAllThere() throws {
    let record = try #require(
      try Self.merge([
        Self.result("3", at: 30, only: ["chromaprint"]), Self.result("1", at: 10, only: ["tags", "tempo"]),
      ]))
    #expect(record.analyzers.map(\.id) == ["chromaprint", "tags", "tempo"])
    #expect(record.tempo?.beats.count == 3)
    #expect(record.fingerprint != nil)
    #expect(record.format == ScannedLibrary.format)
  }

  @Test func nightAfterAMergeHasNothingToDo() throws {
    let library = try ScannedLibrary()
    let file = library.put("/music/a.flac")
    let merger = ResultMerger(store: library.store, programVersion: "1")
    // The disk has another number on the worker's machine.
    var seen = file
    seen.device = 99
    try merger.merge([Self.result("1", at: 10, seen)], from: Self.origin)
    let ending = try merger.finish(.finished) { $0.newlyFailed == 0 ? 0 : 3 }
    #expect(ending.totals == RunTotals(analyzed: 1))
    #expect(try library.store.latestRun()?.totals == ending.totals)
    #expect(try library.night().totals == RunTotals(cached: 1))
    // Nor does a merge that changes nothing.
    let again = ResultMerger(store: library.store, programVersion: "1")
    try again.merge([Self.result("1", at: 10, seen)], from: Self.origin)
    #expect(try again.finish(.finished) { _ in 0 }.run == nil)
  }

  @Test func vanishedFileComesBackIfItWasSeenSince() throws {
    let library = try ScannedLibrary()
    let file = library.put("/music/a.flac")
    library.put("/music/b.flac")
    try library.night()
    library.remove("/music/a.flac")
    let night = try library.night()
    #expect(night.totals.vanished == 1)
    let then = try #require(try library.store.run(night.run)).started
    let merger = ResultMerger(store: library.store, programVersion: "1")
    try merger.merge([Self.result("early", at: then.nanoseconds - 1, file)], from: Self.origin)
    #expect(try library.store.record(at: file.path)?.isVanished == true)
    try merger.merge([Self.result("late", at: Timestamp.now.nanoseconds, file)], from: Self.origin)
    #expect(try library.store.record(at: file.path)?.isVanished == false)
  }

  /// A file counts once in the totals, however many results it has.
  @Test func totalsCountFiles() throws {
    let library = try ScannedLibrary()
    let merger = ResultMerger(store: library.store, programVersion: "1")
    let broken = Self.result("1", at: 10, problem: "corrupt", status: .failed)
    try merger.merge([broken, Self.result("2", at: 20)], from: Self.origin)
    try merger.merge(
      [Self.result("3", at: 10, Self.stamp("/music/b.flac"), problem: "corrupt", status: .failed)], from: Self.origin)
    let ending = try merger.finish(.finished) { _ in 0 }
    #expect(ending.totals == RunTotals(analyzed: 1, failed: 1))
    #expect(ending.newlyFailed == 1)
    #expect(merger.counts.merged == 3)
  }
}
