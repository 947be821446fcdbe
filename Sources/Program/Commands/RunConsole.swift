import AnalysisTasks
import Foundation
import Pipeline
import ResultStore
import Synchronization
import SystemPackage

/// Shows a run on standard error, and stops it on signals.
final class RunConsole: RunObserver {
  let terminal = Terminal()
  private let progress: ProgressReporter
  private let database = Mutex<FilePath?>(nil)
  private let signals = Mutex<SignalHandling?>(nil)

  init(style: ProgressStyle, isQuiet: Bool) {
    progress = ProgressReporter(style: style, terminal: terminal, isQuiet: isQuiet)
  }

  /// - Parameter notices: Messages about the settings.
  func begin(notices: [String], database: FilePath) {
    for notice in notices { handle(.notice(notice, event: "setting_ignored")) }
    self.database.withLock { $0 = database }
  }

  /// Removes the progress bar, so that other text can be written.
  func end() { progress.finish() }

  func handle(_ event: RunEvent) { progress.handle(event) }

  func waits(for owner: RunLock.Owner?) {
    let who = owner.map { " (process \($0.processID) on \($0.host))" } ?? ""
    let database = database.withLock { $0?.string } ?? ""
    progress.note(
      Message(
        level: .notice, event: "waiting_for_lock", text: "waiting for another run on \(database) to end\(who)"))
  }

  func begins(_ control: RunControl) {
    progress.start()
    let handling = SignalHandling { [progress] number in
      control.requestStop()
      let why = number == SIGINT ? "an interrupt" : number == SIGHUP ? "a hangup" : "a request to end"
      progress.note(
        Message(
          level: .notice, event: "stopping",
          text: "stopping after \(why): files in progress get five seconds, then everything finished is stored; once "
            + "more to end at once"))
    }
    signals.withLock { $0 = handling }
  }

  var interruption: ExitStatus? { signals.withLock { $0 }?.exitStatus }
}
