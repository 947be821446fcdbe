/// Counts of the files that a scan has seen so far.
public struct ScanCounts: Hashable, Sendable {
  public var cached = 0
  /// Number of `cached` files that are damaged.
  public var knownDamaged = 0
  public var knownFailures = 0
  /// Number of `knownFailures` that are in quarantine after losing a worker process.
  public var quarantined = 0
  /// Files that the scan could not read although they were readable or unknown before.
  public var newFailures = 0
  public var skipped = 0
  public var new = 0
  public var changed = 0
  public var touched = 0
  public var outdated = 0
  public var retried = 0
  /// Number of files, out of all those above, that were found under another path than before.
  public var moved = 0
  public var vanished = 0

  public var pending: Int { new + changed + touched + outdated + retried }

  public init() {}
}

extension ScanCounts {
  mutating func add(_ file: SkippedFile, failedBefore: Bool) {
    switch (file.isFailure, failedBefore) {
    case (false, _): skipped += 1
    case (true, false): newFailures += 1
    case (true, true): knownFailures += 1
    }
  }

  mutating func add(_ verdict: ScanVerdict) {
    switch verdict {
    case .cached: cached += 1
    case .knownFailure: knownFailures += 1
    case .pending(.new): new += 1
    case .pending(.changed): changed += 1
    case .pending(.touched): touched += 1
    case .pending(.outdated): outdated += 1
    case .pending(.retry): retried += 1
    }
  }
}

extension ScanVerdict {
  var pendingReason: PendingReason? {
    if case .pending(let reason) = self { reason } else { nil }
  }
}
