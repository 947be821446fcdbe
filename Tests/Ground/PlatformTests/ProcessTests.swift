import AnalysisTesting
import Foundation
import Glibc
import SystemPackage
import Testing

@testable import Platform

private func shell(_ script: String) -> ProgramCommand { ProgramCommand(["/bin/sh", "-c", script]) }

/// Input and output of programs.
@Suite(.bounded) struct ProgramOutputTests {
  private func text(_ line: PipedProcess.Line) -> String? {
    switch line {
    case .text(let bytes): String(decoding: bytes, as: UTF8.self)
    case .none: nil
    case .cancelled: "cancelled"
    }
  }

  @Test func linesArriveOneByOne() throws {
    let process = try PipedProcess(shell("printf 'a\\n\\nb\\nrest'"), hasInput: false, patience: .seconds(60))
    for line in ["a", "", "b", nil] { #expect(text(try process.nextLine { false }) == line) }
    #expect(text(try process.nextLine { true }) == nil)
    #expect(process.output == Array("rest".utf8) && !process.acceptsInput)
    #expect(try process.waitForEnd() == .status(0))
  }

  @Test func outputArrivesAsItIs() throws {
    let process = try PipedProcess(ProgramCommand(["cat"]), hasInput: true, patience: .seconds(60))
    #expect(process.acceptsInput)
    for part in ["one", "two\n"] {
      try process.write(Array(part.utf8))
      #expect(text(try process.nextOutput { false }) == part)
      #expect(process.output.isEmpty)
    }
    #expect(text(try process.nextOutput { true }) == "cancelled")
    #expect(text(try process.nextLine { true }) == "cancelled")
    process.endInput()
    #expect(!process.acceptsInput)
    #expect(text(try process.nextOutput { false }) == nil)
    #expect(try process.waitForEnd() == .status(0))
  }

  @Test(arguments: [(10, true), (9, false)]) func outputHasALimit(limit: Int, isWhole: Bool) throws {
    let process = try PipedProcess(
      shell("printf 0123456789"), outputLimit: limit, hasInput: false, patience: .seconds(60))
    if isWhole {
      #expect(try process.waitForEnd() == .status(0) && process.output == Array("0123456789".utf8))
    } else {
      #expect(throws: PipedProcess.Failure.tooMuchOutput) { try process.waitForEnd() }
    }
  }

  @Test func largeOutputIsWhole() throws {
    let process = try PipedProcess(shell("head -c 3000000 /dev/zero"), hasInput: false, patience: .seconds(60))
    #expect(try process.waitForEnd() == .status(0) && process.output.count == 3_000_000)
  }

  @Test func theEndOfErrorsIsKept() throws {
    let process = try PipedProcess(
      shell("head -c 9000 /dev/zero | tr '\\0' x >&2; printf end >&2; exit 3"), hasInput: false, patience: .seconds(60))
    #expect(try process.waitForEnd() == .status(3) && process.output.isEmpty)
    #expect(process.errorTail == [UInt8](repeating: 0x78, count: PipedProcess.errorTailLimit - 3) + Array("end".utf8))
    let short = try PipedProcess(shell("printf error >&2"), hasInput: false, patience: .seconds(60))
    #expect(try short.waitForEnd() == .status(0) && short.errorTail == Array("error".utf8))
  }

  /// A program need not read its input.
  @Test func inputMayBeRefused() throws {
    let process = try PipedProcess(shell("exec <&-; echo closed; sleep 60"), hasInput: true, patience: .seconds(60))
    #expect(text(try process.nextLine { false }) == "closed")
    try process.write([UInt8](repeating: 1, count: 1_000_000))
    #expect(!process.acceptsInput)
    let ended = try PipedProcess(shell("exit 4"), hasInput: true, patience: .seconds(60))
    try ended.write([UInt8](repeating: 1, count: 1_000_000))
    #expect(try ended.waitForEnd() == .status(4))
  }

  @Test func patienceIsRenewed() throws {
    let process = try PipedProcess(ProgramCommand(["cat"]), hasInput: true, patience: .zero)
    #expect(process.processorTime != nil)
    process.allow(.seconds(60))
    try process.write([1])
    #expect(try process.waitForEnd() == .status(0) && process.output == [1])
    #expect(process.processorTime == nil)
    let full = try PipedProcess(ProgramCommand(["sleep", "60"]), hasInput: true, patience: .milliseconds(10))
    #expect(throws: PipedProcess.Failure.timeout) { try full.write([UInt8](repeating: 1, count: 1_000_000)) }
    let none = try PipedProcess(ProgramCommand(["sleep", "60"]), hasInput: false, patience: .zero)
    #expect(throws: PipedProcess.Failure.timeout) { try none.nextOutput { false } }
  }

  @Test func outputThatStaysOpenIsNotWaitedFor() throws {
    let process = try PipedProcess(shell("sleep 60 & echo started"), hasInput: false, patience: .seconds(60))
    #expect(text(try process.nextLine { false }) == "started")
    #expect(text(try process.nextLine { false }) == nil)
    #expect(try process.waitForEnd() == .status(0))
  }

  @Test(
    .disabled(
      if: ProcessInfo.processInfo.environment["TSAN_OPTIONS"] != nil,
      "the thread sanitizer makes vfork a fork, whose child cannot say why it did not start"))
  func reasonsForNotStarting() {
    let error = #expect(throws: PipedProcess.Failure.self) {
      try PipedProcess(ProgramCommand(["/nowhere/program"]), hasInput: true, patience: .seconds(1))
    }
    #expect(error == .cannotStart(reason: "\(Errno.noSuchFileOrDirectory)"))
  }

  // MARK: - Processes

  @Test func endingsAreDescribed() {
    #expect("\(ChildProcess.Ending.status(3))" == "exit status 3" && ChildProcess.Ending.status(3).shellStatus == 3)
    #expect("\(ChildProcess.Ending.killed)" == "signal 9, Killed" && ChildProcess.Ending.killed.shellStatus == 137)
    #expect(ChildProcess.Ending.outOfProcessorTime == .signal(Int(SIGXCPU)))
  }

  @Test func processesEndOnce() throws {
    let process = try ChildProcess(shell("exit 5"))
    #expect(process.waitForEnd(within: .seconds(60)) == .status(5))
    #expect(process.hasEnded && process.ended == .status(5) && process.kill() == .status(5))
    process.send(SIGKILL)
    process.stop()
    let signaled = try ChildProcess(shell("kill -KILL $$"))
    #expect(signaled.waitForEnd() == .killed)
    let running = try ChildProcess(ProgramCommand(["sleep", "60"]))
    #expect(try #require(running.processorTime) >= 0 && !running.hasEnded && running.ended == nil)
    running.send(SIGTERM)
    #expect(running.waitForEnd() == .signal(Int(SIGTERM)))
  }

  /// Standard streams of the program may be any descriptors of this process, also those below 3.
  @Test func streamsArePlaced() throws {
    let folder = try TemporaryDirectory()
    let path = try folder.write(Array("in\n".utf8), as: "in")
    let input = try FileDescriptor.open(path, .readOnly)
    let output = try FileDescriptor.open(
      folder.file("out"), .writeOnly, options: [.create], permissions: .ownerReadWrite)
    let process = try ChildProcess(shell("cat; echo err >&2"), input: input, output: output, errors: output)
    try input.close()
    try output.close()
    #expect(process.waitForEnd() == .status(0))
    #expect(try SmallFile.read(folder.file("out"), limit: 100) == Array("in\nerr\n".utf8))
  }

  @Test func thisProcessIsKnown() {
    #expect(ThisProcess.id == getpid() && ThisProcess.userID == geteuid())
    #expect(
      ThisProcess.hostName.map { Array("\($0)\n".utf8) }
        == (try? SmallFile.read("/proc/sys/kernel/hostname", limit: 300)))
    #expect(Threads.processorCount == max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    #expect(ProcessorTime.of(getpid()).map { $0 > 0 } == true)
    let (time, processor) = (MonotonicTime.nanoseconds, ProcessorTime.ofThisThread)
    var sum = 0
    for number in 0..<100_000 { sum &+= number }
    #expect(sum > 0 && MonotonicTime.nanoseconds > time && ProcessorTime.ofThisThread > processor)
    #expect(processor >= 0 && processor < ProcessorTime.of(getpid()) ?? 0)
    #expect(ProcessArguments.all.count == CommandLine.arguments.count)
  }

  // MARK: - Limits

  @Test func memoryIsMapped() throws {
    #expect(ResourceLimits.hasRoom(for: 1 << 20) && !ResourceLimits.hasRoom(for: 1 << 60))
    #expect(throws: Never.self) { try ResourceLimits.requireMemory(1 << 20) }
    #expect(throws: Never.self) { try ResourceLimits.requireFiles(3) }
    #expect(ResourceLimits.allowFiles(1) == 1)
    let error = try #require(throws: ResourceError.self) { try ResourceLimits.requireMemory((1 << 60) + 1) }
    #expect(error.description.contains("1099511627777 MB"))
    let even = try #require(throws: ResourceError.self) { try ResourceLimits.requireMemory(1 << 60) }
    #expect(even.description.contains("1099511627776 MB"))
    let refusal = ResourceLimits.refusalOfThread(stackSize: 1 << 20, code: EAGAIN).description
    #expect(refusal.contains("another thread (Resource temporarily unavailable)") && refusal.contains("ulimit -u"))
  }

  @Test func threadsRunWhatTheyAreGiven() async throws {
    let prepared = Counter()
    let executor = try ThreadExecutor(threadCount: 3) { prepared.add(1) }
    defer { executor.close() }
    #expect(executor.threadCount == 3 && executor.shortage == nil)
    let sum = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 1...100 { group.addTask { try await executor.run { number } } }
      return try await group.reduce(0, +)
    }
    #expect(sum == 5050)
    for number in 0..<20 { #expect(try await executor.run { number } == number) }
    await #expect(throws: Errno.ioError) { try await executor.run { throw Errno.ioError } }
    #expect((1...3).contains(prepared.value))
  }

  @Test func tickersTickUntilTheyAreStopped() throws {
    let count = Counter()
    let ticker = try Ticker(every: .microseconds(100)) { count.add(1) }
    while count.value < 3 { usleep(100) }
    ticker.stop()
    let last = count.value
    #expect(count.value == last)
    let start = MonotonicTime.nanoseconds
    Threads.pause(milliseconds: 3)
    #expect(MonotonicTime.nanoseconds - start >= 3_000_000)
    Threads.pause(milliseconds: -1)
  }
}

private final class Counter: @unchecked Sendable {
  private let lock = NSLock()
  private var count = 0

  var value: Int { lock.withLock { count } }
  func add(_ number: Int) { lock.withLock { count += number } }
}

/// Files that are replaced, with their attributes and leftovers.
@Suite(.bounded) struct ReplacedFileTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private var names: [String] {
    get throws { try FolderListing.names(in: folder.path).map(\.string) }
  }

  private func age(_ name: String, seconds: Int) {
    let past = timeval(tv_sec: time(nil) - seconds, tv_usec: 0)
    #expect(utimes(folder.file(name).string, [past, past]) == 0)
  }

  @Test func temporaryNamesHaveOneForm() throws {
    for _ in 0..<40 {
      let file = try FileReplacement(folder.file("a"))
      #expect(file.path == folder.file("a") && file.temporaryPath.removingLastComponent() == folder.path)
      let name = try #require(file.temporaryPath.lastComponent?.string)
      #expect(name.wholeMatch(of: /\.nocturne-[0-9a-f]{16}\.partial/) != nil, "\(name)")
    }
  }

  @Test func leftoversAreOldEnough() throws {
    for (name, seconds) in [("0", 3_590), ("1", 3_700)] {
      try folder.write([1], as: ".nocturne-\(name).partial")
      age(".nocturne-\(name).partial", seconds: seconds)
    }
    try folder.file(".nocturne-2.partial").makeFolder()
    age(".nocturne-2.partial", seconds: 10_000)
    try FileReplacement.write([1], to: folder.file("a"))
    #expect(try names == [".nocturne-0.partial", ".nocturne-2.partial", "a"])
    // A folder is not searched for every file.
    try folder.write([1], as: ".nocturne-3.partial")
    age(".nocturne-3.partial", seconds: 10_000)
    try FileReplacement.write([1], to: folder.file("a"))
    #expect(try names == [".nocturne-0.partial", ".nocturne-2.partial", ".nocturne-3.partial", "a"])
    let used = try FileReplacement(folder.file("b"))
    FileReplacement.removeAllLeftovers(in: folder.path)
    #expect(try names == [try #require(used.temporaryPath.lastComponent?.string), ".nocturne-2.partial", "a"].sorted())
  }

  @Test func attributesAreCopied() throws {
    try folder.write([1], as: "old")
    #expect(chmod(folder.file("old").string, 0o640) == 0)
    age("old", seconds: 100_000)
    let old = try FileDescriptor.open(folder.file("old"), .readOnly)
    defer { try? old.close() }
    let status = try FileStatus(of: old)
    for includingTimes in [true, false] {
      let file = try FileReplacement(folder.file("new"))
      try file.write([2, 3])
      try file.takeAttributes(of: old, includingTimes: includingTimes)
      try file.flush()
      try file.commit()
      let new = try FileStatus(at: folder.file("new"), followingLinks: false)
      #expect(new.permissions == 0o640 && new.size == 2 && new.ownerID == status.ownerID)
      #expect((new.modified == status.modified) == includingTimes)
    }
    let file = try FileReplacement(folder.file("new"))
    #expect(throws: Errno.badFileDescriptor) {
      try file.takeAttributes(of: FileDescriptor(rawValue: -1), includingTimes: true)
    }
  }

  @Test func fullDisksAreReported() {
    #expect(throws: Errno.noSpace) { try FileReplacement.write([1], to: "/dev/full") }
  }

  @Test func changedFilesStay() throws {
    let path = try folder.path.resolved().appending("a")
    try folder.write(Array("old".utf8), as: "a")
    let held = try LockedFile(path, patience: .zero)
    #expect(held.path == path && held.identity.size == 3 && held.identity.isRegularFile)
    do {
      let file = try FileReplacement(path)
      try file.write([1])
      #expect(throws: LockedFile.Failure.changed) { try file.commit(replacing: held) { false } }
    }
    #expect(try SmallFile.read(path, limit: 10) == Array("old".utf8) && names == ["a"])
    // A file that was replaced after it was locked.
    try FileReplacement.write(Array("other".utf8), to: path)
    do {
      let file = try FileReplacement(path)
      #expect(throws: LockedFile.Failure.changed) { try file.commit(replacing: held) { true } }
    }
    #expect(try SmallFile.read(path, limit: 10) == Array("other".utf8) && names == ["a"])
    #expect(throws: LockedFile.Failure.system(.noSuchFileOrDirectory)) { try LockedFile(folder.file("none")) }
    #expect(symlink("a", folder.file("link").string) == 0)
    #expect(throws: LockedFile.Failure.system(.tooManySymbolicLinkLevels)) { try LockedFile(folder.file("link")) }
  }

  @Test func namesAreChangedAndRemoved() throws {
    try folder.write([1], as: "a")
    try folder.write([2], as: "b")
    try folder.file("a").rename(to: folder.file("b"))
    #expect(try names == ["b"] && SmallFile.read(folder.file("b"), limit: 1) == [1])
    #expect(throws: Errno.noSuchFileOrDirectory) { try folder.file("a").rename(to: folder.file("c")) }
    #expect(throws: Errno.noSuchFileOrDirectory) { try folder.file("a").unlink() }
    #expect(throws: Errno.self) { try folder.path.unlink() }
    try folder.file("b").unlink()
    #expect(try names.isEmpty)
  }

  // MARK: - Statuses and listings

  @Test func statusesAreThoseOfTheSystem() throws {
    try folder.write([UInt8](repeating: 1, count: 10_000), as: "file")
    let path = folder.file("file")
    #expect(chmod(path.string, 0o4751) == 0 && link(path.string, folder.file("other").string) == 0)
    #expect(symlink("file", folder.file("link").string) == 0 && mkfifo(folder.file("pipe").string, 0o600) == 0)
    var found = stat()
    #expect(stat(path.string, &found) == 0)
    let status = try FileStatus(at: path, followingLinks: false)
    #expect(
      status.key == FileKey(device: UInt64(found.st_dev), inode: UInt64(found.st_ino)) && status.key.isTrustworthy)
    #expect(status.size == 10_000 && status.linkCount == 2 && status.permissions == 0o751 && status.kind == .regular)
    #expect(status.allocatedSize == Int64(found.st_blocks) * 512 && status.ownerID == geteuid())
    #expect(
      status.modified == Timestamp(seconds: Int64(found.st_mtim.tv_sec), nanoseconds: Int64(found.st_mtim.tv_nsec)))
    #expect(
      status.statusChanged == Timestamp(seconds: Int64(found.st_ctim.tv_sec), nanoseconds: Int64(found.st_ctim.tv_nsec))
    )
    #expect(!FileKey(device: 1, inode: 0).isTrustworthy)
    func kind(_ path: FilePath, _ followingLinks: Bool) throws -> FileStatus.Kind {
      try FileStatus(at: path, followingLinks: followingLinks).kind
    }
    #expect(try kind(folder.file("link"), false) == .link && kind(folder.file("link"), true) == .regular)
    #expect(try kind(folder.file("pipe"), true) == .fifo && kind(folder.path, true) == .folder)
    #expect(try kind("/dev/null", true) == .device)
    let identity = try #require(FileIdentity(path))
    #expect(identity.inode == status.key.inode && identity.device == status.key.device && identity.permissions == 0o751)
    #expect(identity.changed == status.statusChanged && identity.isRegularFile)
    #expect(FileIdentity(folder.path)?.isRegularFile == false && FileIdentity(folder.file("none")) == nil)
    #expect(FileIdentity(FileDescriptor(rawValue: -1)) == nil && FileIdentity(folder.file("link")) == identity)
    #expect(throws: Errno.badFileDescriptor) { try FileStatus(of: FileDescriptor(rawValue: -1)) }
  }

  @Test func listingsAreSortedByBytes() throws {
    let sorted = ["...", "..a", ".a", "a", "a b", "aa", "ab", "b", "é"]
    for name in sorted.reversed() { try folder.write([], as: name) }
    let listing = try FolderListing(of: folder.path)
    #expect(listing.entries.map { String(decoding: listing.name($0), as: UTF8.self) } == sorted)
    #expect(listing.interruption == nil && listing.contains(Array("aa".utf8)) && !listing.contains(Array("aaa".utf8)))
    #expect(try FolderListing(of: folder.path, limit: 0).entries.isEmpty)
    #expect(try FolderListing(of: folder.path, limit: 9).entries.count == 9)
  }
}

@Suite(.bounded) struct MountLineTests {
  private func mounts(_ lines: String) -> [MountTable.Mount] { MountTable(lines: Array(lines.utf8)).mounts }

  @Test func numbersOfDevicesAreThoseOfTheSystem() {
    // As computed by makedev(3).
    #expect(
      mounts("7 1 8:1 / /a rw - ext4 x rw\n8 1 74565:703710 / /b - tmpfs y").map(\.device) == [
        2_049, 316_662_230_500_830,
      ])
    #expect(mounts("7 1 8:1 / /a rw - ext4 x rw").map(\.id) == ["7"])
  }

  @Test(arguments: [
    "7 1 8 / /a rw - ext4 x", "7 1 8:1:2 / /a rw - ext4 x", "7 1 8:x / /a rw - ext4 x", "7 1 8:1 / /a rw ext4",
    "7 1 8:1 / /a rw -", "7 - 8:1 x", "7 1 8:1 -", "",
  ]) func otherLinesAreSkipped(line: String) {
    #expect(mounts(line).isEmpty && mounts("\(line)\n7 1 8:1 / / - ext4").count == 1)
  }

  @Test(arguments: [
    (#"/a\040b"#, "/a b"), (#"/a\011\012b"#, "/a\t\nb"), (#"/\134040"#, #"/\040"#), (#"/a\04"#, #"/a\04"#),
    (#"/a\"#, #"/a\"#), (#"/a\999"#, #"/a\999"#), (#"/a\0401"#, "/a 1"),
  ]) func spacesAreOctal(text: String, path: String) {
    #expect(mounts("7 1 8:1 / \(text) rw - ext4 x").first?.mountPoint.string == path)
  }

  @Test func laterMountsHideEarlierOnes() {
    let table = MountTable(
      lines: Array("1 1 8:1 / / - ext4 x\n2 1 8:2 / /mnt - xfs x\n3 1 8:3 / /mnt - nfs x\n4 1 8:4 / /m - 9p x".utf8))
    #expect(
      table.mount(of: "/mnt/a")?.id == "3" && table.mount(of: "/mntx")?.id == "1" && table.mount(of: "/m")?.id == "4")
    #expect(table.mount(of: "relative") == nil)
    #expect(table.mounts.map(\.isOnServer) == [false, false, true, true])
    #expect(Set(table.mounts(below: ["/", "/nowhere"]).map(\.id)) == ["1", "2", "3", "4"])
    #expect(table.mounts(below: []).isEmpty)
  }
}
