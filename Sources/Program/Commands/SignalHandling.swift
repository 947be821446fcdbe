import AnalysisTasks
import Foundation
import Pipeline
import Synchronization

/// The signals that ask this process to end. The main thread waits for them from the start to the end and does nothing else,
/// so they are heard whatever the other threads do, and even if none of them could be started.
enum Signals {
  private static let handler = Mutex<(@Sendable (Int32) -> Void)?>(nil)

  /// SIGHUP stays without effect if it was when this process was started: `nohup` asks for that.
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

  /// Keeps signals waiting. To be called before the process has a second thread, since threads inherit it.
  static func hold() {
    var set = set
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Waits for signals, forever. Without a handler they end the process as they always do.
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

/// The first SIGINT, SIGTERM or SIGHUP asks the run to stop in good order, the second ends the process at once.
final class SignalHandling: Sendable {
  private let received = Mutex<Int32?>(nil)

  /// - Parameter onFirst: called on the main thread.
  init(onFirst: @escaping @Sendable (Int32) -> Void) {
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

  /// The exit status that the signal asks for, if one came.
  var exitStatus: ExitStatus? {
    received.withLock { $0 }.flatMap { ExitStatus(rawValue: 128 + $0) }
  }
}
