import ArgumentParser

struct CompletionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completions", abstract: "Prints a completion script for bash, zsh or fish.")

  @Argument(help: "The shell: \(CompletionShell.allCases.map(\.rawValue).joined(separator: ", ")).", completion: .list(CompletionShell.allCases.map(\.rawValue)))
  var shell: String

  func run() throws {
    guard let shell = CompletionShell(rawValue: shell) else {
      throw ValidationError("There are no completions for \(shell).")
    }
    print(Analyze.completionScript(for: shell))
  }
}
