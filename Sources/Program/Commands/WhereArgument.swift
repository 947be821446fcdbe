import ArgumentParser
import Filters
internal import LibraryTasks

/// The option `--where` alone, for commands without the other filter options; some of them use those names for
/// something else.
struct WhereArgument: ParsableArguments {
  @Option(
    name: .customLong("where"),
    help: ArgumentHelp("Tracks that match an expression, such as 'genre:dnb bpm:80..90'", valueName: "filter"))
  var expression: String?

  func validate() throws { _ = try filter() }

  /// The filter; `nil` if the option was not given.
  /// - Throws: `ValidationError`.
  func filter() throws -> TrackFilter? {
    do throws(FilterSyntaxError) {
      return try expression.map { text throws(FilterSyntaxError) in
        try TrackFilter(parsing: text, columns: FindingColumn.known)
      }
    } catch {
      throw ValidationError("--where: \(error)")
    }
  }
}
