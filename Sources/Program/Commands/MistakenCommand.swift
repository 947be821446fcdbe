internal import AnalysisTasks
internal import Foundation
internal import Platform
internal import Text

/// Detects a word that was meant as a command, but was parsed as a path.
enum MistakenCommand {
  /// Names of commands in other programs, with the corresponding commands of this program.
  private static let otherNames = [
    "analyse": "run", "analyze": "run", "bpm": "show", "check": "doctor", "dedupe": "duplicates", "dupes": "duplicates",
    "find": "search", "fingerprint": "fpcalc", "identify": "match", "index": "run", "info": "show", "list": "search",
    "ls": "search", "query": "search", "recognize": "match", "rescan": "run", "scan": "run", "server": "serve",
    "stat": "show", "stats": "doctor", "status": "doctor", "tag": "write-tags", "tags": "write-tags", "update": "run",
    "version": "--version", "watch": "serve --watch", "write": "write-tags",
  ]

  /// Throws if the first argument was meant as a subcommand rather than a missing folder: no file or folder has its
  /// name, and it resembles a subcommand, or it is in lower case and followed only by words that are not names of files
  /// or folders either.
  static func refuse(_ arguments: [PathArgument]) throws {
    guard let first = arguments.first, let word = first.bareWord, !first.path.exists else { return }
    let commands = Commands.names
    if commands.contains(word) {
      throw CommandFailure(.usage, "Put '\(word)' first, before its options: analyze \(word) …")
    }
    let isCommandLine =
      arguments.count > 1 && word.utf8.allSatisfy { islower(Int32($0)) != 0 }
      && arguments.allSatisfy { $0.bareWord != nil && !$0.path.exists }
    let start = "Unknown command '\(printable(word))', and there is no file or folder of that name"
    if let command = meant(by: word) {
      throw CommandFailure(.usage, "\(start); did you mean 'analyze \(command)'?")
    } else if isCommandLine {
      throw CommandFailure(.usage, "\(start). Commands: \(commands.joined(separator: ", ")).")
    }
  }

  /// The command, possibly with an option, that a word stands for; `nil` if it is not similar to any command.
  static func meant(by word: String) -> String? {
    if let command = otherNames[word] { return command }
    let commands = Commands.names
    return Suggestion.nearest(to: word, in: commands + otherNames.keys).map { otherNames[$0] ?? $0 }
  }
}
