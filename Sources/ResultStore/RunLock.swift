public import AudioAnalysis
public import SystemPackage

/// Keeps two runs from working on one database: an advisory lock (`flock`) on a file beside it, which the system lets go of
/// when the process ends, however it ends.
public final class RunLock: Sendable {
  /// Who holds a lock, as written in the lock file.
  public struct Owner: Hashable, Sendable {
    public var processID: Int32
    public var host: String
    public var started: Timestamp
  }

  /// Takes the lock of a database (`FILE.lock`), and waits for it if another process holds it.
  /// - Parameter onWait: called once, before waiting.
  /// - Throws: `lockedByRun` when the time is over, `cannotOpen` if the lock file cannot be made.
  public static func acquire(
    forDatabase database: FilePath, waitingAtMost limit: Duration = .zero, onWait: (Owner?) -> Void = { _ in }
  ) throws(StoreError) -> RunLock { fatalError() }

  /// Lets go of the lock.
  public func release() { fatalError() }
}
