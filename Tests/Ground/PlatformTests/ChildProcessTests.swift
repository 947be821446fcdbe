import AnalysisTesting
import Foundation
import Glibc
import Platform
import SystemPackage
import Testing

/// `true` under a sanitizer, where no memory limit is set.
private let isSanitized = ProcessInfo.processInfo.environment["ASAN_OPTIONS"] != nil

private func shell(_ script: String, _ arguments: [[UInt8]] = []) -> ProgramCommand {
  ProgramCommand(["/bin/sh", "-c", script, "sh"].map { Array($0.utf8) } + arguments)
}

/// The output of a program.
private func output(of program: ProgramCommand) throws -> [UInt8] {
  let process = try PipedProcess(program, hasInput: false, patience: .seconds(60))
  #expect(try process.waitForEnd() == .status(0), "\(String(decoding: process.errorTail, as: UTF8.self))")
  return process.output
}

private func lines(of program: ProgramCommand) throws -> [String] {
  String(decoding: try output(of: program), as: UTF8.self).split(separator: "\n").map(String.init)
}

/// `true` if a process disappears within a few seconds. A zombie counts as gone.
/// - Parameter arguments: The program's arguments, in case its process ID is reused meanwhile.
private func goes(_ process: Int32, running arguments: [String]? = nil) -> Bool {
  let line = arguments.map { $0.map { Array($0.utf8) + [0] }.joined() }.map(Array.init)
  for _ in 0..<1_000 {
    if let line, (try? SmallFile.read(FilePath("/proc/\(process)/cmdline"), limit: 4096)) != line { return true }
    let status = try? SmallFile.read(FilePath("/proc/\(process)/stat"), limit: 4096)
    guard let status, let end = status.lastIndex(of: UInt8(ascii: ")")) else { return true }
    if status[end...].dropFirst(2).first == UInt8(ascii: "Z") { return true }
    usleep(10_000)
  }
  return false
}

@Suite(.bounded) struct ChildProcessTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  // MARK: - Execution environment

  @Test func argumentsAreBytes() throws {
    let odd: [UInt8] = [0xE9, 0xFF, UInt8(ascii: "\n"), UInt8(ascii: " "), 0x80]
    #expect(try output(of: shell("printf %s \"$1\"", [odd, []])) == odd)
    #expect(try lines(of: shell("echo $#", [[], odd])) == ["2"])
  }

  @Test func environmentAndFolderAreThoseOfTheProgram() throws {
    var program = shell("echo \"$NOCTURNE_A\"; echo \"$HOME\"; pwd -P")
    program.environment = ["NOCTURNE_A": "x=y"]
    let place = folder.path.pushing(FilePath(bytes: [0xFF]))
    try place.makeFolder()
    program.workingFolder = place
    let expected = Array("x=y\n\n".utf8) + (try place.resolved()).bytes + [UInt8(ascii: "\n")]
    #expect(try output(of: program) == expected)
    // Inherited from this process if not given.
    #expect(try lines(of: shell("echo \"$PATH\"")) == [ProcessInfo.processInfo.environment["PATH"] ?? ""])
  }

  @Test func nothingElseIsInherited() throws {
    let open = try FileDescriptor.open("/dev/null", .readOnly)
    defer { try? open.close() }
    // The last one is the descriptor of the folder being read.
    #expect(try lines(of: shell("exec ls /proc/self/fd")) == ["0", "1", "2", "3"])
  }

  @Test func streamsMayBeThoseOfThisProcess() throws {
    let process = try ChildProcess(
      shell("exit 7"), input: .standardInput, output: .standardError, errors: .standardError)
    #expect(process.waitForEnd() == .status(7))
    // Output is discarded if no descriptors are given.
    #expect(try ChildProcess(shell("cat; echo out; echo err >&2")).waitForEnd() == .status(0))
  }

  @Test(
    .disabled(
      if: ProcessInfo.processInfo.environment["TSAN_OPTIONS"] != nil,
      "the thread sanitizer makes vfork a fork, whose child cannot say why it did not start"))
  func whatCannotBeStartedIsAnError() throws {
    #expect(throws: Errno.noSuchFileOrDirectory) { try ChildProcess(ProgramCommand([folder.file("none").string])) }
    #expect(throws: Errno.permissionDenied) { try ChildProcess(ProgramCommand([folder.path.string])) }
    var program = ProgramCommand(["true"])
    program.workingFolder = folder.file("none")
    #expect(throws: Errno.noSuchFileOrDirectory) { try ChildProcess(program) }
  }

  /// Limits apply from the first instruction, and the program cannot raise them.
  @Test func limitsAreSetBeforeTheProgramBegins() throws {
    var program = shell(
      "ulimit -S -t; ulimit -H -t; ulimit -S -d; ulimit -H -d; ulimit -S -d 999999 2>/dev/null || echo no")
    program.limits = ProgramCommand.Limits(memory: 200 << 20, processorSeconds: 100)
    let memory = isSanitized ? [] : ["204800", "204800", "no"]
    #expect(try Array(lines(of: program).prefix(2 + memory.count)) == ["100", "101"] + memory)
    // Other programs have no limits.
    #expect(try lines(of: shell("ulimit -t")) == ["unlimited"])
  }

  @Test func tooMuchProcessorTimeEndsIt() throws {
    var program = shell("while :; do :; done")
    program.limits = ProgramCommand.Limits(processorSeconds: 1)
    #expect(try ChildProcess(program).waitForEnd() == .signal(Int(SIGXCPU)))
  }

  @Test func priorityIsLowered() throws {
    var program = ProgramCommand(["nice"])
    program.niceness = 15
    #expect(try lines(of: program).compactMap { Int($0) }.allSatisfy { $0 >= 15 })
  }

  @Test func aSessionIsItsOwn() throws {
    var program = shell("cut -d ' ' -f 6 /proc/$$/stat; echo $$")
    program.leadsSession = true
    let numbers = try lines(of: program)
    #expect(numbers.count == 2 && numbers[0] == numbers[1])
  }

  // MARK: - Ending

  @Test func waitingHasALimit() throws {
    let process = try ChildProcess(ProgramCommand(["sleep", "60"]))
    #expect(process.waitForEnd(within: .milliseconds(20)) == nil && process.ended == nil && !process.hasEnded)
    #expect(process.kill() == .signal(Int(SIGKILL)))
    #expect(process.waitForEnd() == .signal(Int(SIGKILL)) && process.ended == .signal(Int(SIGKILL)))
    #expect(process.processorTime == nil)
  }

  @Test func theRestOfItsGroupGoesWithIt() throws {
    let pipe = try FileDescriptor.pipe(nonBlocking: nil)
    let process = try ChildProcess(shell("sleep 60 & echo $!"), output: pipe.writeEnd)
    try pipe.writeEnd.close()
    #expect(process.waitForEnd() == .status(0))
    let printed = try pipe.readEnd.closeAfter { try pipe.readEnd.readToEnd(limit: 100) }
    let other = try #require(Int32(String(decoding: printed, as: UTF8.self).filter(\.isNumber)))
    #expect(goes(other))
  }

  /// A session may have several process groups.
  @Test func theRestOfItsSessionGoesWithIt() throws {
    let pipe = try FileDescriptor.pipe(nonBlocking: nil)
    // `timeout` moves to a group of its own.
    var program = shell(
      """
      timeout 60 sleep 60.5 > /dev/null & while [ "$(cut -d ' ' -f 5 /proc/$!/stat)" != $! ]; do :; done; echo $!
      """)
    program.leadsSession = true
    let process = try ChildProcess(program, output: pipe.writeEnd)
    try pipe.writeEnd.close()
    #expect(process.waitForEnd() == .status(0))
    let printed = try pipe.readEnd.closeAfter { try pipe.readEnd.readToEnd(limit: 100) }
    let other = try #require(Int32(String(decoding: printed, as: UTF8.self).filter(\.isNumber)))
    #expect(goes(other))
  }

  /// Signals have their usual effects in the program, and the mask of this thread stays as it is.
  @Test func signalsAreThoseOfAnyProgram() throws {
    func mask() -> [Int32] {
      var set = sigset_t()
      pthread_sigmask(SIG_BLOCK, nil, &set)
      return (1...64).filter { sigismember(&set, $0) == 1 }
    }
    var (blocked, before) = (sigset_t(), sigset_t())
    sigemptyset(&blocked)
    sigaddset(&blocked, SIGWINCH)
    pthread_sigmask(SIG_SETMASK, &blocked, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    #expect(mask() == [SIGWINCH])
    let handlers = [SIGHUP, SIGURG].map { ($0, signal($0, SIG_IGN)) }
    defer { for (number, handler) in handlers { _ = signal(number, handler) } }
    let found = try lines(of: ProgramCommand(["grep", "-E", "Sig(Blk|Ign)", "/proc/self/status"]))
    // Signals from 32 on belong to the C library, and to those who started the tests.
    let sets = found.compactMap { $0.split(separator: "\t").last }.compactMap { UInt64($0, radix: 16) }
    #expect(sets.map { $0 & 0x7FFF_FFFF } == [0, 0], "\(found)")
    #expect(mask() == [SIGWINCH])
    #expect(throws: Errno.noSuchFileOrDirectory) { try ChildProcess(ProgramCommand([folder.file("none").string])) }
    #expect(mask() == [SIGWINCH])
    // Input that a program refuses leaves no signal behind.
    let process = try PipedProcess(shell("exit 4"), hasInput: true, patience: .seconds(60))
    try process.write([UInt8](repeating: 1, count: 1_000_000))
    #expect(try process.waitForEnd() == .status(4) && mask() == [SIGWINCH])
    var pending = sigset_t()
    sigpending(&pending)
    #expect(sigismember(&pending, SIGPIPE) == 0)
  }

  @Test func itGoesWithItsObject() throws {
    var process: ChildProcess? = try ChildProcess(ProgramCommand(["sleep", "60"]))
    let id = try #require(process).id
    process = nil
    #expect(kill(id, 0) != 0 && errno == ESRCH)
  }

  @Test func whatDoesNotEndIsKilled() throws {
    let obedient = try ChildProcess(ProgramCommand(["sleep", "60"]))
    #expect(obedient.end(within: .seconds(60)) == .signal(Int(SIGTERM)))
    let ready = folder.file("ready")
    let other = try ChildProcess(shell("trap '' TERM; echo > \"$1\"; while :; do sleep 1; done", [ready.bytes]))
    while !ready.exists { usleep(1_000) }
    #expect(other.end(within: .milliseconds(20)) == .signal(Int(SIGKILL)))
  }

  @Test func anotherThreadMayStopIt() throws {
    let process = try ChildProcess(ProgramCommand(["sleep", "60"]))
    Thread.detachNewThread {
      usleep(20_000)
      process.stop()
    }
    #expect(process.waitForEnd().shellStatus == 128 + Int(SIGTERM))
    process.stop()
    process.send(SIGKILL)
  }

  // MARK: - End of the parent

  @Test func itIsKilledWithTheThread() throws {
    let started = StartedProcess()
    Thread.detachNewThread {
      guard let process = try? ChildProcess(ProgramCommand(["sleep", "60"])) else { return }
      // The thread sanitizer turns vfork into fork: the thread would be gone before the process asks for the signal.
      while (try? SmallFile.read(FilePath("/proc/\(process.id)/comm"), limit: 64)) != Array("sleep\n".utf8) {
        usleep(1_000)
      }
      started.process = process
    }
    while started.process == nil { usleep(1_000) }
    #expect(started.process?.waitForEnd(within: .seconds(30)) == .signal(Int(SIGKILL)))
  }

  @Test func itIsKilledWithTheProcess() async throws {
    let result = await #expect(processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]) {
      let process = try ChildProcess(ProgramCommand(["sleep", "60.25"]))
      _ = try FileDescriptor.standardOutput.writeAll("started \(process.id) \n".utf8)
      kill(getpid(), SIGKILL)
    }
    let words = String(decoding: try #require(result).standardOutputContent, as: UTF8.self).split(separator: " ")
    let index = try #require(words.firstIndex { $0.hasSuffix("started") })
    #expect(goes(try #require(Int32(words[index + 1])), running: ["sleep", "60.25"]))
  }
}

private final class StartedProcess: @unchecked Sendable {
  private let lock = NSLock()
  private var made: ChildProcess?

  var process: ChildProcess? {
    get { lock.withLock { made } }
    set { lock.withLock { made = newValue } }
  }
}

@Suite(.bounded) struct PipedProcessTests {
  @Test func whatIsWrittenComesBack() throws {
    let process = try PipedProcess(ProgramCommand(["cat"]), hasInput: true, patience: .seconds(60))
    let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
    try process.write(bytes)
    #expect(try process.waitForEnd() == .status(0))
    #expect(process.output == bytes)
  }

  @Test func patienceEnds() throws {
    let process = try PipedProcess(ProgramCommand(["sleep", "60"]), hasInput: false, patience: .milliseconds(50))
    #expect(throws: PipedProcess.Failure.timeout) { try process.waitForEnd() }
  }

  /// A program may close its output long before it ends.
  @Test(arguments: ["exec >&-", "exec >&- 2>&-"]) func closedOutputHasEnded(closing: String) throws {
    let process = try PipedProcess(shell("echo a; \(closing); sleep 60"), hasInput: false, patience: .seconds(20))
    guard case .text(let line) = try process.nextLine(isCancelled: { false }) else {
      Issue.record("There is no line.")
      return
    }
    #expect(line == [UInt8(ascii: "a")])
    guard case .none = try process.nextLine(isCancelled: { false }) else {
      Issue.record("There is another line.")
      return
    }
    guard case .none = try process.nextOutput(isCancelled: { false }) else {
      Issue.record("There is more output.")
      return
    }
    #expect(process.processorTime != nil)
  }

  /// Nothing stays open after a program ended, could not be started, or was left alone.
  @Test func pipesAreClosed() async {
    await #expect(processExitsWith: .success) {
      func openCount() -> Int { (try? FolderListing.names(in: "/proc/self/fd").count) ?? -1 }
      _ = try? PipedProcess(ProgramCommand(["true"]), hasInput: true, patience: .seconds(60)).waitForEnd()
      let before = openCount()
      for hasInput in [true, false] {
        _ = try? PipedProcess(ProgramCommand(["true"]), hasInput: hasInput, patience: .seconds(60)).waitForEnd()
        if openCount() != before { exit(3) }
        _ = try? PipedProcess(ProgramCommand(["/nowhere/program"]), hasInput: hasInput, patience: .seconds(60))
        if openCount() != before { exit(4) }
        _ = try? PipedProcess(ProgramCommand(["sleep", "60"]), hasInput: hasInput, patience: .seconds(60))
        if openCount() != before { exit(5) }
      }
      let path = FilePath.temporaryFolder.appending("nocturne-test-\(getpid())")
      for isCommitted in [true, false] {
        if let file = try? FileReplacement(path), isCommitted { try? file.commit() }
        if openCount() != before { exit(6) }
      }
      _ = try? FolderListing(of: FilePath.temporaryFolder)
      _ = try? FolderListing(of: path)
      _ = try? FileLock(path)
      _ = try? MappedFile(path)
      _ = try? SmallFile.read(path, limit: 10)
      _ = try? FolderEvents()
      _ = MountWatch([path])
      FileReplacement.synchronize(FilePath.temporaryFolder)
      try? path.unlink()
      exit(openCount() == before ? 0 : 7)
    }
  }

  @Test func noMoreIsKeptThanAllowed() throws {
    let process = try PipedProcess(
      shell("while :; do echo 0123456789; done"), outputLimit: 1000, hasInput: false, patience: .seconds(60))
    #expect(throws: PipedProcess.Failure.tooMuchOutput) { try process.waitForEnd() }
  }
}
