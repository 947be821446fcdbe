internal import Glibc
internal import Platform
internal import ResultStore
internal import Synchronization
package import SystemPackage
internal import Text

/// Lets a run analyze what is new in some folders, soon after it was written. Between runs it costs nothing but a thread that
/// sleeps.
package final class LibraryWatch: Sendable {
  package enum State: String, Sendable {
    /// All is known.
    case watching
    /// Something has changed and may still be being written.
    case settling
    case analyzing
    /// Another run is at work.
    case waiting
    /// A run could not do its work; the next one is tried later.
    case troubled
    /// A folder is not there, or empty: its disk may not be mounted. All else is known.
    case absent
  }

  package struct Report: Sendable, Equatable {
    package var state: State
    package var folders: [FilePath]
    /// Folders that are missing or empty.
    package var absent: [FilePath] = []
    /// Why changes are noticed only every few minutes.
    package var limitation: String?
    /// Process id of the current run.
    package var process: Int32?

    /// As a person reads it.
    package var text: String {
      let name = counted(folders.count, "folder")
      return switch state {
      case .watching: limitation == nil ? "Watching \(name)" : "Looking through \(name) every few minutes"
      case .settling: "Waiting until new files are complete"
      case .analyzing: "Analyzing new files"
      case .waiting: "Waiting for another run to end"
      case .troubled: "The last run failed; trying again soon"
      case .absent:
        "Waiting for \(absent.map { DisplayPath.text(of: $0) }.joined(separator: ", ")), "
          + (absent.count == 1 ? "which is not there or empty" : "which are not there or empty")
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

  /// Between looks while nothing happens, in milliseconds.
  private static let step: Int32 = 500
  /// How long a run may take to store what it has when the server ends.
  private static let grace = Duration.seconds(8)

  package init(_ options: WatchOptions, database: FilePath, log: @escaping @Sendable (Message) -> Void) {
    self.options = options
    self.database = database
    self.log = log
    shared = Mutex(Shared(report: Report(state: .watching, folders: options.folders)))
  }

  package var report: Report { shared.withLock { $0.report } }

  /// - Throws: `ResourceError` if the system gives no thread.
  package func start() throws {
    // The run ends with this thread, so it must not be one of a pool.
    try Threads.start(stackSize: Threads.smallStack) { [self] in
      work()
      shared.withLock { $0.hasEnded = true }
    }
  }

  /// Ends the run that goes on, and waits until it has ended; not for a file server that does not answer.
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
    var told: String?
    var pause: RetryPause?
    say(
      .notice, "watching",
      "watching \(counted(library.folderCount, "folder")) below "
        + options.folders.map(printablePath).joined(separator: ", "))
    for (path, condition) in library.absent { tell(ofAbsent: path, condition) }
    while !isStopping {
      library.follow(within: Self.step)
      for change in library.changesOfRoots() { tell(of: change) }
      if let limitation = library.limitation, limitation != told { tell(ofLimitation: limitation) }
      told = library.limitation
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
          say(.info, "watch_waits", "another run is at work; what is new is analyzed when it has ended")
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
        // They are looked through again.
        library.putBack(folders)
        let next = RetryPause(after: pause, runBegin: begin)
        pause = next
        let earlier = next.length > RetryPause.shortest ? ", or after the next change" : ""
        say(
          .error, "watch_run_failed",
          "\(failure) The next try is in \(Int(next.length / .seconds(1))) s\(earlier).")
      } else {
        pause = nil
      }
    }
  }

  /// - Returns: Why the run has not done its work.
  private func analyze(_ folders: [FilePath], _ library: inout WatchedLibrary) -> String? {
    // A process of its own, whose memory and crashes are not those of the server. Its messages go where the server's
    // messages go.
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
      // 3: files failed, which the reports tell.
      case .status(0), .status(3): return nil
      case .status(let status): return "A run over new files ended with status \(status); its messages say why."
      case .signal(let signal): return "A run over new files was killed (signal \(signal))."
      }
    }
  }

  // MARK: Messages

  private func tell(ofLimitation limitation: String) {
    let minutes = max(1, Int(options.scanInterval / .seconds(60)))
    say(
      .warning, "watch_limited",
      "\(limitation) All is looked through every \(counted(minutes, "minute")) instead.")
  }

  /// Reports a folder that is missing from the beginning.
  private func tell(ofAbsent path: FilePath, _ condition: WatchedRoots.Condition) {
    if condition == .missing {
      say(.warning, "watch_folder_missing", "\(printablePath(path)) is not there. \(Self.outlook)")
    } else {
      say(.notice, "watch_folder_empty", "\(printablePath(path)) is empty. \(Self.outlook)")
    }
  }

  private func tell(of change: WatchedRoots.Change) {
    let path = printablePath(change.path)
    switch (change.before, change.now) {
    case (_, .missing):
      say(.warning, "watch_folder_missing", "\(path) has gone. What is known of its files is kept. \(Self.outlook)")
    case (.there, .empty) where change.isOther:
      say(
        .warning, "watch_folder_empty",
        "\(path) is empty: its drive has gone. What is known of its files is kept. \(Self.outlook)")
    case (.missing, .empty): say(.notice, "watch_folder_empty", "\(path) is there, and empty.")
    case (.there, .there):
      say(.notice, "watch_folder_back", "another folder is at \(path) now; it is looked through")
    case (_, .there) where change.isOther:
      say(.notice, "watch_folder_back", "\(path) is there; it is looked through")
    // Files that enter or leave a folder are reported as files.
    case (_, .empty), (.empty, .there), (.missing, .there): break
    }
  }

  private static let outlook = "Is the drive mounted? It is looked through when there are files in it."
}

/// As messages show it.
func printablePath(_ path: FilePath) -> String { printable(DisplayPath.text(of: path)) }
