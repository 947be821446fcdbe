import Analysis
import AnalysisTesting
import Foundation
import LibraryTesting
import Records
import ResultStore
import SystemPackage
import Testing

@Suite(.bounded) struct QueueTests {
  @Test func newBeforeChangedBeforeOutdatedBeforeRetried() throws {
    let library = try ScannedLibrary()
    for name in ["a-retry", "b-outdated", "c-changed"] { library.put(FilePath("/music/\(name)")) }
    try library.night { file in
      switch file.path.lastComponent?.string {
      case "a-retry": return ScannedLibrary.broken
      case "b-outdated":
        var analysis = ScannedLibrary.analysis(of: file)
        analysis.outcomes.removeLast()
        return analysis
      default: return ScannedLibrary.analysis(of: file)
      }
    }
    library.put("/music/c-changed", size: 1)
    library.put("/music/z-new")
    library.put("/music/d-new")
    let night = try library.night(ScanOptions(retryFailed: true))
    #expect(
      night.pending.map { $0.path.lastComponent?.string } == ["d-new", "z-new", "c-changed", "b-outdated", "a-retry"])
    #expect(night.pending.map(\.reason) == [.new, .new, .changed, .outdated, .retry])
  }

  @Test func filesOfARunThatDiedComeLast() throws {
    let library = try ScannedLibrary()
    library.put("/music/a-poison")
    library.put("/music/b")
    for night in 1...2 {
      try library.beginRun()
      let scan = library.scan()
      _ = try scan.classify([try #require(library.file("/music/a-poison")), try #require(library.file("/music/b"))])
      let taken = try scan.makePendingQueue().next(limit: night)
      #expect(taken.last?.path == "/music/a-poison" && taken.last?.unfinishedAttempts == night - 1)
      // The process ends without notice.
      try library.reopen()
    }
    let history = try #require(try library.store.history(at: "/music/a-poison"))
    #expect(history.unfinishedAttempts == 2 && history.pending == .new)
    #expect(try library.store.latestRun()?.state == .running)
    let night = try library.night()
    #expect(try library.store.run(night.run - 1)?.state == .died)
    #expect(night.pending.map(\.path) == ["/music/b", "/music/a-poison"])
    #expect(night.pending.first { $0.path == "/music/a-poison" }?.unfinishedAttempts == 2)
    #expect(try library.store.history(at: "/music/a-poison")?.unfinishedAttempts == 0)
  }

  @Test func filesOfARunThatEndedInOrderAreNoSuspects() throws {
    let library = try ScannedLibrary()
    library.put("/music/a")
    library.put("/music/b")
    try library.beginRun()
    let scan = library.scan()
    _ = try scan.classify([try #require(library.file("/music/a")), try #require(library.file("/music/b"))])
    let queue = scan.makePendingQueue()
    let taken = try queue.next(limit: 1)
    _ = try queue.next(limit: 1)
    try queue.release(taken.map(\.fileID))
    #expect(try queue.next(limit: 10).isEmpty)
    try library.store.finishRun(
      library.run, state: .interrupted, exitStatus: 130, roots: [], totals: RunTotals(), newlyFailed: 0,
      newlyDamaged: 0, pending: 2)
    let night = try library.night()
    #expect(night.pending.map(\.path) == ["/music/a", "/music/b"])
    #expect(night.pending.allSatisfy { $0.unfinishedAttempts == 0 })
  }

  @Test func everyFileIsHandedOutOnceWhileTheScanGoesOn() throws {
    let library = try ScannedLibrary()
    try library.beginRun()
    let scan = library.scan()
    let queue = scan.makePendingQueue()
    var taken: [FilePath] = []
    for round in 0..<10 {
      for index in 0..<7 { library.put(FilePath("/music/\(9 - round)-\(index)")) }
      _ = try scan.classify(library.all)
      taken += try queue.next(limit: 5).map(\.path)
    }
    while true {
      let batch = try queue.next(limit: 5)
      if batch.isEmpty { break }
      taken += batch.map(\.path)
    }
    #expect(taken.count == 70 && Set(taken).count == 70)
  }

  @Test func waitingFilesOfOtherFoldersAreLeftAlone() throws {
    let library = try ScannedLibrary()
    library.put("/other/a")
    try library.night(scopes: [], analyze: { _ in nil })
    library.remove("/other/a")
    library.put("/music/b")
    #expect(try library.night().pending.map(\.path) == ["/music/b"])
  }
}
