import Analysis
import AnalysisTasks
import ArgumentParser
import AudioDecoding
import BuiltInAnalyzers
import LibraryScan
import LibraryStore
import LibraryTasks
import Pipeline
import Platform
import ResultStore
import SystemPackage

struct VerifyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Read files again to find silent changes",
    discussion: """
      Compares the bytes of files with those of an earlier day. Different bytes with the same size and times are a silent \
      change, made by a disk, its cables or the memory. The files not read for the longest time come first.

      Exit status: 0 fine; 1 it could not be done, or a folder is missing; 3 files have changed silently or can no longer \
      be read.
      """)

  @Argument(help: ArgumentHelp("Only files below these paths (default: everything)", valueName: "path"))
  var paths: [PathArgument] = []

  @Option(help: ArgumentHelp("Share of the bytes to read, longest unread first (default: all)", valueName: "share"))
  var share: String?

  @Option(
    help: ArgumentHelp("Other checksums to compute and keep: sha256, md5", valueName: "kind"),
    completion: .list(FileChecksum.Kind.choices))
  var checksum: [String] = []

  @Flag(help: "Accept the bytes of changed files as correct; needs paths")
  var accept = false

  @Flag(help: "Print the result as one JSON line; see analyze schema verification")
  var json = false

  @OptionGroup
  var database: DatabaseArgument

  @OptionGroup
  var course: CourseArguments

  @OptionGroup
  var messages: MessageArguments

  func validate() throws {
    if let object = paths.first(where: \.path.isObject) {
      throw ValidationError(
        "\(DisplayPath.text(of: object.path)) is an object: verify reads files only. A plan from a listing with entity tags "
          + "finds objects that have changed.")
    }
    if accept, paths.isEmpty { throw ValidationError("--accept needs the paths of the files to accept.") }
  }

  func run() async throws {
    try await reportingErrors {
      let status = try await verify()
      if status != .fine { throw status.exitCode }
    }
  }

  private func verify() async throws -> ExitStatus {
    var settings = try CommandSettings(warns: false)
    try course.apply(to: &settings)
    settings.take(database.path, for: Settings.database, option: "--database")
    try settings.take(checksum, for: Settings.checksums, option: "--checksum")
    try settings.take(share, for: Settings.verify, option: "--share")
    let store = try settings.openStore(.readWrite)
    try requireKnown(paths, in: store)
    let console = RunConsole(style: settings[Settings.progress], isQuiet: messages.quiet)
    defer { console.end() }
    console.begin(notices: settings.settings.notices, database: store.path)
    Priority.lower(toNiceness: settings[Settings.nice])
    let jobs = try CommandSettings.possibleJobs(settings[Settings.jobs]) {
      console.handle(.notice($0, event: "fewer_jobs"))
    }
    // Without `--share`, everything is verified: the setting `verify` applies only to runs.
    let wanted = share == nil ? nil : settings[Settings.verify]
    var request = settings.verification(wanted, jobs: jobs, roots: paths.isEmpty ? nil : paths.map(\.path))
    request.accepts = accept
    let outcome = try await FileVerification(
      request, timeBudget: settings[Settings.timeBudget], failurePolicy: settings[Settings.failOn]
    ).perform(store, observer: console)
    console.end()
    if json {
      try StandardOutput.write(outcome.ndjsonLine)
    } else {
      show(outcome, on: console.terminal)
    }
    return outcome.status
  }

  /// Shows the outcome. Without a terminal, shows nothing if nothing is wrong.
  private func show(_ outcome: FileVerification.Outcome, on terminal: Terminal) {
    let isWanted = messages.verbose || terminal.isInteractive
    guard !messages.quiet, isWanted || outcome.status != .fine else { return }
    let digest = VerificationDigest(outcome.verification)
    if Log.format == .text {
      if isWanted { Terminal.writeLine(digest.summary(outcome.elapsed)) }
      for line in digest.lines(terminal.style) { Terminal.writeLine(line) }
    } else {
      Log.write(digest, outcome.elapsed, outcome.status, on: terminal)
    }
  }
}

extension CommandSettings {
  /// - Parameter share: The share of the library to verify; `nil` for the whole library.
  func verification(_ share: LibraryShare?, jobs: Int, roots: [FilePath]?) -> LibraryVerification.Request {
    let definition = LibraryVerification.definition
    let isolation: LibraryRun.Isolation =
      (try? FileVerification.plan()).map { self.isolation(definition, only: [], $0) } ?? .none
    return LibraryVerification.Request(
      roots: roots, share: share?.fraction ?? 1, jobs: jobs, digests: Set(self[Settings.checksums]),
      ignoresStatusChanges: self[Settings.ignoreCtime], isolation: isolation)
  }
}
