internal import CSpawn
internal import Glibc
internal import Synchronization
internal import SystemPackage

/// A recording command that runs, with all that it starts in a process group of its own: so that all of it can be told to
/// stop. It inherits nothing of how this process treats signals. It is killed when the thread that has started it ends, or
/// the whole process.
final class RecordingCommand: Sendable {
  /// What it prints.
  let output: FileDescriptor
  private let name: String
  /// `nil` once the number may be another program's.
  private let process: Mutex<pid_t?>

  /// - Parameters:
  ///   - words: The program, looked up in `PATH`, and its arguments.
  ///   - input: What it reads; nothing if `nil`.
  ///   - errors: Where its messages go; to those of this process if `nil`.
  init(
    _ words: [String], input: FileDescriptor? = nil, errors given: FileDescriptor? = nil
  ) throws(RecordingError) {
    name = words.first ?? ""
    var reading: Int32 = -1
    var writing: Int32 = -1
    var process: pid_t = 0
    let errors = fcntl(given?.rawValue ?? STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
    var problem = errors < 0 ? errno : cspawn_output_pipe(&reading, &writing)
    if problem == 0 {
      // A thread of its own reads from it, which may wait.
      _ = fcntl(reading, F_SETFL, 0)
      let strings = words.map { strdup($0) } + [nil]
      problem = cspawn_start(&process, strings, 0, input?.rawValue ?? -1, writing, errors)
      for string in strings { free(string) }
    }
    for descriptor in [writing, errors] where descriptor >= 0 { close(descriptor) }
    guard problem == 0 else {
      if reading >= 0 { close(reading) }
      throw .cannotOpen(name, reason: String(cString: strerror(problem)))
    }
    output = FileDescriptor(rawValue: reading)
    self.process = Mutex(process)
  }

  deinit {
    kill()
    try? output.close()
  }

  /// Tells it to end, without waiting for that.
  func stop() {
    process.withLock { process in
      if let process { _ = Glibc.kill(-process, SIGTERM) }
    }
  }

  /// Waits for its end. What it has left running is killed.
  func waitForEnd() throws(RecordingError) {
    guard let process = process.withLock({ $0 }) else { return }
    var information = siginfo_t()
    while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    let status = reap()
    if status != 0 { throw .commandFailed(name, status: status) }
  }

  /// Ends it in any case, with all that it has started, and waits until it is gone.
  func kill() { _ = reap() }

  /// Its exit status, for a signal as a shell tells it.
  private func reap() -> Int32 {
    // Out of the lock before the wait: whoever stops it meanwhile must not wait, too.
    guard let number = process.withLock({ $0.take() }) else { return 0 }
    var status: Int32 = 0
    var signal: Int32 = 0
    _ = cspawn_kill_and_reap(number, &status, &signal)
    return signal == 0 ? status : 128 + signal
  }
}
