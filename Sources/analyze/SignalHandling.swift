@preconcurrency import Dispatch
import Foundation
import Pipeline
import Synchronization

/// The first SIGINT or SIGTERM asks the run to stop in good order, the second ends the process at once.
final class SignalHandling: Sendable {
  private let received = Mutex<Int32?>(nil)
  private let sources: [any DispatchSourceSignal]

  /// - Parameter onFirst: called on a thread of its own.
  init(onFirst: @escaping @Sendable (Int32) -> Void) {
    let queue = DispatchQueue(label: "signals")
    sources = [SIGINT, SIGTERM].map { number in
      // The default action would end the process before the source hears of the signal.
      signal(number, SIG_IGN)
      return DispatchSource.makeSignalSource(signal: number, queue: queue)
    }
    for (number, source) in zip([SIGINT, SIGTERM], sources) {
      source.setEventHandler { [self] in
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
      source.resume()
    }
  }

  /// The exit status that the signal asks for, if one came.
  var exitStatus: ExitStatus? {
    received.withLock { $0 }.flatMap { ExitStatus(rawValue: 128 + $0) }
  }
}
