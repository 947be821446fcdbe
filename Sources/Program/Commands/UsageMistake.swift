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
    if message.contains("nexpected argument") {
      if let sentence = command.unknownCommand { return sentence }
      if let name = message.firstMatch(of: /'([^']*)'/)?.output.1, let sentence = namedFile(String(name), command.last)
      {
        return sentence
      }
    }
    if let sentence = invalidNumber(message) { return sentence }
    if let decimal = try? /The value '(-?\d+),(\d+)' is invalid.*/.wholeMatch(in: message)?.output {
      return "\(message); a decimal has a point: \(decimal.1).\(decimal.2)".sentence
    }
    if let option = optionWithoutValue(message), let index = arguments.firstIndex(of: option),
      let next = arguments.dropFirst(index + 1).first,
      next.hasPrefix("-")
    {
      return "\(message); a value that begins with a hyphen needs an equals sign: \(option)=\(printable(next))"
    }
    // The parser's messages have no full stop after a closing quotation mark.
    return message.hasSuffix("'") ? message + "." : message
  }

  /// The message about a file given to a command that reads standard input; `nil` for other commands.
  private static func namedFile(_ name: String, _ command: any ParsableCommand.Type) -> String? {
    if command == WorkerCommand.self {
      return """
        The worker reads the names of files from standard input: printf '%s\\n' \(shellWord(name)) | analyze worker
        """
    }
    if command == ListenCommand.self {
      return "Samples are read from standard input. To recognize a file: analyze match \(shellWord(name))"
    }
    return nil
  }

  private static func shellWord(_ name: String) -> String {
    let text = printable(name)
    return text.wholeMatch(of: /[A-Za-z0-9_.\/+-]+/) != nil ? text : "'\(text)'"
  }

  /// The option that lacks a value according to the parser's message.
  private static func optionWithoutValue(_ message: String) -> String? {
    (try? /Missing value for '(--?[^ ']+).*/.wholeMatch(in: message)?.output.1).map { String($0) }
  }

  /// Joins a negative number to the option before it that lacks a value according to the parser's message: `--jobs -1`
  /// becomes `--jobs=-1`, so that the command itself says which numbers are valid. Returns `nil` if there is none.
  static func joiningNegativeNumber(_ message: String, _ arguments: [String]) -> [String]? {
    guard let option = optionWithoutValue(message) else { return nil }
    let options = arguments.prefix { $0 != "--" }
    let index = options.indices.dropLast().first {
      options[$0] == option && options[$0 + 1].wholeMatch(of: /-\d+([.,]\d+)?/) != nil
    }
    guard let index else { return nil }
    return arguments[..<index] + ["\(option)=\(arguments[index + 1])"] + arguments[(index + 2)...]
  }

  /// Returns the message about an option that expects a number, whose value is none or is out of the range of integers.
  private static func invalidNumber(_ message: String) -> String? {
    guard
      let parts = try? /The value '(.*)' is invalid for '(--?[^ ']+) <(n|number|hz|port|db|seconds|p)>'\.?/
        .wholeMatch(in: message)?.output
    else { return nil }
    let (value, option, unit) = (String(parts.1), parts.2, parts.3)
    let expected = ["db", "seconds", "p"].contains(unit) || option == "--bpm" ? "a number" : "a whole number"
    if value.wholeMatch(of: /-?\d+,\d+/) != nil { return nil }
    let rest =
      if value.wholeMatch(of: /-\d+/) != nil {
        " of at least 0"
      } else if value.wholeMatch(of: /\d+/) != nil {
        " that is smaller"
      } else {
        ""
      }
    return "\(option) expects \(expected)\(rest), not '\(printable(value))'."
  }

  /// Returns the message about an unknown option. Its suggestion is, if possible, an option that begins with the
  /// unknown one.
  private static func unknownOption(_ option: String, of command: NamedCommands) -> String {
    let options = command.options
    let longer = options.filter { option.count > 3 && $0.hasPrefix(option) }.min { $0.count < $1.count }
    let meant =
      option == "-V"
      ? "--version" : longer ?? (option.hasPrefix("--") ? Suggestion.nearest(to: option, in: options) : nil)
    return "Unknown option '\(option)'\(meant.map { "; did you mean '\($0)'?" } ?? "")".sentence
  }
}
