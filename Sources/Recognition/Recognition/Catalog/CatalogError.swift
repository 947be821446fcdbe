/// An error that occurs when a catalog is read, written or queried.
public enum CatalogError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A system call failed; `reason` is the system's message.
  case unreadable(path: String, reason: String)
  case unwritable(path: String, reason: String)
  /// The file is not a catalog.
  case notACatalog(path: String)
  /// The catalog was written by a newer or older program.
  case otherVersion(path: String, version: Int)
  /// The file is missing or truncated, or has changed since it was written; `detail` says how or where.
  case damaged(path: String, detail: String)
  /// Another program is changing the catalog.
  case locked(path: String)
  /// The query is shorter than the minimum of the catalog.
  case queryTooShort(seconds: Double, minimum: Double)
  case queryTooLong(seconds: Double, maximum: Double)
  /// The audio is longer than the column numbers of a segment allow.
  case tooLarge

  public var description: String {
    switch self {
    case .unreadable(let path, let reason): "\(path) cannot be read: \(reason)"
    case .unwritable(let path, let reason): "\(path) cannot be written: \(reason)"
    case .notACatalog(let path): "\(path) is not a recognition catalog"
    case .otherVersion(let path, let version):
      "\(path) has format \(version), but this program reads format \(SegmentFormat.version)"
    case .damaged(let path, let detail): "\(path) is damaged (\(detail))"
    case .locked(let path): "\(path) is being changed by another program: try again later"
    case .queryTooShort(let seconds, let minimum):
      "the query is \(seconds) s long, but the catalog needs at least \(minimum) s"
    case .queryTooLong(let seconds, let maximum):
      "the query is \(seconds) s long, but the catalog accepts at most \(maximum) s"
    case .tooLarge: "a segment cannot hold more than 38,000 hours of audio"
    }
  }

  /// The file that cannot be read or used, and the reason; `nil` for other errors.
  package var loss: MissingCatalog? {
    let (path, reason): (String, String)
    switch self {
    case .unreadable(let file, let cause): (path, reason) = (file, "it cannot be read: \(cause)")
    case .notACatalog(let file): (path, reason) = (file, "it is not a recognition catalog")
    case .damaged(let file, let detail): (path, reason) = (file, "it is damaged (\(detail))")
    case .otherVersion(let file, let version):
      (path, reason) = (file, "it has format \(version), but this program reads format \(SegmentFormat.version)")
    default: return nil
    }
    return MissingCatalog(name: path, reason: reason, isUnreadable: true)
  }

  /// `true` if the contents of a file differ from those that were written, or its format is too old to be read.
  var isDamage: Bool {
    switch self {
    case .notACatalog, .damaged: true
    case .otherVersion(_, let version): version < SegmentFormat.readableVersions.lowerBound
    default: false
    }
  }
}
