import ArgumentParser
import Foundation
import Pipeline

@main
struct Program {
  static func main() async {
    // A reader who leaves, as `head` does, is met as an error of the write and not as a signal that ends us.
    signal(SIGPIPE, SIG_IGN)
    // A file that may not grow further (ulimit -f) is an error as a full disk is.
    signal(SIGXFSZ, SIG_IGN)
    // Of a worker process that crashes the run tells in a sentence.
    setenv("SWIFT_BACKTRACE", "enable=no", 0)
    let arguments = RawArguments.texts
    if Set(arguments) == ["--version", "--json"] {
      print(VersionReport.json)
    } else {
      await run(arguments)
    }
  }

  private static func run(_ arguments: [String]) async {
    do {
      var command = try await Analyze.asyncParseAsRoot(arguments)
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch {
      let status = Analyze.exitCode(for: error)
      // Mistakes in options, which the parser would tell people about, with the usage; commands tell of their errors.
      if Log.format != .text, !status.isSuccess, !(error is ExitCode) {
        Log.write(.error, "usage", Analyze.message(for: error))
        exit(status.rawValue)
      }
      Analyze.exit(withError: error)
    }
  }
}
