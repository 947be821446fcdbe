import ArgumentParser

struct CompletionsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completions", abstract: "Prints a completion script for bash, zsh or fish.")

  private static let shells = CompletionShell.allCases.map(\.rawValue).sorted()

  @Argument(help: "The shell: \(shells.joined(separator: ", ")).", completion: .list(shells))
  var shell: String

  func run() async throws {
    try await reportingErrors {
      guard let shell = CompletionShell(rawValue: shell) else {
        let shells = Self.shells.joined(separator: ", ")
        throw CommandFailure(.usage, "There are no completions for \(shell); valid: \(shells).")
      }
      try StandardOutput.write(CompletedAnalyze.completionScript(for: shell) + "\n")
    }
  }
}

/// The program as shells should complete it: options of the default command without its name, too. Scripts that are made
/// of `Analyze` know them behind `run` only.
private struct CompletedAnalyze: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "analyze", abstract: Analyze.configuration.abstract, version: Analyze.version,
    subcommands: Analyze.configuration.subcommands)

  @OptionGroup
  var defaultCommand: RunCommand
}
