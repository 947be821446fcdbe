import Analysis
import AnalysisTesting
import DSP
import LibraryScan
import Platform
import Records
import ResultStore
import Synchronization
import SystemPackage
import Testing

@testable import Pipeline

/// Objects in place of files.
@Suite(.bounded) struct ObjectRunTests {
  private let folder: TemporaryDirectory
  private let store: ResultStore
  private let probe = Probe()
  private static let sound = WAVFile(.noise(sampleRate: 8_000, seconds: 0.25)).bytes

  init() throws {
    folder = try TemporaryDirectory()
    store = try ResultStore(path: folder.file("results.sqlite"), findings: [])
  }

  private func run(
    _ plugins: [AnalyzerPlugin], in bucket: Bucket?, roots: [FilePath] = ["s3:/b"], control: RunControl = RunControl()
  ) async throws -> (outcome: LibraryRun.Outcome, log: EventLog) {
    let log = EventLog()
    let run = LibraryRun(
      store: store,
      request: LibraryRun.Request(
        roots: .paths(roots), plan: AnalysisPlan(name: "probes", plugins: plugins, resampler: .soxr), jobs: 1,
        programVersion: "1", objects: bucket?.fetcher),
      control: control, report: log.take)
    let outcome = try await run.run()
    try run.finish(outcome, exitStatus: 0)
    return (outcome, log)
  }

  // MARK: - Walks

  /// Everything that a walk yields, as text.
  private func walk(
    _ roots: [FilePath], in bucket: Bucket?, isCancelled: @escaping () -> Bool = { false }
  ) -> [String] {
    var walk = ObjectWalk(
      roots: roots, fetcher: bucket?.fetcher, rule: CandidateRule(), isCancelled: isCancelled)
    var found: [String] = []
    while let entry = walk.next() {
      switch entry {
      case .file(let file): found.append("\(file.path) \(file.size)")
      case .skipped(let entry): found.append("\(entry.path) \(entry.reason.rawValue)")
      case .root(let root): found.append("\(root.path) \(root.state)")
      }
    }
    return found
  }

  /// A folder is empty unless it has at least one candidate, however much else is in it.
  @Test func foldersOfObjectsAreWalked() throws {
    let bucket = try Bucket(in: folder.path) { name in
      switch name {
      case "one": [.init(key: "x/"), .init(key: "a.wav", bytes: [1, 2]), .init(key: "b.jpg"), .init(key: "x//c.wav")]
      case "two": [.init(key: "a.wav"), .init(key: "b.flac", bytes: [1])]
      case "none": [.init(key: "b.jpg")]
      default: nil
      }
    }
    #expect(
      walk(["s3:/one", "s3:/none", "https:/h/a", "s3:/two", "s3:/absent"], in: bucket) == [
        "s3:/one/a.wav 2", "s3:/one/b.jpg not_audio", "s3:/one/x/%2Fc.wav 0",
        "s3:/one \(RootReport.State.scanned(fileCount: 2))", "s3:/none/b.jpg not_audio",
        "s3:/none \(RootReport.State.empty)",
        "https:/h/a \(RootReport.State.unreadable("only s3: and gs: names can be listed"))", "s3:/two/a.wav 0",
        "s3:/two/b.flac 1", "s3:/two \(RootReport.State.scanned(fileCount: 2))",
        "s3:/absent \(RootReport.State.unreadable("The server has no such bucket (404)"))",
      ])
    #expect(walk([], in: bucket).isEmpty)
    #expect(
      walk(["s3:/one"], in: nil) == [
        "s3:/one \(RootReport.State.unreadable("only s3: and gs: names can be listed"))"
      ])
  }

  /// A canceled walk does not claim that a folder was read.
  @Test func canceledWalksReportNothing() throws {
    let bucket = try Bucket(in: folder.path) { _ in [.init(key: "a.wav")] }
    #expect(walk(["s3:/one", "s3:/two"], in: bucket, isCancelled: { true }).isEmpty)
  }

  // MARK: - Runs

  @Test func objectsAreAnalyzedAndVanish() async throws {
    let present = Mutex(["a.wav", "b.wav"])
    let bucket = try Bucket(in: folder.path) { _ in
      present.withLock { $0 }.map { .init(key: $0, bytes: Self.sound) }
    }
    let (first, log) = try await run([probe.plugin("p")], in: bucket)
    #expect(log.started == ["a.wav", "b.wav"] && log.notices.isEmpty && probe.seen == ["p a.wav", "p b.wav"])
    #expect(first.totals == RunTotals(analyzed: 2))
    present.withLock { $0 = ["b.wav"] }
    let (second, _) = try await run([probe.plugin("p")], in: bucket)
    #expect(second.totals == RunTotals(cached: 1, vanished: 1))
    #expect(second.roots == [RunRecord.Root(path: "s3:/b", condition: .scanned)])
    #expect(try store.record(at: "s3:/b/a.wav")?.isVanished == true)
  }

  @Test func missingObjectsAreReported() async throws {
    let bucket = try Bucket(in: folder.path) { _ in
      [.init(key: "a.wav", status: 404), .init(key: "b.wav", status: 403), .init(key: "c.wav", bytes: Self.sound)]
    }
    let (outcome, log) = try await run([probe.plugin("p")], in: bucket)
    #expect(
      log.notices == ["files_gone: 1 object has disappeared since the scan; the next run checks again"])
    #expect(outcome.totals == RunTotals(analyzed: 1, failed: 1) && outcome.pending == 1)
    #expect(try store.record(at: "s3:/b/b.wav")?.problem?.code == "unreadable")
  }

  @Test func objectsNeedAFetcher() async throws {
    let (outcome, log) = try await run([], in: nil)
    #expect(outcome.roots == [RunRecord.Root(path: "s3:/b", condition: .unreadable)])
    #expect(log.notices.first?.hasPrefix("library_unreadable: ") == true && log.notices.count == 1)
  }

  /// The findings about an object count only if the server sends the version that it listed.
  @Test func objectsAreTheListedOnesIfTagsOrTimesAgree() async throws {
    let (one, two) = ("\"one\"", "\"two\"")
    let cases: [(object: Bucket.Object, isAsListed: Bool)] = [
      (.init(key: "1.wav", bytes: Self.sound, listedTag: one, tag: one), true),
      // The tag decides, whatever the times are.
      (.init(key: "2.wav", bytes: Self.sound, listedTag: one, tag: one, second: 5), true),
      (.init(key: "3.wav", bytes: Self.sound, listedTag: one, tag: two), false),
      // Without tags on both sides, the times decide.
      (.init(key: "4.wav", bytes: Self.sound, listedTag: one), true),
      (.init(key: "5.wav", bytes: Self.sound, listedTag: one, second: 5), false),
      (.init(key: "6.wav", bytes: Self.sound, tag: one), true),
      (.init(key: "7.wav", bytes: Self.sound, tag: one, second: 5), false),
      (.init(key: "8.wav", bytes: Self.sound, second: 5), false),
      // Another size is another version.
      (.init(key: "9.wav", bytes: Self.sound, listedSize: 5, listedTag: one, tag: one), false),
    ]
    let objects = cases.map(\.object)
    let bucket = try Bucket(in: folder.path) { _ in objects }
    _ = try await run([probe.plugin("first")], in: bucket)
    #expect(probe.take() == cases.map { "first \($0.object.key)" })
    let (outcome, _) = try await run([probe.plugin("first"), probe.plugin("second")], in: bucket)
    #expect(outcome.scan.outdated == cases.count)
    let all = cases.map { "second \($0.object.key)" }
    #expect(probe.take() == cases.filter { !$0.isAsListed }.map { "first \($0.object.key)" } + all)
  }
}
