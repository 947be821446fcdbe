public import Platform
internal import Text

/// The position of a receiver of changes, which has received all changes up to `revision`.
public struct LibraryCursor: Hashable, Sendable {
  /// The id of the database, which the database and its copies keep forever.
  public var library: String
  /// Number of the last received change.
  public var revision: Int64

  public init(library: String, revision: Int64) {
    self.library = library
    self.revision = revision
  }
}

/// The start of the requested changes.
public enum ChangePoint: Hashable, Sendable {
  case cursor(LibraryCursor)
  case run(Int64)
  case time(Timestamp)
}

/// The reason the changes since a point are unknown, and what to do about it.
public enum ChangePointError: Error, Hashable, Sendable, CustomStringConvertible {
  case otherLibrary
  /// The cursor refers to changes that the database has never contained.
  case ahead(cursor: Int64, database: Int64)
  case unknownRun(Int64, latest: Int64?)
  case noLog

  public var description: String {
    let advice = "Export everything once, without --since."
    switch self {
    case .otherLibrary:
      return "The cursor belongs to another database. Name the right one with --database, or start again: \(advice)"
    case .ahead(let cursor, let database):
      return
        "The cursor is at change \(cursor), and this database has only \(database): it was restored from a copy that "
        + "is older than the cursor. \(advice)"
    case .unknownRun(let run, let latest?):
      return "There is no run \(run); the last one is run \(latest)."
    case .unknownRun(let run, nil):
      return "There is no run \(run): the database has none yet."
    case .noLog:
      return
        "The database was written by an older version, which did not record when tracks change, and it cannot be updated "
        + "here. \(advice)"
    }
  }
}
