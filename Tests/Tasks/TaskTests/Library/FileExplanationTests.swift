import Analysis
import AnalysisTasks
import AnalysisTesting
import BuiltInAnalyzers
import Foundation
import LibraryScan
import LibraryStore
import LibraryTesting
import Pipeline
import Platform
import Records
import ResultStore
import SystemPackage
import Testing

/// Explanations of files in a library whose results are made up.
@Suite(.bounded) struct FileExplanationTests {
  private let place: Workplace
  private let library: ScannedLibrary
  private let plan: AnalysisPlan

  init() throws {
    place = try Workplace()
    plan = try place.plan()
    library = try ScannedLibrary()
    library.wanted = plan.wanted
  }

  private func explain(_ path: FilePath) throws -> [String] {
    try FileExplanation(of: path, in: library.store, plan: plan, candidates: CandidateRule()).sentences()
  }

  /// Creates or replaces a file, and tells the library about it.
  @discardableResult
  private func put(_ text: String, as name: String) throws -> FilePath {
    let path = try place.put(Array(text.utf8), as: name)
    library.put(FileStamp(try #require(ScannedFile(lookingAt: path))))
    return path
  }

  /// A run in which every file has these results.
  private func run(
    _ status: FileAnalysis.Status = .ok, _ code: String? = nil, loss: WorkerLoss.Cause? = nil
  ) throws {
    try library.night(scopes: [VanishScope(root: place.library)]) { [plan] file in
      var analysis = status == .failed ? FileAnalysis(status: .failed) : ScannedLibrary.analysis(of: file)
      analysis.problem = code.map { Problem(stage: .decode, code: $0, message: "It is \($0).") }
      analysis.workerLoss = loss.map { WorkerLoss(cause: $0, stage: .decode) }
      analysis.outcomes = plan.plugins.map { plugin in
        let result = AnalyzerOutcome.Result.self
        return AnalyzerOutcome(
          analyzer: plugin.identity,
          result: status == .failed ? result.failed("It failed.") : result.notApplicable("None."))
      }
      return analysis
    }
  }

  /// A file that was written right before a run may have changed unnoticed, so runs are a second later.
  private func analyzeLater() { library.time = Timestamp(nanoseconds: Timestamp.now.nanoseconds + 1_000_000_000) }

  @Test func aFileIsAnalyzedChangedAndGone() throws {
    let path = try put("a", as: "a.wav")
    analyzeLater()
    try run()
    let known = try explain(path)
    #expect(known.first == "Analyzed without a problem.")
    #expect(known.last == "Unchanged: with the pipeline default the next run skips it (cached).")
    #expect(known.contains { $0.hasPrefix("Last analyzed ") && $0.hasSuffix(" by run 1.") })
    #expect(!known.contains { $0.hasPrefix("Tried and failed") || $0.contains("crashed while reading") })

    _ = try place.put(Array("longer".utf8), as: "a.wav")
    let change =
      "It has changed since then: the next run reads its tags, and analyzes the audio again if it is different."
    #expect(try explain(path).last == change)
    // Looking changes nothing.
    #expect(try library.store.history(at: path)?.pending == nil)
    try put("longer still", as: "a.wav")
    try library.night(scopes: []) { _ in nil }
    #expect(try explain(path).last == "It waits for the next run to analyze it.")

    try FileManager.default.removeItem(atPath: path.string)
    #expect(try explain(path).last == "The file no longer exists.")
    library.remove(path)
    try put("b", as: "b.wav")
    try run()
    #expect(try explain(path).first == "Gone: run 3 no longer found it. Its results are kept.")
    #expect(throws: UnknownFile.self) { try explain(place.library.appending("c.wav")) }
  }

  @Test func filesThatEndWorkersAreInQuarantine() throws {
    let path = try put("a", as: "a.wav")
    try run(.failed, "worker_crashed", loss: .signal(11))
    let once = try explain(path)
    #expect(once.first == "Failed while decoding it: It is worker_crashed.")
    #expect(once.contains("Tried and failed once since run 1."))
    #expect(once.contains { $0.contains("it ended a worker process once, last ") && $0.contains(" (signal 11). ") })
    #expect(once.last?.hasPrefix("Unchanged since then; it will be retried after ") == true)
    // The next attempt is two days later.
    library.time = Timestamp(nanoseconds: Timestamp.now.nanoseconds + 2 * 86_400 * 1_000_000_000)
    try run(.failed, "worker_crashed", loss: .timeLimit)
    let twice = try explain(path)
    #expect(twice.contains("Tried and failed 2 times since run 1."))
    #expect(
      twice.contains { $0.contains("it ended a worker process 2 times in a row, last ") && !$0.contains("signal") })
  }

  @Test func failuresThatMayPassAreRetried() throws {
    let path = try put("a", as: "a.wav")
    analyzeLater()
    try run(.failed, DecodeError.Code.readError.rawValue)
    #expect(try explain(path).last == "The failure may pass by itself: the next run tries it again.")
  }

  @Test func filesThatWereNotReadAreCheckedAgain() throws {
    let skipped = try place.put([1], as: "skipped.wav")
    try place.library.appending("folder").makeFolder()
    let folder = place.library.appending("folder")
    try library.night(skipping: [
      SkippedFile(path: skipped, code: "changing", message: "It is being written"),
      SkippedFile(path: folder, code: "unreadable", message: "It cannot be read.", isFailure: true),
    ])
    #expect(try explain(skipped).first == "Skipped: It is being written.")
    #expect(try explain(skipped).last == "The next run checks it again.")
    #expect(try explain(folder).first == "Failed while scanning: It cannot be read.")
    #expect(try explain(folder).last == "The next run checks it again.")
  }

  @Test func filesThatNoRunReads() throws {
    let notes = try place.put([1], as: "notes.txt")
    let sentences = try explain(notes)
    #expect(sentences.first == "It is not in the database: no run has seen it.")
    #expect(sentences.count == 2 && sentences.last?.hasPrefix("In a folder it would be skipped: ") == true)
    let object = LibraryFile(path: "s3:/bucket/a.flac", tags: [:])
    try LibraryFiles([object]).merge(into: library.store)
    #expect(try explain(object.path).last?.hasPrefix("An object: only a plan") == true)
  }
}
