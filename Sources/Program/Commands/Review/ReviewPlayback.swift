import Analysis
import AudioEncoding
import Foundation
import LibraryTasks
import Platform
import Synchronization
import SystemPackage
import Text

/// Plays an excerpt of a track in the background, with or without clicks on its beats.
final class ReviewPlayback: Sendable {
  private enum Phase {
    case idle
    case preparing, playing
  }

  private struct State {
    var phase = Phase.idle
    /// Number of the current playback, so that the thread of a stopped playback does not affect the next one.
    var number = 0
    var playback: Playback?
    var problem: String?
  }

  /// Duration of the excerpt in seconds.
  private static let length = 30.0
  /// Start of the excerpt in a long track, as a fraction of its duration: after the introduction.
  private static let start = 1.0 / 3

  private let players: [Player]
  private let state = Mutex(State())

  init(environment: [String: String] = ProcessInfo.processInfo.environment) {
    players = Player.installed(searchPath: environment["PATH"])
  }

  var hasPlayer: Bool { !players.isEmpty }

  /// A description of the current activity; empty when idle.
  var activity: String {
    state.withLock { state in
      switch state.phase {
      case .idle: ""
      case .preparing: "reading the audio"
      case .playing: "playing"
      }
    }
  }

  /// Returns the reason the last playback failed, and clears it; `nil` if it did not fail.
  func takeProblem() -> String? { state.withLock { $0.problem.take() } }

  /// - Parameter hasClicks: `true` to add clicks on the detected beats.
  func start(_ track: ReviewedTrack, hasClicks: Bool) {
    stop()
    var tempo = track.tempo
    if !hasClicks { tempo.beats = [] }
    let duration = track.duration ?? 0
    let first = duration > 2 * Self.length ? duration * Self.start : 0
    let clicked = ClickedTrack(of: track.path, tempo)
    let playback = Playback(players)
    let number = state.withLock { state in
      state.number += 1
      state.phase = .preparing
      state.playback = playback
      state.problem = nil
      return state.number
    }
    do {
      // The player ends when the thread that started it ends, so this thread waits for it.
      try Threads.start(stackSize: Threads.deepStack) { [self] in
        var problem: String?
        do {
          let file = try clicked.temporaryFile(
            seconds: first..<(first + Self.length), isCancelled: { [self] in !isCurrent(number) })
          if let file {
            enter(.playing, number)
            _ = try file.file.play(through: playback)
          }
        } catch let PlayerError.failed(names, status, message) {
          problem =
            "\(names.joined(separator: ", ")) ended \(status == 0 ? "at once" : "with status \(status)"). "
            + "Is there a sound device?"
            + (message.map { " (\($0))" } ?? "")
        } catch {
          problem = "\(error)"
        }
        finish(number, problem)
      }
    } catch {
      finish(number, "\(error)")
    }
  }

  func stop() {
    state.withLock { state in
      state.number += 1
      state.phase = .idle
      state.playback?.stop()
      state.playback = nil
    }
  }

  private func isCurrent(_ number: Int) -> Bool { state.withLock { $0.number == number } }

  private func enter(_ phase: Phase, _ number: Int) {
    state.withLock { if $0.number == number { $0.phase = phase } }
  }

  private func finish(_ number: Int, _ problem: String?) {
    state.withLock { state in
      guard state.number == number else { return }
      state.phase = .idle
      state.playback = nil
      state.problem = problem
    }
  }
}
