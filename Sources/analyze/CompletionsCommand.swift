import ArgumentParser

extension CompletionShell: @retroactive ExpressibleByArgument {}

struct CompletionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completions", abstract: "Prints a completion script for bash, zsh or fish.")

  @Argument(help: "The shell: \(CompletionShell.allCases.map(\.rawValue).joined(separator: ", ")).")
  var shell: CompletionShell

  func run() {
    print(Analyze.completionScript(for: shell))
  }
}
