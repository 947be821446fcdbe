import ArgumentParser
import BuiltInAnalyzers
import Foundation
import Pipeline
import Records
import ResultStore
import SystemPackage
import Text

struct MergeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Brings what workers have answered into the database.",
    discussion: """
      Neither the order of the lines nor how often they are merged makes a difference: of two results of a file the \
      newer one counts, but for one that a time limit or a lost process has spoilt. A run over the same files then finds \
      them analyzed.

      Exit status: 0 fine; 1 the merge could not be done; 3 done, but lines were no answers of a worker (cut ones, for \
      instance), or files failed or are damaged that were not known for it (--fail-on); 11 a run holds the lock; 64 \
      wrong usage.
      """)

  @Argument(
    help: ArgumentHelp(
      "Lines that `analyze worker` has written: files, folders of them, or - for standard input.", valueName: "file"))
  var files: [InputArgument]

  @Option(help: ArgumentHelp("The database of results.", valueName: "file"))
  var database: PathArgument?

  @Option(help: ArgumentHelp("How long to wait for a run on the same database.", valueName: "time"))
  var waitLock: String?

  @Option(
    help: ArgumentHelp(
      "When failed and damaged files make the exit status 3: never, new, any or N% (default: new).", valueName: "when"),
    completion: .list(FailurePolicy.choices))
  var failOn: String?

  @Flag(name: .shortAndLong, help: "Say nothing but errors.")
  var quiet = false

  @Flag(name: .shortAndLong, help: "Print the summary even when not on a terminal.")
  var verbose = false

  func run() async throws {
    try await reportingErrors {
      var settings = try CommandSettings()
      settings.take(database, for: Settings.database, option: "--database")
      try settings.take(waitLock, for: Settings.waitLock, option: "--wait-lock")
      try settings.take(failOn, for: Settings.failOn, option: "--fail-on")
      let status = try merge(settings)
      if status != .fine { throw status.exitCode }
    }
  }

  private func merge(_ settings: CommandSettings) throws -> ExitStatus {
    let path = try settings.database()
    // Opened before anything is made, so that a wrong name leaves nothing behind.
    let inputs = try files.flatMap { try AnswerFiles.named($0) }
    guard !inputs.isEmpty else {
      throw CommandFailure(.fatal, "There is no file of answers in what was named. Nothing was merged.")
    }
    do {
      try FileManager.default.createDirectory(
        atPath: path.removingLastComponent().string, withIntermediateDirectories: true)
    } catch {
      throw StoreError.cannotOpen(path: path, reason: error.localizedDescription)
    }
    let lock = try RunLock.acquire(forDatabase: path, waitingAtMost: settings[Settings.waitLock]) { _ in
      guard !quiet else { return }
      Log.write(.notice, "waiting_for_lock", "waiting for a run on \(path.string) to end")
    }
    defer { lock.release() }
    let store = try ResultStore(path: path, findings: BuiltInAnalyzers.findings)
    let control = RunControl()
    let signals = SignalHandling { _ in
      control.requestStop()
      Log.write(.notice, "stopping", "stopping: what was read is stored; merge the same lines again to go on")
    }

    let merge = Merge(
      merger: ResultMerger(store: store, programVersion: Analyze.version), kinds: BuiltInAnalyzers.all, control: control
    )
    var refused = 0
    for input in inputs where !control.isStopping {
      try input.withDescriptor { descriptor in
        try merge.read(descriptor) { number, reason in
          refused += 1
          guard refused <= Self.refusalsShown else { return }
          Log.write(
            .warning, "line_left_out", "\(input.name), line \(number), is left out: \(reason)",
            fields: ["input": .string(input.name), "line": .integer(Int64(number))])
        }
      }
    }
    if refused > Self.refusalsShown {
      let rest = refused - Self.refusalsShown
      Log.write(
        .warning, "lines_left_out", "\(counted(rest, "more line")) \(rest == 1 ? "is" : "are") left out",
        fields: ["count": .integer(Int64(rest))])
    }
    let finished = try merge.finish { ending in
      if let status = signals.exitStatus { return status.rawValue }
      let isViolated = settings[Settings.failOn].isViolated(
        by: ending.totals, knownDamaged: ending.knownDamaged, news: ending.newlyFailed + ending.newlyDamaged)
      return (refused > 0 || isViolated ? ExitStatus.filesFailed : .fine).rawValue
    }
    let status = ExitStatus(rawValue: finished.exitStatus) ?? .fatal
    let terminal = Terminal()
    if !quiet, verbose || terminal.isInteractive || status != .fine {
      let digest = try FailureDigest(
        of: finished.run, in: store, knownFailures: finished.totals.failed - finished.newlyFailed,
        knownDamaged: finished.totals.partial - finished.newlyDamaged - finished.unsettled + finished.knownDamaged)
      digest.write(on: terminal)
    }
    if !quiet, verbose || terminal.isInteractive {
      let counts = Self.text(merge.counts, withoutFile: merge.withoutFile, refused: refused)
      Log.write(.info, "merge_ended", counts, fields: ["database": .string(path.string)])
    }
    return status
  }

  private static let refusalsShown = 20

  private static func text(_ counts: MergeCounts, withoutFile: Int, refused: Int) -> String {
    let lines = counts.merged + counts.unchanged + counts.outdated + withoutFile + refused
    return """
      \(counted(lines, "line")): \(counts.merged) merged, \(counts.unchanged) known before, \
      \(counts.outdated) older than what is known, \(withoutFile) without a file, \(refused) left out
      """
  }
}

/// Where answers of workers lie.
private enum AnswerFiles {
  case standardInput
  case file(FilePath)

  /// The files that an argument stands for. Engines put files of their own beside answers, under names that begin with
  /// `_` or `.`: Spark `_SUCCESS`, `_temporary` and `.part-00000.crc`.
  static func named(_ argument: InputArgument) throws -> [AnswerFiles] {
    guard case .file(let argument) = argument else { return [.standardInput] }
    let path = argument.path
    guard isFolder(path) else {
      // Opened before anything is made, so that a wrong name leaves nothing behind.
      try open(path).close()
      return [.file(path)]
    }
    if isUnfinished(path) { return [] }
    return try files(in: path)
  }

  private static func files(in folder: FilePath) throws -> [AnswerFiles] {
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: folder.string).sorted()
    } catch {
      throw CommandFailure(
        .fatal, "\(printable(folder.string)) cannot be read: \(error.localizedDescription) Nothing was merged.")
    }
    return try names.flatMap { name -> [AnswerFiles] in
      let path = folder.appending(name)
      if isUnfinished(path) || name.hasPrefix("_") || name.hasPrefix(".") { return [] }
      return isFolder(path) ? try files(in: path) : [.file(path)]
    }
  }

  /// What a job of Hadoop or Spark leaves that has not come to its end: said once, and passed over.
  private static func isUnfinished(_ path: FilePath) -> Bool {
    guard path.lastComponent == "_temporary" else { return false }
    Log.write(
      .warning, "unfinished_job",
      "\(printable(path.string)) is there: the job that writes beside it has not ended, or has died; answers may be missing"
    )
    return true
  }

  private static func isFolder(_ path: FilePath) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path.string, isDirectory: &isFolder) && isFolder.boolValue
  }

  private static func open(_ path: FilePath) throws -> FileDescriptor {
    do {
      return try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
    } catch {
      throw CommandFailure(.fatal, "\(printable(path.string)) cannot be read: \(error). Nothing more was merged.")
    }
  }

  var name: String {
    switch self {
    case .standardInput: "standard input"
    case .file(let path): path.string
    }
  }

  func withDescriptor(_ body: (FileDescriptor) throws -> Void) throws {
    switch self {
    case .standardInput: try body(.standardInput)
    case .file(let path):
      let descriptor = try Self.open(path)
      try descriptor.closeAfter { try body(descriptor) }
    }
  }
}
