import Analysis
import AnalysisTesting
import BuiltInAnalyzers
import Foundation
import LibraryTesting
import Records
import ResultStore
import SystemPackage
import Testing
import Text

@testable import AnalysisTasks
@testable import Pipeline

/// Summaries of runs: the table, the failures and the messages.
@Suite(.bounded) struct RunSummaryTests {
  private let folder: TemporaryDirectory
  private let store: ResultStore

  init() throws {
    folder = try TemporaryDirectory()
    store = try ResultStore(path: folder.file("library.sqlite"), findings: BuiltInAnalyzers.findings)
  }

  // MARK: Failures

  private static func files(_ names: [(name: String, code: String, message: String)]) -> [LibraryFile] {
    names.map { name, code, message in
      LibraryFile(
        path: FilePath("/music/\(name)"), tags: [:], failure: Problem(stage: .open, code: code, message: message))
    }
  }

  private func digest(
    of files: [LibraryFile], audience: FailureDigest.Audience = .people, failures: Int = 0, damaged: Int = 0,
    losses: [WorkerLoss: Int] = [:], pending: Int? = nil, reports: [FilePath] = []
  ) throws -> FailureDigest {
    try LibraryFiles(files).merge(into: store)
    let run = try store.latestRun()?.id
    if let pending {
      return try FailureDigest(
        of: run, in: store, for: audience, knownFailures: failures, knownDamaged: damaged, losses: losses,
        pending: pending, reports: reports)
    }
    return try FailureDigest(
      of: run, in: store, for: audience, knownFailures: failures, knownDamaged: damaged, losses: losses,
      reports: reports)
  }

  private var whereToLook: [String] {
    [
      "More about one file: analyze show --why FILE",
      "All of them: sqlite3 '\(store.path)' 'SELECT path, code, message FROM failing'",
    ]
  }

  @Test func failuresByReason() throws {
    let many = (0..<11).map { (name: "\($0 + 10)", code: "corrupt", message: "Broken \($0).") }
    let digest = try digest(
      of: Self.files(many + [("x", "empty", "It is empty."), ("y", "empty", "It is empty.")]), failures: 1, damaged: 2)
    #expect(digest.hasNews && digest.pending == 0 && digest.damage.isEmpty)
    #expect(
      digest.lines() == [
        "13 files failed that were not known as failing:", "", "  11 × [corrupt]", "       /music/10",
        "         Broken 0.", "       /music/11", "         Broken 1.", "       /music/12", "         Broken 2.",
        "       … and 8 more", "", "   2 × It is empty. [empty]", "       /music/x", "       /music/y", "",
        "1 file besides known as failing from earlier runs.", "2 files besides known as damaged from earlier runs.",
        "Replace damaged files, or leave them out with a line in a .nocturneignore.",
      ] + whereToLook)
    #expect(digest.lines(TextStyle(hasColor: true)).contains("       \u{1B}[33m/music/x\u{1B}[0m"))
  }

  @Test func damage() throws {
    var files = Self.files([("a", "", ""), ("b", "", "")])
    for index in files.indices {
      (files[index].failure, files[index].damage) = (
        nil, Problem(stage: .decode, code: "truncated", message: "Cut \(index).")
      )
    }
    let one = try digest(of: [files[0]])
    #expect(one.lines().first == "1 file is damaged that was not known as damaged:" && one.failures.isEmpty)
    #expect(one.hasNews && one.lines().contains("  1 × Cut 0. [truncated]"))
    #expect(one.messages.map(\.event) == ["file_damaged"])
    let other = try ResultStore(path: folder.file("other.sqlite"), findings: BuiltInAnalyzers.findings)
    try LibraryFiles(files).merge(into: other)
    let two = try FailureDigest(of: other.latestRun()?.id, in: other, knownFailures: 0, knownDamaged: 0)
    #expect(two.lines().first == "2 files are damaged that were not known as damaged:")
  }

  @Test func manyReasons() throws {
    for (count, rest) in [(10, nil), (11, "1 file"), (12, "2 files")] as [(Int, String?)] {
      let store = try ResultStore(path: folder.file("\(count).sqlite"), findings: BuiltInAnalyzers.findings)
      try LibraryFiles(Self.files((0..<count).map { ("\($0)", "code\($0)", "M") })).merge(into: store)
      let digest = try FailureDigest(of: store.latestRun()?.id, in: store, knownFailures: 0, knownDamaged: 0)
      let lines = digest.lines()
      #expect(lines.count { $0.contains(" × ") } == 10)
      #expect(lines.first { $0.hasPrefix("  … and") } == rest.map { "  … and \($0) for other reasons" })
      // Nobody knows what to do about unknown reasons.
      #expect(lines.suffix(3).first == "" && lines.suffix(2).first?.hasPrefix("More about") == true)
    }
  }

  @Test func adviceByCause() throws {
    let digest = try digest(
      of: Self.files([("a", "unreadable", "M"), ("b", "worker_crashed", "M")]), reports: ["/r/report.json", "/r/b.csv"])
    #expect(
      digest.lines().suffix(4) == [
        "For files that cannot be read, check the permissions and the disk.",
        "Files that crash or hang a decoder do not affect others; they may need --timeout or --memory-limit.",
        "More about one file: analyze show --why FILE", "All of them: /r/report.json, /r/b.csv",
      ])
  }

  @Test func longMessagesAreShortened() throws {
    for (count, isShort) in [(240, true), (241, false)] {
      let store = try ResultStore(path: folder.file("\(count).sqlite"), findings: BuiltInAnalyzers.findings)
      let text = String(repeating: "x", count: count)
      try LibraryFiles(Self.files([("a", "corrupt", text)])).merge(into: store)
      let digest = try FailureDigest(of: store.latestRun()?.id, in: store, knownFailures: 0, knownDamaged: 0)
      let shown = isShort ? text : String(repeating: "x", count: 239) + "…"
      #expect(digest.lines().contains("  1 × \(shown) [corrupt]"))
    }
  }

  @Test func whatIsKnownIsNoNews() throws {
    let none = try digest(of: [])
    #expect(none.lines().isEmpty && !none.hasNews && none.messages.isEmpty)
    #expect(try digest(of: [], pending: 3).lines().isEmpty)
    #expect(try digest(of: [], failures: 1).lines() == ["1 file known as failing from earlier runs."])
    #expect(
      try digest(of: [], damaged: 2, pending: 1).lines() == [
        "2 files known as damaged from earlier runs.", "1 file left for the next run.",
      ])
    #expect(try !digest(of: [], failures: 1, damaged: 1).hasNews)
  }

  @Test func lostWorkers() throws {
    let loss = WorkerLoss(cause: .timeLimit, stage: .decode)
    let one = try digest(of: [], losses: [loss: 1])
    #expect(one.hasNews && one.lines() == ["1 worker process was lost: 1 × timed out, at stage decode."])
    let many = try digest(
      of: [],
      losses: [
        loss: 2, WorkerLoss(cause: .signal(11), stage: .open): 5, WorkerLoss(cause: .exit(status: 3), stage: .open): 2,
        WorkerLoss(cause: .noAnswer, stage: .open): 1,
      ])
    #expect(
      many.lines() == [
        "10 worker processes were lost: 5 × signal 11, Segmentation fault, at stage open; 2 × exit status 3, at stage open; "
          + "2 × timed out, at stage decode."
      ])
  }

  /// Programs get a message about each file, up to a thousand for each reason.
  @Test func messagesForPrograms() throws {
    let files = Self.files((0..<1_002).map { ("\($0)", "corrupt", "M") } + [("z", "empty", "M")])
    let digest = try digest(of: files, audience: .programs)
    let messages = digest.messages
    #expect(messages.count == 1_002 && messages.count { $0.event == "file_failed" } == 1_001)
    let rest = messages[1_000]
    #expect(rest.event == "files_failed" && rest.text == "2 more files failed [corrupt]" && rest.level == .warning)
    #expect(rest.fields == ["code": "corrupt", "count": 2])
    let last = messages[1_001]
    #expect(last.text == "/music/z: M" && last.fields == ["path": "/music/z", "code": "empty", "stage": "open"])
    #expect(last.level == .warning && !last.isBlock)
    let people = try FailureDigest(of: store.latestRun()?.id, in: store, knownFailures: 0, knownDamaged: 0)
    #expect(people.messages.count == 5 && people.messages[3].fields["count"] == 999)
  }

  // MARK: The table

  private func summary(
    isDryRun: Bool = false, elapsed: Duration = .seconds(10), status: AnalysisTasks.ExitStatus = .fine,
    verification: VerificationTotals? = nil, _ change: (inout LibraryRun.Outcome) -> Void = { _ in }
  ) throws -> RunSummary {
    var run = LibraryRun.Outcome(
      runID: 7, state: .finished, roots: [], totals: RunTotals(), newlyFailed: 0, newlyDamaged: 0, unsettled: 0,
      pending: 0, stillChanging: 0, scan: ScanCounts(), reused: 0, audioDuration: 0, stageTimes: StageTimes())
    change(&run)
    let digest = try FailureDigest(of: nil, in: store, knownFailures: 0, knownDamaged: 0)
    let outcome = LibraryAnalysis.Outcome(
      run: run, status: status, elapsed: elapsed, digest: digest,
      verification: verification.map { .init(totals: $0, troubles: [], losses: [], wasStopped: false) },
      reports: [.init(format: .json, path: "/r/report.json")])
    return RunSummary(of: outcome, database: "/db", isDryRun: isDryRun)
  }

  private func lines(
    elapsed: Duration = .seconds(10), verification: VerificationTotals? = nil,
    _ change: (inout LibraryRun.Outcome) -> Void
  ) throws -> [String] {
    try summary(elapsed: elapsed, verification: verification, change).text().split(separator: "\n").map(String.init)
  }

  private static let outputs = ["  → database: /db", "  → json report: /r/report.json"]

  @Test func rowsWithoutFilesAreLeftOut() throws {
    #expect(
      try lines { _ in } == [
        "  seen      0  in 10 s", "  analyzed  0  nothing was new or changed", "  failed    0",
      ] + Self.outputs)
    #expect(
      try lines { $0.totals = RunTotals(analyzed: 100, partial: 1, cached: 2, failed: 3, skipped: 4, vanished: 5) } == [
        "  seen      115  in 10 s", "  analyzed  100", "  partial     1  damaged or not analyzed to the end; 0 new",
        "  cached      2  unchanged since they were analyzed", "  failed      3  0 new",
        "  skipped     4  no audio files, or left out",
        "  vanished    5  gone since the last run; their results are kept",
      ] + Self.outputs)
  }

  @Test func detailsOfRows() throws {
    let all = try lines {
      $0.totals = RunTotals(analyzed: 0, partial: 1, cached: 2, failed: 3, skipped: 4, vanished: 0)
      ($0.audioDuration, $0.reused, $0.newlyDamaged, $0.newlyFailed) = (3_600, 1, 1, 2)
      ($0.scan.moved, $0.scan.knownDamaged, $0.scan.quarantined) = (1, 2, 1)
      ($0.stillChanging, $0.pending) = (1, 6)
    }
    #expect(
      all == [
        "  seen      10  in 10 s", "  analyzed   0  1 h 00 min of audio, 360x realtime, 1 with audio known before",
        "  partial    1  damaged or not analyzed to the end; 1 new",
        "  cached     2  unchanged since they were analyzed, 1 moved, 2 known as damaged",
        "  failed     3  2 new, 1 in quarantine",
        "  skipped    4  no audio files, or left out; 1 of them being written, which the next run takes",
        "  waiting    6  left for the next run",
      ] + Self.outputs)
    let short = try lines(elapsed: .milliseconds(0)) { ($0.totals.analyzed, $0.audioDuration) = (1, 2) }
    #expect(short[1].hasSuffix("2.0 s of audio, 2000x realtime"))
    let half = try lines(elapsed: .milliseconds(500)) { ($0.totals.analyzed, $0.audioDuration) = (1, 30) }
    #expect(half[1].hasSuffix("30 s of audio, 60x realtime"))
  }

  @Test func verifiedFiles() throws {
    var totals = VerificationTotals()
    (totals.bytes, totals.verified) = (5_999_999, 4)
    let row = try lines(verification: totals) { _ in }.first { $0.contains("verified") }
    #expect(row == "  verified  4  read again, 5 MB; 0 changed silently")
    #expect(try !summary(verification: totals).text(TextStyle(hasColor: true)).contains("[31m"))
    (totals.changedSilently, totals.unreadable, totals.knownChanged, totals.knownUnreadable) = (1, 1, 1, 2)
    let bad = try lines(verification: totals) { _ in }
    #expect(
      bad.contains("  verified  9  read again, 5 MB; 1 changed silently, 1 unreadable, 3 known as such"))
    #expect(bad.contains("1 file changed silently: different bytes, but the same size and times:"))
    #expect(try summary(verification: totals).text(TextStyle(hasColor: true)).contains("\u{1B}[31m  verified"))
  }

  @Test func badRowsAreRed() throws {
    let text = try summary { ($0.totals.failed, $0.totals.partial, $0.totals.cached) = (1, 1, 1) }
      .text(TextStyle(hasColor: true)).split(separator: "\n").map(String.init)
    let red = text.filter { $0.hasPrefix("\u{1B}[31m") }
    #expect(red.count == 2 && red[0].contains("partial") && red[1].contains("failed"))
    #expect(text.last == "  \u{1B}[32m→\u{1B}[0m json report: /r/report.json")
    let fine = try summary { $0.totals.analyzed = 1 }.text(TextStyle(hasColor: true))
    #expect(!fine.contains("\u{1B}[31m") && fine.contains("\u{1B}[2min 10 s\u{1B}[0m"))
    #expect(!TextStyle().hasColor)
  }

  @Test func timesOfStages() throws {
    let text = try summary { run in
      run.stageTimes.add(1.5, to: "scan")
      run.stageTimes.add(6, to: "decode")
      run.stageTimes.add(1.5, to: "report")
    }.text()
    #expect(
      text.hasSuffix(
        """

        Time by stage, 9.0 s in all threads together
          decode      6.00 s  66.7%
          report      1.50 s  16.7%
          scan        1.50 s  16.7%

          → database: /db
          → json report: /r/report.json
        """))
    #expect(try !summary { $0.stageTimes.add(0, to: "scan") }.text().contains("Time by stage"))
  }

  @Test func failuresStandBelowTheTable() throws {
    let digest = try digest(of: Self.files([("a", "corrupt", "M")]))
    let known = try FailureDigest(of: nil, in: store, knownFailures: 1, knownDamaged: 0)
    for (digest, isShown) in [(digest, true), (known, false)] {
      let run = LibraryRun.Outcome(
        runID: 7, state: .finished, roots: [], totals: RunTotals(), newlyFailed: 0, newlyDamaged: 0, unsettled: 0,
        pending: 0, stillChanging: 0, scan: ScanCounts(), reused: 0, audioDuration: 0, stageTimes: StageTimes())
      let outcome = LibraryAnalysis.Outcome(
        run: run, status: .fine, elapsed: .seconds(1), digest: digest, verification: nil, reports: [])
      let text = RunSummary(of: outcome, database: "/db", isDryRun: false).text()
      #expect(text.contains("failed    0\n\n1 file failed that was not known") == isShown)
      #expect(text.hasSuffix(isShown ? "failing'\n\n  → database: /db" : "failed    0\n  → database: /db"))
    }
  }

  // MARK: Dry runs and messages

  @Test func plansOfDryRuns() throws {
    let bare = try summary(isDryRun: true) { ($0.scan.new, $0.scan.changed, $0.scan.outdated) = (2, 3, 4) }
    #expect(
      bare.text() == """
        Dry run: 9 files would be analyzed (2 new, 3 changed, 4 with missing or outdated findings).
        Unchanged: 0; known as failing: 0; would be skipped: 0;
        moved: 0; gone: 0. Nothing was changed.
        """)
    let more = try summary(isDryRun: true) { ($0.scan.touched, $0.scan.retried) = (1, 1) }.text()
    #expect(more.contains("outdated findings, 1 touched, to be compared, 1 to be retried)."))
    #expect(bare.message.event == "dry_run" && bare.message.level == .info && !bare.message.text.contains("\n"))
  }

  @Test func messagesOfRuns() throws {
    let message = try summary(elapsed: .milliseconds(1_234.6), status: .filesFailed) { run in
      run.totals = RunTotals(analyzed: 1, partial: 2, cached: 3, failed: 4, skipped: 5, vanished: 6)
      (run.newlyFailed, run.newlyDamaged, run.pending, run.audioDuration) = (1, 2, 3, 1.23456)
      run.stageTimes.add(1.23456, to: "scan")
    }.message
    #expect(message.event == "run_ended" && message.level == .warning)
    #expect(message.text == "seen 21, analyzed 1, partial 2, cached 3, failed 4, skipped 5, vanished 6")
    #expect(
      message.fields == [
        "seen": 21, "analyzed": 1, "partial": 2, "cached": 3, "failed": 4, "skipped": 5, "vanished": 6,
        "newly_failed": 1, "newly_damaged": 2, "pending": 3, "exit_status": 3, "duration_s": 1.235, "audio_s": 1.235,
        "run": 7, "state": "finished", "stage_s": ["scan": 1.235],
      ])
    var totals = VerificationTotals()
    totals.verified = 3
    let fine = try summary(verification: totals).message
    #expect(fine.level == .info && fine.fields["stage_s"] == nil)
    guard case .object(let counts)? = fine.fields["verification"] else {
      Issue.record("no counts")
      return
    }
    #expect(counts["verified"] == 3 && counts["missing"] == 0 && counts.count == 9)
  }

  @Test func whatCountsAsFailureAtTheLimits() {
    let none = RunTotals()
    #expect(!FailurePolicy.percent(10).isViolated(by: none, knownDamaged: 0, news: 0))
    #expect(!FailurePolicy.percent(10).isViolated(by: none, knownDamaged: 1, news: 0))
    #expect(!FailurePolicy.any.isViolated(by: none, knownDamaged: 0, news: 1))
    #expect(FailurePolicy.new.isViolated(by: none, knownDamaged: 0, news: 1))
    let ten = RunTotals(analyzed: 8, partial: 1, failed: 1)
    for (limit, isViolated) in [(19.9, true), (20, false)] {
      #expect(FailurePolicy.percent(limit).isViolated(by: ten, knownDamaged: 0, news: 0) == isViolated)
    }
    for totals in [RunTotals(partial: 1), RunTotals(failed: 1)] {
      #expect(FailurePolicy.any.isViolated(by: totals, knownDamaged: 0, news: 0))
    }
    #expect(FailurePolicy.any.isViolated(by: RunTotals(cached: 1), knownDamaged: 1, news: 0))
    #expect(!FailurePolicy.any.isViolated(by: RunTotals(cached: 1), knownDamaged: 0, news: 0))
    #expect(!FailurePolicy.never.isViolated(by: ten, knownDamaged: 9, news: 9))
    #expect(FailurePolicy.percent(99).isViolated(by: RunTotals(failed: 1), knownDamaged: 0, news: 0))
  }
}
