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
      try StandardOutput.write(Analyze.completionScript(for: shell) + "\n")
    }
  }
}
