import Analysis
import AnalysisEngine
import AnalysisTesting
import AudioDecoding
import DSP
import Foundation
import LibraryScan
import Platform
import Records
import ResultStore
import Synchronization
import SystemPackage
import Testing
import Text

@testable import Pipeline

/// Worker processes that misbehave.
@Suite(.bounded) struct WorkerPoolTests {
  private static let plan = AnalysisPlan(name: "none", plugins: [], resampler: .soxr)
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func pool(_ script: String) -> WorkerPool {
    WorkerPool(arguments: ["sh", "-c", script, "sh", folder.path.string], plan: Self.plan, kinds: [])
  }

  /// The answer of a worker that found nothing.
  private static let answer =
    #"{"result": {"status": "ok", "remarks": [], "reuses_known_audio": false, "outcomes": []}}"#

  @Test(
    .disabled(
      if: ProcessInfo.processInfo.environment["TSAN_OPTIONS"] != nil,
      "the thread sanitizer makes vfork a fork, whose child cannot say why it did not start"))
  func aMissingProgramIsNotTheFilesFault() throws {
    let pool = WorkerPool(arguments: [folder.file("none").string], plan: Self.plan, kinds: [])
    let failure = #expect(throws: WorkerPool.StartFailure.self) {
      try pool.analyze(AnalysisJob(path: "/a"), isCancelled: { false })
    }
    #expect(failure?.description.contains("No such file") == true)
  }

  /// If a worker does not become ready, the cause is the system, not the file for it.
  @Test(arguments: ["echo no thread >&2; exit 1", "echo no thread >&2; kill -KILL $$", "echo no thread >&2; echo {}"])
  func aWorkerThatDoesNotGetReadyIsNotTheFilesFault(script: String) throws {
    let failure = #expect(throws: WorkerPool.StartFailure.self) {
      try pool(script).analyze(AnalysisJob(path: "/a"), isCancelled: { false })
    }
    #expect(failure?.description.contains("No worker process can be started") == true)
  }

  /// While memory is low, the kernel may kill workers that have just started. The file waits for one that lives.
  @Test func workersKilledAtTheStartAreReplaced() throws {
    let script = "if mkdir \"$1/1\" || mkdir \"$1/2\"; then kill -KILL $$; fi 2>&-; "
    let worker = #"echo '{"ready": true}'; read line; echo '\#(Self.answer)'"#
    let analysis = try pool(script + worker).analyze(AnalysisJob(path: "/a"), isCancelled: { false })
    #expect(analysis?.status == .ok)
  }

  /// The first worker answers once; no other can be started.
  private static let onlyOnce = """
    if ! mkdir "$1/begun"; then echo no room for another >&2; exit 1; fi
    echo '{"ready": true}'; read line; echo '\(answer)'
    """

  /// Earlier results stay.
  @Test func resultsStayWhenWorkersRunOut() async throws {
    let library = folder.file("library")
    try FileManager.default.createDirectory(atPath: library.string, withIntermediateDirectories: true)
    for name in ["a", "b", "c"] {
      try Data(count: 5_000).write(to: URL(filePath: library.appending("\(name).wav").string))
    }
    let store = try ResultStore(path: folder.file("results.sqlite"), findings: [])
    func run(_ pool: WorkerPool) -> LibraryRun {
      LibraryRun(
        store: store,
        request: LibraryRun.Request(
          roots: .paths([library]), plan: Self.plan, jobs: 1, isolation: .workers(pool), programVersion: "1"),
        control: RunControl()
      ) { _ in }
    }
    let failure = await #expect(throws: WorkerPool.StartFailure.self) { try await run(pool(Self.onlyOnce)).run() }
    #expect(failure?.description.contains("no room for another") == true)
    // The record shows what was done, and that the rest was not.
    let record = try #require(try store.latestRun())
    #expect(record.state == .failed && record.exitStatus == nil)
    #expect(record.totals == RunTotals(analyzed: 1) && record.pending == 2)
    let worker = #"echo '{"ready": true}'; while read line; do echo '\#(Self.answer)'; done"#
    let outcome = try await run(pool(worker)).run()
    #expect(outcome.totals.cached == 1)
    #expect(outcome.totals.analyzed == 2)
  }

  /// Files that wait because no other worker can be started are reported, since the run takes longer.
  @Test(.timeLimit(.minutes(1))) func shortagesAreReported() async throws {
    let library = folder.file("library")
    try FileManager.default.createDirectory(atPath: library.string, withIntermediateDirectories: true)
    for name in ["a", "b"] { try Data(count: 5_000).write(to: URL(filePath: library.appending("\(name).wav").string)) }
    // The second worker fails while the first one is busy, which goes on until then.
    let script = """
      waitFor() { while ! [ -e "$1" ]; do sleep 0.01; done; }
      if ! mkdir "$1/begun" 2>&-; then waitFor "$1/busy"; : >"$1/failed"; echo no room >&2; exit 1; fi
      echo '{"ready": true}'
      while read line; do : >"$1/busy"; waitFor "$1/failed"; echo '\(Self.answer)'; done
      """
    let store = try ResultStore(path: folder.file("results.sqlite"), findings: [])
    for (script, isShort) in [
      (script, true), (#"echo '{"ready": true}'; while read line; do echo '\#(Self.answer)'; done"#, false),
    ] {
      let pool = pool(script)
      let log = EventLog()
      let outcome = try await LibraryRun(
        store: store,
        request: LibraryRun.Request(
          roots: .paths([library]), scan: ScanOptions(force: true), plan: Self.plan, jobs: 2,
          isolation: .workers(pool), programVersion: "1"),
        control: RunControl(), report: log.take
      ).run()
      pool.close()
      #expect(outcome.totals.analyzed == 2)
      let notices = log.notices.filter { $0.hasPrefix("fewer_jobs: files had to wait for a free worker: ") }
      #expect(notices.count == (isShort ? 1 : 0) && notices.allSatisfy { $0.contains("no room") })
    }
  }

  /// If there is one worker, the others wait for it.
  @Test func aRunContinuesWithTheWorkersItHas() throws {
    let pool = pool(
      """
      if ! mkdir "$1/begun"; then exit 1; fi
      echo '{"ready": true}'; while read line; do sleep 0.05; echo '\(Self.answer)'; done
      """)
    let answered = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for _ in 0..<5 {
        let analysis = try? pool.analyze(AnalysisJob(path: "/a"), isCancelled: { false })
        if analysis?.status == .ok { answered.withLock { $0 += 1 } }
      }
    }
    // A caller may be refused before the first worker is ready.
    #expect(answered.withLock { $0 } >= 5)
    #expect(pool.losses.isEmpty)
  }

  /// A worker that computes forever, and one that does nothing at all.
  @Test func timeLimitsAreEnforced() throws {
    let busy = try pool(#"echo '{"ready": true}'; read line; while :; do :; done"#).analyze(
      AnalysisJob(path: "/a", timeLimit: TimeLimit(processorSeconds: -8, perAudioSecond: 0, standstillSeconds: 600)),
      isCancelled: { false })
    #expect(busy?.problem?.code == "time_limit")
    let idle = try pool(#"echo '{"ready": true}'; read line; read line"#).analyze(
      AnalysisJob(path: "/a", timeLimit: TimeLimit(processorSeconds: 60, perAudioSecond: 0, standstillSeconds: 1)),
      isCancelled: { false })
    #expect(idle?.problem?.code == "no_progress")
    #expect(idle?.workerLoss?.cause == .timeLimit)
  }

  /// Longer than any program may print.
  @Test func longAnswersArrive() throws {
    let text = String(repeating: "\u{1}", count: 3_000_000)
    let analysis = FileAnalysis(status: .ok, problem: Problem(stage: .open, code: "long", message: text))
    let line = try WorkerLine.encoded(WorkerMessage.result(analysis))
    #expect(line.count > 2 * PipedProcess.outputLimit)
    try folder.write(line, as: "line")
    let found = try pool(#"echo '{"ready": true}'; read line; cat "$1/line""#).analyze(
      AnalysisJob(path: "/a"), isCancelled: { false })
    #expect(found?.problem?.message == text)
  }

  @Test(arguments: [
    "126.0", "126", "-0.0", "1e2", "0.1", "9007199254740993", "123456789012345678901234567890", "1e300", "5e-324",
    "[[[[[1.0]]]]]", #""\u0001\u2028""#, #"{"b": 1.0, "a": 2, "b": 3.0}"#,
  ])
  func numbersKeepTheirKind(text: String) throws {
    let value = try JSONValue(parsing: #"{"value": \#(text)}"#.utf8)
    let analysis = FileAnalysis(
      status: .ok,
      outcomes: [
        AnalyzerOutcome(analyzer: .init(id: "x", version: 1, digest: "d"), result: .finding(JSONFinding(value)))
      ])
    let line = try WorkerLine.encoded(WorkerMessage.result(analysis))
    guard case .result(let found) = try WorkerLine.decoded(line, as: WorkerMessage.self),
      case .finding(let finding as JSONFinding) = found.outcomes.first?.result
    else {
      Issue.record("no finding in \(String(decoding: line, as: UTF8.self))")
      return
    }
    #expect(finding.value.text == value.text)
  }
}
