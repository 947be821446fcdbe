package import AnalysisTasks
import Foundation
import Pipeline
import Synchronization

/// The signals that ask this process to end. The main thread only waits for them, so they are handled whatever other
/// threads do, even if no other thread could be started.
enum Signals {
  private static let handler = Mutex<(@Sendable (Int32) -> Void)?>(nil)

  /// Excludes SIGHUP if that was ignored when the process started, as under `nohup`.
  private static let handled: [Int32] = {
    var action = sigaction()
    _ = unsafe sigaction(SIGHUP, nil, &action)
    let (handler, ignored) = unsafe (action.__sigaction_handler.sa_handler, SIG_IGN)
    let isIgnored = unsafe unsafeBitCast(handler, to: Int.self) == unsafeBitCast(ignored, to: Int.self)
    return [SIGINT, SIGTERM] + (isIgnored ? [] : [SIGHUP])
  }()

  private static var set: sigset_t {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for number in handled { unsafe sigaddset(&set, number) }
    return set
  }

  /// Blocks the signals. Call this before the process has a second thread, because threads inherit the signal mask.
  static func hold() {
    var set = set
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Waits for signals forever. Without a handler, a signal ends the process as usual.
  static func wait() -> Never {
    var set = set
    while true {
      var number: Int32 = 0
      guard unsafe sigwait(&set, &number) == 0 else { continue }
      if let handler = handler.withLock({ $0 }) {
        handler(number)
      } else {
        end(by: number)
      }
    }
  }

  /// - Parameter handler: Called on the main thread; it must not block.
  static func handle(_ handler: @escaping @Sendable (Int32) -> Void) {
    self.handler.withLock { $0 = handler }
  }

  private static func end(by number: Int32) -> Never {
    signal(number, SIG_DFL)
    var set = set
    unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
    raise(number)
    _exit(128 + number)
  }
}

/// The first SIGINT, SIGTERM or SIGHUP calls a closure that asks the command to stop in an orderly way; the second ends
/// the process at once.
package final class SignalHandling: Sendable {
  private let received = Mutex<Int32?>(nil)

  /// - Parameter onFirst: Called on the main thread.
  package init(onFirst: @escaping @Sendable (Int32) -> Void) {
    Signals.handle { [self] number in
      let isFirst = received.withLock { received in
        defer { received = received ?? number }
        return received == nil
      }
      guard isFirst else {
        ExecAnalyzer.killRunningPrograms()
        _exit(128 + number)
      }
      onFirst(number)
    }
  }

  /// The exit status for the received signal; `nil` if none was received.
  package var exitStatus: ExitStatus? {
    received.withLock { $0 }.flatMap { ExitStatus(rawValue: 128 + $0) }
  }
}
