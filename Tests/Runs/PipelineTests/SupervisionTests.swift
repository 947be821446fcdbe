import Analysis
import AnalysisEngine
import AnalysisTesting
import DSP
import LibraryScan
import Platform
import SystemPackage
import Testing

@testable import Pipeline

/// Files that change, disappear or end their worker while they are analyzed.
@Suite(.bounded) struct SupervisionTests {
  private static let plan = AnalysisPlan(name: "none", plugins: [], resampler: .soxr)
  private let folder: TemporaryDirectory
  private let path: FilePath

  init() throws {
    folder = try TemporaryDirectory()
    path = try folder.write([1, 2, 3], as: "a.wav")
  }

  enum Change: String, CaseIterable, Sendable {
    case none = ":"
    case changed = "echo x >> a.wav"
    case replaced = "echo x > b && mv b a.wav"
    case vanished = "rm a.wav"
  }

  enum Answer: String, CaseIterable, Sendable {
    case ok = #"echo '{"result": {"status": "ok", "remarks": [], "reuses_known_audio": false, "outcomes": []}}'"#
    case failed =
      #"echo '{"result": {"status": "failed", "problem": {"stage": "open", "code": "odd", "message": "Odd."}, "remarks": [], "reuses_known_audio": false, "outcomes": []}}'"#
    /// The worker crashes.
    case loss = #"echo '{"stage": "open"}'; kill -SEGV $$"#
  }

  /// The status and the code of the problem, or what else became of the file.
  private func ending(_ change: Change, _ answer: Answer, isCancelled: Bool = false) throws -> String {
    let script = #"cd "$1"; echo '{"ready": true}'; read line; \#(change.rawValue); \#(answer.rawValue); read line"#
    let pool = WorkerPool(arguments: ["sh", "-c", script, "sh", folder.path.string], plan: Self.plan, kinds: [])
    defer { LibraryRun.Isolation.workers(pool).close() }
    let supervision = Supervision(plan: Self.plan, timeLimit: .standard, isolation: .workers(pool))
    let before = try #require(ScannedFile(lookingAt: path))
    let ending = try supervision.analyze(
      before, job: { AnalysisJob(path: path, timeLimit: $0) }, isCancelled: { isCancelled })
    switch ending {
    case .postponed: return "postponed"
    case .givenUp: return "given up"
    case .analyzed(let analysis):
      return [analysis.status.rawValue, analysis.problem?.code].compactMap(\.self).joined(separator: " ")
    }
  }

  @Test(
    arguments: [
      (.none, .ok, "ok"), (.none, .failed, "failed odd"), (.none, .loss, "failed worker_crashed"),
      // A reader notices itself if it has read two versions.
      (.changed, .ok, "ok"), (.replaced, .ok, "ok"),
      // A failure may be due to a program that is still writing.
      (.changed, .failed, "postponed"), (.replaced, .failed, "postponed"),
      (.changed, .loss, "failed changed_while_reading"), (.replaced, .loss, "failed changed_while_reading"),
      (.vanished, .ok, "partial vanished_while_reading"), (.vanished, .failed, "given up"),
      (.vanished, .loss, "failed vanished_while_reading"),
    ] as [(Change, Answer, String)])
  func endings(change: Change, answer: Answer, expected: String) throws {
    #expect(try ending(change, answer) == expected)
  }

  @Test func canceledFilesAreGivenUp() throws {
    #expect(try ending(.none, .ok, isCancelled: true) == "given up")
  }
}
