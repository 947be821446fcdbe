import Pipeline
import Synchronization

/// Shows the progress of one long task in one line of a terminal. Without a terminal, it shows nothing.
final class ProgressBar: Sendable {
  private struct State {
    var lastShown: ContinuousClock.Instant?
    var isShown = false
  }

  private let terminal = Terminal()
  private let state = Mutex(State())

  private static let interval = Duration.milliseconds(100)

  /// - Parameters:
  ///   - fraction: Share of the task done, 0 to 1.
  ///   - task: One or two words, such as `writing`.
  func show(_ fraction: Double, _ task: String) {
    guard terminal.canRedraw, Log.format == .text else { return }
    state.withLock { state in
      let now = ContinuousClock.now
      if let last = state.lastShown, now - last < Self.interval { return }
      state.lastShown = now
      state.isShown = true
      let share = min(1, max(0, fraction))
      let width = terminal.width - 1
      let text = BarCells.text(share, width: width) + "\(task), \(Int(share * 100))%"
      Terminal.write("\r\u{1B}[K" + Truncated.end(of: text, to: width), isProgress: true)
    }
  }

  /// Removes the bar, so that other text can be written.
  func finish() {
    state.withLock { state in
      guard state.isShown else { return }
      Terminal.write("\r\u{1B}[K", isProgress: true)
      state = State()
    }
  }
}
