internal import AnalysisTasks
internal import ArgumentParser
internal import Platform
internal import Text

/// The commands that the first arguments name.
struct NamedCommands {
  /// The commands from the root command to the innermost one that was found.
  private(set) var path: [any ParsableCommand.Type]
  /// The word after the commands; `nil` if it begins with a hyphen, or if there is none.
  private(set) var next: String?

  init(_ arguments: some Sequence<String>, of root: any ParsableCommand.Type) {
    path = [root]
    for word in arguments {
      guard let command = subcommands.first(where: { $0.configuration.commandName == word }) else {
        if !word.hasPrefix("-") { next = word }
        return
      }
      path.append(command)
    }
  }

  var last: any ParsableCommand.Type { path[path.count - 1] }

  /// The subcommands of the innermost command.
  var subcommands: [any ParsableCommand.Type] {
    last.configuration.subcommands + last.configuration.groupedSubcommands.flatMap { $0.subcommands }
  }

  /// The message about a next word that is not a subcommand; `nil` if there are no subcommands or no next word.
  var unknownCommand: String? {
    guard let next, !subcommands.isEmpty else { return nil }
    let names = path.dropFirst().compactMap { $0.configuration.commandName }
    let valid = subcommands.compactMap { $0.configuration.shouldDisplay ? $0.configuration.commandName : nil }
    let outer = (["analyze"] + names).joined(separator: " ")
    let meant = names.isEmpty ? MistakenCommand.meant(by: next) : Suggestion.nearest(to: next, in: valid)
    let hint = meant.map { "did you mean '\(outer) \($0)'?" } ?? "valid here: \(valid.joined(separator: ", "))"
    return "There is no command '\(printable((names + [next]).joined(separator: " ")))'; \(hint)".sentence
  }

  /// The names of the options of the innermost command, or of `run` if no command is named, such as `--database`.
  var options: [String] {
    let command = path.count == 1 ? Commands.standard : last
    return command.helpMessage(includeHidden: true, columns: 1_000).split(separator: "\n").flatMap { line in
      // The first column names the options of a line.
      let column =
        line.hasPrefix("  -") ? line.dropFirst(2).firstRange(of: "  ").map { line[..<$0.lowerBound] } ?? line : ""
      return column.matches(of: /--[a-z0-9][a-z0-9-]*/).map { String($0.output) }
    }
  }
}

/// The message for a mistake in the arguments that the parser has found.
enum UsageMistake {
  /// Returns the parser's message with corrected and additional hints.
  static func sentence(_ message: String, _ arguments: [String], of root: any ParsableCommand.Type) -> String {
    let command = NamedCommands(arguments, of: root)
    if let unknown = try? /Unknown option '(--?[^']+)'.*/.wholeMatch(in: message)?.output.1 {
      return unknownOption(String(unknown), of: command)
    }
    if message.contains("nexpected argument"), let sentence = command.unknownCommand { return sentence }
    if let decimal = try? /The value '(-?\d+),(\d+)' is invalid.*/.wholeMatch(in: message)?.output {
      return "\(message); a decimal has a point: \(decimal.1).\(decimal.2)".sentence
    }
    if let option = try? /Missing value for '(--?[^ ']+).*/.wholeMatch(in: message)?.output.1,
      let index = arguments.firstIndex(of: String(option)), let next = arguments.dropFirst(index + 1).first,
      next.hasPrefix("-")
    {
      return "\(message); a value that begins with a hyphen needs an equals sign: \(option)=\(printable(next))"
    }
    // The parser's messages have no full stop after a closing quotation mark.
    return message.hasSuffix("'") ? message + "." : message
  }

  /// Returns the message about an unknown option. Its suggestion is, if possible, an option that begins with the
  /// unknown one.
  private static func unknownOption(_ option: String, of command: NamedCommands) -> String {
    let options = command.options
    let longer = options.filter { option.count > 3 && $0.hasPrefix(option) }.min { $0.count < $1.count }
    let meant = longer ?? (option.hasPrefix("--") ? Suggestion.nearest(to: option, in: options) : nil)
    return "Unknown option '\(option)'\(meant.map { "; did you mean '\($0)'?" } ?? "")".sentence
  }
}
