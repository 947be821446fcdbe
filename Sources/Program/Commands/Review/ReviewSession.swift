import AnalysisTasks
import Foundation
import LibraryTasks
import Platform
import SystemPackage
import Text

/// An interactive review on a terminal.
struct ReviewSession {
  /// Interval at which the size of the terminal is checked, in milliseconds.
  private static let pollMilliseconds = 100
  /// Minimum duration of a decision that had to read a file. Keys pressed during such a decision are discarded, because
  /// they were not meant for the next track.
  private static let longDecision = Duration.milliseconds(300)

  private var review: TempoReview
  private let terminal: RawTerminal
  private let style: TextStyle
  private let glyphs = TerminalGlyphs()
  private let playback = ReviewPlayback()
  private var taps = TapTempo()
  private var message = ""

  init(_ review: TempoReview, on terminal: RawTerminal) {
    self.review = review
    self.terminal = terminal
    style = Terminal().style
  }

  /// Runs until the user quits, or there are no more tracks.
  /// - Throws: `StoreError`, or the exit status if the terminal was closed.
  mutating func run() throws {
    // All decisions are stored already, so the process can exit at once.
    Signals.handle { [terminal, playback] number in
      playback.stop()
      terminal.restore()
      _exit(128 + number)
    }
    defer { playback.stop() }
    while let track = try review.track() {
      taps.clear()
      let place = review.position
      while review.position == place {
        guard try handle(key(for: track), track) else { return }
      }
    }
  }

  var summary: String {
    let tally = review.tally
    let rest = max(0, review.count - review.position + 1)
    var parts = ["\(counted(tally.confirmed + tally.changed, "tempo", plural: "tempi")) decided"]
    if tally.changed > 0 { parts.append("\(tally.changed) of them changed") }
    if tally.skipped > 0 { parts.append("\(tally.skipped) skipped") }
    parts.append(rest == 0 ? "none left" : "\(rest) left")
    return parts.joined(separator: ", ")
  }

  private func draw(_ track: ReviewedTrack) {
    let size = terminal.size
    let status = ReviewScreen.Status(
      position: review.position, count: review.count, tally: review.tally, canUndo: review.canUndo,
      canListen: playback.hasPlayer,
      activity: playback.activity, taps: taps.count, tapped: taps.bpm(near: track.tempi), message: message)
    let screen = ReviewScreen(width: size.width, height: size.height, style: style, glyphs: glyphs)
    terminal.draw(screen.lines(for: track, status))
  }

  /// Shows the track until a key is pressed, and returns the key.
  private mutating func key(for track: ReviewedTrack) -> RawTerminal.Key {
    struct Shown: Equatable {
      var width: Int
      var height: Int
      var activity: String
    }
    var shown: Shown?
    while true {
      let size = terminal.size
      let now = Shown(width: size.width, height: size.height, activity: playback.activity)
      let problem = playback.takeProblem()
      if let problem { message = "  " + printable(problem) }
      if now != shown || problem != nil { draw(track) }
      shown = now
      if let key = terminal.key(within: Self.pollMilliseconds) { return key }
    }
  }

  /// - Returns: `false` to end the review.
  private mutating func handle(_ key: RawTerminal.Key, _ track: ReviewedTrack) throws -> Bool {
    switch key {
    case .enter:
      if let tapped = taps.bpm(near: track.tempi) {
        try decide(tapped == track.found.bpm ? .confirm : .tempo(tapped), track)
      } else {
        try decide(.confirm, track)
      }
    case .delete, .escape: taps.clear()
    case .redraw: terminal.draw([])
    case .end: return false
    case .space:
      if playback.activity.isEmpty { listen(track, hasClicks: true) } else { playback.stop() }
    case .character(let character):
      switch character.lowercased() {
      case "h": try decide(.half, track)
      case "d": try decide(.double, track)
      case "t": taps.tap(at: ContinuousClock.now.seconds)
      case "m": listen(track, hasClicks: false)
      case "n": try decide(.noTempo, track)
      case "s":
        playback.stop()
        try review.skip()
        message = "  skipped: " + Self.name(track)
      case "u":
        playback.stop()
        message = try review.undo() ? "  undone" : "  There is nothing to undo."
        taps.clear()
      case "q": return false
      case let digit:
        if let number = Int(digit), track.others.indices.contains(number - 1) {
          try decide(.tempo(track.others[number - 1].bpm), track)
        }
      }
    }
    return true
  }

  private mutating func listen(_ track: ReviewedTrack, hasClicks: Bool) {
    guard playback.hasPlayer else {
      message = "  No program that plays audio is installed here."
      return
    }
    playback.start(track, hasClicks: hasClicks)
  }

  private mutating func decide(_ decision: TempoReview.Decision, _ track: ReviewedTrack) throws {
    playback.stop()
    let start = ContinuousClock.now
    if case .tempo = decision {
      message = "  reading the audio …"
      draw(track)
    }
    do {
      if let change = try review.decide(decision) {
        let after = TempoChange.text(change.after)
        message =
          "  \(Self.name(track)): "
          + (decision == .confirm
            ? "\(after) is right" : "\(TempoChange.text(change.before)) → \(after), \(change.note)")
      }
    } catch let error as TempoChangeError {
      message = "  \(error)"
    }
    taps.clear()
    if ContinuousClock.now - start > Self.longDecision { terminal.discardKeys() }
  }

  private static func name(_ track: ReviewedTrack) -> String {
    printable(track.path.lastComponent?.string ?? track.path.string)
  }
}

extension ContinuousClock.Instant {
  fileprivate static let start = ContinuousClock.now

  /// Seconds since a fixed moment in this process.
  fileprivate var seconds: Double { (self - Self.start) / .seconds(1) }
}
