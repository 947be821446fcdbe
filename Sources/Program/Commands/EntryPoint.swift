internal import AnalysisTasks
package import ArgumentParser
internal import Foundation
internal import Pipeline
internal import Platform
internal import Text

/// Prepares the process, runs its command, and ends it.
package enum EntryPoint {
  /// Runs the command that the arguments name, and ends the process with its status.
  ///
  /// - Parameters:
  ///   - root: The root command, which lists all commands.
  ///   - presentNames: Replaces other names of commands in the arguments, such as former ones.
  package static func run<Root: AsyncParsableCommand>(
    _ root: Root.Type, presentNames: @escaping @Sendable ([String]) -> [String]
  ) -> Never {
    // This must come before any thread starts, because fpcalc forks this process.
    if let arguments = FpcalcCommand.givenArguments { exit(FpcalcCommand.run(arguments)) }
    Signals.hold()
    // If the program that reads the output, such as `head`, exits, writing fails with an error; no signal ends the
    // process.
    signal(SIGPIPE, SIG_IGN)
    // Reaching the file size limit (ulimit -f) makes a write fail, like a full disk; no signal ends the process.
    signal(SIGXFSZ, SIG_IGN)
    // No backtraces: the run reports a crashed worker process in one sentence.
    setenv("SWIFT_BACKTRACE", "enable=no", 0)
    atexit { StandardError.flush() }
    ResourceLimits.prepareForThreads()
    do {
      try ResourceLimits.requireMemoryOfContainer()
      try ResourceLimits.requireFiles(ResourceLimits.standardFiles)
      // The cooperative pool is not used: if the system refuses it a thread, its caller waits forever.
      let executor = try ThreadExecutor(threadCount: 1)
      Task(executorPreference: executor) {
        await run(root, presentNames(RawArguments.texts))
        exit(ExitStatus.fine.rawValue)
      }
    } catch {
      Log.write(.error, "fatal", "\(error)")
      exit(ExitStatus.fatal.rawValue)
    }
    Signals.wait()
  }

  /// Parses the arguments. The parser takes a negative number after an option for another option; it is the value.
  private static func parsed<Root: AsyncParsableCommand>(
    _ arguments: [String], as root: Root.Type
  ) async throws -> any ParsableCommand {
    do {
      return try await Root.asyncParseAsRoot(arguments)
    } catch {
      guard let joined = UsageMistake.joiningNegativeNumber(Root.message(for: error), arguments) else { throw error }
      return try await parsed(joined, as: root)
    }
  }

  private static func run<Root: AsyncParsableCommand>(_ root: Root.Type, _ arguments: [String]) async {
    if Set(arguments) == ["--version", "--json"] {
      print(VersionReport.json)
      return
    }
    // After `help`, the parser would show the help of the program for a command that it does not know.
    if arguments.first == "help", let sentence = NamedCommands(arguments.dropFirst(), of: root).unknownCommand {
      Log.write(.error, "usage", sentence)
      exit(ExitStatus.usage.rawValue)
    }
    do {
      var command = try await parsed(arguments, as: root)
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch {
      let status = Root.exitCode(for: error)
      // Commands report their own errors.
      if status.isSuccess || error is ExitCode { Root.exit(withError: error) }
      let message = Root.message(for: error)
      Log.write(.error, "usage", UsageMistake.sentence(message, arguments, of: root))
      if Log.format == .text {
        // Shows the help of the option, and the usage of the command.
        let rest = Root.fullMessage(for: error).split(separator: "\n").drop {
          !$0.hasPrefix("Help: ") && !$0.hasPrefix("Usage: ")
        }
        for line in rest { Terminal.writeLine(printable(String(line))) }
      }
      exit(status.rawValue)
    }
  }
}
