internal import AnalysisTasks
internal import Foundation
internal import Platform
internal import Text

/// A word that was meant as a command, but was parsed as a path.
enum MistakenCommand {
  /// Throws if the first argument is a mistaken command rather than a missing folder. It is one if no file has that
  /// path and it is a subcommand or nearly one, or if it is in lower case, other words follow, and no file has any of
  /// these paths.
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
