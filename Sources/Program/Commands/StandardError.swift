import AnalysisTasks
import Foundation
import Platform
import Synchronization
import SystemPackage
import Text

/// Writes to standard error without ever blocking the program, even if no program reads from it any more. Unread
/// messages are buffered, up to a limit, and written with the next message or at the end of the process.
enum StandardError {
  private struct State {
    var waiting: [UInt8] = []
    /// Number of messages that did not fit into the buffer.
    var lost = 0
  }

  /// Maximum number of bytes in the buffer.
  private static let limit = 1 << 20
  /// Number of bytes that a writable pipe accepts at once (PIPE_BUF on Linux).
  private static let piece = 4_096

  private static let state = Mutex(State())

  /// A pipe or terminal is opened again in non-blocking mode, so that writing never waits, even if another process
  /// fills it at the same moment. The original descriptor must not be changed, because it is shared with the parent
  /// process.
  private static let descriptor: Int32 = {
    guard FileDescriptor.standardError.isPipeOrDevice else { return STDERR_FILENO }
    let own = try? FileDescriptor.open(
      "/proc/self/fd/\(STDERR_FILENO)", .writeOnly, options: [.nonBlocking, .init(rawValue: O_NOCTTY), .closeOnExec])
    return own?.rawValue ?? STDERR_FILENO
  }()

  /// Writes text in one piece, so that the lines of several threads do not mix.
  ///
  /// - Parameter isProgress: `true` to drop the text if other text is still waiting.
  static func write(_ text: String, isProgress: Bool = false) {
    state.withLock { state in
      send(&state)
      if isProgress, !state.waiting.isEmpty { return }
      guard state.waiting.count + text.utf8.count <= limit else {
        state.lost += 1
        return
      }
      state.waiting.append(contentsOf: text.utf8)
      send(&state)
    }
  }

  /// Waits until everything is written, or until nothing could be written for ten seconds.
  static func flush() {
    var remaining = Int.max
    var lastProgress = ContinuousClock.now
    while ContinuousClock.now - lastProgress < .seconds(10) {
      let count = state.withLock { state in
        send(&state)
        return state.waiting.count
      }
      if count == 0 { return }
      if count < remaining { lastProgress = .now }
      remaining = count
      usleep(10_000)
    }
  }

  /// Writes as much as possible without waiting.
  private static func send(_ state: inout State) {
    while !state.waiting.isEmpty {
      var end = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      guard unsafe poll(&end, 1, 0) > 0 else { return }
      let count = state.waiting.withUnsafeBytes { bytes in
        unsafe Foundation.write(descriptor, bytes.baseAddress, min(bytes.count, piece))
      }
      if count > 0 {
        state.waiting.removeFirst(count)
      } else if errno == EAGAIN {
        return
      } else if errno != EINTR {
        // The program that read standard error is gone.
        state.waiting.removeAll()
      }
      if state.waiting.isEmpty, state.lost > 0 {
        let lost = state.lost
        state.lost = 0
        let message = Message(
          level: .warning, event: "messages_lost",
          text: "\(lost) \(lost == 1 ? "message was" : "messages were") left out here: standard error was not read",
          fields: ["count": .integer(Int64(lost))])
        state.waiting.append(contentsOf: Log.rendered(message, as: Log.format, at: .now).utf8)
      }
    }
  }
}
