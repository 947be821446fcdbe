package import ArgumentParser

/// The commands of the program, in the order of its help. Two are defined in the module `analyze` instead: `serve`, the
/// only one that needs the server, and `completions`, which needs the list of all commands.
package enum Commands {
  package static let serve = "serve"

  package static let completions = "completions"

  /// The names of all commands that the help shows.
  static var names: [String] { names(of: main) + [serve] + names(of: upkeep) + [completions] + names(of: manyMachines) }

  private static func names(of commands: [any ParsableCommand.Type]) -> [String] {
    commands.compactMap { $0.configuration.shouldDisplay ? $0.configuration.commandName : nil }
  }

  package static var main: [any ParsableCommand.Type] {
    [
      RunCommand.self, ReportCommand.self, ExportCommand.self, SearchCommand.self, ShowCommand.self, SetCommand.self,
      ReviewCommand.self, SimilarCommand.self, DuplicatesCommand.self, BrokenCommand.self, PlaylistCommand.self,
      ClickCommand.self, MetronomeCommand.self, WaveformCommand.self, FpcalcCommand.self, WriteTagsCommand.self,
      MatchCommand.self, ListenCommand.self, CatalogCommand.self,
    ]
  }

  /// The command that runs if none is named.
  package static var standard: any ParsableCommand.Type { RunCommand.self }

  /// Commands that the program runs in separate processes. The help does not show them.
  package static var processes: [any ParsableCommand.Type] {
    [
      WorkerProcessCommand.self, CoverProcessCommand.self, DecodingProcessCommand.self,
    ]
  }

  /// The command line of the process that makes one cover.
  package static var coverProcess: [String] { CoverProcessCommand.command }

  /// The command line of the process that decodes uploaded audio.
  package static var decodingProcess: [String] { DecodingProcessCommand.arguments }

  package static var upkeep: [any ParsableCommand.Type] {
    [
      VerifyCommand.self, DoctorCommand.self, BackupCommand.self, PruneCommand.self, ConfigCommand.self,
      SchemaCommand.self,
    ]
  }

  package static var manyMachines: [any ParsableCommand.Type] {
    [
      PlanCommand.self, WorkerCommand.self, MergeCommand.self,
    ]
  }
}
