internal import CSpawn
internal import Glibc
internal import Synchronization
public import SystemPackage

/// A running child process: a program, or a copy of this process. All child processes are started here.
///
/// A program leads its own process group, so Ctrl-C in the terminal does not reach it. It inherits only descriptors 0
/// to 2, no matter what else this process has open. It is killed, with the rest of its group, when this object is
/// deallocated. The system also kills the program when the thread or process that started it ends for any reason.
public final class ChildProcess: Sendable {
  public enum Ending: Hashable, Sendable {
    case status(Int)
    case signal(Int)

    /// Returns the name of a signal, such as "Segmentation fault".
    public static func signalName(_ signal: Int) -> String { unsafe String(cString: strsignal(Int32(signal))) }

    /// The process was killed (SIGKILL), by a person or by the kernel because memory was short.
    public static var killed: Ending { .signal(Int(SIGKILL)) }
    /// The process reached its limit of processor time (SIGXCPU).
    public static var outOfProcessorTime: Ending { .signal(Int(SIGXCPU)) }
  }

  /// The process ID. The system may reuse it once the process has been reaped.
  public let id: Int32
  /// The process ID; `nil` once the system may have reused it.
  private let number: Mutex<pid_t?>
  private let ending = Mutex<Ending?>(nil)

  /// Starts a program.
  /// - Parameters:
  ///   - input: Standard input; empty if `nil`.
  ///   - output: Standard output; discarded if `nil`.
  ///   - errors: Standard error; discarded if `nil`.
  public init(
    _ program: ProgramCommand, input: FileDescriptor? = nil, output: FileDescriptor? = nil,
    errors: FileDescriptor? = nil
  ) throws(Errno) {
    var copies: [CInt] = []
    defer { for copy in copies { close(copy) } }
    // Moves a descriptor above 2, because 0 to 2 will belong to the program.
    func placed(_ descriptor: FileDescriptor?) throws(Errno) -> CInt {
      guard let number = descriptor?.rawValue, number <= STDERR_FILENO else { return descriptor?.rawValue ?? -1 }
      let copy = fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
      guard copy >= 0 else { throw Errno(rawValue: errno) }
      copies.append(copy)
      return copy
    }
    let (input, output, errors) = try (placed(input), placed(output), placed(errors))
    id = try Self.running.withLock { running throws(Errno) in
      let process = try program.start(input: input, output: output, errors: errors)
      running.insert(process)
      return process
    }
    number = Mutex(id)
  }

  private init(copy: pid_t) {
    id = copy
    number = Mutex(copy)
    _ = Self.running.withLock { $0.insert(copy) }
  }

  /// Forks this process, which must have a single thread. The copy keeps all open descriptors.
  /// - Returns: `nil` in the copy.
  public static func copyOfThisProcess() throws(Errno) -> ChildProcess? {
    var process: pid_t = -1
    let problem = cspawn_copy(&process)
    guard problem == 0 else { throw Errno(rawValue: problem) }
    return process == 0 ? nil : ChildProcess(copy: process)
  }

  deinit { kill() }

  // MARK: - Running

  public var hasEnded: Bool { number.withLock { number in number.map { cspawn_has_ended($0) != 0 } ?? true } }

  /// The exit status or signal; `nil` while the process is running. If it has ended, reaps it and kills the rest of its
  /// process group or session.
  public var ended: Ending? { hasEnded ? kill() : nil }

  /// Processor time used, in seconds, not counting child processes; `nil` if the process was reaped.
  public var processorTime: Double? { number.withLock { number in number.flatMap { ProcessorTime.of($0) } } }

  /// Sends a signal. Any thread may call this method.
  public func send(_ signal: Int32) {
    number.withLock { number in
      if let number { _ = Glibc.kill(number, signal) }
    }
  }

  /// Sends SIGTERM to the whole process group without waiting. Any thread may call this method.
  public func stop() {
    number.withLock { number in
      if let number { _ = Glibc.kill(-number, SIGTERM) }
    }
  }

  // MARK: - Ending

  /// Waits until the process has ended, then kills the rest of its process group or session.
  @discardableResult
  public func waitForEnd() -> Ending {
    if let number = number.withLock({ $0 }) {
      var information = siginfo_t()
      while waitid(P_PID, id_t(number), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    }
    return kill()
  }

  /// Waits at most `limit` for the process to end, then kills the rest of its process group or session.
  /// - Returns: `nil` if the process is still running after that time.
  public func waitForEnd(within limit: Duration) -> Ending? {
    let end = ContinuousClock.now + limit
    var pause: UInt32 = 1_000
    while !hasEnded {
      guard ContinuousClock.now < end else { return nil }
      usleep(pause)
      pause = min(2 * pause, 50_000)
    }
    return kill()
  }

  /// Sends SIGTERM, and kills the process if it has not ended within `limit`.
  @discardableResult
  public func end(within limit: Duration) -> Ending {
    send(SIGTERM)
    return waitForEnd(within: limit) ?? kill()
  }

  /// Kills the process with the rest of its process group or session, and waits until it is gone.
  @discardableResult
  public func kill() -> Ending {
    ending.withLock { ending in
      if let ending { return ending }
      // The lock is released before waiting, so that a thread that calls `stop` does not have to wait as well.
      guard let number = number.withLock({ $0.take() }) else { return .status(0) }
      // This must happen before the process ID becomes available to another process.
      _ = Self.running.withLock { $0.remove(number) }
      var status: Int32 = 0
      var signal: Int32 = 0
      _ = cspawn_kill_and_reap(number, &status, &signal)
      let new = signal != 0 ? Ending.signal(Int(signal)) : .status(Int(status))
      ending = new
      return new
    }
  }

  /// Processes started but not yet reaped.
  private static let running = Mutex<Set<pid_t>>([])

  /// Kills all child processes; called when this process ends.
  public static func killAll() {
    running.withLock { running in
      for process in running { cspawn_kill(process) }
    }
  }

  /// Ends the whole session when the parent of this session leader (`ProgramCommand.leadsSession`) ends for any reason.
  /// Otherwise, only the leader would end. Call this once.
  public static func endSessionWithParent() { _ = cspawn_end_session_with_parent() }
}

extension ChildProcess.Ending {
  /// The exit status as a shell reports it: for a signal, 128 plus its number.
  public var shellStatus: Int {
    switch self {
    case .status(let status): status
    case .signal(let signal): 128 + signal
    }
  }
}

extension ChildProcess.Ending: CustomStringConvertible {
  public var description: String {
    switch self {
    case .signal(let number): "signal \(number), \(Self.signalName(number))"
    case .status(let status): "exit status \(status)"
    }
  }
}
