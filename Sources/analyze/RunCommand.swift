import ArgumentParser
import BuiltInAnalyzers
import Foundation
import LibraryScan
import Pipeline
import Records
import ResultStore
import Synchronization
import SystemPackage

struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Analyzes what is new or changed in folders of music (the default command).",
    discussion: """
      Each option can also stand in a settings file or the environment; `analyze config show` lists all settings and where \
      they come from.
      """)

  @Argument(help: ArgumentHelp("Folders and files. Default: the setting library.", valueName: "path"))
  var paths: [PathArgument] = []

  @OptionGroup(title: "Reports")
  var reports: ReportArguments

  @Option(help: ArgumentHelp("The database of results.", valueName: "file"))
  var database: PathArgument?

  @OptionGroup(title: "Analysis")
  var analysis: AnalysisArguments

  @Option(
    name: [.customShort("j", allowingJoined: true), .long],
    help: ArgumentHelp("Files analyzed at the same time (default: one per processor).", valueName: "n"))
  var jobs: String?

  @Option(
    help: ArgumentHelp("Read the paths to analyze from a file, or from standard input with -.", valueName: "file|-"))
  var filesFrom: String?

  @Flag(name: .customLong("from0"), help: "The paths of --files-from end with NUL bytes, as from find -print0.")
  var from0 = false

  @Flag(
    name: [.customLong("one-file-system"), .customShort("x")],
    help: "Leave out other file systems mounted in the library.")
  var oneFileSystem = false

  @Flag(help: "Analyze everything again.")
  var force = false

  @Flag(help: "Try again what failed before, although it has not changed.")
  var retryFailed = false

  @Flag(name: [.customLong("dry-run"), .customShort("n")], help: "Say what would be done, and change nothing.")
  var dryRun = false

  @Option(help: ArgumentHelp("How long the run may take, such as 5h; the next one goes on.", valueName: "time"))
  var timeBudget: String?

  @Option(
    help: ArgumentHelp(
      "Lower the priority, 0 to 19; more than 0 also leaves the disk to others while they want it.", valueName: "n"))
  var nice: String?

  @Option(
    help: ArgumentHelp(
      "When failed and damaged files make the exit status 3: never, new, any or N% (default: new).", valueName: "when"),
    completion: .list(FailurePolicy.choices))
  var failOn: String?

  @Option(
    help: ArgumentHelp("auto, bar, plain (a line every ten seconds), json or none.", valueName: "style"),
    completion: .list(ProgressStyle.choices))
  var progress: String?

  @Option(
    help: ArgumentHelp(
      "How messages are written: auto, text, json, or journald (with levels for systemd; auto finds out).",
      valueName: "format"), completion: .list(LogFormat.choices))
  var logFormat: String?

  @Option(
    help: ArgumentHelp("Write figures of the run for Prometheus (textfile collector) to a file.", valueName: "file"))
  var metrics: PathArgument?

  @Option(help: ArgumentHelp("How long to wait for another run on the same database.", valueName: "time"))
  var waitLock: String?

  @Flag(name: .shortAndLong, help: "Say nothing but errors.")
  var quiet = false

  @Flag(name: .shortAndLong, help: "Print the summary even when not on a terminal.")
  var verbose = false

  func run() async throws {
    var metrics = RunMetrics()
    try await reportingErrors {
      let status: ExitStatus
      do {
        status = try await analyze(&metrics)
      } catch {
        metrics.figures = nil
        // What went wrong first is what must be heard of.
        try? metrics.write(exitStatus: CommandEnding(after: error).status)
        throw error
      }
      try metrics.write(exitStatus: status)
      if status != .fine { throw status.exitCode }
    }
  }

  private func analyze(_ metrics: inout RunMetrics) async throws -> ExitStatus {
    let held = HeldByRun()
    defer {
      held.release()
      metrics.losses = held.isolation.losses
    }
    let work = try prepare(held, &metrics)
    let outcome = try await work.run.run()
    return try conclude(work, outcome, held, &metrics)
  }

  private func prepare(_ held: HeldByRun, _ metrics: inout RunMetrics) throws -> Work {
    var settings = try CommandSettings()
    try settings.take(logFormat, for: Settings.logFormat, option: "--log-format")
    Log.use(settings[Settings.logFormat])
    try apply(to: &settings)
    if !dryRun { metrics.path = settings[Settings.metrics] }
    try Analyze.refuseUnknownSubcommand(paths)
    let definition = try settings.definition()
    let plan = try analysis.plan(definition)
    let roots = try Roots(paths: paths.map(\.path), filesFrom: filesFrom, from0: from0, settings: settings)
    Priority.lower(toNiceness: settings[Settings.nice])

    let terminal = Terminal()
    let progress = ProgressReporter(style: settings[Settings.progress], terminal: terminal, isQuiet: quiet)
    held.progress = progress
    for notice in settings.settings.notices { progress.handle(.notice(notice, event: "setting_ignored")) }

    let database = try DatabaseForRun(settings.database(), isDryRun: dryRun)
    held.database = database
    metrics.database = database.path
    if !dryRun { held.lock = try lock(database.path, settings, progress) }
    progress.start()
    let store = try ResultStore(
      path: database.path, findings: BuiltInAnalyzers.findings,
      access: database.isTemporary || !dryRun ? .readWrite : .readOnly)

    let control = RunControl(limit: settings[Settings.timeBudget])
    let signals = stopping(control, progress)
    let jobs = try CommandSettings.possibleJobs(settings[Settings.jobs]) {
      progress.handle(.notice($0, event: "fewer_jobs"))
    }
    held.isolation = analysis.isolation(settings, definition, plan)
    let run = LibraryRun(
      store: store,
      request: LibraryRun.Request(
        roots: roots.request, walk: settings.settings.walk,
        scan: ScanOptions(force: force, retryFailed: settings[Settings.retryFailed], isDryRun: dryRun), plan: plan,
        jobs: jobs, timeLimit: settings.timeLimit, isolation: held.isolation, programVersion: Analyze.version,
        ignoresStatusChanges: settings[Settings.ignoreCtime]),
      control: control, report: progress.handle)
    return Work(
      settings: settings, terminal: terminal, progress: progress, database: database.path, store: store,
      signals: signals, roots: roots, run: run, start: .now)
  }

  private func conclude(
    _ work: Work, _ outcome: LibraryRun.Outcome, _ held: HeldByRun, _ metrics: inout RunMetrics
  ) throws -> ExitStatus {
    metrics.outcome = outcome
    let status = work.signals.exitStatus ?? exitStatus(of: outcome, policy: work.settings[Settings.failOn])
    try work.run.finish(outcome, exitStatus: status.rawValue)
    if metrics.path != nil { metrics.figures = try work.store.figures() }
    var outputs: [String] = []
    if !dryRun {
      work.progress.handle(.began(.report))
      do {
        outputs = ["database: \(work.database.string)"]
        outputs += try reports.write(
          work.store, work.settings, roots: work.roots.reported, run: try work.store.run(outcome.runID))
      } catch {
        let ending = CommandEnding(after: error)
        if ending.status != .fine { try? work.run.finish(outcome, exitStatus: ending.status.rawValue) }
        throw error
      }
    }
    work.progress.finish()
    let digest = try FailureDigest(
      of: dryRun ? nil : outcome.runID, in: work.store, knownFailures: outcome.totals.failed - outcome.newlyFailed,
      knownDamaged: outcome.totals.partial - outcome.newlyDamaged - outcome.unsettled + outcome.scan.knownDamaged,
      losses: held.isolation.losses, pending: outcome.pending, reports: reports.files(work.settings))
    let summary = RunSummary(
      outcome: outcome, elapsed: .now - work.start, digest: digest, outputs: outputs, isDryRun: dryRun)
    show(summary, status: status, on: work.terminal)
    return status
  }

  private func lock(
    _ database: FilePath, _ settings: CommandSettings, _ progress: ProgressReporter
  ) throws -> RunLock {
    try RunLock.acquire(forDatabase: database, waitingAtMost: settings[Settings.waitLock]) { owner in
      let who = owner.map { " (process \($0.processID) on \($0.host))" } ?? ""
      progress.note(
        Log.Message(
          level: .notice, event: "waiting_for_lock",
          text: "waiting for another run on \(database.string) to end\(who)"))
    }
  }

  private func stopping(_ control: RunControl, _ progress: ProgressReporter) -> SignalHandling {
    SignalHandling { number in
      control.requestStop()
      let why = number == SIGINT ? "an interrupt" : number == SIGHUP ? "a hangup" : "a request to end"
      progress.note(
        Log.Message(
          level: .notice, event: "stopping",
          text: "stopping after \(why): files in progress get five seconds, then everything finished is stored; once "
            + "more to end at once"))
    }
  }

  private func apply(to settings: inout CommandSettings) throws {
    settings.take(database, for: Settings.database, option: "--database")
    try analysis.apply(to: &settings)
    try settings.take(jobs, for: Settings.jobs, option: "--jobs")
    try settings.take(timeBudget, for: Settings.timeBudget, option: "--time-budget")
    try settings.take(nice, for: Settings.nice, option: "--nice")
    try settings.take(failOn, for: Settings.failOn, option: "--fail-on")
    try settings.take(progress, for: Settings.progress, option: "--progress")
    if let metrics { settings.take(metrics, for: Settings.metrics, option: "--metrics") }
    try settings.take(waitLock, for: Settings.waitLock, option: "--wait-lock")
    settings.take(oneFileSystem, for: Settings.oneFileSystem, option: "--one-file-system")
    settings.take(retryFailed, for: Settings.retryFailed, option: "--retry-failed")
    try reports.apply(to: &settings)
  }

  private func exitStatus(of outcome: LibraryRun.Outcome, policy: FailurePolicy) -> ExitStatus {
    // The library, or a part of it, was not there: whoever reads the mail must hear of it.
    if outcome.roots.contains(where: { $0.condition != .scanned }) { return .fatal }
    let news = outcome.newlyFailed + outcome.newlyDamaged
    return policy.isViolated(by: outcome.totals, knownDamaged: outcome.scan.knownDamaged, news: news)
      ? .filesFailed : .fine
  }

  /// Silent where nobody looks and nothing is wrong.
  private func show(_ summary: RunSummary, status: ExitStatus, on terminal: Terminal) {
    let isWanted = dryRun || verbose || terminal.isInteractive
    guard !quiet, isWanted || status != .fine else { return }
    if isWanted, Log.format == .text {
      Terminal.writeLine(summary.text(for: terminal))
    } else {
      summary.digest.write(on: terminal)
      if Log.format != .text { Log.write(summary.message(status: status)) }
    }
  }
}

/// A run that is ready to start.
private struct Work {
  let settings: CommandSettings
  let terminal: Terminal
  let progress: ProgressReporter
  let database: FilePath
  let store: ResultStore
  let signals: SignalHandling
  let roots: Roots
  let run: LibraryRun
  let start: ContinuousClock.Instant
}

/// What a run holds and gives back at its end, however it ends.
private final class HeldByRun {
  var progress: ProgressReporter?
  var database: DatabaseForRun?
  var lock: RunLock?
  var isolation = LibraryRun.Isolation.none

  func release() {
    isolation.close()
    lock?.release()
    database?.removeIfTemporary()
    progress?.finish()
  }
}

/// What is to be analyzed, and which part of the library the reports of the run show.
private struct Roots {
  let request: LibraryRun.Roots
  let reported: [FilePath]?

  init(paths: [FilePath], filesFrom: String?, from0: Bool, settings: CommandSettings) throws {
    guard let filesFrom else {
      if from0 { throw CommandFailure(.usage, "--from0 belongs to --files-from.") }
      let roots = paths.isEmpty ? settings[Settings.library] : paths
      guard !roots.isEmpty else {
        throw CommandFailure(
          .usage, "Name a folder or file to analyze: analyze ~/Music (`analyze --help` shows everything).")
      }
      request = .paths(roots)
      reported = roots
      return
    }
    guard paths.isEmpty else {
      throw CommandFailure(.usage, "Give paths or --files-from, not both.")
    }
    let list = try FileList(filesFrom, separator: from0 ? .null : .newline)
    request = .list { () throws(ScanError) in try list.next() }
    // The list may be longer than memory, and may be read only once.
    reported = nil
  }
}

/// A list of paths that is read while the scan goes on, by one thread after the other.
private final class FileList: Sendable {
  private struct State: ~Copyable {
    var list: PathList
  }

  private let state: Mutex<State>

  init(_ argument: String, separator: PathList.Separator) throws(ScanError) {
    let list =
      argument == "-"
      ? PathList(reading: .standardInput, separator: separator)
      : try PathList(at: RawArguments.path(from: argument), separator: separator)
    state = Mutex(State(list: list))
  }

  func next() throws(ScanError) -> FilePath? {
    try state.withLock { (state) throws(ScanError) in
      try state.list.next().map { PathArgument.absolute($0) }
    }
  }
}

/// The database of a run. A dry run reads the one there is, or an empty one that nobody will see.
private struct DatabaseForRun {
  let path: FilePath
  private let temporaryFolder: URL?

  init(_ path: FilePath, isDryRun: Bool) throws {
    if isDryRun, !FileManager.default.fileExists(atPath: path.string) {
      let folder = FileManager.default.temporaryDirectory.appending(component: "nocturne-dry-run-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      temporaryFolder = folder
      self.path = FilePath(folder.path).appending("library.sqlite")
    } else {
      if !isDryRun {
        do {
          try FileManager.default.createDirectory(
            atPath: path.removingLastComponent().string, withIntermediateDirectories: true)
        } catch {
          throw StoreError.cannotOpen(path: path, reason: error.localizedDescription)
        }
      }
      temporaryFolder = nil
      self.path = path
    }
  }

  var isTemporary: Bool { temporaryFolder != nil }

  func removeIfTemporary() {
    if let temporaryFolder { try? FileManager.default.removeItem(at: temporaryFolder) }
  }
}

extension FailurePolicy {
  /// - Parameters:
  ///   - knownDamaged: Of the files cached, those that are damaged.
  ///   - news: Files that failed or are damaged, and were not known as that.
  func isViolated(by totals: RunTotals, knownDamaged: Int, news: Int) -> Bool {
    let bad = totals.failed + totals.partial + knownDamaged
    return switch self {
    case .never: false
    case .new: news > 0
    case .any: bad > 0
    case .percent(let limit): totals.seen > 0 && Double(bad) * 100 > limit * Double(totals.seen)
    }
  }
}
