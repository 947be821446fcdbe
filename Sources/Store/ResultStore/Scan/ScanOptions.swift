/// How a scan treats what it knows.
public struct ScanOptions: Hashable, Sendable {
  /// Everything is analyzed again.
  public var force: Bool
  /// Failed files, and files of which an analyzer failed, are tried again although nothing has changed.
  public var retryFailed: Bool
  /// Verdicts only; the database is not written.
  public var isDryRun: Bool

  public init(force: Bool = false, retryFailed: Bool = false, isDryRun: Bool = false) {
    self.force = force
    self.retryFailed = retryFailed
    self.isDryRun = isDryRun
  }
}
