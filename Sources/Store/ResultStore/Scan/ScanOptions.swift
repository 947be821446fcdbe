/// Options for the treatment of known files in a scan.
public struct ScanOptions: Hashable, Sendable {
  public var force: Bool
  /// Retries failed files, and files on which an analyzer failed, although nothing has changed.
  public var retryFailed: Bool
  /// Computes verdicts only and leaves the database unchanged.
  public var isDryRun: Bool

  public init(force: Bool = false, retryFailed: Bool = false, isDryRun: Bool = false) {
    self.force = force
    self.retryFailed = retryFailed
    self.isDryRun = isDryRun
  }
}
