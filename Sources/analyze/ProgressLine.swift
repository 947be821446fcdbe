import Application
import Foundation
import Pipeline
import Synchronization
import System
import Text

/// How far some work has come, as one line on a terminal; nothing elsewhere.
final class ProgressLine: Sendable {
  private struct State {
    var lastShown = ContinuousClock.now
    var isShown = false
  }

  private static let cellCount = 24

  private let terminal = Terminal()
  private let total: Int?
  private let noun: String
  private let state = Mutex(State())

  /// - Parameter total: `nil` if it is not known.
  init(of total: Int?, _ noun: String) {
    self.total = total
    self.noun = noun
  }

  func show(_ count: Int) {
    guard terminal.isInteractive, Log.format == .text else { return }
    state.withLock { state in
      guard ContinuousClock.now - state.lastShown >= .milliseconds(100) else { return }
      state.lastShown = .now
      state.isShown = true
      Terminal.write("\r\u{1B}[K" + String(text(count).prefix(terminal.width - 1)), isProgress: true)
    }
  }

  /// Removes the line, so that other text can be written.
  func erase() {
    state.withLock { state in
      if state.isShown { Terminal.write("\r\u{1B}[K", isProgress: true) }
      state.isShown = false
    }
  }

  private func text(_ count: Int) -> String {
    guard let total, total > 0 else { return counted(count, noun) }
    let filled = min(Self.cellCount, Self.cellCount * count / total)
    return String(repeating: "█", count: filled) + String(repeating: "░", count: Self.cellCount - filled)
      + "  \(count) of \(counted(total, noun))"
  }
}
