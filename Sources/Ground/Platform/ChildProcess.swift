// Imported first: otherwise the declarations of glibc count as another module's.
internal import Glibc

internal import CSpawn
internal import Synchronization
public import SystemPackage

/// A program at work, or a copy of this process. Everything that this program starts is started here.
///
/// A program leads a process group of its own, so a Ctrl-C at the terminal does not reach it, and inherits only
/// descriptors 0 to 2, whatever else this process has open or opens meanwhile. It is killed, with what is left of its
/// group, when this object goes. The system kills it when the thread that has started it ends, or the whole process,
/// however that happens.
public final class ChildProcess: Sendable {
  public enum Ending: Hashable, Sendable {
    case status(Int)
    case signal(Int)

    /// The name of a signal, such as "Segmentation fault".
    public static func signalName(_ signal: Int) -> String { unsafe String(cString: strsignal(Int32(signal))) }

    /// SIGKILL: by a person, or by the kernel for want of memory.
    public static var killed: Ending { .signal(Int(SIGKILL)) }
    /// SIGXCPU: at the limit of processor time.
    public static var outOfProcessorTime: Ending { .signal(Int(SIGXCPU)) }
  }

  /// As the system calls it. Another process may have the number once this one has been waited for.
  public let id: Int32
  /// `nil` once the number may be another process's.
  private let number: Mutex<pid_t?>
  private let ending = Mutex<Ending?>(nil)

  /// Starts a program.
  /// - Parameters:
  ///   - input: Its standard input; nothing if `nil`.
  ///   - output: Its standard output; nowhere if `nil`.
  ///   - errors: Its standard error; nowhere if `nil`.
  public init(
    _ program: Program, input: FileDescriptor? = nil, output: FileDescriptor? = nil, errors: FileDescriptor? = nil
  ) throws(Errno) {
    var copies: [CInt] = []
    defer { for copy in copies { close(copy) } }
    // Numbers that the program's own descriptors do not have.
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

  /// Makes a copy of this process, which must have a single thread. The copy keeps all open descriptors.
  /// - Returns: `nil` in the copy.
  public static func copyOfThisProcess() throws(Errno) -> ChildProcess? {
    var process: pid_t = -1
    let problem = cspawn_copy(&process)
    guard problem == 0 else { throw Errno(rawValue: problem) }
    return process == 0 ? nil : ChildProcess(copy: process)
  }

  deinit { kill() }

  // MARK: - While it works

  public var hasEnded: Bool { number.withLock { number in number.map { cspawn_has_ended($0) != 0 } ?? true } }

  /// How it ended; `nil` while it goes on.
  public var ended: Ending? { hasEnded ? kill() : nil }

  /// Processor time in seconds, without programs it started; `nil` if it has gone.
  public var processorTime: Double? { number.withLock { number in number.flatMap { ProcessorTime.of($0) } } }

  /// Sends it a signal; from any thread.
  public func send(_ signal: Int32) {
    number.withLock { number in
      if let number { _ = Glibc.kill(number, signal) }
    }
  }

  /// Tells it and the rest of its process group to end, without waiting for that; from any thread.
  public func stop() {
    number.withLock { number in
      if let number { _ = Glibc.kill(-number, SIGTERM) }
    }
  }

  // MARK: - The end

  /// Waits until it has ended. Processes that it has left running are killed.
  @discardableResult
  public func waitForEnd() -> Ending {
    if let number = number.withLock({ $0 }) {
      var information = siginfo_t()
      while waitid(P_PID, id_t(number), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    }
    return kill()
  }

  /// Does the same.
  /// - Returns: `nil` if it goes on after that time.
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

  /// Tells it to end, and kills it if that takes too long.
  @discardableResult
  public func end(within limit: Duration) -> Ending {
    send(SIGTERM)
    return waitForEnd(within: limit) ?? kill()
  }

  /// Ends it in any case, with what is left of its process group, or session, and waits until it is gone.
  @discardableResult
  public func kill() -> Ending {
    ending.withLock { ending in
      if let ending { return ending }
      // Out of the lock before the wait: a thread that stops it meanwhile must not wait, too.
      guard let number = number.withLock({ $0.take() }) else { return .status(0) }
      // Before its number becomes free for another process.
      _ = Self.running.withLock { $0.remove(number) }
      var status: Int32 = 0
      var signal: Int32 = 0
      _ = cspawn_kill_and_reap(number, &status, &signal)
      let new = signal != 0 ? Ending.signal(Int(signal)) : .status(Int(status))
      ending = new
      return new
    }
  }

  /// Started and not waited for.
  private static let running = Mutex<Set<pid_t>>([])

  /// Kills all that this process has started: for its end.
  public static func killAll() {
    running.withLock { running in
      for process in running { cspawn_kill(process) }
    }
  }

  /// To be called once by a program that leads a session (`Program.leadsSession`): all of that ends when its parent
  /// does, however that happens. Otherwise the leader alone would.
  public static func endSessionWithParent() { _ = cspawn_end_session_with_parent() }
}

extension ChildProcess.Ending {
  /// As a shell tells it: the exit status, or 128 and the number of the signal.
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
