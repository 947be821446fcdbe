import ArgumentParser
import LibraryStore
import Platform

/// The option `--since`.
struct SinceArgument: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Only changes since a run, a date, an age such as 2d, or a cursor file",
      valueName: "run|time|cursor"),
    completion: .file(extensions: ["json"]))
  var since: String?

  func validate() throws { _ = try value() }

  /// The value; `nil` if the option was not given.
  /// - Throws: `ValidationError`.
  func value() throws -> Since? {
    guard let since else { return nil }
    if let value = Since(since) { return value }
    // A misspelled time must not be taken for the name of a cursor file that does not exist yet.
    guard let path = PathArgument(argument: since), since.hasSuffix(".json") || path.path.exists else {
      throw ValidationError(
        "--since expects the number of a run, a date such as 2026-11-01, an age such as 2d, or a cursor file, not "
          + "'\(since)'.")
    }
    return .cursor(path.path)
  }
}
