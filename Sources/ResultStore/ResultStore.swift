internal import GRDB
public import SystemPackage

/// The results of all runs: one SQLite database in WAL mode that any number of processes may read while one run writes it.
///
/// Methods block the calling thread.
public final class ResultStore: Sendable {
  public enum Access: Hashable, Sendable {
    /// Creates the database if it is not there, and brings an older schema up to date.
    case readWrite
    case readOnly
  }

  public let path: FilePath

  public init(path: FilePath, access: Access = .readWrite) throws(StoreError) { fatalError() }
}
