import Analysis
import AnalysisTasks
import Foundation
import Pipeline
import Platform
import Synchronization
import SystemPackage
import Text

/// Shows the progress of a run on standard error.
final class ProgressReporter: Sendable {
  struct State {
    var phase = RunEvent.Phase.scan
    var scanned = 0
    var planned = 0
    var done = 0
    var partial = 0
    var failed = 0
    var audioSeconds = 0.0
    /// Number of bytes that the verification has read.
    var bytes: Int64 = 0
    var bad = 0
    var current = ""
    var lastFailure = ""
    var analysisStart = ContinuousClock.now
    var lastShown = ContinuousClock.now
    var barIsShown = false
    var hasFinished = false
  }

  private let style: ProgressStyle
  private let terminal: Terminal
  private let isQuiet: Bool
  let state = Mutex(State())
  private let ticker = Mutex<Ticker?>(nil)

  /// - Parameter isQuiet: `true` to suppress notices as well. Errors are written elsewhere.
  init(style: ProgressStyle, terminal: Terminal, isQuiet: Bool) {
    let isForPeople = terminal.isInteractive && !isQuiet && Log.format == .text
    let suitable: ProgressStyle = isForPeople ? (terminal.canRedraw ? .bar : .plain) : .none
    self.style = style == .auto ? suitable : style
    self.terminal = terminal
    self.isQuiet = isQuiet
  }

  private var interval: Duration {
    switch style {
    case .plain: .seconds(10)
    case .json: .seconds(1)
    case .auto, .bar, .none: .milliseconds(100)
    }
  }

  func handle(_ event: RunEvent) {
    state.withLock { state in
      switch event {
      case .began(let phase):
        state.phase = phase
        if phase == .analyze || phase == .verify {
          (state.analysisStart, state.done, state.audioSeconds) = (.now, 0, 0)
        }
      case .scanned(let count):
        state.scanned = count
      case .planned(let count):
        state.planned = count
      case .started(let path):
        state.current = path.lastComponent?.string ?? path.string
      case .finished(let path, let status, let problem, let audioDuration):
        state.done += 1
        state.audioSeconds += audioDuration
        if status == .partial { state.partial += 1 }
        if status == .failed {
          state.failed += 1
          state.lastFailure = "\(path.lastComponent?.string ?? path.string): \(problem?.message ?? "failed")"
        }
      case .verified(_, let byteCount, let isBad):
        state.done += 1
        state.bytes += byteCount
        if isBad { state.bad += 1 }
      case .notice(let text, let event, let path):
        let fields = path.map { ["path": JSONValue.string(DisplayPath.text(of: $0))] }
        note(Message(level: .warning, event: event, text: text, fields: fields ?? [:]), &state)
      }
      showIfDue(&state)
    }
  }

  /// Writes a message between progress updates, unless quiet.
  func note(_ message: Message) {
    state.withLock { note(message, &$0) }
  }

  private func note(_ message: Message, _ state: inout State) {
    guard !isQuiet else { return }
    eraseBar(&state)
    Log.write(message)
  }

  /// Starts periodic updates, because a single file may take minutes.
  func start() {
    guard style != .none else { return }
    let pause = max(interval, .seconds(1))
    // If no thread can be started for the ticker, only events update the progress.
    let ticking = try? Ticker(every: pause) { [self] in state.withLock { showIfDue(&$0) } }
    ticker.withLock { $0 = ticking }
  }

  /// Removes the bar. No progress is shown afterwards.
  func finish() {
    ticker.withLock { $0.take() }?.stop()
    state.withLock { state in
      eraseBar(&state)
      state.hasFinished = true
    }
  }

  private func showIfDue(_ state: inout State) {
    guard style != .none, !state.hasFinished, ContinuousClock.now - state.lastShown >= interval else { return }
    state.lastShown = .now
    show(&state)
  }

  private func eraseBar(_ state: inout State) {
    guard state.barIsShown else { return }
    Terminal.write("\r\u{1B}[K", isProgress: true)
    state.barIsShown = false
  }

  private func show(_ state: inout State) {
    switch style {
    case .bar:
      Terminal.write("\r\u{1B}[K" + bar(state, width: terminal.width - 1), isProgress: true)
      state.barIsShown = true
    case .plain:
      Log.write(.info, "progress", line(state), fields: fields(state), isProgress: true)
    case .json:
      Terminal.writeLine(JSONValue.object(fields(state)).text, isProgress: true)
    case .auto, .none: break
    }
  }

  func fields(_ state: State) -> [String: JSONValue] {
    [
      "phase": .string(state.phase.rawValue), "scanned": .integer(Int64(state.scanned)),
      "planned": .integer(Int64(state.planned)), "done": .integer(Int64(state.done)),
      "partial": .integer(Int64(state.partial)), "failed": .integer(Int64(state.failed)),
      "realtime_factor": speed(state).map { .number($0) } ?? .null,
      "eta_s": remaining(state).map { .number($0) } ?? .null,
    ]
  }

  private func elapsed(_ state: State) -> Double {
    (ContinuousClock.now - state.analysisStart) / .seconds(1)
  }

  /// Seconds of audio analyzed per second; `nil` if not known yet.
  private func speed(_ state: State) -> Double? {
    let seconds = elapsed(state)
    return state.audioSeconds > 0 && seconds > 0.2 ? (state.audioSeconds / seconds * 10).rounded() / 10 : nil
  }

  /// Estimated seconds until the end; `nil` until three files are done.
  private func remaining(_ state: State) -> Double? {
    guard state.done > 2, state.planned > 0 else { return nil }
    return (elapsed(state) / Double(state.done) * Double(max(state.planned - state.done, 0))).rounded()
  }

  func line(_ state: State) -> String {
    switch state.phase {
    case .scan: return "scanning, \(counted(state.scanned, "file")) so far"
    case .report: return "writing reports"
    case .verify:
      var parts = ["verifying: \(state.done) of \(counted(state.planned, "file"))"]
      let seconds = elapsed(state)
      if seconds > 0.2 { parts.append("\(Int(Double(state.bytes) / 1e6 / seconds)) MB/s") }
      if let seconds = remaining(state) { parts.append("\(describe(seconds: seconds)) left") }
      if state.bad > 0 { parts.append("\(state.bad) changed or unreadable") }
      return parts.joined(separator: ", ")
    case .analyze:
      var parts = ["\(state.done) of \(counted(state.planned, "file"))"]
      if let speed = speed(state) { parts.append(realtimeFactor(speed)) }
      if let seconds = remaining(state) { parts.append("\(describe(seconds: seconds)) left") }
      if state.partial > 0 { parts.append("\(state.partial) damaged") }
      if state.failed > 0 { parts.append("\(state.failed) failed (last: \(printable(state.lastFailure)))") }
      return parts.joined(separator: ", ")
    }
  }

  func bar(_ state: State, width: Int) -> String {
    guard state.phase == .analyze || state.phase == .verify, state.planned > 0 else {
      return Truncated.end(of: line(state), to: width)
    }
    let drawn = BarCells.text(Double(state.done) / Double(state.planned), width: width)
    let counts = Truncated.end(of: line(state), to: width - drawn.count)
    let rest = width - drawn.count - counts.displayWidth - 2
    let name = rest > 12 ? "  " + Truncated.start(of: printable(state.current), to: rest) : ""
    return drawn + counts + terminal.style.colored(name, .faint)
  }
}
