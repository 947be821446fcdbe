import Analysis
import AnalysisTesting
import Foundation
import GRDB
import LibraryTesting
import Platform
import Records
import SystemPackage
import Testing
import Text

@testable import ResultStore

/// Records, histories, runs and figures, as commands read them.
@Suite(.bounded) struct ReadingTests {
  private struct Stop: Error {}

  private func library(_ names: [String] = ["a", "b", "c"]) throws -> ScannedLibrary {
    let library = try ScannedLibrary()
    for name in names { library.put(FilePath("/music/\(name)")) }
    try library.night()
    return library
  }

  // MARK: - Records

  @Test func recordsAreReadUntilAnErrorIsThrown() throws {
    let library = try library()
    var paths: [FilePath] = []
    #expect(throws: Stop.self) {
      try library.store.forEachRecord { record in
        paths.append(record.path)
        if paths.count == 2 { throw Stop() }
      }
    }
    #expect(paths == ["/music/a", "/music/b"])
    // Nor do other folders follow.
    paths = []
    #expect(throws: Stop.self) {
      try library.store.forEachRecord(RecordSelection(roots: ["/music/a", "/music/c"])) { record in
        paths.append(record.path)
        throw Stop()
      }
    }
    #expect(paths == ["/music/a"])
  }

  @Test func recordsOfAList() throws {
    let library = try library()
    let list: [FilePath] = ["/music/c", "/nowhere", "/music/a", "/music/c", "/music/b"]
    func read(_ body: (Int, FileRecord) throws -> Bool) throws -> [String] {
      var found: [String] = []
      try library.store.forEachRecord(at: list) { place, record in
        found.append("\(place) \(record.path)")
        return try body(place, record)
      }
      return found
    }
    #expect(try read { _, _ in true } == ["0 /music/c", "2 /music/a", "3 /music/c", "4 /music/b"])
    #expect(try read { place, _ in place < 2 } == ["0 /music/c", "2 /music/a"])
    #expect(throws: Stop.self) { try read { _, _ in throw Stop() } }
    #expect(throws: Stop.self) { try read { place, _ in if place == 4 { throw Stop() } else { true } } }
    var beats: [Int?] = []
    for long in [[], ["beats"]] as [Set<String>] {
      try library.store.forEachRecord(at: ["/music/a"], long: long) { _, record in
        beats.append(record.tempo?.beats.count)
        return true
      }
    }
    #expect(beats == [0, 3])
  }

  @Test func statusesSelectRecords() throws {
    let library = try ScannedLibrary()
    for name in ["failed", "ok", "partial"] { library.put(FilePath("/music/\(name)")) }
    try library.night(skipping: [SkippedFile(path: "/music/skipped", code: "odd", message: "Odd.")]) { file in
      if file.path == "/music/failed" { return ScannedLibrary.broken }
      var analysis = ScannedLibrary.analysis(of: file)
      if file.path == "/music/partial" {
        analysis.status = .partial
        analysis.problem = Problem(stage: .decode, code: "truncated", message: "Cut.")
      }
      return analysis
    }
    for status in FileRecord.Status.allCases {
      let records = try library.records(RecordSelection(statuses: [status]))
      #expect(records.map(\.path.string) == ["/music/\(status.rawValue)"])
      #expect(records.allSatisfy { $0.runs == nil && $0.checksum == nil && !$0.isVanished })
    }
    // The next scan does not find the skipped file.
    try library.night()
    #expect(try library.records().map(\.path.string) == ["failed", "ok", "partial"].map { "/music/\($0)" })
    let all = try library.records(RecordSelection(includesVanished: true))
    #expect(all.map(\.path.string) == ["failed", "ok", "partial", "skipped"].map { "/music/\($0)" })
    #expect(all.map(\.isVanished) == [false, false, false, true])
    let below = RecordSelection(roots: ["/music/skipped", "/music/ok"], includesVanished: true)
    #expect(try library.records(below).map(\.path) == ["/music/ok", "/music/skipped"])
  }

  /// The runs in which something happened to a file; each happened in another one.
  @Test func runsAreReadOnRequest() throws {
    let library = try ScannedLibrary()
    library.put("/music/a")
    library.put("/music/b")
    let first = try library.night(analyze: { _ in nil }).run
    let second = try library.night(analyze: { $0.path == "/music/a" ? ScannedLibrary.broken : nil }).run
    let third = try library.night(ScanOptions(retryFailed: true), analyze: { _ in ScannedLibrary.broken }).run
    library.remove("/music/a")
    let fourth = try library.night().run
    let added = try #require(try library.store.run(first)).started
    let records = try library.records(RecordSelection(includesVanished: true, includesRuns: true))
    #expect(
      records.map(\.runs) == [
        FileRecord.Runs(firstSeen: first, added: added, analyzed: third, vanished: fourth, firstFailed: second),
        FileRecord.Runs(firstSeen: first, added: added, analyzed: third, vanished: nil, firstFailed: third),
      ])
    let histories = try records.map { try #require(try library.store.history(at: $0.path)) }
    #expect(histories.map(\.firstSeenRun) == [first, first] && histories.map(\.analyzedRun) == [third, third])
    #expect(histories.map(\.vanishedRun) == [fourth, nil] && histories.map(\.firstFailedRun) == [second, third])
    #expect(histories.map(\.failedAttempts) == [2, 1] && histories.map(\.unfinishedAttempts) == [0, 0])
    #expect(histories.map(\.decoderVersion) == [1, 1] && histories.map(\.pending) == [nil, nil])
    #expect(histories.map(\.analyzed) == records.map(\.analyzed) && histories.map(\.failed) == records.map(\.analyzed))
    #expect(histories.allSatisfy { $0.quarantine == nil })
  }

  @Test func historyOfAnAnalysis() throws {
    let library = try ScannedLibrary()
    library.put("/music/a")
    library.time = Timestamp(nanoseconds: 1_795_000_000_000_000_000)
    library.wanted = ScannedLibrary.wanted(decoder: 7)
    try library.night()
    var history = try #require(try library.store.history(at: "/music/a"))
    #expect(history.analyzed == library.time && history.decoderVersion == 7 && history.pending == nil)
    #expect(history.firstFailedRun == nil && history.failed == nil && history.vanishedRun == nil)
    library.put("/music/a", size: 7)
    try library.night(analyze: { _ in nil })
    history = try #require(try library.store.history(at: "/music/a"))
    #expect(history.pending == .changed && history.analyzedRun == library.run - 1)
    #expect(try library.store.history(at: "/nowhere") == nil)
  }

  /// A file on which every analyzer failed, or to which none applies, has all of their reasons.
  @Test func reasonsOfAnalyzersWithoutFindings() throws {
    let library = try ScannedLibrary()
    library.put("/music/a")
    try library.night { file in
      var analysis = ScannedLibrary.analysis(of: file)
      analysis.outcomes[0].result = .failed("No tags.")
      analysis.outcomes[1].result = .notApplicable("Too short.")
      analysis.outcomes[2].result = .failed("No print.")
      return analysis
    }
    let record = try #require(try library.store.record(at: "/music/a"))
    #expect(
      record.analyzerProblems == [
        .init(analyzer: "chromaprint", outcome: .failed, message: "No print."),
        .init(analyzer: "tags", outcome: .failed, message: "No tags."),
        .init(analyzer: "tempo", outcome: .notApplicable, message: "Too short."),
      ])
  }

  // MARK: - Runs

  @Test func everyFieldOfARunComesBack() throws {
    let library = try ScannedLibrary()
    #expect(try library.store.latestRun() == nil && library.store.runs().isEmpty)
    func begin() throws -> Int64 {
      try library.store.beginRun(
        programVersion: "1.2", pipeline: "nightly", configuration: .object(["jobs": .integer(3)]),
        configurationDigest: "d\(try library.store.runs().count)",
        analyzers: [
          AnalyzerIdentity(id: "z", version: 3, digest: "zz"), AnalyzerIdentity(id: "a", version: 4, digest: "aa"),
        ],
        roots: [
          RunRecord.Root(path: "/music", condition: .scanned), RunRecord.Root(path: "/disk", condition: .scanned),
        ])
    }
    let first = try begin()
    let open = try #require(try library.store.run(first))
    #expect(open.state == .running && open.finished == nil && open.exitStatus == nil && open.totals == RunTotals())
    #expect(open.newlyFailed == 0 && open.newlyDamaged == 0 && open.pending == 0)
    #expect(open.roots.map(\.path) == ["/music", "/disk"])
    let totals = RunTotals(analyzed: 1, partial: 2, cached: 3, failed: 4, skipped: 5, vanished: 6)
    let roots = [
      RunRecord.Root(path: "/music", condition: .empty), RunRecord.Root(path: "/disk", condition: .missing),
      RunRecord.Root(path: "/other", condition: .unreadable),
    ]
    try library.store.finishRun(
      first, state: .interrupted, exitStatus: 130, roots: roots, totals: totals, newlyFailed: 7, newlyDamaged: 8,
      pending: 9)
    let run = try #require(try library.store.run(first))
    #expect(
      run
        == RunRecord(
          id: first, started: open.started, finished: run.finished, state: .interrupted, exitStatus: 130,
          programVersion: "1.2", pipeline: "nightly", configuration: .object(["jobs": .integer(3)]),
          configurationDigest: "d0",
          analyzers: [
            AnalyzerIdentity(id: "a", version: 4, digest: "aa"), AnalyzerIdentity(id: "z", version: 3, digest: "zz"),
          ], roots: roots, totals: totals, newlyFailed: 7, newlyDamaged: 8, pending: 9))
    let second = try begin()
    try library.store.finishRun(
      second, state: .finished, exitStatus: 0, roots: [], totals: RunTotals(), newlyFailed: 0, newlyDamaged: 0,
      pending: 0)
    #expect(try library.store.run(second)?.roots == [])
    let third = try begin()
    #expect(
      try library.store.latestRun()?.id == third && library.store.run(first) == run && library.store.run(0) == nil)
    #expect(try library.store.runs().map(\.id) == [first, second, third])
    #expect(try library.store.runs().map(\.state) == [.interrupted, .finished, .running])
    #expect(try library.store.runs().map(\.configurationDigest) == ["d0", "d1", "d2"])
    #expect(
      try library.store.runs()[0]
        == RunOutline(
          id: first, started: run.started, finished: run.finished, state: .interrupted, configurationDigest: "d0"))
    #expect(try #require(run.finished) >= run.started && library.store.runs()[2].finished == nil)
    // A run that begins while another is open shows that the other died.
    _ = try begin()
    #expect(try library.store.runs().map(\.state) == [.interrupted, .finished, .died, .running])
  }

  /// Numbers that no run can have are limited, so that they can be added.
  @Test func absurdTotalsAreLimited() throws {
    let library = try library()
    try DatabaseQueue(path: library.database.string).write { db in
      try db.execute(
        sql: "UPDATE run SET analyzed = ?, cached = ?, pending = -1",
        arguments: [(Int64(1) << 48) - 1, (Int64(1) << 48) + 1])
    }
    let run = try #require(try library.store.latestRun())
    #expect(run.totals.analyzed == (1 << 48) - 1 && run.totals.cached == 1 << 48 && run.pending == 0)
  }

  // MARK: - Figures

  @Test func figuresOfALibrary() throws {
    let library = try ScannedLibrary()
    #expect(try library.store.figures().files == [:] && library.store.figures().pending == 0)
    for name in ["bad1", "bad2", "cut", "gone", "ok1", "ok2", "ok3"] { library.put(FilePath("/music/\(name)")) }
    library.time = Timestamp(nanoseconds: 1_795_000_000_000_000_000)
    let first = try library.night { file in
      var analysis = ScannedLibrary.analysis(of: file)
      switch file.path.string.dropFirst(7).prefix(3) {
      case "bad": return ScannedLibrary.broken
      case "cut":
        analysis.status = .partial
        analysis.problem = Problem(stage: .decode, code: "truncated", message: "Cut.")
      default: break
      }
      return analysis
    }
    library.remove("/music/gone")
    for name in ["new1", "new2", "skipped"] { library.put(FilePath("/music/\(name)")) }
    library.put("/music/ok1", size: 7)
    let skipped = SkippedFile(path: "/music/skipped", code: "odd", message: "Odd.")
    let closed = SkippedFile(path: "/music/closed", code: "unreadable_folder", message: "No.", isFailure: true)
    library.put("/music/closed")
    let second = try library.night(skipping: [skipped, closed], analyze: { _ in nil })
    let figures = try library.store.figures()
    #expect(figures.files == [.ok: 3, .partial: 1, .failed: 3, .skipped: 1, .vanished: 1, .new: 2])
    #expect(figures.failures == ["corrupt": 2, "unreadable_folder": 1])
    #expect(figures.pending == 3)
    #expect(figures.lastSuccess == (try library.store.run(second.run)?.finished))
    let size = try ["", "-wal"].reduce(Int64(0)) { sum, suffix in
      let file = FileIdentity(FilePath(library.database.string + suffix))
      return sum + (try #require(file)).size
    }
    #expect(figures.databaseBytes == size)

    let broken = try #require(ScannedLibrary.broken.problem)
    #expect(
      try library.store.newFailureGroups(in: first.run, examples: 1) == [
        FailureGroup(code: "corrupt", count: 2, examples: [.init(path: "/music/bad1", problem: broken)])
      ])
    #expect(
      try library.store.newDamageGroups(in: first.run, examples: 9) == [
        FailureGroup(
          code: "truncated", count: 1,
          examples: [
            .init(path: "/music/cut", problem: Problem(stage: .decode, code: "truncated", message: "Cut."))
          ])
      ])
    #expect(try library.store.newFailureGroups(in: second.run, examples: 0).map(\.count) == [1])
    #expect(try library.store.newFailureGroups(in: second.run, examples: 0).map(\.examples) == [[]])
  }

  @Test func frequentReasonsComeFirst() throws {
    let library = try ScannedLibrary()
    for name in ["a1", "b1", "b2", "c1", "c2"] { library.put(FilePath("/music/\(name)")) }
    let night = try library.night { file in
      let code = file.path.string.dropFirst(7).first.map { "code_\($0)" } ?? ""
      return FileAnalysis(status: .failed, problem: Problem(stage: .decode, code: code, message: "No."))
    }
    let groups = try library.store.newFailureGroups(in: night.run, examples: 5)
    #expect(groups.map(\.code) == ["code_b", "code_c", "code_a"] && groups.map(\.count) == [2, 2, 1])
    #expect(
      groups.map { $0.examples.map(\.path) } == [
        ["/music/b1", "/music/b2"], ["/music/c1", "/music/c2"], ["/music/a1"],
      ])
  }

  @Test func findingsThatThereAre() throws {
    let library = try library()
    #expect(try library.store.hasFindings(of: TempoFinding.self))
    #expect(try !library.store.hasFindings(of: SignatureFinding.self))
    // The database has no table for it.
    #expect(try !library.store.hasFindings(of: EveryKind.self))
  }

  // MARK: - Paths

  /// Other names of a known file lead to it, unless the known one is gone.
  @Test func otherNamesOfAFile() throws {
    let folder = try TemporaryDirectory()
    let file = try folder.write([1, 2, 3], as: "file")
    let other = try folder.write([1, 2, 3], as: "other")
    let (hard, soft) = (folder.file("hard"), folder.file("soft"))
    try FileManager.default.linkItem(atPath: file.string, toPath: hard.string)
    try FileManager.default.createSymbolicLink(atPath: soft.string, withDestinationPath: file.string)
    let library = try ScannedLibrary()
    let identity = try #require(FileIdentity(file))
    func put(_ path: FilePath) {
      library.put(
        FileStamp(
          path: path, device: identity.device, inode: identity.inode, sizeBytes: 3, modified: identity.modified))
    }
    let names = [file, hard, soft, other, folder.file("missing"), folder.path]
    #expect(try names.map { try library.store.knownPath(of: $0) } == names)
    // A deleted file had the same inode.
    put(folder.file("deleted"))
    try library.night(scopes: [])
    #expect(try names.map { try library.store.knownPath(of: $0) } == names)
    put(file)
    put(folder.file("deleted, too"))
    try library.night(scopes: [])
    #expect(
      try names.map { try library.store.knownPath(of: $0) }
        == [file, file, file, other, folder.file("missing"), folder.path])
    library.remove(file)
    try library.night(scopes: [VanishScope(root: folder.path)])
    #expect(try library.store.knownPath(of: hard) == hard && library.store.knownPath(of: file) == file)
  }

  @Test func rangesOfPaths() {
    let ranges = PathRange.covering("/a")
    func isCovered(_ path: FilePath) -> Bool { ranges.contains { $0.contains(path) } }
    for path in ["/a", "/a/", "/a/b", "/a/\u{1}", "/a/zz/z"] as [FilePath] { #expect(isCovered(path), "\(path)") }
    for path in ["/", "/A", "/a b", "/a-", "/a0", "/aa", "/b", "a"] as [FilePath] {
      #expect(!isCovered(path), "\(path)")
    }
    let all = PathRange.covering("/")
    for path in ["/", "/a", "/a/b"] as [FilePath] { #expect(all.contains { $0.contains(path) }) }
    #expect(!all.contains { $0.contains("s3:/b/a") })
  }

  @Test func vanishedFilesAreCountedOnRequest() throws {
    let library = try library()
    library.remove("/music/a")
    library.remove("/music/b")
    try library.night()
    #expect(try library.store.knownFileCount(under: "/music") == 1)
    #expect(try library.store.knownFileCount(under: "/music", includingVanished: true) == 3)
    #expect(try library.store.knownFileCount(under: "/music/a", includingVanished: true) == 1)
    #expect(try library.store.knownFileCount(under: "/music/a") == 0)
  }
}
