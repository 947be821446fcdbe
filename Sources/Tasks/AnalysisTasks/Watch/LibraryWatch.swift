internal import Platform
internal import ResultStore
internal import Synchronization
package import SystemPackage
internal import Text

/// Watches folders and starts a run for new files soon after they are written. Between runs, the watch costs only a
/// thread that mostly sleeps.
package final class LibraryWatch: Sendable {
  package enum State: String, Sendable {
    /// No changed files are waiting.
    case watching
    /// Changed files may still be in the process of being written.
    case settling
    case analyzing
    /// Another run is active.
    case waiting
    /// The last run failed. A retry is scheduled.
    case troubled
    /// A folder is missing or empty, perhaps because its disk is not mounted. No changed files are waiting in other
    /// folders.
    case absent
  }

  package struct Report: Sendable, Equatable {
    package var state: State
    package var folders: [FilePath]
    /// Folders that are missing or empty.
    package var absent: [FilePath] = []
    /// The reason changes are noticed only every few minutes; `nil` if they are noticed immediately.
    package var limitation: String?
    /// The process id of the run that this watch has started; `nil` between runs.
    package var process: Int32?

    package var text: String {
      let name = counted(folders.count, "folder")
      return switch state {
      case .watching: limitation == nil ? "Watching \(name)" : "Scanning \(name) every few minutes"
      case .settling: "Waiting until new files are complete"
      case .analyzing: "Analyzing new files"
      case .waiting: "Waiting for another run to end"
      case .troubled: "The last run failed; trying again soon"
      case .absent:
        "Waiting for \(absent.map { DisplayPath.text(of: $0) }.joined(separator: ", ")), "
          + (absent.count == 1 ? "which is missing or empty" : "which are missing or empty")
      }
    }
  }

  private struct Shared {
    var report: Report
    var isStopping = false
    var hasEnded = false
  }

  private let options: WatchOptions
  private let database: FilePath
  private let log: @Sendable (Message) -> Void
  private let shared: Mutex<Shared>

  /// Polling interval in milliseconds.
  private static let step: Int32 = 500
  /// Time that a run has to store its results when the server stops.
  private static let grace = Duration.seconds(8)

  package init(_ options: WatchOptions, database: FilePath, log: @escaping @Sendable (Message) -> Void) {
    self.options = options
    self.database = database
    self.log = log
    shared = Mutex(Shared(report: Report(state: .watching, folders: options.folders)))
  }

  package var report: Report { shared.withLock { $0.report } }

  /// - Throws: `ResourceError` if no thread can be created.
  package func start() throws {
    // The watch needs a dedicated thread, because a run ends with the thread that started it.
    try Threads.start(stackSize: Threads.smallStack) { [self] in
      work()
      shared.withLock { $0.hasEnded = true }
    }
  }

  /// Stops the current run and waits for it to end, but at most ten seconds, in case a file server hangs.
  package func stop() async {
    shared.withLock { $0.isStopping = true }
    let end = ContinuousClock.now + Self.grace + .seconds(2)
    while !shared.withLock({ $0.hasEnded }), .now < end { try? await Task.sleep(for: .milliseconds(50)) }
  }

  private var isStopping: Bool { shared.withLock { $0.isStopping } }

  private func show(_ state: State, _ library: WatchedLibrary, process: Int32? = nil) {
    let absent = library.absent.map(\.path)
    shared.withLock {
      $0.report.state = state
      $0.report.absent = absent
      $0.report.limitation = library.limitation
      $0.report.process = process
    }
  }

  private func say(_ level: Message.Level, _ event: String, _ text: String) {
    log(Message(level: level, event: event, text: text))
  }

  // MARK: The work

  private func work() {
    var library = WatchedLibrary(options)
    var reportedLimitation: String?
    var pause: RetryPause?
    say(
      .notice, "watching",
      "watching \(counted(library.folderCount, "folder")) below "
        + options.folders.map(printablePath).joined(separator: ", "))
    for (path, condition) in library.absent { logAbsence(of: path, condition) }
    while !isStopping {
      library.follow(within: Self.step)
      for change in library.changesOfRoots() { logChange(change) }
      if let limitation = library.limitation, limitation != reportedLimitation { logLimitation(limitation) }
      reportedLimitation = library.limitation
      if let pause, .now < pause.end(lastChange: library.lastChange, quietPeriod: options.quietPeriod) {
        show(.troubled, library)
        continue
      }
      guard library.isWaiting else {
        show(library.absent.isEmpty ? .watching : .absent, library)
        continue
      }
      if RunLock.isHeld(forDatabase: database) {
        if report.state != .waiting {
          say(.info, "watch_waits", "another run is active; new files are analyzed when it ends")
        }
        show(.waiting, library)
        continue
      }
      guard let folders = library.takeDue() else {
        show(.settling, library)
        continue
      }
      if folders.isEmpty { continue }
      let begin = ContinuousClock.now
      if let failure = analyze(folders, &library) {
        // The next run scans the same folders again.
        library.putBack(folders)
        let next = RetryPause(after: pause, runBegin: begin)
        pause = next
        let earlier = next.length > RetryPause.minLength ? ", or after the next change" : ""
        say(
          .error, "watch_run_failed",
          "\(failure) Retrying in \(Int(next.length / .seconds(1))) s\(earlier).")
      } else {
        pause = nil
      }
    }
  }

  /// Runs an analysis of folders.
  /// - Returns: A sentence that says why the run failed; `nil` if it succeeded or was stopped.
  private func analyze(_ folders: [FilePath], _ library: inout WatchedLibrary) -> String? {
    // The run is a separate process, so that its memory use and crashes do not affect the server. Its messages go to
    // standard error, like the server's.
    let program = ProgramCommand(options.command.map { Array($0.utf8) } + folders.map(\.bytes))
    let process: ChildProcess
    do {
      process = try ChildProcess(program, output: .standardError, errors: .standardError)
    } catch {
      return "A run could not be started: \(error)."
    }
    show(.analyzing, library, process: process.id)
    while true {
      if isStopping {
        process.end(within: Self.grace)
        return nil
      }
      library.follow(within: Self.step)
      switch process.ended {
      case nil: continue
      // Status 3 means that some files failed; the reports list them.
      case .status(0), .status(3): return nil
      case .status(let status): return "A run for new files ended with status \(status); see its messages."
      case .signal(let signal): return "A run for new files was killed (signal \(signal))."
      }
    }
  }

  // MARK: Messages

  private func logLimitation(_ limitation: String) {
    let minutes = max(1, Int(options.scanInterval / .seconds(60)))
    say(
      .warning, "watch_limited",
      "\(limitation) Everything is scanned every \(counted(minutes, "minute")) instead.")
  }

  /// Logs that a folder was missing or empty at the start.
  private func logAbsence(of path: FilePath, _ condition: WatchedRoots.Condition) {
    if condition == .missing {
      say(.warning, "watch_folder_missing", "\(printablePath(path)) is missing. \(Self.outlook)")
    } else {
      say(.notice, "watch_folder_empty", "\(printablePath(path)) is empty. \(Self.outlook)")
    }
  }

  private func logChange(_ change: WatchedRoots.Change) {
    let path = printablePath(change.path)
    switch (change.before, change.now) {
    case (_, .missing):
      say(.warning, "watch_folder_missing", "\(path) has disappeared. Results of its files are kept. \(Self.outlook)")
    case (.present, .empty) where change.isReplaced:
      say(
        .warning, "watch_folder_empty",
        "\(path) is empty: its drive has disappeared. Results of its files are kept. \(Self.outlook)")
    case (.missing, .empty): say(.notice, "watch_folder_empty", "\(path) exists now, but is empty.")
    case (.present, .present):
      say(.notice, "watch_folder_back", "\(path) was replaced by another folder; scanning it")
    case (_, .present) where change.isReplaced:
      say(.notice, "watch_folder_back", "\(path) is available; scanning it")
    // Files that are added to a folder or removed from it are reported individually.
    case (_, .empty), (.empty, .present), (.missing, .present): break
    }
  }

  private static let outlook = "Is the drive mounted? It is scanned once it contains files."
}

/// Returns a path in the form shown in messages.
func printablePath(_ path: FilePath) -> String { printable(DisplayPath.text(of: path)) }
