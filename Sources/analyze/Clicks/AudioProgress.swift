import Application
import Foundation
import Text

/// One line on a terminal that says how much of a piece of audio is done. It shows up after a second, and goes away at the end.
final class AudioProgress {
  private let terminal: Terminal
  /// Seconds of all of it, if that is known.
  private let duration: Double?
  private let start = ContinuousClock.now
  private var shown: ContinuousClock.Instant?

  init(_ terminal: Terminal, duration: Double?) {
    self.terminal = terminal
    self.duration = duration
  }

  /// - Parameter seconds: What is done.
  func update(_ seconds: Double) {
    guard terminal.isInteractive else { return }
    let now = ContinuousClock.now
    guard now - start > .seconds(1), shown.map({ now - $0 > .milliseconds(100) }) ?? true else { return }
    shown = now
    let elapsed = (now - start) / .seconds(1)
    var parts = [Self.clock(seconds)]
    if let duration, duration > 0 {
      let share = min(seconds / duration, 1)
      parts = ["\(Int(100 * share))%", "\(Self.clock(seconds)) of \(Self.clock(duration))"]
      if share > 0.02 { parts.append("\(describe(seconds: elapsed / share - elapsed)) left") }
    }
    parts.append(realtimeFactor(seconds / elapsed))
    Terminal.write("\r\u{1B}[K" + parts.joined(separator: ", "), isProgress: true)
  }

  func finish() {
    if shown != nil { Terminal.write("\r\u{1B}[K") }
  }

  /// `4:05`, `1:02:03`.
  private static func clock(_ seconds: Double) -> String {
    let whole = Int(seconds)
    let rest = String(format: "%02d", whole % 60)
    return whole < 3600
      ? "\(whole / 60):\(rest)" : "\(whole / 3600):" + String(format: "%02d", whole / 60 % 60) + ":\(rest)"
  }
}
