import AnalysisTasks
import ArgumentParser
import AudioDecoding
import LibraryScan
import Pipeline
import Platform
import Records
import ResultStore
import Synchronization
import SystemPackage

struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Analyze new and changed files in music folders",
    discussion: """
      Each option can also be set in a settings file or the environment; `analyze config show` lists all settings and \
      where they come from.
      """)

  @Argument(help: ArgumentHelp("Folders and files (default: the setting library)", valueName: "path"))
  var paths: [PathArgument] = []

  @OptionGroup(title: "Reports")
  var reports: ReportArguments

  @OptionGroup
  var database: DatabaseArgument

  @OptionGroup(title: "Analysis")
  var analysis: AnalysisArguments

  @Option(
    help: ArgumentHelp("Read the paths to analyze from a file, or from standard input with -", valueName: "file|-"))
  var filesFrom: String?

  @Flag(name: .customLong("from0"), help: "The paths of --files-from end with NUL bytes, as from find -print0")
  var from0 = false

  @Flag(
    name: [.customLong("one-file-system"), .customShort("x")],
    help: Settings.oneFileSystem.help())
  var oneFileSystem = false

  @Flag(help: "Analyze everything again")
  var force = false

  @Flag(help: Settings.retryFailed.help())
  var retryFailed = false

  @Flag(name: [.customLong("dry-run"), .customShort("n")], help: "Show what would be done, but change nothing")
  var dryRun = false

  @Option(name: .customLong("fetch-space"), help: Settings.fetchSpace.help("MB"))
  var fetchSpace: String?

  @Option(help: Settings.verify.help("share"))
  var verify: String?

  @OptionGroup
  var course: CourseArguments

  @Option(help: Settings.metrics.help("file"))
  var metrics: PathArgument?

  @Flag(help: "Show where the time went: decoding, each analyzer, the database")
  var profile = false

  @Option(help: Settings.waitLock.help("time"))
  var waitLock: String?

  @Flag(help: ArgumentHelp("Do not treat missing and empty folders as failures", visibility: .hidden))
  var allowAbsent = false

  @OptionGroup
  var messages: MessageArguments

  func run() async throws {
    var metrics = RunMetrics()
    try await reportingErrors {
      let status: ExitStatus
      do {
        status = try await analyze(&metrics)
      } catch {
        metrics.figures = nil
        // Only the first error is reported.
        try? metrics.write(exitStatus: CommandEnding(after: error).status)
        throw error
      }
      try metrics.write(exitStatus: status)
      if status != .fine { throw status.exitCode }
    }
  }

  private func analyze(_ metrics: inout RunMetrics) async throws -> ExitStatus {
    var settings = try CommandSettings(warns: false)
    try apply(to: &settings)
    if !dryRun {
      try takeOutputs(settings, &metrics)
      // Workers load the libraries themselves. If the address space is limited, the libraries are loaded here as well:
      // if they do not fit, the limit is too low, and no file is to blame.
      let isAlone = settings[Settings.isolation] == .none
      if isAlone || ResourceLimits.addressSpace != nil { DecodingLibraries.load() }
      if isAlone { ResourceLimits.prepareForManyFiles() }
    }
    try MistakenCommand.refuse(paths)
    let console = RunConsole(style: settings[Settings.progress], isQuiet: messages.quiet)
    defer { console.end() }
    let analysis = try analysis(settings, console)
    console.begin(notices: settings.settings.notices, database: analysis.database)
    let outcome = try await analysis.perform(&metrics, audience: Log.audience, observer: console)
    console.end()
    show(outcome, RunSummary(of: outcome, database: analysis.database, isDryRun: dryRun), on: console.terminal)
    return outcome.status
  }

  /// Checks the outputs before any work. In this command, `--force` applies to the files to analyze.
  private func takeOutputs(_ settings: CommandSettings, _ metrics: inout RunMetrics) throws {
    do throws(OverwriteError) {
      if let file = settings[Settings.metrics] { try OverwriteRule().forRegularFiles.check(file, RunMetrics.proof) }
      metrics.path = settings[Settings.metrics]
      try reports.reports(settings, roots: nil).check(OverwriteRule())
    } catch {
      throw CommandFailure(.fatal, error.descriptionWithoutForce)
    }
  }

  /// The analysis that the options and settings describe.
  private func analysis(_ settings: CommandSettings, _ console: RunConsole) throws -> LibraryAnalysis {
    let definition = try settings.definition()
    let plan = try analysis.plan(definition)
    let roots = try RunRoots(paths: paths.map(\.path), filesFrom: filesFrom, from0: from0, settings: settings)
    Priority.lower(toNiceness: settings[Settings.nice])
    let request = LibraryRun.Request(
      roots: roots.request, walk: settings.settings.walk,
      scan: ScanOptions(force: force, retryFailed: settings[Settings.retryFailed], isDryRun: dryRun), plan: plan,
      jobs: try CommandSettings.possibleJobs(settings[Settings.jobs]) {
        console.handle(.notice($0, event: "fewer_jobs"))
      },
      timeLimit: settings.timeLimit, isolation: analysis.isolation(settings, definition, plan),
      programVersion: Nocturne.version, ignoresStatusChanges: settings[Settings.ignoreCtime],
      isProfiled: profile, digests: Set(settings[Settings.checksums]), objects: settings.objectFetcher)
    let verification = settings[Settings.verify].map { share in
      settings.verification(share, jobs: request.jobs, roots: roots.reported)
    }
    return LibraryAnalysis(
      run: request, database: try settings.database(), lockPatience: settings[Settings.waitLock],
      timeBudget: settings[Settings.timeBudget], reports: reports.reports(settings, roots: roots.reported),
      failurePolicy: settings[Settings.failOn], allowsAbsentRoots: allowAbsent,
      verification: verification)
  }

  private func apply(to settings: inout CommandSettings) throws {
    try course.apply(to: &settings)
    settings.take(database.path, for: Settings.database, option: "--database")
    try analysis.apply(to: &settings)
    try settings.take(fetchSpace, for: Settings.fetchSpace, option: "--fetch-space")
    try settings.take(verify, for: Settings.verify, option: "--verify")
    if let metrics { settings.take(metrics, for: Settings.metrics, option: "--metrics") }
    try settings.take(waitLock, for: Settings.waitLock, option: "--wait-lock")
    settings.take(oneFileSystem, for: Settings.oneFileSystem, option: "--one-file-system")
    settings.take(retryFailed, for: Settings.retryFailed, option: "--retry-failed")
    try reports.apply(to: &settings)
  }

  /// Shows the outcome. Without a terminal, shows nothing if nothing is wrong.
  private func show(_ outcome: LibraryAnalysis.Outcome, _ summary: RunSummary, on terminal: Terminal) {
    let isWanted = dryRun || profile || messages.verbose || terminal.isInteractive
    guard !messages.quiet, isWanted || outcome.status != .fine else { return }
    if isWanted, Log.format == .text {
      Terminal.writeLine(summary.text(terminal.style))
    } else {
      Log.write(outcome.digest, on: terminal)
      if let verification = outcome.verification {
        Log.write(VerificationDigest(verification), outcome.elapsed, nil, on: terminal)
      }
      if Log.format != .text { Log.write(summary.message) }
    }
  }
}
