import Analysis
import AnalysisTesting
import LibraryTesting
import Platform
import Records
import ResultStore
import SystemPackage
import Testing

/// Files and folders that a scan should have read and could not.
@Suite(.bounded) struct UnreadableTests {
  private static let closed = SkippedFile(
    path: "/music/closed", code: "unreadable_folder", message: "The folder could not be read.", isFailure: true)

  @Test func unreadableFolderFailsOnceAndIsForgottenWhenItCanBeRead() throws {
    let library = try ScannedLibrary()
    library.put("/music/a.mp3")
    library.put("/music/closed/b.mp3")
    try library.night()
    let file = try #require(library.file("/music/closed/b.mp3"))
    library.remove("/music/closed/b.mp3")
    library.put("/music/closed")
    let scopes = [VanishScope(root: "/music", unreadable: ["/music/closed"])]
    let first = try library.night(skipping: [Self.closed], scopes: scopes)
    #expect(first.scan.newFailures == 1 && first.scan.knownFailures == 0 && first.scan.skipped == 0)
    #expect(first.scan.vanished == 0)
    let groups = try library.store.newFailureGroups(in: first.run, examples: 3)
    #expect(groups.map(\.code) == ["unreadable_folder"])
    #expect(groups.first?.examples.map(\.path) == ["/music/closed"])
    let record = try #require(try library.store.record(at: "/music/closed"))
    #expect(record.status == .failed && record.problem?.stage == .scan)
    #expect(try library.store.figures().failures == ["unreadable_folder": 1])
    #expect(try library.store.figures().files == [.ok: 2, .failed: 1])

    let second = try library.night(skipping: [Self.closed], scopes: scopes)
    #expect(second.scan.newFailures == 0 && second.scan.knownFailures == 1)
    #expect(try library.store.newFailureGroups(in: second.run, examples: 3).isEmpty)

    library.remove("/music/closed")
    library.put(file.path, size: file.sizeBytes, modified: file.modified.nanoseconds)
    let third = try library.night(scopes: [VanishScope(root: "/music")])
    #expect(third.scan.cached == 2)
    #expect(try library.store.figures().failures.isEmpty)
    // The same happens for an empty folder: only the folder itself is met, which is no entry of its own.
    library.put("/music/closed")
    try library.night(skipping: [Self.closed], scopes: scopes)
    #expect(try library.store.record(at: "/music/closed")?.status == .failed)
    // The helper would classify the folder as a file, unlike the walker.
    let folder = try #require(library.file("/music/closed"))
    try library.beginRun()
    let scan = library.scan()
    _ = try scan.classify(library.all.filter { $0 != folder })
    try scan.markVanished(in: [VanishScope(root: "/music")])
    #expect(scan.counts.vanished == 0)
    #expect(try library.store.record(at: "/music/closed") == nil)
  }

  /// A file that was analyzed before and cannot be read now keeps its findings.
  @Test func unreadableFileIsFineAgainLater() throws {
    let library = try ScannedLibrary()
    library.put("/music/a.mp3")
    try library.night()
    let unreadable = SkippedFile(
      path: "/music/a.mp3", code: "unreadable_entry", message: "The system does not say what this is.", isFailure: true)
    #expect(try library.night(skipping: [unreadable]).scan.newFailures == 1)
    #expect(try library.store.record(at: "/music/a.mp3")?.status == .failed)
    #expect(try library.night().scan.cached == 1)
    #expect(try library.store.record(at: "/music/a.mp3")?.status == .ok)
    #expect(try library.store.record(at: "/music/a.mp3")?.tempo != nil)
    #expect(try library.store.figures().failures.isEmpty)
  }

  @Test func figuresKnowTheLastSuccess() throws {
    let library = try ScannedLibrary()
    #expect(try library.store.figures().lastSuccess == nil)
    library.put("/music/a.mp3")
    let night = try library.night()
    let success = try #require(try library.store.figures().lastSuccess)
    #expect(try library.store.run(night.run)?.finished == success)
    try library.beginRun()
    try library.store.finishRun(
      library.run, state: .failed, exitStatus: nil, roots: [], totals: RunTotals(), newlyFailed: 0,
      newlyDamaged: 0, pending: 0)
    #expect(try library.store.figures().lastSuccess == success)
    #expect(try library.store.figures().databaseBytes > 0)
  }
}
