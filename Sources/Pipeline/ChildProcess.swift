internal import CSpawn
internal import Glibc
internal import Platform
internal import Synchronization

/// A program run for its output: takes arguments and, optionally, bytes on standard input; produces text.
///
/// All waiting is a `poll` on the pipes, for input and outputs at once, so the program may read and write in any order
/// or not at all. It inherits only descriptors 0 to 2, whatever else this process has open or opens meanwhile. It leads
/// its own process group, so a Ctrl-C at the terminal does not reach it; whatever is left of the group is killed when
/// the program has ended or this object is released. Use it from one thread at a time; it may be handed from one to
/// another, hence `@unchecked`.
package final class ChildProcess: @unchecked Sendable {
  package enum Failure: Error, Hashable {
    case cannotStart(reason: String)
    /// The program kept the caller waiting for longer than allowed.
    case timeout
    case tooMuchOutput
  }

  /// The result of waiting for a line of output.
  enum Line {
    case text([UInt8])
    /// The program has ended, or closed its output, without another line.
    case none
    /// The caller has canceled.
    case cancelled
  }

  package enum Ending: Hashable {
    case status(Int)
    case signal(Int)
  }

  /// The most bytes of standard output a program may print; more is a failure.
  package static let outputLimit = 8 << 20
  /// How many bytes of the end of standard error are kept.
  static let errorTailLimit = 8 << 10

  package private(set) var output: [UInt8] = []
  private(set) var errorTail: [UInt8] = []
  /// Whether the program still accepts input.
  private(set) var takesInput: Bool

  private let process: pid_t
  private let outputLimit: Int
  /// Our ends of the pipes; −1 once closed.
  private var inputEnd: Int32 = -1
  private var outputEnd: Int32 = -1
  private var errorEnd: Int32 = -1
  /// What is left of the time the program may keep the caller waiting.
  private var patience: Duration
  private var chunk = [UInt8](repeating: 0, count: 1 << 16)
  private var isReaped = false

  /// - Parameters:
  ///   - arguments: The program (looked up in `PATH` if it has no slash) and its arguments: any bytes except zero.
  ///   - leadsSession: Whether everything the program starts ends with it, even in process groups of their own. Set
  ///     it for programs that start such groups; finding them takes a look at all processes of the system.
  ///   - outputLimit: The most bytes of standard output, or of one line of it for `nextLine`; more is a failure.
  ///   - hasInput: Whether `write` will be called; otherwise standard input is empty.
  ///   - patience: How long the program may keep the caller waiting, in `write` and `waitForEnd` together. Time
  ///     between the calls does not count.
  package init(
    arguments: [[UInt8]], leadsSession: Bool = false, outputLimit: Int = outputLimit, hasInput: Bool, patience: Duration
  ) throws(Failure) {
    self.outputLimit = outputLimit
    self.patience = patience
    takesInput = hasInput

    var inputForProgram: Int32 = -1
    var outputOfProgram: Int32 = -1
    var errorOfProgram: Int32 = -1
    defer { Self.close(&inputForProgram, &outputOfProgram, &errorOfProgram) }
    var problem: Int32 = hasInput ? cspawn_input_pipe(&inputForProgram, &inputEnd) : 0
    if problem == 0 { problem = cspawn_output_pipe(&outputEnd, &outputOfProgram) }
    if problem == 0 { problem = cspawn_output_pipe(&errorEnd, &errorOfProgram) }

    var process: pid_t = 0
    if problem == 0 {
      var strings = arguments.map { argument in
        (argument + [0]).withUnsafeBytes { strdup($0.baseAddress!.assumingMemoryBound(to: CChar.self)) }
      }
      defer { for string in strings { free(string) } }
      strings.append(nil)
      problem = Self.running.withLock { running in
        let problem = cspawn_start(
          &process, strings, leadsSession ? 1 : 0, inputForProgram, outputOfProgram, errorOfProgram)
        if problem == 0 { running.insert(process) }
        return problem
      }
    }
    guard problem == 0 else {
      Self.close(&inputEnd, &outputEnd, &errorEnd)
      throw .cannotStart(reason: String(cString: strerror(problem)))
    }
    self.process = process
  }

  deinit {
    _ = killAndReap()
    Self.close(&inputEnd, &outputEnd, &errorEnd)
  }

  // MARK: - Input and output

  /// Writes the next bytes of the program's input, waiting until they are accepted. If the program has ended or closed
  /// its input, which it may, nothing more is written and `takesInput` is false.
  package func write(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
    var rest = bytes
    while takesInput, !rest.isEmpty {
      var written = 0
      switch cspawn_write(inputEnd, rest.baseAddress, rest.count, &written) {
      case 0:
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(written))
      case EAGAIN:
        try wait(forInput: true, at: .milliseconds(50))
        if cspawn_has_ended(process) != 0 { closeInput() }
      case EINTR:
        continue
      default:
        closeInput()
      }
    }
  }

  /// Sets how long the program may keep the caller waiting from now on.
  func allow(_ patience: Duration) {
    self.patience = patience
  }

  /// Returns the next line of output, without its line break, waiting until it arrives.
  ///
  /// - Parameter isCancelled: Called every tenth of a second. An error it throws ends the waiting.
  func nextLine(isCancelled: () throws -> Bool) throws -> Line {
    var searched = 0
    while true {
      if let end = output[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        let line = Array(output[..<end])
        output.removeFirst(end + 1)
        return .text(line)
      }
      searched = output.count
      if outputEnd < 0 { return .none }
      if try isCancelled() { return .cancelled }
      let hasEnded = cspawn_has_ended(process) != 0
      try wait(forInput: false, at: hasEnded ? .milliseconds(1) : .milliseconds(100))
      if hasEnded, output.count == searched { return .none }
    }
  }

  /// Processor time of the program in seconds, without programs it started; `nil` if it has gone.
  var processorTime: Double? { isReaped ? nil : ProcessorTime.of(process) }

  /// Ends the input, reads all output and waits until the program has ended; then kills whatever it left running in its
  /// process group.
  package func waitForEnd() throws(Failure) -> Ending {
    closeInput()
    // The pipes close when the program ends, unless it closed them before or handed them on; so check the program
    // itself too, at growing intervals.
    var interval = Duration.milliseconds(1)
    while cspawn_has_ended(process) == 0 {
      try wait(forInput: false, at: interval)
      interval = min(interval * 2, .milliseconds(50))
    }
    let ending = killAndReap()
    try takeOutput()
    return ending
  }

  private func closeInput() {
    takesInput = false
    Self.close(&inputEnd)
  }

  /// Waits a limited time until a pipe is ready, then reads the output there is.
  private func wait(forInput: Bool, at interval: Duration) throws(Failure) {
    guard patience > .zero else {
      _ = killAndReap()
      try takeOutput()
      throw .timeout
    }
    let start = ContinuousClock.now
    var ends = [
      pollfd(fd: outputEnd, events: Int16(POLLIN), revents: 0),
      pollfd(fd: errorEnd, events: Int16(POLLIN), revents: 0),
    ]
    if forInput { ends.append(pollfd(fd: inputEnd, events: Int16(POLLOUT), revents: 0)) }
    let pause = min(interval, patience)
    _ = poll(&ends, nfds_t(ends.count), max(1, Int32(pause / .milliseconds(1))))
    try takeOutput()
    patience -= start.duration(to: .now)
  }

  /// Reads the output there is, but at most 1 MiB of each kind: a program may print forever.
  private func takeOutput() throws(Failure) {
    for _ in 0..<16 {
      guard let count = readChunk(from: &outputEnd) else { break }
      guard output.count + count <= outputLimit else {
        _ = killAndReap()
        throw .tooMuchOutput
      }
      output.append(contentsOf: chunk[..<count])
    }
    for _ in 0..<16 {
      guard let count = readChunk(from: &errorEnd) else { break }
      errorTail.append(contentsOf: chunk[..<count])
      errorTail.removeFirst(max(0, errorTail.count - Self.errorTailLimit))
    }
  }

  /// Fills `chunk` with the bytes available; `nil` if there are none now, or never again (the descriptor is closed
  /// then).
  private func readChunk(from descriptor: inout Int32) -> Int? {
    while descriptor >= 0 {
      let count = read(descriptor, &chunk, chunk.count)
      if count > 0 { return count }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { return nil }
      Self.close(&descriptor)
    }
    return nil
  }

  // MARK: - The end

  /// Programs started and not reaped yet.
  private static let running = Mutex<Set<pid_t>>([])

  /// Kills every running program: for the end of this process.
  static func killAll() {
    running.withLock { running in
      for process in running { cspawn_kill(process) }
    }
  }

  private func killAndReap() -> Ending {
    guard !isReaped else { return .status(0) }
    isReaped = true
    // Remove it before its process ID becomes free for another program.
    _ = Self.running.withLock { $0.remove(process) }
    var status: Int32 = 0
    var signal: Int32 = 0
    _ = cspawn_kill_and_reap(process, &status, &signal)
    return signal != 0 ? .signal(Int(signal)) : .status(Int(status))
  }

  private static func close(_ descriptor: inout Int32) {
    if descriptor >= 0 { _ = Glibc.close(descriptor) }
    descriptor = -1
  }

  private static func close(_ first: inout Int32, _ second: inout Int32, _ third: inout Int32) {
    close(&first)
    close(&second)
    close(&third)
  }
}
