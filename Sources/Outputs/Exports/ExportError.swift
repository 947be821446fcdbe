public import Platform
public import SystemPackage
internal import Text

/// A failure to write an export. Existing files stay unchanged.
public enum ExportError: Error, Hashable, Sendable {
  case cannotCreate(FilePath, reason: String)
  /// A file that exists may not be replaced.
  case refused(OverwriteError)
  /// The export cannot be written. The path is `nil` for standard output.
  case cannotWrite(FilePath?, reason: String)
  /// The reader of standard output has stopped reading.
  case closedPipe
  case unknownOption(String, known: [String])
  /// The value of an option is invalid. `expected` completes “expects …”.
  case badOption(String, value: String, expected: String)
  /// No track is selected, and the user has not asked for an export without tracks.
  case nothingSelected
  /// Something outside the program is missing or does not work. The text states the problem and its remedy.
  case unavailable(String)
}

extension ExportError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .cannotCreate(let path, let reason):
      "\(Self.text(path)) cannot be created: \(reason). Check the folder and its permissions, or name another place with "
        + "--output."
    case .refused(let error): "\(error)"
    case .cannotWrite(let path?, let reason):
      "Writing \(Self.text(path)) failed: \(reason). What was there before is unchanged; fix the cause and export again."
    case .cannotWrite(nil, let reason): "Writing to standard output failed: \(reason)."
    case .closedPipe: "The reader of standard output has closed it."
    case .unknownOption(let name, let known):
      "This format has no option '\(printable(name))'"
        + (known.isEmpty ? "; it takes no options." : "; \(Suggestion.hint(for: name, in: known))".sentence)
    case .badOption(let name, let value, let expected):
      "--option \(name) expects \(expected), not '\(printable(value))'."
    case .nothingSelected:
      "No track matches. Nothing was written. Check the filters with `analyze search`, or use --force to write an export "
        + "without tracks."
    case .unavailable(let sentences): sentences
    }
  }

  private static func text(_ path: FilePath) -> String { printable(DisplayPath.text(of: path)) }
}
