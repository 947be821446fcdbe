import AnalysisTasks
import ArgumentParser
import BuiltInAnalyzers
import Exports
import LibraryScan
import Pipeline
import Platform
import Records
import ResultStore
import Synchronization
import SystemPackage
import Text

struct PlanCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Show what a run would analyze, in parts of equal work",
    discussion: """
      For engines that share the work among machines: docs/workers.md has a job for Spark and recipes for others. Files \
      are compared with the database as in a run, but not opened; nothing is changed. Without --parquet, --json or \
      --ndjson, a summary is printed.

      Exit status: 0 fine, even if there is nothing to do; 1 no plan could be made, or a folder of the library is missing; \
      64 wrong usage.
      """)

  @Argument(help: ArgumentHelp("Folders and files (default: the setting library)", valueName: "path"))
  var paths: [PathArgument] = []

  @Option(
    help: ArgumentHelp("Read the paths from a file, or from standard input with -", valueName: "file|-"))
  var filesFrom: String?

  @Flag(name: .customLong("from0"), help: "The paths of --files-from end with NUL bytes, as from find -print0")
  var from0 = false

  @Option(
    help: ArgumentHelp(
      "Read files from CSV with path or uri, size_bytes and modified", valueName: "file|-")
  )
  var fromListing: InputArgument?

  @Option(help: ArgumentHelp("Write files.parquet and plan.json into this folder", valueName: "dir"))
  var parquet: PathArgument?

  @Flag(help: "Print the plan without its files as JSON")
  var json = false

  @Flag(help: "Print a line of JSON for each file; analyze worker takes these lines")
  var ndjson = false

  @Option(help: ArgumentHelp("Number of parts (default: parts of about five minutes)", valueName: "n"))
  var partitions: Int?

  @OptionGroup
  var database: DatabaseArgument

  @OptionGroup
  var pipeline: PipelineArgument

  @Option(help: ArgumentHelp("Plan for these analyzers of the pipeline only", valueName: "id,…"))
  var only: [String] = []

  @Flag(
    name: [.customLong("one-file-system"), .customShort("x")],
    help: Settings.oneFileSystem.help())
  var oneFileSystem = false

  @Flag(help: "Plan to analyze everything again")
  var force = false

  @Flag(help: "Plan to retry files that failed before, even if unchanged")
  var retryFailed = false

  @OptionGroup
  var messages: MessageArguments

  func validate() throws {
    guard [json, ndjson].count(where: { $0 }) <= 1 else { throw ValidationError("Give one of --json and --ndjson.") }
    if let partitions, partitions < 1 { throw ValidationError("--partitions must be greater than zero.") }
    if fromListing != nil, !paths.isEmpty || filesFrom != nil {
      throw ValidationError("Give paths, --files-from or --from-listing, not several of them.")
    }
  }

  func run() async throws {
    try await reportingErrors {
      var settings = try CommandSettings(database)
      try pipeline.apply(to: &settings)
      settings.take(oneFileSystem, for: Settings.oneFileSystem, option: "--one-file-system")
      settings.take(retryFailed, for: Settings.retryFailed, option: "--retry-failed")
      let plan = try planning(settings).perform(begins: { control in
        _ = SignalHandling { _ in control.requestStop() }
      }) { event in
        if case .notice(let text, let event, _) = event { Log.write(.warning, event, text) }
      }
      try write(plan)
      // Fails like a run, so that a missing library is noticed.
      if plan.roots.contains(where: { $0.condition != .scanned }) { throw ExitStatus.fatal.exitCode }
    }
  }

  private func planning(_ settings: CommandSettings) throws -> WorkPlanner {
    let definition = try settings.definition()
    let ids = Set(only.flatMap { $0.split(separator: ",").map(String.init) })
    let roots: LibraryRun.Roots
    if let fromListing {
      let listing = try listing(fromListing, settings)
      roots = .listing { try listing.next() }
    } else {
      roots = try RunRoots(paths: paths.map(\.path), filesFrom: filesFrom, from0: from0, settings: settings).request
    }
    let request = LibraryRun.Request(
      roots: roots, walk: settings.settings.walk,
      scan: ScanOptions(force: force, retryFailed: settings[Settings.retryFailed], isDryRun: true),
      plan: try definition.plan(with: BuiltInAnalyzers.all, only: ids.isEmpty ? nil : ids), jobs: 1,
      programVersion: Nocturne.version, ignoresStatusChanges: settings[Settings.ignoreCtime],
      objects: settings.objectFetcher)
    return WorkPlanner(request, database: try settings.database(), partitionCount: partitions)
  }

  private func listing(_ input: InputArgument, _ settings: CommandSettings) throws -> SharedListing {
    let file: FileDescriptor
    switch input {
    case .standardInput: file = .standardInput
    case .file(let argument):
      if argument.path.fileKind == .folder {
        throw CommandFailure(
          .fatal, "The listing \(printable(argument.path.string)) is a folder. Name a CSV file; no plan was made.")
      }
      do {
        file = try .open(argument.path, .readOnly, options: .closeOnExec)
      } catch {
        throw CommandFailure(.fatal, "The listing \(printable(argument.path.string)) cannot be read: \(error).")
      }
    }
    return try SharedListing(
      FileListing(reading: file, rule: settings.settings.walk.candidates, workingFolder: FilePath.currentFolder))
  }

  private func write(_ plan: borrowing WorkPlan) throws {
    if let parquet {
      do {
        try plan.write(to: parquet.path)
      } catch ExportError.refused(let error) {
        // In this command, --force applies to the files to analyze.
        throw CommandFailure(.fatal, error.descriptionWithoutForce)
      }
    }
    if json {
      try StandardOutput.write(plan.summaryLine())
    } else if ndjson {
      var lines: [UInt8] = []
      try plan.forEachLine { line in
        lines += line
        guard lines.count > Self.bufferSize else { return }
        try StandardOutput.write(lines)
        lines.removeAll(keepingCapacity: true)
      }
      try StandardOutput.write(lines)
    } else if !messages.quiet, parquet == nil || messages.verbose {
      try StandardOutput.write(plan.text)
    }
  }

  private static let bufferSize = 1 << 18
}

/// A listing shared by threads, which read from it one at a time.
private final class SharedListing: Sendable {
  private let listing: Mutex<FileListing>

  init(_ listing: sending FileListing) {
    self.listing = Mutex(listing)
  }

  func next() throws -> LibraryWalker.Entry? { try listing.withLock { try $0.next() } }
}
