internal import CSpawn
internal import Glibc
internal import SystemPackage

/// A run in a process of its own, whose memory and crashes are not those of the server. It ends with the thread that has
/// started it.
final class RunProcess {
  enum Ending: Equatable {
    case status(Int)
    case signal(Int)
  }

  let id: pid_t
  private var isReaped = false

  /// - Parameter command: The program and its arguments.
  /// - Returns: `nil` if it cannot be started.
  init?(_ command: [String], folders: [FilePath]) {
    var process: pid_t = 0
    let arguments = command.map { Array($0.utf8) } + folders.map { $0.withBytes { Array($0) } }
    var strings = arguments.map { argument in
      (argument + [0]).withUnsafeBytes { unsafe strdup($0.baseAddress!.assumingMemoryBound(to: CChar.self)) }
    }
    defer { for string in strings { unsafe free(string) } }
    unsafe strings.append(nil)
    // What it has to say goes where the server's messages go.
    let messages = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)
    defer { close(messages) }
    guard messages >= 0, unsafe cspawn_start(&process, strings, 0, -1, messages, messages) == 0 else { return nil }
    id = process
  }

  deinit { if !isReaped { _ = reap() } }

  /// How it ended; `nil` while it goes on.
  func ending() -> Ending? { cspawn_has_ended(id) != 0 ? reap() : nil }

  /// Lets it store what it has, and kills it if that takes too long.
  func end(within limit: Duration) {
    kill(id, SIGTERM)
    let end = ContinuousClock.now + limit
    while cspawn_has_ended(id) == 0, ContinuousClock.now < end { usleep(50_000) }
    _ = reap()
  }

  private func reap() -> Ending {
    isReaped = true
    var status: Int32 = 0
    var signal: Int32 = 0
    unsafe cspawn_kill_and_reap(id, &status, &signal)
    return signal != 0 ? .signal(Int(signal)) : .status(Int(status))
  }
}
