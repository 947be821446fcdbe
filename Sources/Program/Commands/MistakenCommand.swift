internal import AnalysisTasks
internal import Foundation
internal import Platform
internal import Text

/// Words that were meant as a command.
enum MistakenCommand {
  /// A word that is no path but nearly a subcommand is a mistake, and not a folder that is missing. So is any word in
  /// lower case before other words if there is nothing of any of these names.
  static func refuse(_ arguments: [PathArgument]) throws {
    guard let first = arguments.first, let word = first.bareWord, !first.path.exists else { return }
    let commands = Commands.names
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
