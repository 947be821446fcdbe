internal import Synchronization

/// Stops a run early: after a signal, or at the end of its time budget.
public final class RunControl: Sendable {
  private let requested = Mutex<ContinuousClock.Instant?>(nil)
  /// End of the time budget.
  private let end: ContinuousClock.Instant?
  /// Time that files in progress have after a stop request. Files that are not finished by then are left for the next
  /// run.
  private let grace: Duration

  /// - Parameter limit: The time budget, starting now.
  public init(grace: Duration = .seconds(5), limit: Duration? = nil) {
    self.grace = grace
    end = limit.map { .now + $0 }
  }

  /// Requests a stop. No more files are started, but results are committed and reports are written.
  public func requestStop() {
    requested.withLock { $0 = $0 ?? .now }
  }

  public var isStopping: Bool {
    stopped != nil
  }

  /// `true` once files in progress must be given up.
  public var mustAbandon: Bool {
    stopped.map { .now - $0 > grace } ?? false
  }

  /// The time at which the run began to stop.
  private var stopped: ContinuousClock.Instant? {
    let now = ContinuousClock.now
    let over = end.flatMap { $0 <= now ? $0 : nil }
    guard let requested = requested.withLock({ $0 }) else { return over }
    return over.map { min($0, requested) } ?? requested
  }
}
