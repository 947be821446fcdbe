internal import Filters
package import Platform
package import SystemPackage

/// The start of the requested changes: `--since`.
package enum Since: Hashable, Sendable {
  case point(ChangePoint)
  /// A cursor file written by an earlier export. If it does not exist yet, all changes are requested.
  case cursor(FilePath)

  /// Parses a run number, a day, a time or an age. Returns `nil` for any other text.
  package init?(_ text: String, now: Timestamp = .now) {
    if let run = Int64(text) {
      self = .point(.run(run))
    } else if let time = Timestamp(rfc3339: text) {
      self = .point(.time(time))
    } else if let filter = try? TrackFilter(field: .added, values: text),
      case .condition(.added(let range)) = filter.expression, let start = range.since, text.first?.isNumber == true,
      !text.contains("..")
    {
      self = .point(.time(Timestamp(nanoseconds: start.nanoseconds(now: now.nanoseconds))))
    } else {
      return nil
    }
  }

  /// Returns the start of the changes; `nil` for everything.
  /// - Throws: `CursorFileError`.
  package func point() throws -> ChangePoint? {
    switch self {
    case .point(let point): point
    case .cursor(let path): try CursorFile(path).read().map { .cursor($0) }
    }
  }
}
