internal import Application
internal import Glibc
internal import Platform
internal import ResultStore
internal import Synchronization
internal import SystemPackage
internal import Text

/// Lets a run analyze what is new in some folders, soon after it was written. Between runs it costs nothing but a thread that
/// sleeps.
final class LibraryWatch: Sendable {
  enum State: String, Sendable {
    /// All is known.
    case watching
    /// Something has changed and may still be being written.
    case settling
    case analyzing
    /// Another run is at work.
    case waiting
    /// A run could not do its work; the next one is tried later.
    case troubled
  }

  struct Report: Sendable, Equatable {
    var state: State
    var folders: [FilePath]
    /// Why changes are noticed only every few minutes.
    var limitation: String?
    /// Of the run that goes on.
    var process: Int32?

    func write(into json: inout JSONWriter) {
      json.put("state", limitation != nil && state == .watching ? "polling" : state.rawValue)
      json.key("folders")
      json.beginArray()
      for folder in folders { json.string(DisplayPath.text(of: folder)) }
      json.endArray()
      json.put("limitation", limitation)
      json.put("text", text)
    }

    private var text: String {
      let name = counted(folders.count, "folder")
      return switch state {
      case .watching: limitation == nil ? "Watching \(name)" : "Looking through \(name) every few minutes"
      case .settling: "Waiting until new files are complete"
      case .analyzing: "Analyzing new files"
      case .waiting: "Waiting for another run to end"
      case .troubled: "The last run failed; trying again soon"
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
  /// After a run that failed: doubled each time up to the longest.
  private static let shortestPause = Duration.seconds(15)
  private static let longestPause = Duration.seconds(3600)
  /// How long a run may take to store what it has when the server ends.
  private static let grace = Duration.seconds(8)

  init(_ options: WatchOptions, database: FilePath, log: @escaping @Sendable (Message) -> Void) {
    self.options = options
    self.database = database
    self.log = log
    shared = Mutex(Shared(report: Report(state: .watching, folders: options.folders)))
  }

  var report: Report { shared.withLock { $0.report } }

  /// - Throws: `ResourceError` if the system gives no thread.
  func start() throws {
    // The run ends with this thread, so it must not be one of a pool.
    try Threads.start(stackSize: Threads.smallStack) { [self] in
      work()
      shared.withLock { $0.hasEnded = true }
    }
  }

  /// Ends the run that goes on, and waits until it has ended.
  func stop() async {
    shared.withLock { $0.isStopping = true }
    while !shared.withLock({ $0.hasEnded }) { try? await Task.sleep(for: .milliseconds(50)) }
  }

  private var isStopping: Bool { shared.withLock { $0.isStopping } }

  private func show(_ state: State, limitation: String?, process: Int32? = nil) {
    shared.withLock {
      $0.report.state = state
      $0.report.limitation = limitation
      $0.report.process = process
    }
  }

  private func say(_ level: Message.Level, _ event: String, _ text: String) {
    log(Message(level: level, event: event, text: text))
  }

  // MARK: The work

  private func work() {
    let watch = FolderWatch(options.folders, options.candidates)
    var files = WaitingFiles(options.folders, options.candidates, quietPeriod: options.quietPeriod)
    // What was written while nobody watched.
    files.addAll()
    var lastScan = ContinuousClock.now
    var told: String?
    var pause: (end: ContinuousClock.Instant, length: Duration)?
    say(
      .notice, "watching",
      "watching \(counted(watch.count, "folder")) below \(options.folders.map(printablePath).joined(separator: ", "))")
    while !isStopping {
      let changes = watch.changes(within: Self.step)
      files.add(changes.files)
      if changes.isOverflow { files.addAll() }
      if let limitation = watch.limitation {
        if told != limitation {
          told = limitation
          let minutes = max(1, Int(options.scanInterval / .seconds(60)))
          say(
            .warning, "watch_limited",
            "\(limitation) All is looked through every \(counted(minutes, "minute")) instead.")
        }
        if .now - lastScan >= options.scanInterval {
          files.addAll()
          lastScan = .now
        }
      }
      if let pause, .now < pause.end {
        show(.troubled, limitation: told)
        continue
      }
      guard files.count > 0 else {
        show(.watching, limitation: told)
        continue
      }
      if RunLock.isHeld(forDatabase: database) {
        if report.state != .waiting {
          say(.info, "watch_waits", "another run is at work; what is new is analyzed when it has ended")
        }
        show(.waiting, limitation: told)
        continue
      }
      guard let folders = files.takeDue() else {
        show(.settling, limitation: told)
        continue
      }
      if let failure = analyze(folders, watch, &files, limitation: told) {
        // They are looked through again.
        files.add(Set(folders), at: .now - options.quietPeriod)
        let length = min(pause.map { $0.length * 2 } ?? Self.shortestPause, Self.longestPause)
        pause = (.now + length, length)
        say(.error, "watch_run_failed", "\(failure) The next try is in \(Int(length / .seconds(1))) s.")
      } else {
        pause = nil
      }
    }
  }

  /// - Returns: Why the run has not done its work.
  private func analyze(
    _ folders: [FilePath], _ watch: FolderWatch, _ files: inout WaitingFiles, limitation: String?
  ) -> String? {
    guard let process = RunProcess(options.command, folders: folders) else {
      return "A run could not be started."
    }
    show(.analyzing, limitation: limitation, process: process.id)
    while true {
      if isStopping {
        process.end(within: Self.grace)
        return nil
      }
      let changes = watch.changes(within: Self.step)
      files.add(changes.files)
      if changes.isOverflow { files.addAll() }
      switch process.ending() {
      case nil: continue
      // 3: files failed, which the reports tell.
      case .status(0), .status(3): return nil
      case .status(let status): return "A run over new files ended with status \(status); its messages say why."
      case .signal(let signal): return "A run over new files was killed (signal \(signal))."
      }
    }
  }
}

/// As messages show it.
func printablePath(_ path: FilePath) -> String { printable(DisplayPath.text(of: path)) }
