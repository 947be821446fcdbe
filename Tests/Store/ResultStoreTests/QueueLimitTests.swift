import Analysis
import AnalysisTesting
import GRDB
import LibraryTesting
import Platform
import Records
import ResultStore
import SystemPackage
import Testing

/// Contents of the queue, and files that a run takes without finishing them.
@Suite(.bounded) struct QueueLimitTests {
  private static let path: FilePath = "/music/a.flac"

  /// Begins a run in which the file was seen.
  private func queue(_ library: ScannedLibrary) throws -> PendingQueue {
    try library.beginRun()
    let scan = library.scan()
    _ = try scan.classify(library.all)
    return scan.makePendingQueue()
  }

  private func attempts(_ library: ScannedLibrary) throws -> Int? {
    try library.store.history(at: Self.path)?.unfinishedAttempts
  }

  private func finish(_ library: ScannedLibrary, _ state: RunRecord.State = .interrupted) throws {
    try library.store.finishRun(
      library.run, state: state, exitStatus: 130, roots: [], totals: RunTotals(), newlyFailed: 0, newlyDamaged: 0,
      pending: 1)
  }

  private func rowsInProgress(_ library: ScannedLibrary) throws -> Int? {
    try DatabaseQueue(path: library.database.string).read {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM in_progress")
    }
  }

  @Test func waitingFileIsDescribed() throws {
    let library = try ScannedLibrary()
    let file = FileStamp(
      path: Self.path, device: 12, inode: 34, sizeBytes: 56, modified: Timestamp(nanoseconds: 78_000_000_000))
    library.put(file)
    let waiting = try #require(try queue(library).next(limit: 10).first)
    #expect(waiting.path == file.path && waiting.device == 12 && waiting.inode == 34 && waiting.sizeBytes == 56)
    #expect(waiting.modified == file.modified && waiting.reason == .new && waiting.status == nil)
    #expect(waiting.known.isEmpty && waiting.knownAudio.isEmpty && waiting.unfinishedAttempts == 0)
  }

  /// A run that stops early gives back what it took, without a trace; files are not given out afterwards.
  @Test func releasedFileWasNeverTaken() throws {
    let library = try ScannedLibrary()
    library.put(Self.path)
    let queue = try queue(library)
    let taken = try queue.next(limit: 1)
    #expect(try attempts(library) == 1)
    try queue.release(taken.map(\.fileID))
    #expect(try attempts(library) == 0 && rowsInProgress(library) == 0)
    #expect(try queue.next(limit: 1).isEmpty)
  }

  @Test func postponedFileIsSkippedInThisRunAlone() throws {
    let library = try ScannedLibrary()
    library.put(Self.path)
    library.put("/music/b.flac")
    let queue = try queue(library)
    let taken = try #require(try queue.next(limit: 1).first)
    try queue.postpone(taken.fileID, code: "busy", message: "It is being written.")
    #expect(try attempts(library) == 0 && rowsInProgress(library) == 0)
    let record = try #require(try library.store.record(at: Self.path))
    #expect(record.status == .skipped && record.problem?.code == "busy")
    #expect(record.problem?.message == "It is being written.")
    #expect(try queue.next(limit: 10).map(\.path) == ["/music/b.flac"])
    #expect(try queue.next(limit: 10).isEmpty)
    #expect(try library.night().pending.map(\.path) == [Self.path, "/music/b.flac"])
    #expect(try library.store.record(at: Self.path)?.status == .ok)
  }

  /// Runs that died on a file still count after others that end in order, whether they give the file back or not.
  @Test(arguments: ["release", "postpone", "end"]) func deathsAreNotForgotten(by way: String) throws {
    let library = try ScannedLibrary()
    library.put(Self.path)
    for deaths in 1...2 {
      _ = try queue(library).next(limit: 1)
      try library.reopen()
      #expect(try attempts(library) == deaths)
    }
    let queue = try queue(library)
    let taken = try #require(try queue.next(limit: 1).first)
    #expect(taken.unfinishedAttempts == 2)
    #expect(try attempts(library) == 3)
    switch way {
    case "release": try queue.release([taken.fileID])
    case "postpone": try queue.postpone(taken.fileID, code: "busy", message: "It is being written.")
    default: try finish(library)
    }
    #expect(try attempts(library) == 2)
    if way == "end" {
      #expect(try self.queue(library).next(limit: 1).first?.unfinishedAttempts == 2)
      try finish(library)
      #expect(try attempts(library) == 2)
    }
  }

  @Test func endOfARunLeavesNoRowBehind() throws {
    let library = try ScannedLibrary()
    library.put(Self.path)
    _ = try queue(library).next(limit: 1)
    #expect(try rowsInProgress(library) == 1)
    try finish(library)
    #expect(try rowsInProgress(library) == 0)
  }

  /// At most eight files of the same size are offered, whatever their number.
  @Test(arguments: [7, 8, 9]) func decodedFilesOfOneSize(count: Int) throws {
    let library = try ScannedLibrary()
    for index in 0..<count { library.put(FilePath("/music/\(index).wav"), size: 44) }
    try library.night()
    library.put("/music/new.wav", size: 44)
    library.put("/music/other.wav", size: 45)
    let night = try library.night()
    #expect(night.pending.map(\.path) == ["/music/new.wav", "/music/other.wav"])
    #expect(night.pending.map(\.knownAudio.count) == [min(count, 8), 0])
  }

  /// The lookup reads 64 files of one size, whether they were decoded or not.
  @Test(arguments: [63, 64]) func undecodedFilesOfOneSize(count: Int) throws {
    let library = try ScannedLibrary()
    for index in 0..<count { library.put(FilePath("/music/\(100 + index).wav"), size: 44) }
    library.put("/music/900.wav", size: 44)
    try library.night { file in
      var analysis = ScannedLibrary.analysis(of: file)
      if file.path != "/music/900.wav" { analysis.decodingID = nil }
      return analysis
    }
    library.put("/music/new.wav", size: 44)
    #expect(try library.night().pending.map(\.knownAudio.count) == [count < 64 ? 1 : 0])
  }
}
