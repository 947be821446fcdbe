import AnalysisTesting
import Platform
import SystemPackage
import TagWriting
import Testing

@testable import LibraryTasks

/// Results are held back until no other program can have overwritten the file.
@Suite(.bounded) struct LateOverwriteCheckTests {
  private typealias Outcome = LateOverwriteCheck.Outcome

  private let folder: TemporaryDirectory
  private let path: FilePath
  private let identity: FileIdentity

  init() throws {
    folder = try TemporaryDirectory()
    path = try folder.write([1, 2, 3], as: "a")
    identity = try #require(FileIdentity(path))
  }

  /// The results that were reported, and whether to go on after them.
  private final class Report {
    var results: [TaggingResult] = []
    var goesOn = true
    var names: [String] { results.map { $0.path.lastComponent?.string ?? "" } }
  }

  private final class Repetition {
    var count = 0
  }

  private func check(_ report: Report) -> LateOverwriteCheck {
    LateOverwriteCheck {
      report.results.append($0)
      return report.goesOn
    }
  }

  private func result(_ status: TaggingResult.Status, _ name: String = "a") -> TaggingResult {
    TaggingResult(folder.file(name), status)
  }

  private static func never() throws -> Outcome { throw Errno.notSupported }

  // MARK: Order

  @Test func resultsWithoutAFileAreReportedAtOnce() throws {
    let report = Report()
    var check = check(report)
    #expect(!check.isStopped)
    for number in 0..<1_005 {
      try check.add(Outcome(result(.unchanged, "\(number)")), again: Self.never)
      #expect(report.results.count == number + 1)
    }
    try check.finish()
    #expect(report.names == (0..<1_005).map(String.init) && !check.isStopped)
    report.goesOn = false
    try check.add(Outcome(result(.kept, "last")), again: Self.never)
    #expect(check.isStopped && report.names.last == "last")
  }

  /// The time of a pause may be longer on a busy machine, so the shortest of several counts.
  @Test func writtenFilesAreReportedAfterAMoment() throws {
    var shortest = Duration.seconds(60)
    for _ in 0..<10 where shortest > .milliseconds(400) {
      let report = Report()
      var check = check(report)
      let start = ContinuousClock.now
      try check.add(Outcome(result(.written, "a"), identity), again: Self.never)
      try check.add(Outcome(result(.unchanged, "b")), again: Self.never)
      #expect(report.results.isEmpty || ContinuousClock.now - start >= .milliseconds(250))
      try check.finish()
      let time = ContinuousClock.now - start
      #expect(time >= .milliseconds(250) && report.names == ["a", "b"])
      #expect(report.results.map(\.status) == [.written, .unchanged])
      shortest = min(shortest, time)
    }
    #expect(shortest <= .milliseconds(400))
  }

  /// Closures are released as soon as their results are reported.
  @Test func nothingIsKeptOfReportedResults() throws {
    let report = Report()
    var check = check(report)
    weak var kept: Repetition?
    do {
      let repetition = Repetition()
      kept = repetition
      try check.add(Outcome(result(.unchanged))) {
        repetition.count += 1
        return try Self.never()
      }
    }
    #expect(kept == nil && report.results.count == 1)
    try check.finish()
  }

  // MARK: Overwritten files

  /// Other permissions do not count, but anything else does.
  @Test(arguments: ["device", "inode", "size", "time", "missing", "none"])
  func changesOfAnyKindAreNoticed(kind: String) throws {
    var written = identity
    switch kind {
    case "device": written.device += 1
    case "inode": written.inode += 1
    case "size": written.size += 1
    case "time": written.modified = Timestamp(nanoseconds: 1)
    case "none": written.permissions ^= 0o200
    default: break
    }
    let report = Report()
    var check = check(report)
    let repetition = Repetition()
    try check.add(Outcome(result(.written, kind == "missing" ? "none" : "a"), written)) {
      repetition.count += 1
      return Outcome(self.result(.kept))
    }
    try check.finish()
    #expect(repetition.count == (kind == "none" ? 0 : 1))
    #expect(report.results.map(\.status) == [kind == "none" ? .written : .kept])
  }

  /// The other program may have kept the new values.
  @Test func valuesThatAreStillThere() throws {
    let report = Report()
    var check = check(report)
    var written = identity
    written.size += 1
    try check.add(Outcome(result(.written), written)) { Outcome(self.result(.unchanged)) }
    try check.finish()
    #expect(report.results.map(\.status) == [.written] && report.results[0].problem == nil)
  }

  @Test func aFileThatIsOverwrittenAgainAndAgain() throws {
    let report = Report()
    var check = check(report)
    var written = identity
    written.inode += 1
    let repetition = Repetition()
    let overwritten = Outcome(result(.written), written)
    try check.add(overwritten) {
      repetition.count += 1
      return overwritten
    }
    try check.finish()
    #expect(repetition.count == 5)
    #expect(report.results.map(\.status) == [.failed])
    #expect(report.results.first?.problem?.code == .changed)
    #expect(
      report.results.first?.problem?.message == "Another program keeps overwriting the file; its version was kept.")
  }
}
