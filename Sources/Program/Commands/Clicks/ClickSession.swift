internal import AnalysisTasks
import AudioEncoding
import Foundation
import LibraryTasks
import Synchronization
import SystemPackage
import Text

/// Writes and plays audio for a command, with progress on a terminal, until a signal cancels it.
final class ClickSession {
  private let players: [Player]
  private let playback: Playback
  private let isCancelled: Interruption
  private let signals: SignalHandling
  private let terminal = Terminal()

  /// - Throws: `PlayerError` if `plays` is `true` and no player is installed.
  init(plays: Bool) throws {
    players = plays ? Player.installed(searchPath: ProcessInfo.processInfo.environment["PATH"]) : []
    if plays, players.isEmpty { throw PlayerError.noPlayer }
    let playback = Playback(players)
    let isCancelled = Interruption()
    self.playback = playback
    self.isCancelled = isCancelled
    signals = SignalHandling { _ in
      isCancelled.raise()
      playback.stop()
    }
  }

  /// Creates audio, with progress on a terminal.
  ///
  /// - Parameters:
  ///   - duration: Expected duration of the audio in seconds, if known.
  ///   - work: Receives a callback that reports the seconds done, and a function that returns `true` to stop. Returns
  ///     `nil` if it was stopped.
  /// - Throws: The exit status, if a signal canceled the work.
  func make<Outcome>(
    _ duration: Double?, _ work: (@escaping (Double) -> Void, @escaping () -> Bool) throws -> Outcome?
  ) throws -> Outcome {
    let bar = ProgressBar()
    defer { bar.finish() }
    let isCancelled = isCancelled
    let outcome = try work(
      { seconds in if let duration, duration > 0 { bar.show(seconds / duration, "writing") } },
      { isCancelled.isRaised })
    guard let outcome else { throw ending }
    return outcome
  }

  /// Plays a file to its end.
  ///
  /// - Returns: The name of the player.
  /// - Throws: `PlayerError`, or the exit status if a signal stopped the player.
  func play(_ file: TemporaryAudio) throws -> String {
    if terminal.isInteractive { Terminal.write("playing; Ctrl-C ends it" + (terminal.canRedraw ? "" : "\n")) }
    defer { if terminal.canRedraw { Terminal.write("\r\u{1B}[K") } }
    guard let player = try file.play(through: playback) else { throw ending }
    return player.name
  }

  func report(_ text: String) {
    if terminal.isInteractive { Terminal.writeLine(printable(text)) }
  }

  private var ending: any Error { (signals.exitStatus ?? .interrupted).exitCode }
}

/// A flag that a signal sets.
private final class Interruption: Sendable {
  private let state = Atomic(false)
  var isRaised: Bool { state.load(ordering: .relaxed) }
  func raise() { state.store(true, ordering: .relaxed) }
}
