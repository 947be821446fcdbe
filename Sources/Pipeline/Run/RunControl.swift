internal import Synchronization

/// How a run is told to stop before its end: by a signal, or when its time is over.
public final class RunControl: Sendable {
  private struct State {
    var stopRequested: ContinuousClock.Instant?
  }

  private let state = Mutex(State())
  /// How long files in progress may still take after a request to stop; what is not done by then is left for the next run.
  private let grace: Duration

  public init(grace: Duration = .seconds(5)) {
    self.grace = grace
  }

  /// No further file is started, results are committed and reports written.
  public func requestStop() {
    state.withLock { $0.stopRequested = $0.stopRequested ?? .now }
  }

  public var isStopping: Bool {
    state.withLock { $0.stopRequested != nil }
  }

  /// True once files in progress must be given up.
  public var mustAbandon: Bool {
    guard let requested = state.withLock({ $0.stopRequested }) else { return false }
    return ContinuousClock.now - requested > grace
  }
}
