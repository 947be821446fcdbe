import AnalysisTesting
import Foundation
import Platform
import ResultStore
import SystemPackage
import Testing
import Text

/// The lock file: its owner and progress, and the descriptors that are open on it.
@Suite(.bounded) struct RunLockStateTests {
  private let folder: TemporaryDirectory
  private let database: FilePath

  init() throws {
    folder = try TemporaryDirectory()
    database = folder.file("library.sqlite")
  }

  private var lockFile: FilePath { folder.file("library.sqlite.lock") }

  private func content() throws -> String {
    try String(contentsOf: URL(filePath: lockFile.string), encoding: .utf8)
  }

  /// Number of descriptors of this process that are open on the lock file.
  private func openCount() throws -> Int {
    let folder = "/proc/self/fd"
    return try FileManager.default.contentsOfDirectory(atPath: folder).count { name in
      FilePath("\(folder)/\(name)").isSameFile(as: lockFile)
    }
  }

  private func progress(scanned: Int, planned: Int?, done: Int, current: String?) -> RunLock.Progress {
    var progress = RunLock.Progress(phase: planned == nil ? "scan" : "analyze")
    (progress.scanned, progress.planned, progress.done, progress.current) = (scanned, planned, done, current)
    return progress
  }

  @Test func ownerAndProgressAreShared() throws {
    #expect(!RunLock.isHeld(forDatabase: database) && RunLock.holder(forDatabase: database) == nil)
    let before = Timestamp.now
    let lock = try RunLock.acquire(forDatabase: database)
    defer { lock.release() }
    #expect(RunLock.isHeld(forDatabase: database))
    let holder = try #require(RunLock.holder(forDatabase: database))
    #expect(holder.progress == nil && holder.owner.processID == ThisProcess.id && !holder.owner.host.isEmpty)
    #expect(holder.owner.started >= before && holder.owner.started <= .now)
    for shared in [
      progress(scanned: 0, planned: nil, done: 0, current: nil),
      progress(scanned: 1_234_567, planned: 89, done: 7, current: "a \"b\"\n.flac"),
      progress(scanned: 5, planned: 0, done: 6, current: String(repeating: "ü", count: 200)),
      progress(scanned: 1, planned: 2, done: 3, current: "c"),
    ] {
      lock.share(shared)
      let found = try #require(RunLock.holder(forDatabase: database))
      #expect(found.progress == shared && found.owner == holder.owner)
      // One line, without the rest of a longer one.
      #expect(try content().split(separator: "\n", omittingEmptySubsequences: false).count == 2)
      #expect(try content().hasSuffix("}\n"))
    }
    lock.share(progress(scanned: 1, planned: 2, done: 3, current: String(repeating: "ü", count: 201)))
    let name = RunLock.holder(forDatabase: database)?.progress?.current
    #expect(name == String(repeating: "ü", count: 200))
    #expect(try openCount() == 1)
  }

  @Test func releasedLockLeavesAnEmptyFile() throws {
    let lock = try RunLock.acquire(forDatabase: database)
    lock.share(progress(scanned: 1, planned: nil, done: 0, current: nil))
    #expect(try openCount() == 1)
    lock.release()
    #expect(try content().isEmpty && openCount() == 0)
    #expect(!RunLock.isHeld(forDatabase: database) && RunLock.holder(forDatabase: database) == nil)
    // Progress that is shared afterwards is not written.
    lock.share(progress(scanned: 1, planned: nil, done: 0, current: nil))
    lock.release()
    #expect(try content().isEmpty)
    try RunLock.acquire(forDatabase: database).release()
  }

  /// A lock that nobody keeps is released.
  @Test func forgottenLockIsReleased() throws {
    do {
      let lock = try RunLock.acquire(forDatabase: database)
      #expect(RunLock.isHeld(forDatabase: database))
      withExtendedLifetime(lock) {}
    }
    #expect(!RunLock.isHeld(forDatabase: database))
  }

  /// Waiting is announced once if a wait was asked for, and not at all otherwise; some time passes in any case.
  @Test(arguments: [Duration.zero, .milliseconds(1), .milliseconds(160)]) func refusals(limit: Duration) throws {
    let lock = try RunLock.acquire(forDatabase: database)
    defer { lock.release() }
    let owner = try #require(RunLock.holder(forDatabase: database)).owner
    var announced: [RunLock.Owner?] = []
    let began = ContinuousClock.now
    #expect(throws: StoreError.lockedByRun(lock: lockFile, owner: owner)) {
      _ = try RunLock.acquire(forDatabase: database, waitingAtMost: limit) { announced.append($0) }
    }
    #expect(.now - began >= max(limit, .milliseconds(100)))
    #expect(announced == (limit == .zero ? [] : [owner]))
    #expect(try openCount() == 1)
    #expect(RunLock.isHeld(forDatabase: database))
  }

  /// The lines of other versions, and of other programs.
  @Test func linesOfOthers() throws {
    let lock = try RunLock.acquire(forDatabase: database)
    defer { lock.release() }
    func holder(_ text: String) throws -> RunLock.Holder? {
      let file = try FileDescriptor.open(lockFile, .writeOnly, options: .truncate)
      try file.closeAfter { _ = try file.writeAll(text.utf8) }
      return RunLock.holder(forDatabase: database)
    }
    let owner = RunLock.Owner(processID: 12, host: "h", started: Timestamp(nanoseconds: 5))
    let line = #""host":"h","pid":12,"started_ns":5"#
    let plain = try holder("{\(line)}\n")
    #expect(plain?.owner == owner && plain?.progress == nil)
    let phase = try holder("{\(line),\"phase\":\"scan\"}\nthe rest of a longer line")
    #expect(phase?.owner == owner && phase?.progress == RunLock.Progress(phase: "scan"))
    #expect(phase?.progress?.scanned == 0 && phase?.progress?.done == 0)
    #expect(phase?.progress?.planned == nil && phase?.progress?.current == nil)
    for text in ["", "\n", "{}", "[]", #"{"host":"h","pid":12}"#, #"{"host":"h","started_ns":5}"#, "{\(line)"] {
      #expect(try holder(text) == nil, "\(text)")
    }
  }

  /// No lock is made beside a file of another program.
  @Test func filesOfOtherProgramsAreNotLocked() throws {
    try folder.write(Array("root:x:0:0".utf8), as: "library.sqlite")
    guard
      case .notAStore? = #expect(throws: StoreError.self, performing: { try RunLock.acquire(forDatabase: database) })
    else {
      Issue.record("Another error than expected.")
      return
    }
    #expect(!FileManager.default.fileExists(atPath: lockFile.string))
    #expect(!RunLock.isHeld(forDatabase: database))
  }
}
