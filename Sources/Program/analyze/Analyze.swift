internal import AnalysisTasks
import ArgumentParser
import Foundation
import Platform
import Records
import Text

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
    subcommands: [
      RunCommand.self, ReportCommand.self, ExportCommand.self, SearchCommand.self, ShowCommand.self,
      SetCommand.self, ReviewCommand.self, SimilarCommand.self, DuplicatesCommand.self, BrokenCommand.self,
      PlaylistCommand.self,
      ClickCommand.self, MetronomeCommand.self, WaveformCommand.self, FpcalcCommand.self, WriteTagsCommand.self,
      MatchCommand.self, ListenCommand.self, CatalogCommand.self, ServeCommand.self, WorkerProcessCommand.self,
      CoverProcessCommand.self, DecodingProcessCommand.self,
    ],
    groupedSubcommands: [
      CommandGroup(
        name: "Upkeep",
        subcommands: [
          VerifyCommand.self, DoctorCommand.self, BackupCommand.self, PruneCommand.self, ConfigCommand.self, SchemaCommand.self,
          CompletionsCommand.self,
        ]),
      CommandGroup(name: "Many machines", subcommands: [PlanCommand.self, WorkerCommand.self, MergeCommand.self]),
    ],
    defaultSubcommand: RunCommand.self)

  /// Former names of commands and their replacements, so old scripts keep working.
  private static let formerCommands = ["explain": ["show", "--why"]]

  /// The arguments with a former command name replaced.
  static func withPresentName(_ arguments: [String]) -> [String] {
    guard let name = arguments.first, let present = formerCommands[name] else { return arguments }
    return present + arguments.dropFirst()
  }

  /// Refuses a word that is not a path but resembles a subcommand: it is a typo rather than a missing folder. Also refuses a
  /// lowercase word followed by other words if no file has any of these names.
  static func refuseUnknownSubcommand(_ arguments: [PathArgument]) throws {
    guard let first = arguments.first, let word = first.bareWord, !first.path.exists else { return }
    let commands = configuration.subcommands.compactMap { command in
      command.configuration.shouldDisplay ? command.configuration.commandName : nil
    }
    let isCommandLine =
      arguments.count > 1 && word.utf8.allSatisfy { islower(Int32($0)) != 0 }
      && arguments.allSatisfy { $0.bareWord != nil && !$0.path.exists }
    if commands.contains(word) {
      throw CommandFailure(.usage, "Put '\(word)' first, before its options: analyze \(word) …")
    } else if let command = Suggestion.nearest(to: word, in: commands) {
      throw CommandFailure(
        .usage,
        "Unknown command '\(printable(word))', and there is no file or folder of that name; "
          + "did you mean 'analyze \(command)'?")
    } else if isCommandLine {
      throw CommandFailure(
        .usage,
        "Unknown command '\(printable(word))', and there is no file or folder of that name. "
          + "Commands: \(commands.joined(separator: ", ")).")
    }
  }
}
