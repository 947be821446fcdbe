import AnalysisTasks
import ArgumentParser
import Commands
import Foundation
import Pipeline
import Platform

@main
struct Program {
  static func main() {
    // Before any thread starts, since fpcalc forks this process.
    if let arguments = FpcalcCommand.givenArguments { exit(FpcalcCommand.run(arguments)) }
    Signals.hold()
    // If a reader such as `head` exits, the write fails with an error instead of a signal that ends the process.
    signal(SIGPIPE, SIG_IGN)
    // Reaching the limit of file size (ulimit -f) is an error, like a full disk.
    signal(SIGXFSZ, SIG_IGN)
    // The run reports a crashed worker process in one sentence.
    setenv("SWIFT_BACKTRACE", "enable=no", 0)
    atexit { StandardError.flush() }
    ResourceLimits.prepareForThreads()
    do {
      try ResourceLimits.requireMemoryOfContainer()
      try ResourceLimits.requireFiles(ResourceLimits.standardFiles)
      // Not the cooperative pool: if the system refuses it a thread, its caller waits forever.
      let executor = try ThreadExecutor(threadCount: 1)
      Task(executorPreference: executor) {
        await run(RawArguments.texts)
        exit(ExitStatus.fine.rawValue)
      }
    } catch {
      Log.write(.error, "fatal", "\(error)")
      exit(ExitStatus.fatal.rawValue)
    }
    Signals.wait()
  }

  private static func run(_ arguments: [String]) async {
    if Set(arguments) == ["--version", "--json"] {
      print(VersionReport.json)
      return
    }
    do {
      var command = try await Analyze.asyncParseAsRoot(Analyze.withPresentName(arguments))
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch {
      let status = Analyze.exitCode(for: error)
      // Errors in options, which the parser would print with the usage. Commands report their own errors.
      if Log.format != .text, !status.isSuccess, !(error is ExitCode) {
        Log.write(.error, "usage", Analyze.message(for: error))
        exit(status.rawValue)
      }
      Analyze.exit(withError: error)
    }
  }
}
