import ArgumentParser
import Commands
import Records

struct Analyze: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "analyze",
    abstract: "Analyze a music library into SQLite and reports",
    usage: "analyze [<options>] [<path> ...]\n       analyze <subcommand>",
    discussion: """
      For a nightly job: analyze ~/Music --report json. It analyzes only new and changed files, is silent when \
      nothing is wrong, and leaves its results in the database and the report.

      Exit status: 0 fine; 1 the run could not be done; 3 done, but with new failures; 11 another \
      run holds the lock; 64 wrong usage; 129, 130 or 143 ended by a signal, with all finished work stored.

      `analyze run --help` lists the options of a run; `analyze --version --json` is for programs.
      """,
    version: Nocturne.version,
    subcommands: Commands.main + [ServeCommand.self] + Commands.processes,
    groupedSubcommands: [
      CommandGroup(name: "Upkeep", subcommands: Commands.upkeep + [CompletionsCommand.self]),
      CommandGroup(name: "Many machines", subcommands: Commands.manyMachines),
    ],
    defaultSubcommand: Commands.standard)

  /// Other first arguments and their replacements: former names of commands, so that old scripts keep working, and the
  /// option for the version that many programs have.
  private static let otherNames = ["explain": ["show", "--why"], "-V": ["--version"]]

  /// Replaces another name of a command or option in the arguments.
  static func withPresentName(_ arguments: [String]) -> [String] {
    guard let name = arguments.first, let present = otherNames[name] else { return arguments }
    return present + arguments.dropFirst()
  }
}
