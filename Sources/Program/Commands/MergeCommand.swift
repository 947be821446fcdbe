import AnalysisTasks
import ArgumentParser
import BuiltInAnalyzers
import Pipeline
import SystemPackage
import Text

struct MergeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Merge the answers of workers into the database",
    discussion: """
      Lines may be merged in any order and repeatedly: of two results of a file the newer one counts, unless a time limit \
      or a lost process cut it short. A run over the same files then finds them analyzed.

      Exit status: 0 fine; 1 the merge could not be done; 3 done, but some lines were not answers of a worker (truncated \
      ones, for example), or files newly failed or are newly damaged (--fail-on); 11 a run holds the lock; 64 wrong usage.
      """)

  @Argument(
    help: ArgumentHelp(
      "Output of analyze worker: files, folders, or - for standard input", valueName: "file"))
  var files: [InputArgument]

  @OptionGroup
  var database: DatabaseArgument

  @Option(help: Settings.waitLock.help("time"))
  var waitLock: String?

  @Option(
    help: Settings.failOn.help("when"), completion: .list(FailurePolicy.choices))
  var failOn: String?

  @OptionGroup
  var messages: MessageArguments

  func run() async throws {
    try await reportingErrors {
      var settings = try CommandSettings(database)
      try settings.take(waitLock, for: Settings.waitLock, option: "--wait-lock")
      try settings.take(failOn, for: Settings.failOn, option: "--fail-on")
      let status = try merge(settings)
      if status != .fine { throw status.exitCode }
    }
  }

  private func merge(_ settings: CommandSettings) throws -> ExitStatus {
    let path = try settings.database()
    let merge = AnswerMerge(
      try files.flatMap { try Self.inputs($0) }, into: path, kinds: BuiltInAnalyzers.all,
      lockPatience: settings[Settings.waitLock], failurePolicy: settings[Settings.failOn])
    var signals: SignalHandling?
    var refused = 0
    let interruption = { signals?.exitStatus }
    let outcome = try merge.perform(audience: Log.audience, interruption: interruption) { event in
      switch event {
      case .waitsForLock:
        if !messages.quiet {
          Log.write(.notice, "waiting_for_lock", "waiting for a run on \(path.string) to end")
        }
      case .begins(let control):
        signals = SignalHandling { _ in
          control.requestStop()
          Log.write(.notice, "stopping", "stopping: what was read is stored; merge the same lines again to continue")
        }
      case .refused(let input, let number, let reason):
        refused += 1
        guard refused <= Self.refusalsShown else { return }
        Log.write(
          .warning, "line_left_out", "\(input.name), line \(number), is left out: \(reason)",
          fields: ["input": .string(input.name), "line": .integer(Int64(number))])
      }
    }
    let rest = outcome.refused - Self.refusalsShown
    if rest > 0 {
      Log.write(
        .warning, "lines_left_out", "\(counted(rest, "more line")) \(rest == 1 ? "is" : "are") left out",
        fields: ["count": .integer(Int64(rest))])
    }
    let terminal = Terminal()
    let isWanted = messages.verbose || terminal.isInteractive
    if !messages.quiet, isWanted || outcome.status != .fine { Log.write(outcome.digest, on: terminal) }
    if !messages.quiet, isWanted {
      Log.write(.info, "merge_ended", outcome.text, fields: ["database": .string(path.string)])
    }
    return outcome.status
  }

  private static let refusalsShown = 5

  private static func inputs(_ argument: InputArgument) throws -> [AnswerFiles] {
    guard case .file(let argument) = argument else { return [.standardInput] }
    return try AnswerFiles.named(argument.path) { path in
      Log.write(
        .warning, "unfinished_job",
        "\(printable(path.string)) exists: the job that wrote it has not ended or has died; answers may be missing"
      )
    }
  }
}
