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

/// Summaries of verifications: lines, messages and the exit status.
@Suite(.bounded) struct VerificationTests {
  private static func trouble(
    _ number: Int, _ kind: LibraryVerification.Trouble.Kind = .changedSilently, isNews: Bool = true
  ) -> LibraryVerification.Trouble {
    LibraryVerification.Trouble(
      path: FilePath("/music/\(number)"), kind: kind, hit: kind == .unreadable ? nil : .tags,
      message: "Message \(number).",
      isNews: isNews)
  }

  private static func outcome(
    _ troubles: [LibraryVerification.Trouble] = [], losses: Int = 0, wasStopped: Bool = false,
    _ change: (inout VerificationTotals) -> Void = { _ in }
  ) -> LibraryVerification.Outcome {
    var totals = VerificationTotals()
    change(&totals)
    return LibraryVerification.Outcome(
      totals: totals, troubles: troubles,
      losses: (0..<losses).map { .init(path: FilePath("/lost/\($0)"), condition: .missing, fileCount: 1) },
      wasStopped: wasStopped)
  }

  @Test func linesAboutChangedFiles() {
    let outcome = Self.outcome([
      Self.trouble(1), Self.trouble(2, .unreadable), Self.trouble(3, isNews: false),
      Self.trouble(4, .unreadable, isNews: false),
    ]) { ($0.changedSilently, $0.unreadable, $0.knownChanged, $0.knownUnreadable) = (1, 1, 1, 1) }
    #expect(
      VerificationDigest(outcome).lines() == [
        "1 file changed silently: different bytes, but the same size and times:", "  /music/1", "    Message 1.", "",
        "1 file could be read before and cannot be read now:", "  /music/2", "    Message 2.", "",
        "2 files known as changed or unreadable from earlier verifications.",
        "Restore these files from backups, and check the disk and the memory. To accept a change: analyze verify "
          + "--accept FILE", "More about one file: analyze show --history FILE",
      ])
    #expect(VerificationDigest(Self.outcome()).lines().isEmpty)
    let unreadable = VerificationDigest(Self.outcome([Self.trouble(2, .unreadable)]) { $0.unreadable = 1 })
    #expect(unreadable.lines().count == 4)
  }

  @Test func longListsAreCut() {
    for (count, shown, rest) in [(10, 10, nil), (11, 10, "  … and 1 more")] as [(Int, Int, String?)] {
      let outcome = Self.outcome((0..<count).map { Self.trouble($0) }) { $0.changedSilently = count }
      let lines = VerificationDigest(outcome).lines()
      #expect(lines.count { $0.hasPrefix("  /music") } == shown && lines.first { $0.hasPrefix("  …") } == rest)
    }
  }

  @Test func whatIsNew() {
    #expect(!VerificationDigest(Self.outcome { $0.knownChanged = 3 }).hasNews)
    #expect(VerificationDigest(Self.outcome { $0.changedSilently = 1 }).hasNews)
    #expect(VerificationDigest(Self.outcome { $0.unreadable = 1 }).hasNews)
    #expect(VerificationDigest(Self.outcome(losses: 1)).hasNews && !VerificationDigest(Self.outcome()).hasNews)
  }

  @Test func summaries() {
    func summary(_ elapsed: Duration, _ outcome: LibraryVerification.Outcome) -> String {
      VerificationDigest(outcome).summary(elapsed)
    }
    #expect(summary(.seconds(2), Self.outcome()) == "Verified 0 files in 2.0 s, 0 MB/s")
    let all = Self.outcome(wasStopped: true) { totals in
      totals.bytes = 3_000_000_000
      (totals.verified, totals.taken, totals.restored, totals.changedSilently) = (1, 2, 3, 4)
      (totals.knownChanged, totals.unreadable, totals.knownUnreadable, totals.missing) = (5, 6, 7, 8)
      totals.leftToScan = 9
    }
    #expect(
      summary(.seconds(2), all)
        == "Verified 45 files in 2.0 s, 1500 MB/s: 1 unchanged, 2 read for the first time, 3 as before again, "
        + "4 changed silently, 5 known as changed, 13 unreadable, 8 missing, 9 left to the next run; stopped early")
    let one = Self.outcome { ($0.verified, $0.bytes) = (1, 4_000_000) }
    #expect(summary(.zero, one) == "Verified 1 file in 0.0 s, 4000 MB/s: 1 unchanged")
    #expect(
      VerificationDigest(all).counts.map(\.count) == [1, 2, 3, 4, 5, 6, 7, 8, 9]
        && Set(VerificationDigest(all).counts.map(\.name)).count == 9)
  }

  @Test func messagesForPrograms() {
    let outcome = Self.outcome([
      Self.trouble(1), Self.trouble(2, .unreadable), Self.trouble(3, isNews: false),
    ]) { ($0.changedSilently, $0.unreadable, $0.bytes) = (1, 1, 5) }
    let messages = VerificationDigest(outcome).messages(.milliseconds(1_234.6), .filesFailed)
    #expect(messages.map(\.event) == ["file_changed_silently", "file_unreadable", "verification_ended"])
    #expect(messages.allSatisfy { $0.level == .warning })
    #expect(messages[0].fields == ["path": "/music/1", "hit": "tags"] && messages[1].fields == ["path": "/music/2"])
    #expect(messages[0].text == "/music/1: Message 1.")
    let fields = messages[2].fields
    #expect(fields["bytes"] == 5 && fields["duration_s"] == 1.235 && fields["exit_status"] == 3)
    #expect(fields["changed_silently"] == 1 && fields["verified"] == 0 && fields.count == 12)
    let fine = VerificationDigest(Self.outcome()).messages(.zero, nil)
    #expect(fine.map(\.level) == [.info] && fine[0].fields["exit_status"] == nil)
  }

  @Test func whatCountsAsFailure() {
    func isViolated(_ policy: FailurePolicy, _ change: (inout VerificationTotals) -> Void) -> Bool {
      policy.isViolated(by: Self.outcome([], change).totals)
    }
    for change: (inout VerificationTotals) -> Void in [{ $0.changedSilently = 1 }, { $0.unreadable = 1 }] {
      #expect(isViolated(.new, change) && isViolated(.any, change) && isViolated(.percent(99), change))
      #expect(!isViolated(.never, change) && !isViolated(.percent(100), change))
    }
    for change: (inout VerificationTotals) -> Void in [{ $0.knownChanged = 1 }, { $0.knownUnreadable = 1 }] {
      #expect(!isViolated(.new, change) && isViolated(.any, change) && isViolated(.percent(99), change))
    }
    for policy in [FailurePolicy.new, .any, .percent(0)] {
      #expect(!isViolated(policy) { $0.verified = 5 } && !isViolated(policy) { _ in })
    }
    let ten = { (totals: inout VerificationTotals) in
      (totals.verified, totals.knownChanged, totals.unreadable) = (8, 1, 1)
    }
    #expect(isViolated(.percent(19.9), ten) && !isViolated(.percent(20), ten))
  }

  @Test func answersInJSON() throws {
    let outcome = FileVerification.Outcome(
      verification: Self.outcome([Self.trouble(1)], losses: 1, wasStopped: true) { $0.changedSilently = 1 },
      status: .filesFailed, elapsed: .milliseconds(1_234.6))
    let json = try #require(JSONSerialization.jsonObject(with: Data(outcome.ndjsonLine)) as? [String: Any])
    #expect(json["duration_s"] as? Double == 1.235 && json["exit_status"] as? Int == 3)
    #expect(json["stopped"] as? Bool == true && (json["files"] as? [Any])?.count == 1)
    let schema = try #require(VerificationSchema.files.first?.text)
    #expect(try SchemaValidator(schema).complaints(about: json) == [])
  }

  // MARK: Files

  @Test func aVerificationReadsWhatIsKnown() async throws {
    let place = try Workplace()
    for number in 1...2 { try place.put(sound(UInt64(number)), as: "\(number).wav") }
    _ = try await place.run(try place.analysis())
    let store = try place.store()
    func verify(_ observer: Observer = Observer()) async throws -> FileVerification.Outcome {
      try await FileVerification(LibraryVerification.Request(jobs: 1)).perform(store, observer: observer)
    }
    let fine = try await verify()
    #expect(fine.status == .fine && fine.verification.totals.all == 2 && fine.verification.losses.isEmpty)
    #expect(fine.elapsed > .zero && fine.elapsed < .seconds(3_600))
    #expect(try await verify(Observer(stopsAtOnce: true)).status == .interrupted)
    try FileManager.default.removeItem(atPath: place.library.string)
    let lost = try await verify()
    #expect(lost.status == .fatal && !lost.verification.losses.isEmpty)
  }

  @Test func aRunMayVerifyAtItsEnd() async throws {
    let place = try Workplace()
    for number in 1...2 { try place.put(sound(UInt64(number)), as: "\(number).wav") }
    var analysis = try place.analysis()
    analysis.verification = LibraryVerification.Request(jobs: 1)
    let observer = Observer()
    let (outcome, metrics) = try await place.run(analysis, observer)
    #expect(outcome.verification?.totals.all == 2 && metrics.verification?.totals.all == 2)
    #expect(observer.events.contains("verify") && outcome.status == .fine)
    #expect(outcome.elapsed > .zero && outcome.elapsed < .seconds(3_600))
    #expect(
      RunSummary(of: outcome, database: place.database, isDryRun: false).text().contains("\n  verified  2  read again"))
    try metrics.write(exitStatus: .fine)
    let text = try String(contentsOfFile: place.folder.file("metrics.prom").string, encoding: .utf8)
    #expect(text.contains("nocturne_run_verified_files{outcome=\"missing\"} 0\n"))
    #expect(text.contains("nocturne_run_verified_bytes \(2 * sound(1).count)\n"))
    var dry = try place.analysis(isDryRun: true)
    dry.verification = analysis.verification
    #expect(try await place.run(dry).outcome.verification == nil)
    let stopped = try await place.run(analysis, Observer(stopsAtOnce: true)).outcome
    #expect(stopped.verification == nil || stopped.run.state == .finished)
    // The lock is released after each run.
    try RunLock.acquire(forDatabase: place.database).release()
  }

  @Test func metricsOfARun() async throws {
    let place = try Workplace()
    try place.put(sound(1), as: "a.wav")
    try place.put([UInt8](repeating: 7, count: 900), as: "bad.mp3")
    let run = try await place.run(try place.analysis())
    var metrics = run.metrics
    #expect(run.outcome.digest.knownFailures == 0 && run.outcome.digest.knownDamaged == 0)
    metrics.losses = [
      WorkerLoss(cause: .signal(11), stage: .open): 2, WorkerLoss(cause: .signal(6), stage: .decode): 3,
      WorkerLoss(cause: .noAnswer, stage: .open): 1,
    ]
    let before = Int64(Date().timeIntervalSince1970)
    try metrics.write(exitStatus: .filesFailed)
    func lines() throws -> [String] {
      try String(contentsOfFile: place.folder.file("metrics.prom").string, encoding: .utf8).split(separator: "\n")
        .map(String.init).filter { !$0.hasPrefix("#") }
    }
    func value(_ name: String) throws -> Double? {
      try lines().first { $0.hasPrefix("\(name) ") }.flatMap { Double($0.dropFirst(name.count + 1)) }
    }
    for line in [
      "nocturne_build_info{version=\"\(Nocturne.version)\"} 1", "nocturne_run_files{outcome=\"analyzed\"} 1",
      "nocturne_run_files{outcome=\"failed\"} 1", "nocturne_run_files{outcome=\"cached\"} 0",
      "nocturne_run_new_failures 1",
      "nocturne_run_worker_losses{cause=\"crash\"} 5", "nocturne_run_worker_losses{cause=\"exit\"} 0",
      "nocturne_run_worker_losses{cause=\"no_answer\"} 1", "nocturne_run_audio_seconds 4",
      "nocturne_files{status=\"ok\"} 1",
      "nocturne_files{status=\"vanished\"} 0", "nocturne_pending_files 0",
    ] { #expect(try lines().contains(line), "\(line)") }
    let success = try #require(try value("nocturne_run_last_success_timestamp_seconds"))
    #expect(abs(success - Double(before)) < 600)
    let (start, end) = (
      try #require(try value("nocturne_run_start_timestamp_seconds")),
      try #require(try value("nocturne_run_end_timestamp_seconds"))
    )
    #expect(start <= end && end - start < 600)
    let duration = try #require(try value("nocturne_run_duration_seconds"))
    #expect(duration > 0 && duration < 600 && abs(duration * 1000 - (duration * 1000).rounded()) < 1e-6)
    let processor = try #require(try value("nocturne_run_cpu_seconds"))
    #expect(processor > 0 && abs(processor * 1000 - (processor * 1000).rounded()) < 1e-6)

    // A run without figures keeps the last success of the file that it replaces.
    var failed = RunMetrics()
    failed.path = metrics.path
    try failed.write(exitStatus: .fatal)
    #expect(try value("nocturne_run_last_success_timestamp_seconds") == success)
    #expect(try value("nocturne_run_exit_status") == 1 && value("nocturne_pending_files") == nil)
    failed.database = place.database
    try failed.write(exitStatus: .fatal)
    #expect(try value("nocturne_run_last_success_timestamp_seconds") == success && value("nocturne_pending_files") == 0)
    failed.path = place.folder.file("none/metrics.prom")
    #expect { try failed.write(exitStatus: .fatal) } throws: {
      "\($0)".hasPrefix("The metrics file “\(place.folder.path)/none")
    }

    // Failures that are known from earlier runs are counted, not told.
    let again = try await place.run(try place.analysis()).outcome
    #expect(again.digest.knownFailures == 1 && again.digest.failures.isEmpty && again.digest.pending == 0)
  }
}
